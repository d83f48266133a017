"""Search in the words that are shown, over all blocks, folded ones too."""

from __future__ import annotations

import re
from typing import NamedTuple

from cutaway.tui.transcript.layout import Layout, Placed
from cutaway.tui.transcript.safe_text import visible

FOLDED = -1


class SearchHit(NamedTuple):
    """A place where the text was found, in the words of a block's section."""

    block_id: str
    section: int
    """Which section of the block; `FOLDED` if the block is folded, so that the place cannot be shown yet."""
    start: int
    end: int


class Search:
    """What is searched for, the hits in order, and the one that was gone to last."""

    def __init__(self) -> None:
        self.needle = ""
        self.hits: list[SearchHit] = []
        self.current = -1

    @property
    def hit(self) -> SearchHit | None:
        """The hit that was gone to last."""
        return self.hits[self.current] if 0 <= self.current < len(self.hits) else None

    def find(self, layout: Layout, needle: str) -> None:
        """Search anew; small letters find capitals too, a capital finds only itself."""
        self.needle = needle
        self.hits = []
        self.current = -1
        if not needle:
            return
        flags = re.IGNORECASE if needle == needle.lower() else 0
        pattern = re.compile(re.escape(needle), flags)
        for placed in layout.placed:
            self.hits.extend(_hits_in(layout, placed, pattern))

    def again(self, layout: Layout) -> None:
        """Search anew for the same, and stay at the hit that was gone to last if it is still there."""
        hit = self.hit
        self.find(layout, self.needle)
        if hit is not None and hit in self.hits:
            self.current = self.hits.index(hit)

    def step(self, by: int) -> SearchHit | None:
        """Go to the next hit or the one before, around the ends."""
        if not self.hits:
            return None
        if self.current < 0:
            self.current = 0 if by > 0 else len(self.hits) - 1
        else:
            self.current = (self.current + by) % len(self.hits)
        return self.hit


def _hits_in(layout: Layout, placed: Placed, pattern: re.Pattern[str]) -> list[SearchHit]:
    block_id = placed.block.id
    if placed.block.collapsed:
        found = pattern.search(visible(placed.text)) is not None
        return [SearchHit(block_id, FOLDED, 0, 0)] if found else []
    return [
        SearchHit(block_id, index, *match.span())
        for index in range(len(placed.sections))
        for match in pattern.finditer(layout.plain(placed, index))
    ]
