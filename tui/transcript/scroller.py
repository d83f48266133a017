"""The transcript on the screen: one widget that draws lines, whatever the number of blocks.

Time is spent in two places only: a paint, at most 10 times a second and only if something changed, and
slices of a few milliseconds in which heights that were estimated after a resize or a bulk load are made true.
Without either no timer runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import ceil
from time import perf_counter
from typing import Any

from textual import events
from textual.geometry import Region, Size
from textual.timer import Timer
from textual.widget import Widget

from cutaway.tui.transcript.blocks import TranscriptBlock
from cutaway.tui.transcript.draw import MARGIN, PADDING
from cutaway.tui.transcript.layout import Anchor, Placed
from cutaway.tui.transcript.safe_text import count_of
from cutaway.tui.transcript.surface import BlockSurface, View

PAINT_INTERVAL = 1 / 10
"""Seconds between two paints of what streams in: faster is not read, and every paint costs."""
PAINT_SHARE = 0.2
"""The part of the time that painting may take; when a paint is slow, the next one waits accordingly."""
_BAR_STEPS = 8
"""Steps in a cell that the scrollbar's thumb can take."""
_AT_ONCE = 0.001
"""Seconds; Textual's timers cannot wait for nothing."""
SLICE = 0.006
"""Seconds of measuring in one idle slice: short enough that no key is kept waiting."""
SLICE_PAUSE = 0.02
"""Seconds between two idle slices."""


