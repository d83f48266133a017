"""Rows are found by bisection over sums that are kept only as far as they are asked for."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable


class Heights:
    """A list of heights in rows, with their sums; changing the last one costs nothing but itself."""

    def __init__(self) -> None:
        self._sizes: list[int] = []
        self._starts: list[int] = [0]
        """`_starts[i]` is the sum of the sizes before `i`, for as many as are known."""

    def __len__(self) -> int:
        return len(self._sizes)

    def __getitem__(self, index: int) -> int:
        return self._sizes[index]

    @property
    def total(self) -> int:
        """The sum of all heights."""
        return self.start(len(self._sizes))

    def start(self, index: int) -> int:
        """The sum of the heights before `index`."""
        starts = self._starts
        for known in range(len(starts) - 1, index):
            starts.append(starts[known] + self._sizes[known])
        return starts[index]

    def find(self, row: int) -> int:
        """The index of the item that row `row` is in; the last one for rows past the end."""
        self.start(len(self._sizes))
        return max(0, min(bisect_right(self._starts, row) - 1, len(self._sizes) - 1))

    def set(self, index: int, size: int) -> None:
        """Change one height."""
        if self._sizes[index] != size:
            self._sizes[index] = size
            del self._starts[index + 1 :]

    def replace_from(self, index: int, sizes: Iterable[int]) -> None:
        """Put other heights where those from `index` on were."""
        self._sizes[index:] = sizes
        del self._starts[index + 1 :]

    def remove(self, index: int) -> None:
        """Take one height out."""
        del self._sizes[index]
        del self._starts[index + 1 :]
