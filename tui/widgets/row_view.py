"""The one way in which the instruments paint: rows through the line API, a screen's worth at a time."""

from collections.abc import Sequence
from typing import ClassVar, get_args

from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.events import Resize
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from cutaway.tui.rows import Plain, Row, Rows, RowSource, Tone

CURSOR_MARK = "›"

FILLED: frozenset[Tone] = frozenset({"added", "removed"})
"""Tones whose background runs to the end of the row."""


class RowView(ScrollView, can_focus=True):
    """Rows that scroll and, where they have keys, can be walked.

    A text of two megabytes costs one pass over its characters to wrap, and each paint costs only what
    is on the screen. Nothing is interpreted as markup.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"row--{tone}" for tone in get_args(Tone)} | {"row--cursor"}
    DEFAULT_CSS = """
    RowView {
        scrollbar-size-vertical: 1;
        overflow-x: hidden;
        & .row--text { color: $foreground; }
        & .row--dim { color: $text-muted; }
        & .row--strong { text-style: bold; }
        & .row--title { color: $text-secondary; text-style: bold; }
        & .row--good { color: $text-success; }
        & .row--bad { color: $text-error; text-style: bold; }
        & .row--warn { color: $text-warning; }
        & .row--accent { color: $text-primary; text-style: bold; }
        & .row--added { color: $text-success; background: $success 14%; }
        & .row--removed { color: $text-error; background: $error 14%; }
        & .row--keyword { color: $text-primary; text-style: bold; }
        & .row--string { color: $text-success; }
        & .row--number { color: $text-warning; }
        & .row--comment { color: $text-muted; text-style: italic; }
        & .row--name { color: $text-accent; }
        &:focus .row--cursor { background: $primary 25%; }
        &:ansi .row--added, &:ansi .row--removed { background: ansi_default; }
        &:ansi:focus .row--cursor { background: ansi_default; text-style: reverse; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "walk(1)", "Down", show=False, id="rows.down", tooltip="Next row"),
        Binding("k,up", "walk(-1)", "Up", show=False, id="rows.up", tooltip="Previous row"),
        Binding("g,home", "walk_to_end(-1)", "First", show=False, id="rows.first", tooltip="First row"),
        Binding("G,end", "walk_to_end(1)", "Last", show=False, id="rows.last", tooltip="Last row"),
        Binding("enter", "choose", "Open", show=False, id="rows.open", tooltip="Open the row"),
    ]

    class Chosen(Message):
        """`enter` on the row with `key`."""

        def __init__(self, view: "RowView", key: str) -> None:
            super().__init__()
            self.view = view
            self.key = key

        @property
        def control(self) -> "RowView":
            return self.view

    class Walked(Message):
        """The cursor came to the row with `key`."""

        def __init__(self, view: "RowView", key: str) -> None:
            super().__init__()
            self.view = view
            self.key = key

        @property
        def control(self) -> "RowView":
            return self.view

    def __init__(self, source: RowSource | None = None, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._source: RowSource = source or Rows(())
        self._laid_out: tuple[int, Sequence[Row]] = (0, ())
        self.cursor = ""
        """The key of the row that the cursor stands on; '' for none."""
        self.follows = False
        """True to stay at the end while rows come, until somebody scrolls away from it."""
        self._at_end = True

    def set_rows(self, source: RowSource, *, keep_scroll: bool = True) -> None:
        """Draw other rows; the scroll position stays unless asked otherwise."""
        self._source = source
        self._laid_out = (0, ())
        if not keep_scroll:
            self.scroll_to(y=0, animate=False, force=True)
            self._at_end = True
        self._fit()
        self.refresh()

    @property
    def texts(self) -> list[str]:
        """The lines as they are laid out now."""
        return [line.text for line in self._lines(self._width)]

    @property
    def _width(self) -> int:
        return self.scrollable_content_region.width

    def _lines(self, width: int) -> Sequence[Row]:
        if self._laid_out[0] != width:
            self._laid_out = (width, self._source.lines(width) if width else ())
        return self._laid_out[1]

    def _fit(self) -> None:
        """Tell the scrollbar; the screen is laid out anew only when one has to come or go."""
        if not (width := self._width):
            return
        size = Size(width, len(self._lines(width)))
        if size != self.virtual_size:
            self._grow(size)
        if self.follows and self._at_end:
            self.scroll_to(y=self.max_scroll_y, animate=False, force=True)

    def _grow(self, size: Size) -> None:
        room = self.scrollable_content_region.height
        if self.styles.is_auto_height or (size.height > room) != (self.virtual_size.height > room):
            self.virtual_size = size
            return
        self.set_reactive(Widget.virtual_size, size)
        if size.height > room:
            self.vertical_scrollbar.window_virtual_size = size.height
            self.scroll_y = min(self.scroll_y, self.max_scroll_y)

    def on_resize(self, event: Resize) -> None:
        self._fit()

    def watch_show_vertical_scrollbar(self) -> None:
        self.call_after_refresh(self._fit)  # a scrollbar takes a column

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self._at_end = round(new_value) >= self.max_scroll_y

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._lines(width))

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self.refresh()

    def render_line(self, y: int) -> Strip:
        width = self._width
        lines = self._lines(width)
        at = y + self.scroll_offset.y
        if at >= len(lines):
            return Strip.blank(self.size.width, self.rich_style)
        return self._strip(lines[at], width)

    def _strip(self, line: Row, width: int) -> Strip:
        on_cursor = bool(line.key) and line.key == self.cursor
        marked = self._cursor_style() if on_cursor else Style.null()
        segments = [
            Segment(piece.text, self.get_component_rich_style(f"row--{piece.tone}") + marked)
            for piece in line.pieces
        ]
        if on_cursor and segments and segments[0].text.startswith(" "):
            first = segments[0]
            segments[:1] = [Segment(CURSOR_MARK, first.style), Segment(first.text[1:], first.style)]
        filled = line.pieces and line.pieces[-1].tone in FILLED
        return Strip(segments).adjust_cell_length(
            width, segments[-1].style if filled else self.rich_style + marked
        )

    def _cursor_style(self) -> Style:
        """Bold, on the background that the theme blends for the cursor."""
        style = self.get_component_rich_style("row--cursor")
        return Style(bgcolor=style.bgcolor, bold=True, reverse=style.reverse)

    def action_walk(self, step: int) -> None:
        keys = self.keys()
        if not keys:
            self.scroll_relative(y=step, animate=False)
            return
        at = keys.index(self.cursor) + step if self.cursor in keys else (0 if step > 0 else len(keys) - 1)
        self.walk_to(keys[min(max(at, 0), len(keys) - 1)])

    def action_walk_to_end(self, side: int) -> None:
        if keys := self.keys():
            self.walk_to(keys[0 if side < 0 else -1])
        if side < 0:
            self.scroll_home(animate=False)
        else:
            self.scroll_end(animate=False)

    def action_choose(self) -> None:
        if self.cursor:
            self.post_message(self.Chosen(self, self.cursor))

    def walk_to(self, key: str) -> None:
        """Put the cursor on the row with `key` and bring it into view."""
        if key != self.cursor:
            self.cursor = key
            self.refresh()
            self.post_message(self.Walked(self, key))
        self._reveal()

    def _reveal(self) -> None:
        first, last = self.place_of(self.cursor)
        top, height = self.scroll_offset.y, self.scrollable_content_region.height
        if first < top:
            self.scroll_to(y=first, animate=False)
        elif last >= top + height:
            self.scroll_to(y=min(last - height + 1, first), animate=False)

    def keys(self) -> list[str]:
        """The keys of the rows, in order, each once."""
        lines = self._lines(self._width)
        if isinstance(lines, Plain):
            return []
        return list(dict.fromkeys(line.key for line in lines if line.key))

    def place_of(self, key: str) -> tuple[int, int]:
        """The first and the last line of the row with `key`; the top when there is none."""
        found = [at for at, line in enumerate(self._lines(self._width)) if line.key == key]
        return (found[0], found[-1]) if found else (0, 0)


class RowText(RowView, can_focus=False):
    """Rows that are as high as they need; whoever holds them has the focus."""

    DEFAULT_CSS = "RowText { height: auto; overflow-y: hidden; }"
