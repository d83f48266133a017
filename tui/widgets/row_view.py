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

from cutaway.tui.rows import Row, Rows, RowSource, Tone

CURSOR_MARK = "›"


class RowView(ScrollView, can_focus=True):
    """Rows that scroll and, where they have keys, can be walked.

    A text of two megabytes costs one pass over its characters to wrap, and each paint costs only what
    is on the screen. Nothing is interpreted as markup.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"row--{tone}" for tone in get_args(Tone)} | {"row--cursor"}
    DEFAULT_CSS = """
    RowView {
        scrollbar-size-vertical: 1;
        scrollbar-gutter: stable;
        overflow-x: hidden;
        & .row--text { color: $foreground; }
        & .row--dim { color: $text-muted; }
        & .row--strong { text-style: bold; }
        & .row--title { color: $text-primary; text-style: bold; }
        & .row--good { color: $text-success; }
        & .row--bad { color: $text-error; text-style: bold; }
        & .row--warn { color: $text-warning; }
        & .row--accent { color: $text-accent; text-style: bold; }
        & .row--added { color: $text-success; }
        & .row--removed { color: $text-error; }
        & .row--keyword { color: $text-accent; }
        & .row--string { color: $text-success; }
        & .row--number { color: $text-warning; }
        & .row--comment { color: $text-muted; text-style: italic; }
        & .row--name { color: $text-primary; }
        & .row--cursor { text-style: bold; }
        &:focus .row--cursor { background: $primary 30%; }
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

    def set_rows(self, source: RowSource, *, keep_scroll: bool = True) -> None:
        """Draw other rows; the scroll position stays unless asked otherwise."""
        self._source = source
        self._laid_out = (0, ())
        self._fit()
        if not keep_scroll:
            self.scroll_to(y=0, animate=False)
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
        if width := self._width:
            size = Size(width, len(self._lines(width)))
            if size != self.virtual_size:
                self.virtual_size = size

    def on_resize(self, event: Resize) -> None:
        self._fit()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._lines(width))

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self.refresh()

    def render_line(self, y: int) -> Strip:
        width = self._width
        lines = self._lines(width)
        at = y + self.scroll_offset.y
        base = self.rich_style
        if at >= len(lines):
            return Strip.blank(self.size.width, base)
        line = lines[at]
        on_cursor = bool(line.key) and line.key == self.cursor
        return self._strip(line, base, on_cursor).adjust_cell_length(
            width, self._cursor_style(base, on_cursor)
        )

    def _cursor_style(self, base: Style, on_cursor: bool) -> Style:
        return base + self.get_component_rich_style("row--cursor", partial=True) if on_cursor else base

    def _strip(self, line: Row, base: Style, on_cursor: bool) -> Strip:
        base = self._cursor_style(base, on_cursor)
        segments = [
            Segment(piece.text, base + self.get_component_rich_style(f"row--{piece.tone}", partial=True))
            for piece in line.pieces
        ]
        if on_cursor and segments and segments[0].text.startswith(" "):
            first = segments[0]
            segments[:1] = [Segment(CURSOR_MARK, base), Segment(first.text[1:], first.style)]
        return Strip(segments)

    def action_walk(self, step: int) -> None:
        keys = self._keys()
        if not keys:
            self.scroll_relative(y=step, animate=False)
            return
        at = keys.index(self.cursor) + step if self.cursor in keys else (0 if step > 0 else len(keys) - 1)
        self.walk_to(keys[min(max(at, 0), len(keys) - 1)])

    def action_walk_to_end(self, side: int) -> None:
        keys = self._keys()
        if keys:
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
        found = [at for at, line in enumerate(self._lines(self._width)) if line.key == self.cursor]
        if not found:
            return
        top, height = self.scroll_offset.y, self.scrollable_content_region.height
        if found[0] < top:
            self.scroll_to(y=found[0], animate=False)
        elif found[-1] >= top + height:
            self.scroll_to(y=min(found[-1] - height + 1, found[0]), animate=False)

    def _keys(self) -> list[str]:
        """The keys of the rows, in order, each once."""
        return list(dict.fromkeys(line.key for line in self._lines(self._width) if line.key))
