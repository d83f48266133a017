"""Lines of toned text: what every instrument draws, without a widget or a colour in sight."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, Protocol, overload

from rich.cells import cell_len, split_graphemes

from cutaway.tui.transcript.safe_text import one_line, visible
from cutaway.tui.transcript.wrap import cut

TAB_CELLS = 4
"""Cells between tab stops on the screen."""

GRAPHEME_ROOM = 16
"""Characters looked at beyond the width, so that a character of several parts is not cut."""

WIDE_FROM = "\u3001"
"""Of the characters below, these and all after them take two cells."""

_UNJOINED = re.compile(
    "[ -~\u00a0-\u02ff\u0391-\u03a1\u03a3-\u03ff\u0400-\u0482\u2010-\u2027\u2190-\u2193\u2500-\u259f"
    "\u3001-\u3029\u3041-\u3096\u30a1-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60]*"
)
"""Frequent characters of one or two cells that never join their neighbour: cheap to measure."""

Tone = Literal[
    "text",
    "dim",
    "strong",
    "title",
    "good",
    "bad",
    "warn",
    "accent",
    "added",
    "removed",
    "keyword",
    "string",
    "number",
    "comment",
    "name",
]
"""What a piece of text means; a theme gives each tone its colour."""


class Piece(NamedTuple):
    text: str
    tone: Tone = "text"


Part = str | tuple[str, Tone]


@dataclass(frozen=True, slots=True)
class Row:
    """One line before wrapping.

    `hang` is how many cells its continuation lines are indented; a row with a `key` can be walked to.
    """

    pieces: tuple[Piece, ...] = ()
    hang: int = 0
    key: str = ""

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces)

    @property
    def cells(self) -> int:
        return sum(cell_len(piece.text) for piece in self.pieces)


def row(*parts: Part, hang: int = 0, key: str = "") -> Row:
    """Build a row from plain strings and (text, tone) pairs; anything a terminal would obey is escaped."""
    pieces = (Piece(part) if isinstance(part, str) else Piece(*part) for part in parts)
    return Row(tuple(Piece(one_line(text), tone) for text, tone in pieces if text), hang, key)


def key_row(keys: Sequence[tuple[str, str]], *, lit: bool) -> Row:
    """Keys and what they do; not lit while they would go elsewhere."""
    parts: list[Part] = []
    for key, meaning in keys:
        gap = "   " if parts else ""
        parts += [gap, (key, "accent" if lit else "dim"), (f" {meaning}", "text" if lit else "dim")]
    return row(*parts)


BLANK = Row()


class RowSource(Protocol):
    """Rows that can be laid out for a width; indexing must be cheap, for it happens on every paint."""

    def lines(self, width: int) -> Sequence[Row]: ...


class Rows:
    """A finite list of rows, wrapped when a width is known."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self.rows = tuple(rows)

    def lines(self, width: int) -> Sequence[Row]:
        return [line for each in self.rows for line in wrap(each, width)]


class Headline:
    """One row with a left and a right end."""

    def __init__(self, left: Row, right: Row) -> None:
        self._left = left
        self._right = right

    def lines(self, width: int) -> Sequence[Row]:
        return (justified(self._left, self._right, width),)


class Plain(Sequence[Row]):
    """Lines without a key, of which there may be a hundred thousand."""


class _Lines(Plain):
    """Plain strings seen as rows, so that a long text costs no object per line until it is painted."""

    def __init__(self, texts: list[str], tone: Tone) -> None:
        self._texts = texts
        self._tone = tone

    def __len__(self) -> int:
        return len(self._texts)

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | Sequence[Row]:
        if isinstance(index, slice):
            return _Lines(self._texts[index], self._tone)
        return Row((Piece(self._texts[index], self._tone),))


class LongText:
    """A text of any size, cut hard at the width so that each of its characters is seen."""

    def __init__(self, lines: list[str], tone: Tone = "text") -> None:
        self._source = lines
        self._tone = tone

    def lines(self, width: int) -> Sequence[Row]:
        return _Lines([part for line in self._source for part in chop(line, width)], self._tone)


