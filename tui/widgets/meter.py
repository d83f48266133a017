"""The meter: what the context is made of, what was sent and paid, and where the loop is."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from textual.events import Resize
from textual.timer import Timer

from cutaway.harness.ledger import Ledger
from cutaway.tui.rows import Row
from cutaway.tui.widgets.meter_rows import cache_left, meter_rows
from cutaway.tui.widgets.row_view import RowView


def _now() -> datetime:
    return datetime.now(UTC)


class Meter(RowView):
    """Draws the ledger's figures at a fixed size; it moves by itself only while something is counted down.

    That is a retry, or what is left of the life of the provider's cache; and only while it is seen.
    """

    DEFAULT_CSS = "Meter { height: 24; }"

    def __init__(self, *, now: Callable[[], datetime] = _now, id: str | None = None) -> None:
        super().__init__(id=id)
        self._now = now
        self._ledger = Ledger()
        self._at = datetime.min.replace(tzinfo=UTC)
        self._ticker: Timer | None = None
        self._seen = True
        self.shrinks = False
        """True where the least needed rows go when the height is short; else all rows stay and scroll."""

    def on_mount(self) -> None:
        self._ticker = self.set_interval(1.0, self._tick, pause=True)
        self._source = self
        self._tend()

    def lines(self, width: int) -> Sequence[Row]:
        """The rows for a width."""
        height = self.scrollable_content_region.height if self.shrinks else 0
        return meter_rows(self._ledger, self._at, width, self._ledger.window, height)

    def on_resize(self, event: Resize) -> None:
        self._laid_out = (0, ())  # other rows fit another height
        super().on_resize(event)

    def show(self, ledger: Ledger, now: datetime) -> None:
        """Draw the ledger as it stands at `now` (UTC); nothing is painted when nothing has changed."""
        self._ledger, self._at = ledger, now
        before, fresh = self._lines(self._width), self.lines(self._width)
        if before != fresh:
            self._laid_out = (self._width, fresh)
            self._fit()
            self._paint(before, fresh)
        self._tend()

    def _paint(self, before: Sequence[Row], fresh: Sequence[Row]) -> None:
        """Paint the rows that are not as they were: a clock is one of them, once a second."""
        if len(before) != len(fresh):
            self.refresh()
            return
        for at, (old, new) in enumerate(zip(before, fresh, strict=True)):
            if old != new:
                self.refresh_lines(at)

    def on_show(self) -> None:
        self._seen = True
        self._tick()

    def on_hide(self) -> None:
        self._seen = False
        self._tend()

    def _tend(self) -> None:
        if self._ticker is None:
            return
        retrying = self._ledger.retrying is not None
        if self._seen and (retrying or cache_left(self._ledger, self._at.timestamp()) is not None):
            self._ticker.resume()
        else:
            self._ticker.pause()

    def _tick(self) -> None:
        if self.screen.is_current:  # what lies over it may hide it
            self.show(self._ledger, self._now())
