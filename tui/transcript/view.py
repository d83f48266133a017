"""The transcript that is worked with: a cursor over blocks, folding, search and copying."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.selection import Selection

from cutaway.tui.transcript.layout import Anchor, Placed, Spot
from cutaway.tui.transcript.paint import ROLES, Mark
from cutaway.tui.transcript.scroller import BlockScroller
from cutaway.tui.transcript.search import FOLDED, Search, SearchHit
from cutaway.tui.transcript.style import DEFAULT_CSS
from cutaway.tui.transcript.words import plain_text, selected_text


class Transcript(BlockScroller):
    """The conversation: see the package for how it is used."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"transcript--{role}" for role in ROLES}
    DEFAULT_CSS = DEFAULT_CSS
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "cursor(1)", "Next block", show=False, id="transcript.next"),
        Binding("k,up", "cursor(-1)", "Previous block", show=False, id="transcript.previous"),
        Binding("space", "fold", "Fold or unfold", show=False, id="transcript.fold"),
        Binding("enter", "select", "Inspect", show=False, id="transcript.select"),
        Binding("y", "copy_block", "Copy the block", show=False, id="transcript.copy"),
        Binding("slash", "ask_search", "Search", show=False, id="transcript.search"),
        Binding("n", "hit(1)", "Next hit", show=False, id="transcript.next-hit"),
        Binding("N", "hit(-1)", "Previous hit", show=False, id="transcript.previous-hit"),
    ]

    class Selected(Message):
        """Enter was pressed on a block."""

        def __init__(self, block_id: str) -> None:
            super().__init__()
            self.block_id = block_id

    class CopyRequested(Message):
        """A block is to be copied; the app owns the clipboard."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class SearchRequested(Message):
        """The user wants to search; the app asks for what, and calls `search`."""

    class CursorMoved(Message):
        """The cursor stands on another block, or on none."""

        def __init__(self, block_id: str | None) -> None:
            super().__init__()
            self.block_id = block_id

    def __init__(self, *, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._cursor: Placed | None = None
        self._search = Search()

    # the cursor

    @property
    def cursor_id(self) -> str | None:
        """The id of the block under the cursor."""
        return None if self._cursor is None else self._cursor.block.id

    def move_cursor(self, block_id: str | None) -> None:
        """Put the cursor on a block and bring it into view; raises `KeyError` for an unknown id."""
        placed = None if block_id is None else self._layout.get(block_id)
        if placed is not self._cursor:
            self._cursor = placed
            self._repaint()
            self.post_message(self.CursorMoved(block_id))
        if placed is not None:
            self._show_block(placed)

    def action_cursor(self, by: int) -> None:
        """Go to another block; without a cursor, to the first or last one in view."""
        placed = self._layout.placed
        if not placed:
            return
        if self._cursor is None:
            top = round(self.scroll_y)
            row = top if by > 0 else min(top + self._view.height, self._layout.height) - 1
            spot = self._layout.spot(row)
            target = spot.placed if spot is not None else placed[-1]
        else:
            target = placed[min(max(0, self._cursor.index + by), len(placed) - 1)]
        self.move_cursor(target.block.id)

    def _show_block(self, placed: Placed) -> None:
        """Scroll as little as shows the block, or its beginning if it is taller than the view."""
        layout, height = self._layout, self._view.height
        layout.measure(layout.start(placed), height)
        top = layout.start(placed)
        bottom = top + placed.height
        if top < self.scroll_y or bottom - top > height:
            self._go_to_row(top)
        elif bottom > self.scroll_y + height:
            self._go_to_row(bottom - height)

    def _go_to_row(self, row: int) -> None:
        self._set_rows(self._layout.height)
        self.scroll_to(y=max(0, row), animate=False, force=True)

    def on_click(self, event: events.Click) -> None:
        """Put the cursor on the block that was clicked."""
        spot = self._layout.spot(round(self.scroll_y) + event.get_content_offset_capture(self).y)
        if spot is not None and self.text_selection is None and spot.placed is not self._cursor:
            self._cursor = spot.placed
            self._repaint()
            self.post_message(self.CursorMoved(spot.placed.block.id))

    # what can be done with a block

    def action_select(self) -> None:
        """Say that the block under the cursor was chosen."""
        if self._cursor is not None:
            self.post_message(self.Selected(self._cursor.block.id))

    def action_fold(self) -> None:
        """Fold or unfold the block under the cursor; its head stays where it is."""
        if self._cursor is not None and self._cursor.block.kind != "turn":
            self.fold(self._cursor.block.id)

    def fold(self, block_id: str, collapsed: bool | None = None) -> None:
        """Fold or unfold a block, the other way round than it is if not said; raises `KeyError`."""
        placed = self._layout.get(block_id)
        screen_row = self._layout.start(placed) + placed.gap - round(self.scroll_y)
        self._hold()
        self._layout.update(placed, collapsed=not placed.block.collapsed if collapsed is None else collapsed)
        if self._following:
            self._following, self._left_end = False, self._layout.end()
        in_view = 0 <= screen_row < self._view.height
        self._place(Anchor(placed, 0, 0, screen_row) if in_view else self._anchor())
        self._following = round(self.scroll_y) >= self._layout.height - self._view.height
        self._repaint()
        self._changed(settle=True)

    def action_copy_block(self) -> None:
        """Ask for the source text of the block under the cursor to be copied."""
        if self._cursor is not None:
            self.post_message(self.CopyRequested(self._cursor.text))

    def source(self, block_id: str) -> str:
        """Give the source text of a block, with what has streamed in so far; raises `KeyError`."""
        return self._layout.get(block_id).text

    def plain_text(self) -> str:
        """Give the words of all blocks, without wraps and decoration."""
        return plain_text(self._layout)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """Give what the mouse has selected, as words without wraps; whole messages as their source."""
        text = selected_text(self._layout, selection)
        return (text, "\n") if text else None

    # search

    def search(self, text: str) -> tuple[SearchHit, ...]:
        """Mark all places with a text, and give them; an empty text ends the search."""
        self._search.find(self._layout, text)
        self._repaint()
        return tuple(self._search.hits)

    def next_hit(self) -> SearchHit | None:
        """Go to the next place that was found, from the last one around to the first."""
        return self._step_hit(1)

    def previous_hit(self) -> SearchHit | None:
        """Go to the place before."""
        return self._step_hit(-1)

    def _step_hit(self, by: int) -> SearchHit | None:
        self._search.again(self._layout)
        hit = self._search.step(by)
        if hit is not None and hit.section == FOLDED:
            self._layout.update(self._layout.get(hit.block_id), collapsed=False)
            position = self._search.current
            self._search.find(self._layout, self._search.needle)
            self._search.current = min(position, len(self._search.hits) - 1)
            hit = self._search.hit
        if hit is not None:
            self._show_hit(hit)
        return hit

    def _show_hit(self, hit: SearchHit) -> None:
        placed = self._layout.get(hit.block_id)
        self._cursor = placed
        row = self._layout.row_of_text(placed, hit.section, hit.start)
        if not self.scroll_y <= row < self.scroll_y + self._view.height:
            self._go_to_row(row - self._view.height // 3)
        self._repaint()

    def action_ask_search(self) -> None:
        """Say that the user wants to search."""
        self.post_message(self.SearchRequested())

    def action_hit(self, by: int) -> None:
        """Go through the places that were found."""
        self._step_hit(by)

    # how rows look

    def remove_block(self, block_id: str) -> None:
        """Take a block out; raises `KeyError` for an unknown id."""
        if self.cursor_id == block_id:
            self._cursor = None
        super().remove_block(block_id)

    def clear(self) -> None:
        """Take all blocks out."""
        self._cursor = None
        self._search = Search()
        super().clear()

    def update(self, block_id: str, **changes: Any) -> None:
        """Change fields of a block, named as in `TranscriptBlock`; raises `KeyError` for an unknown id."""
        super().update(block_id, **changes)

    def _has_cursor(self, placed: Placed) -> bool:
        return placed is self._cursor

    def _marks(self, spot: Spot, key: int) -> Iterator[Mark]:
        block_id = spot.placed.block.id
        for hit in self._search.hits:
            if hit.block_id == block_id and hit.section == spot.section:
                role = "hit-current" if hit is self._search.hit else "hit"
                yield Mark(hit.start, hit.end, self.get_component_rich_style(f"transcript--{role}"))
        yield from super()._marks(spot, key)
