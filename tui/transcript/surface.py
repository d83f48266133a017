"""Rows of the layout as rows of a widget: for the screen in colours, for the mouse with their offsets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.cache import LRUCache
from textual.color import Color
from textual.filter import LineFilter
from textual.geometry import Region
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from cutaway.tui.transcript.draw import margin_of
from cutaway.tui.transcript.ink import Ink, Line
from cutaway.tui.transcript.layout import Layout, Placed, Section, Spot
from cutaway.tui.transcript.paint import Margin, Mark, Painter, offsets_row
from cutaway.tui.transcript.words import key_of

KEPT_STRIPS = 200
"""Painted rows that are kept, a few screens: each holds caches of its own."""


class View(NamedTuple):
    """The part of the widget in which rows are shown, in cells."""

    width: int
    height: int


class BlockSurface(ScrollView, can_focus=True):
    """Shows the rows of a layout from `scroll_y` on, with a mark over the last one if more came below.

    Textual draws a widget's rows into new strips with every paint, borders around them, and so loses what a
    strip remembers: its colours on this terminal, its bytes. Rows without a border are therefore handed over
    as they are kept; after scrolling by a few rows most of the view costs nothing.
    """

    ALLOW_SELECT = True

    def __init__(self, *, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._layout = Layout()
        self._view = View(0, 0)
        self._strips: LRUCache[tuple[Section, int], Strip] = LRUCache(KEPT_STRIPS)
        self._painter: Painter | None = None
        self._painting = False
        self._mark_below = ""

    def render_lines(self, crop: Region) -> list[Strip]:
        """Give the rows that are to be shown."""
        if self._is_bare():
            start, end = crop.column_span
            filters, behind = self.get_line_filters(), self.background_colors[1]
            strips = [self._bare_row(y, filters, behind) for y in crop.line_range]
            return [s if not start and s.cell_length == end else s.crop(start, end) for s in strips]
        self._painting = True
        try:
            return super().render_lines(crop)
        finally:
            self._painting = False

    def render_line(self, y: int) -> Strip:
        """Give a row of the view: for the screen within `render_lines`, else with offsets for the mouse."""
        spot = self._layout.spot(round(self.scroll_y) + y)
        return self._shown_row(y, spot) if self._painting else self._offsets(spot)

    def _is_bare(self) -> bool:
        """Tell whether nothing but the rows is to be drawn."""
        styles = self.styles
        effects = styles.outline or styles.border or styles.padding.height or styles.tint.a
        return not effects and self.opacity == 1 and styles.text_opacity == 1 and not styles.has_rule("hatch")

    def _bare_row(self, y: int, filters: Sequence[LineFilter], behind: Color) -> Strip:
        strip = self._shown_row(y, self._layout.spot(round(self.scroll_y) + y))
        for line_filter in filters:
            strip = strip.apply_filter(line_filter, behind)
        return strip

    def _shown_row(self, y: int, spot: Spot | None) -> Strip:
        padding = self.styles.padding if not self._painting else None
        left, right = (padding.left, padding.right) if padding else (0, 0)
        width = (self._view.width or self.size.width) + left + right
        painter = self._painter or self._make_painter()
        if spot is None or spot.section < 0:
            strip = Strip.blank(width, painter.base)
        else:
            key = (spot.placed.sections[spot.section], spot.row)
            if (kept := self._strips.get(key)) is not None:
                strip = kept
            else:
                row = self._paint_row(painter, spot, width - left - right)
                strip = self._strips[key] = _padded(row, left, right, painter.base)
        if self._mark_below and y == self._view.height - 1:
            return _with_mark(strip, f" {self._mark_below} ", painter.style(Ink("below")), width - right)
        return strip

    def _paint_row(self, painter: Painter, spot: Spot, width: int) -> Strip:
        line = self._layout.line(spot)
        if line is None:
            return Strip.blank(width, painter.base)
        glyphs = margin_of(spot.placed.block)
        first = spot.section == 0 and spot.row == 0
        margin = Margin(self._has_cursor(spot.placed), glyphs.first if first else glyphs.rest, glyphs.role)
        marks = list(self._marks(spot, key_of(spot.placed, spot.section)))
        return painter.row(line, margin, marks, width)

    def _offsets(self, spot: Spot | None) -> Strip:
        """Give a row as the mouse needs it, to know which text is under it; past the end, the end."""
        if spot is None:
            spot = self._layout.spot(self._layout.height - 1)
        if spot is None:
            return Strip([])
        line = self._layout.line(spot) or Line((), 0)
        return offsets_row(line, key_of(spot.placed, spot.section))

    def _has_cursor(self, placed: Placed) -> bool:
        return False

    def _marks(self, spot: Spot, key: int) -> Iterator[Mark]:
        """Yield what is marked in the section that a row is in."""
        selection = self.text_selection
        if selection is not None and (span := selection.get_span(key)) is not None:
            start, end = span
            style = self.screen.get_component_rich_style("screen--selection")
            yield Mark(start, end if end >= 0 else 1 << 30, style)

    def _repaint(self) -> None:
        """Paint the rows in view anew: something about how they look has changed."""
        self._strips.clear()
        self.refresh()

    def selection_updated(self, selection: Selection | None) -> None:
        """Show the selection."""
        self._repaint()

    def notify_style_update(self) -> None:
        """Take the new theme's colours; the layout stays."""
        super().notify_style_update()
        self._painter = None
        self._strips.clear()

    def _make_painter(self) -> Painter:
        def component(role: str) -> tuple[Style, bool]:
            name = f"transcript--{role}"
            own = self.get_component_styles(name).has_rule("background")
            return self.get_component_rich_style(name), own

        base = self.get_component_rich_style("transcript--text")
        self._painter = Painter(component, base, colours=not self.app.no_color)
        return self._painter


def _padded(strip: Strip, left: int, right: int, style: Style) -> Strip:
    if not left and not right:
        return strip
    return Strip(
        [Segment(" " * left, style), *strip, Segment(" " * right, style)], strip.cell_length + left + right
    )


def _with_mark(strip: Strip, mark: str, style: Style, end: int) -> Strip:
    """Lay a mark over the right end of a row."""
    start = max(0, end - len(mark))
    return Strip.join(
        [strip.crop(0, start), Strip([Segment(mark[-end:], style)]), strip.crop(end, strip.cell_length)]
    )
