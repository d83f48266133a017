"""The transcript as words: what is copied, searched, and read where there is no screen."""

from __future__ import annotations

from collections.abc import Iterator

from textual.selection import Selection

from cutaway.tui.transcript.layout import Layout, Placed

_SECTIONS = 1 << 20
"""More sections than a block can have: selection keys order blocks first, sections second."""


def key_of(placed: Placed, section: int) -> int:
    """Give the place of a section in the order of selection; it survives a resize, rows do not."""
    return placed.serial * _SECTIONS + max(0, section)


def plain_text(layout: Layout) -> str:
    """Give the words of all blocks, without wraps and decoration."""
    parts: list[str] = []
    for placed in layout.placed:
        if parts:
            parts.append("\n\n" if placed.gap else "\n")
        parts.append(_block_words(layout, placed))
    return "".join(parts)


def selected_text(layout: Layout, selection: Selection) -> str:
    """Give the words in a selection; of a block that is selected whole, its source."""
    parts: list[str] = []
    for placed in layout.placed:
        if (words := _selected_in(layout, placed, selection)) is not None:
            if parts:
                parts.append("\n\n" if placed.gap else "\n")
            parts.append(words)
    return "".join(parts)


def _block_words(layout: Layout, placed: Placed) -> str:
    return "".join(
        (section.chunk.join if index else "") + layout.plain(placed, index)
        for index, section in enumerate(placed.sections)
    )


def _selected_in(layout: Layout, placed: Placed, selection: Selection) -> str | None:
    first, last = key_of(placed, 0), key_of(placed, len(placed.sections))
    if (selection.start is not None and selection.start.y > last) or (
        selection.end is not None and selection.end.y < first
    ):
        return None
    pieces = list(_pieces(layout, placed, selection))
    if not pieces:
        return None
    whole = len(pieces) == len(placed.sections) and all(piece[2] for piece in pieces)
    if whole and not placed.block.collapsed and placed.block.kind in ("user", "answer", "output", "diff"):
        return placed.text
    return "".join((join if index else "") + text for index, (join, text, _) in enumerate(pieces))


def _pieces(layout: Layout, placed: Placed, selection: Selection) -> Iterator[tuple[str, str, bool]]:
    """Yield the join, the selected words and whether all words are selected, for each section touched."""
    for index, section in enumerate(placed.sections):
        span = selection.get_span(key_of(placed, index))
        if span is None:
            continue
        plain = layout.plain(placed, index)
        start, end = span
        end = len(plain) if end < 0 else min(end, len(plain))
        if start == end and start in (0, len(plain)) and plain:
            continue
        yield section.chunk.join, plain[start:end], start == 0 and end == len(plain)
