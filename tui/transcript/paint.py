"""Rows become Textual strips here, and only here do roles become colours."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from cutaway.tui.transcript.draw import MARGIN
from cutaway.tui.transcript.ink import BOLD, ITALIC, STRIKE, UNDERLINE, Ink, Line, Span

ROLES = (
    "text", "dim", "cursor", "user", "user-glyph", "answer-glyph", "thinking", "note",
    "error", "warning", "info", "output", "title", "target", "meta", "turn", "turn-rule",
    "call-proposed", "call-asking", "call-queued", "call-running", "call-done", "call-failed", "call-refused",
    "call-cancelled",
    "heading", "heading-minor", "link", "link-address", "list-marker", "quote-bar", "rule",
    "table-header", "table-rule",
    "code", "code-inline", "code-label", "code-comment", "code-keyword", "code-string", "code-number",
    "code-function", "code-type", "code-builtin",
    "diff-added", "diff-removed", "diff-hunk", "diff-context",
    "hit", "hit-current", "below",
)  # fmt: skip
"""Each role `x` is the component class `transcript--x`."""


class Mark(NamedTuple):
    """A stretch of a section's plain text that is shown in another style."""

    start: int
    end: int
    style: Style


class Margin(NamedTuple):
    """What stands left of a row."""

    cursor: bool
    glyph: str
    role: str


class Painter:
    """Makes strips; styles are looked up once for each role and ink until the theme changes."""

    def __init__(self, component: Callable[[str], tuple[Style, bool]], base: Style, *, colours: bool) -> None:
        """`component` gives a role's style and whether the role has a background of its own."""
        self._component = component
        self._base = base
        self._colours = colours
        self._styles: dict[tuple[Ink, str], Style] = {}

    @property
    def base(self) -> Style:
        """The style of empty cells."""
        return self._base

    def style(self, ink: Ink, fill: str = "") -> Style:
        """Give the style of an ink on a row that is filled with the background of the role `fill`."""
        key = (ink, fill)
        if (style := self._styles.get(key)) is None:
            style = self._styles[key] = self._make_style(ink, fill)
        return style

    def _make_style(self, ink: Ink, fill: str) -> Style:
        style, own_background = self._component(ink.role)
        style = self._base + style
        if fill and not own_background:
            style += Style(bgcolor=self._component(fill)[0].bgcolor)
        attributes = ink.attributes
        if not self._colours and ink.role == "code-inline":
            attributes |= BOLD
        return style + Style(
            bold=True if attributes & BOLD else None,
            italic=True if attributes & ITALIC else None,
            strike=True if attributes & STRIKE else None,
            underline=True if attributes & UNDERLINE else None,
        )

    def row(self, line: Line, margin: Margin, marks: Sequence[Mark], width: int) -> Strip:
        """Paint a row."""
        fill = line.fill
        outer = fill if fill == "user" else ""
        segments = [
            Segment("▌" if margin.cursor else " ", self.style(Ink("cursor"), outer)),
            Segment(f"{margin.glyph} ", self.style(Ink(margin.role), outer)),
        ]
        for span in line.spans:
            if span.at < 0:
                segments.append(Segment(span.text, self.style(span.ink, outer)))
                continue
            style = self.style(span.ink, fill)
            for text, _, mark in _marked(span, marks):
                segments.append(Segment(text, style if mark is None else style + mark.style))
        return Strip(segments).adjust_cell_length(width, self.style(Ink(fill)) if fill else self._base)


def offsets_row(line: Line, key: int) -> Strip:
    """Give a row whose segments say where they stand in the plain text: the mouse asks for it.

    It has no colours, and only the mouse sees it: styles that differ from one segment to the next would make
    every paint slower. Decoration is cut into single cells, each of which means the row's first character.
    """
    segments: list[Segment] = []
    at_start = _offset(line.at, key)
    for span in (Span(" " * MARGIN, Ink("text"), -1, 0), *line.spans):
        if span.at < 0:
            segments.extend(Segment(character, at_start) for character in span.text)
        else:
            segments.append(Segment(span.text, _offset(span.at, key)))
    return Strip(segments or [Segment("", at_start)])


def _offset(at: int, key: int) -> Style:
    return Style.from_meta({"offset": (at, key)})


def _marked(span: Span, marks: Sequence[Mark]) -> Iterable[tuple[str, int, Mark | None]]:
    """Cut a span at the ends of the marks that touch it; the last mark wins."""
    start, end = span.at, span.at + span.size
    touching = [mark for mark in marks if mark.start < end and mark.end > start]
    if not touching or span.size != len(span.text):
        yield span.text, start, touching[-1] if touching else None
        return
    cuts = {start, end}
    for mark in touching:
        cuts.update((max(start, mark.start), min(end, mark.end)))
    edges = sorted(cuts)
    for low, high in pairwise(edges):
        over = [mark for mark in touching if mark.start <= low and mark.end >= high]
        yield span.text[low - start : high - start], low, over[-1] if over else None