def text_lines(text: str) -> list[str]:
    """Split text at line feeds only (CRLF counts as one end) into harmless lines, tabs expanded."""
    lines = visible(text).split("\n")
    if len(lines) > 1 and lines[-1] == "":
        lines.pop()
    return [line.expandtabs(TAB_CELLS) for line in lines]


def chop(text: str, width: int) -> list[str]:
    """Cut a line into parts of at most `width` cells; joined again they are the line."""
    width = max(width, 1)
    parts: list[str] = []
    start = 0
    while start < len(text) or not parts:
        end = _fitting(text, start, width)
        parts.append(text[start:end])
        start = end
    return parts


def _fitting(text: str, start: int, width: int) -> int:
    """The end of the longest part from `start` that fits `width` cells; at least one character."""
    part = text[start : start + width]
    if part.isascii():
        return start + len(part)
    if _UNJOINED.fullmatch(text, start, start + width + 1):
        return start + _fitting_unjoined(part, width)
    used = end = 0
    for _, stop, cells in split_graphemes(text[start : start + width + GRAPHEME_ROOM])[0]:
        if used + cells > width:
            break
        used, end = used + cells, stop
    return start + max(end, 1)


def _fitting_unjoined(part: str, width: int) -> int:
    """How many characters of `part`, none of which joins another, fit `width` cells; at least one."""
    used = 0
    for count, char in enumerate(part):
        used += 2 if char >= WIDE_FROM else 1
        if used > width:
            return max(count, 1)
    return len(part)


def wrap(source: Row, width: int) -> list[Row]:
    """Break a row into lines of at most `width` cells, at a space where one is near; nothing is dropped."""
    width = max(width, 1)
    if source.cells <= width:
        return [source]
    hang = source.hang if source.hang < width - 8 else 0
    text = source.text
    lines: list[Row] = []
    start = 0
    while start < len(text):
        indent = hang if lines else 0
        end = _line_end(text, start, width - indent)
        pieces = _slice(source.pieces, start, end)
        lines.append(Row((Piece(" " * indent), *pieces) if indent else pieces, hang, source.key))
        start = end
    return lines


def _line_end(text: str, start: int, width: int) -> int:
    end = _fitting(text, start, width)
    if end >= len(text) or text[end - 1] == " ":
        return end
    space = text.rfind(" ", start + (end - start) // 2, end)
    return space + 1 if space >= 0 else end


def _slice(pieces: Sequence[Piece], start: int, end: int) -> tuple[Piece, ...]:
    """The pieces between two character positions."""
    found = []
    at = 0
    for text, tone in pieces:
        if part := text[max(start - at, 0) : max(end - at, 0)]:
            found.append(Piece(part, tone))
        at += len(text)
    return tuple(found)


def cut_start(text: str, width: int) -> str:
    """Shorten text to its last `width` cells, as the end is what names a path; `…` marks the loss."""
    if cell_len(text) <= width:
        return text
    if width <= 1:
        return "…"[:width]
    used = 0
    for start, _, cells in reversed(split_graphemes(text)[0]):
        if used + cells > width - 1:
            break
        used, kept = used + cells, start
    return "…" + text[kept:] if used else "…"


def justified(left: Row, right: Row, width: int) -> Row:
    """Put `right` at the right edge; `left` is cut where the two would meet, never `right`."""
    room = max(width - right.cells - (1 if right.pieces else 0), 0)
    pieces: list[Piece] = []
    for piece in left.pieces:
        size = cell_len(piece.text)
        if size > room:
            pieces.append(Piece(cut(piece.text.rstrip(), room), piece.tone))
            room = 0
            break
        pieces.append(piece)
        room -= size
    gap = width - sum(cell_len(piece.text) for piece in pieces) - right.cells
    return replace(left, pieces=(*pieces, Piece(" " * max(gap, 0)), *right.pieces))
