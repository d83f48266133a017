"""Lines are broken by terminal cells, at words where there are words, and never inside a character."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rich.cells import cell_len, split_graphemes

from cutaway.tui.transcript.ink import Line, Run, Span

_WORD = re.compile(r"\s*\S+|\s+")


def wrap(
    runs: Sequence[Run],
    width: int,
    at: int,
    first: tuple[Span, ...] = (),
    rest: tuple[Span, ...] = (),
    *,
    words: bool = True,
    fill: str = "",
) -> list[Line]:
    """Break one logical line into rows of at most `width` cells, prefixes included.

    `at` is where the line begins in the plain text. Without `words` it is cut at the last cell that fits,
    as code is. A single character wider than the room that is left stands alone on its row.
    """
    text = "".join(item.text for item in runs)
    room_first = max(1, width - _cells(first))
    if cell_len(text) <= room_first:
        return [Line((*first, *_slice(runs, 0, len(text), at)), at, fill)]
    room_rest = max(1, width - _cells(rest))
    lines: list[Line] = []
    for start, end in _breaks(text, room_first, room_rest, words):
        spans = tuple(_slice(runs, start, end, at))
        begin = next((span.at for span in spans), at)
        lines.append(Line((*(rest if lines else first), *spans), begin, fill))
    return lines


def cut(text: str, width: int) -> str:
    """Shorten text to `width` cells, ending in `…` where something was left out."""
    if cell_len(text) <= width:
        return text
    if width <= 1:
        return "…"[:width]
    used = 0
    for start, _, cells in split_graphemes(text)[0]:
        if used + cells > width - 1:
            return text[:start] + "…"
        used += cells
    return text


def _cells(spans: Sequence[Span]) -> int:
    return sum(cell_len(span.text) for span in spans)


def _slice(runs: Sequence[Run], start: int, end: int, at: int) -> Iterator[Span]:
    """Yield the spans of `runs` between two character positions of the shown text."""
    position = 0
    for text, ink, size in runs:
        stop = position + len(text)
        if stop > start and position < end:
            low, high = max(0, start - position), min(len(text), end - position)
            if size == len(text):
                yield Span(text[low:high], ink, at + low, high - low)
            else:
                yield Span(text[low:high], ink, at if low == 0 else at + size, size if low == 0 else 0)
        if stop >= end:
            return
        position = stop
        at += size


def _breaks(text: str, first: int, rest: int, words: bool) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each row in `text`; blanks at a break are on no row."""
    room, start, end, used = first, 0, 0, 0
    for low, high in [match.span() for match in _WORD.finditer(text)] if words else [(0, len(text))]:
        piece = text[low:high]
        cells = cell_len(piece)
        if used + cells <= room:
            end, used = high, used + cells
            continue
        word = piece.lstrip()
        if words and used and cell_len(word) <= rest and not _breaks_anywhere(word):
            yield start, end
            start, end, used, room = high - len(word), high, cell_len(word), rest
            continue
        for begin, stop, width in split_graphemes(piece)[0]:
            if used and used + width > room:
                yield start, end
                start, end, used, room = low + begin, low + begin, 0, rest
            if words and not used and start and piece[begin:stop].isspace():
                start = end = low + stop
                continue
            end, used = low + stop, used + width
    if used:
        yield start, end


def _breaks_anywhere(word: str) -> bool:
    """Tell whether a word is in a script that is written without spaces."""
    return len(word) > 2 and cell_len(word) * 2 >= len(word) * 3
