"""Text that grows is cut into chunks that never change again, so that only the open end is drawn anew.

The cut depends on the text alone, never on how it arrived: a streamed answer and the same answer from a log
give the same chunks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, Protocol

from cutaway.tui.transcript.safe_text import visible

ChunkKind = Literal["head", "markdown", "code", "plain"]

LONG_LINE = 4_096
"""Characters after which one line is cut, so that a line without end costs no more than this a paint."""
PLAIN_LINES = 60
"""Lines in a chunk of plain text: about two screens."""


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """A stretch of a block that is drawn as one; two chunks are the same only if they are one object."""

    kind: ChunkKind
    text: str
    join: str = "\n"
    """What stands between the chunk before and this one: two line ends for a blank row, none in a line."""
    language: str = ""
    opens: bool = True
    """For code: the first chunk of its fence, which shows the language."""
    ordinal: int | None = None
    """The number of a list item whose list began in an earlier chunk."""
    header: str = ""
    """For a table cut between rows: its header, which gives the columns and is not shown again."""
    open: bool = False
    """Still growing: code is coloured line by line until its end is known."""


class Splitter(Protocol):
    """Takes text as it comes and gives chunks."""

    frozen: list[Chunk]
    """Chunks that never change again; only ever appended to."""

    def feed(self, text: str) -> None:
        """Take the next piece of the text, cut anywhere."""

    def tail(self) -> list[Chunk]:
        """The chunks of what is not frozen yet; the same objects as long as their text is the same."""

    def close(self) -> None:
        """Freeze what is left: the text has ended."""


def cut_long(line: str) -> Iterator[str]:
    """Yield a line in pieces of at most `LONG_LINE` characters, cut after a space where there is one."""
    while len(line) > LONG_LINE:
        cut = line.rfind(" ", LONG_LINE // 2, LONG_LINE) + 1 or LONG_LINE
        yield line[:cut]
        line = line[cut:]
    yield line


class PlainSplitter:
    """Cuts text that is shown as it is, at every `PLAIN_LINES` lines."""

    def __init__(self) -> None:
        self.frozen: list[Chunk] = []
        self._lines: list[str] = []
        self._partial = ""
        self._join = "\n"
        self._open: Chunk | None = None

    def feed(self, text: str) -> None:
        *complete, self._partial = (self._partial + text).split("\n")
        for line in complete:
            self._take(line)
        *pieces, self._partial = cut_long(self._partial)
        for piece in pieces:
            self._take_cut(piece)
        self._open = None

    def _take(self, line: str) -> None:
        *pieces, last = cut_long(line)
        for piece in pieces:
            self._take_cut(piece)
        self._lines.append(visible(last.removesuffix("\r")))
        if len(self._lines) >= PLAIN_LINES:
            self._freeze("\n")

    def _take_cut(self, piece: str) -> None:
        self._lines.append(visible(piece))
        self._freeze("")

    def _freeze(self, next_join: str) -> None:
        self.frozen.append(Chunk("plain", "\n".join(self._lines), self._join))
        self._lines.clear()
        self._join = next_join

    def tail(self) -> list[Chunk]:
        if self._open is None:
            lines = [*self._lines, visible(self._partial.removesuffix("\r"))]
            if not lines[-1]:
                lines.pop()
            self._open = Chunk("plain", "\n".join(lines), self._join, open=True)
        return [self._open] if self._open.text or self._lines else []

    def close(self) -> None:
        if self._partial:
            self._take(self._partial)
        self._partial = ""
        if self._lines:
            self._freeze("\n")
        self._open = None
