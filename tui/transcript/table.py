"""Tables fit the width: columns as wide as their text if there is room, else wrapped, else a field a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len

from cutaway.tui.transcript.ink import Drawn, Ink, Line, Run, Span, decoration, run
from cutaway.tui.transcript.wrap import wrap

_GAP = " │ "
_PLAIN_GAP = " | "
_NARROWEST = 6
"""Cells below which a wrapped column cannot be read any more."""


class Cell(NamedTuple):
    """One cell of a table."""

    runs: tuple[Run, ...]
    align: str

    @property
    def text(self) -> str:
        return "".join(item.text for item in self.runs)


def draw_table(rows: Sequence[Sequence[Cell]], width: int, at: int, *, header: bool) -> Drawn:
    """Draw rows whose first is the header; without `header` it gives the columns but is not shown."""
    count = max((len(row) for row in rows), default=0)
    natural = [max((cell_len(row[i].text) for row in rows if i < len(row)), default=0) for i in range(count)]
    widths = _fit(natural, width - len(_GAP) * (count - 1))
    if widths is None:
        return _records(rows, width, at, header=header)
    lines: list[Line] = []
    parts: list[str] = []
    for index, row in enumerate(rows):
        if index == 0 and not header:
            continue
        lines.extend(_row(row, widths, at))
        plain = _PLAIN_GAP.join(cell.text for cell in row)
        parts.append(plain)
        at += len(plain) + 1
        if index == 0:
            lines.append(Line((decoration("─┼─".join("─" * size for size in widths), "table-rule"),), at))
    return Drawn(tuple(lines), "\n".join(parts))


def _fit(natural: list[int], room: int) -> list[int] | None:
    """Give column widths, taking from the widest until they fit; `None` if they cannot be read."""
    widths = [max(1, size) for size in natural]
    if sum(widths) <= room:
        return widths
    narrow = [min(size, _NARROWEST) for size in widths]
    if sum(narrow) > room:
        return None
    while (excess := sum(widths) - room) > 0:
        widest = max(widths)
        second = max((size for size in widths if size < widest), default=0)
        among = [i for i, size in enumerate(widths) if size == widest]
        step = min(widest - max(second, _NARROWEST), -(-excess // len(among)))
        for i in among:
            widths[i] -= min(step, max(0, sum(widths) - room))
    return widths


def _row(row: Sequence[Cell], widths: Sequence[int], at: int) -> list[Line]:
    columns: list[list[Line]] = []
    begin = at
    for cell, size in zip(row, widths, strict=False):
        columns.append(wrap(cell.runs, size, at))
        at += len(cell.text) + len(_PLAIN_GAP)
    lines = []
    for level in range(max((len(column) for column in columns), default=1)):
        spans: list[Span] = []
        for i, size in enumerate(widths):
            if i:
                spans.append(decoration(_GAP[1:], "table-rule"))
            column = columns[i] if i < len(columns) else []
            cell_spans = column[level].spans if level < len(column) else ()
            align = row[i].align if i < len(row) else "left"
            spans.extend(_aligned(cell_spans, size, align, after=0 if i == len(widths) - 1 else 1))
        lines.append(Line(tuple(spans), begin))
    return lines


def _aligned(spans: Sequence[Span], size: int, align: str, *, after: int) -> list[Span]:
    room = max(0, size - sum(cell_len(span.text) for span in spans))
    left = {"right": room, "center": room // 2}.get(align, 0)
    before = [decoration(" " * left, "text")] if left else []
    right = room - left + after
    return [*before, *spans, *([decoration(" " * right, "text")] if right else [])]


def _records(rows: Sequence[Sequence[Cell]], width: int, at: int, *, header: bool) -> Drawn:
    """Draw each row as lines of `column: value`, for tables with more columns than the screen can hold."""
    names = [cell.text for cell in rows[0]] if rows else []
    lines: list[Line] = []
    parts: list[str] = []
    for number, row in enumerate(rows[1:]):
        if number:
            lines.append(Line((decoration("─" * min(width, 12), "table-rule"),), at))
        for index, cell in enumerate(row):
            name = names[index] if index < len(names) else ""
            runs = [run(f"{name}: ", Ink("table-header")), *cell.runs]
            lines.extend(wrap(runs, width, at, rest=(decoration("  ", "text"),)))
            plain = f"{name}: {cell.text}"
            parts.append(plain)
            at += len(plain) + 1
    return Drawn(tuple(lines), "\n".join(parts))