class BlockScroller(BlockSurface):
    """Takes blocks, streams into them, and keeps still what is being read."""

    def __init__(self, *, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._streaming: set[Placed] = set()
        self._paint_timer: Timer | None = None
        self._settle_timer: Timer | None = None
        self._settling: Iterator[None] | None = None
        self._last_paint = 0.0
        self._paint_cost = 0.0
        self._following = True
        self._left_end: Anchor | None = None
        self._held: Anchor | None = None
        self._placing = False
        self._thumb = (False, 0, 0)

    # blocks

    def append(self, block: TranscriptBlock) -> None:
        """Put a block at the end; the user's own message brings the view to the end.

        Raises `ValueError` if there is a block of that id.
        """
        self._layout.append(block)
        if block.kind == "user":
            self._following = True
        self._changed(settle=True)

    def extend(self, blocks: Iterable[TranscriptBlock]) -> None:
        """Put many blocks at the end, as when a session is resumed; only those in view are drawn at once."""
        for block in blocks:
            self._layout.append(block)
        self._changed(settle=True)

    def update(self, block_id: str, **changes: Any) -> None:
        """Change fields of a block, named as in `TranscriptBlock`; raises `KeyError` for an unknown id."""
        placed = self._layout.get(block_id)
        self._hold()
        self._layout.update(placed, **changes)
        self._changed(settle=True)

    def stream(self, block_id: str, delta: str) -> None:
        """Add to the end of a block's text; raises `KeyError` for an unknown id.

        Costs next to nothing: what has come is drawn with the next paint.
        """
        placed = self._layout.get(block_id)
        self._hold()
        self._layout.stream(placed, delta)
        self._streaming.add(placed)
        self._changed()

    def finish(self, block_id: str) -> None:
        """Say that no more text of a block will come."""
        placed = self._layout.get(block_id)
        self._hold()
        self._streaming.discard(placed)
        self._layout.sync(placed, end=True)
        self._changed(settle=True)

    def remove_block(self, block_id: str) -> None:
        """Take a block out; raises `KeyError` for an unknown id."""
        placed = self._layout.get(block_id)
        self._hold()
        self._streaming.discard(placed)
        self._layout.remove(placed)
        self._changed()

    def clear(self) -> None:
        """Take all blocks out."""
        self._streaming.clear()
        self._layout.clear()
        self._following, self._held = True, None
        self._changed()

    @property
    def block_ids(self) -> list[str]:
        """The ids of all blocks, in order."""
        return [placed.block.id for placed in self._layout.placed]

    def block(self, block_id: str) -> TranscriptBlock:
        """Give a block as it is now, all of its text included; raises `KeyError` for an unknown id."""
        placed = self._layout.get(block_id)
        return replace(placed.block, text=placed.text)

    @property
    def following(self) -> bool:
        """Whether the view stays at the end when there is more."""
        return self._following

    @property
    def new_lines(self) -> int:
        """Rows that came since the end was left; 0 while following."""
        return 0 if self._following else self._layout.rows_after(self._left_end)

    @property
    def settled(self) -> bool:
        """Whether all that came is shown and all heights are true; then no timer runs."""
        return self._paint_timer is None and self._settle_timer is None and self._settling is None

    # painting

    def _changed(self, *, settle: bool = False) -> None:
        """Have it painted soon, but not sooner than the pace allows."""
        if settle:
            self._settling = self._layout.settle()
        if self._paint_timer is not None or not self.is_attached:
            return
        pace = max(PAINT_INTERVAL, self._paint_cost / PAINT_SHARE)
        wait = max(_AT_ONCE, self._last_paint + pace - perf_counter())
        if wait > PAINT_INTERVAL / 2:
            self._paint_timer = self.set_timer(wait / 2, lambda: self._prepare(wait / 2))
        else:
            self._paint_timer = self.set_timer(wait, self._paint)

    def paint_now(self) -> None:
        """Paint what waits without regard to the pace: somebody has asked for an end, and looks for it."""
        if self._paint_timer is not None:
            self._paint_timer.stop()
            self._paint()

    def _prepare(self, wait: float) -> None:
        """Draw half-way what has come so far, so that no key waits for all of it when it is painted."""
        until = perf_counter() + SLICE
        for placed in self._streaming:
            self._layout.sync(placed)
            self._layout.draw_ahead(placed, lambda: perf_counter() > until)
        self._paint_timer = self.set_timer(wait, self._paint)

    def _paint(self) -> None:
        self._paint_timer = None
        started = perf_counter()
        for placed in self._streaming:
            self._layout.sync(placed)
        self._streaming.clear()
        self._place(self._anchor())
        self.refresh()
        self._last_paint = perf_counter()
        self._paint_cost = 2 * (self._last_paint - started)  # Textual takes as long again to put it out
        self._rest()

    def _hold(self) -> None:
        """Note what is in view before the layout changes, so that the next paint can keep it there."""
        if self._held is None and not self._following:
            self._held = self._anchor()

    def _anchor(self) -> Anchor | None:
        return self._held or self._layout.anchor(round(self.scroll_y), self._view.height)

    def scroll_to(self, x: float | None = None, y: float | None = None, **options: Any) -> None:
        """Scroll at once: rows that fly past would all have to be drawn."""
        super().scroll_to(x, y, **{**options, "animate": False})

    def _place(self, anchor: Anchor | None) -> None:
        """Draw what is in view, and scroll so that the anchor, or the end, is where it was."""
        layout, height = self._layout, self._view.height
        self._held = None
        while True:
            last = max(0, layout.height - height)
            top = last if self._following or anchor is None else min(max(0, layout.top_for(anchor)), last)
            draws = layout.draws
            layout.measure(top, height)
            if layout.draws == draws:
                break
        self._set_rows(layout.height)
        if round(self.scroll_y) != top:
            self._placing = True
            self.scroll_to(y=top, animate=False, force=True)
            self._placing = False
        self._show_mark()

    def _set_rows(self, rows: int) -> None:
        """Tell the scrollbar; setting `virtual_size` itself would lay out the whole screen for every line."""
        if rows != self.virtual_size.height or self._view.width != self.virtual_size.width:
            self.set_reactive(Widget.virtual_size, Size(self._view.width, rows))
            self._show_thumb()

    def _show_thumb(self) -> None:
        """Move the scrollbar's thumb if it moves at all: drawing the bar costs as much as the text does."""
        rows, height = max(1, self.virtual_size.height), self._view.height
        size = max(1.0, height * height / rows)
        share = self.scroll_y / max(1, rows - height)
        thumb = (rows > height, int((height - size) * share * _BAR_STEPS), ceil(size * _BAR_STEPS))
        bar = self.vertical_scrollbar
        if thumb != self._thumb or bar.grabbed:
            self._thumb = thumb
            bar.window_size, bar.window_virtual_size, bar.position = height, rows, self.scroll_y

    def _show_mark(self) -> None:
        count = self.new_lines
        mark = f"↓ {count_of(count, 'new line')}" if count else ""
        if mark != self._mark_below:
            self._mark_below = mark
            self.refresh(Region(0, self._view.height - 1, self.size.width, 1))

    def _rest(self) -> None:
        """Start measuring what was only estimated, if there is any and nothing streams."""
        if self._settling is not None and self._settle_timer is None:
            self._settle_timer = self.set_timer(SLICE_PAUSE, self._settle_slice)

    def _settle_slice(self) -> None:
        self._settle_timer = None
        if self._settling is None:
            return
        anchor = self._anchor()
        until = perf_counter() + SLICE
        for _ in self._settling:
            if perf_counter() > until:
                break
        else:
            self._settling = None
        self._place(anchor)
        self._rest()

    # where the view is

    def _size_updated(
        self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True
    ) -> bool:
        """Textual tells every new size here, but not every one by a Resize event."""
        changed = super()._size_updated(size, virtual_size, container_size, layout)
        if View(*self.scrollable_content_region.size) != self._view:
            self.call_later(self._fit)
        return changed

    def on_resize(self, event: events.Resize) -> None:
        self._fit()

    def _fit(self) -> None:
        """Lay out for a new size, with the same row at the top."""
        size = self.scrollable_content_region.size
        if View(*size) == self._view:
            return
        anchor = self._anchor()
        self._view = View(size.width, size.height)
        width = size.width - MARGIN - PADDING
        if width != self._layout.width:
            self._layout.set_width(width)
            self._strips.clear()
            self._settling = self._layout.settle()
        self._place(anchor)
        self._rest()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Draw what came into view; the end re-joins the stream, any other place leaves it."""
        # At a resize Textual moves the view first, and the layout follows.
        resizing = View(*self.scrollable_content_region.size) != self._view
        if not self._placing and not resizing and round(old_value) != round(new_value):
            following = round(new_value) >= self._layout.height - self._view.height
            if self._following and not following:
                self._left_end = self._layout.end()
            self._following = following
            moved = round(new_value) - round(old_value)
            self._place(
                self._held._replace(screen_row=self._held.screen_row - moved)
                if self._held
                else self._anchor()
            )
        if round(old_value) != round(new_value):
            self._show_thumb()
            self.refresh(self.size.region)
