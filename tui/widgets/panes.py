"""The three panes: side by side where there is room, else one at a time."""

from datetime import UTC, datetime

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical

from cutaway.harness.ledger import Ledger
from cutaway.tui.transcript import Transcript
from cutaway.tui.widgets.calls import CallsPane
from cutaway.tui.widgets.empty_page import EmptyPage
from cutaway.tui.widgets.meter import Meter
from cutaway.tui.widgets.pane_tabs import PANES, Pane
from cutaway.tui.widgets.row_view import RowView

METER_ROWS = 24
"""The meter in full, with the line above it."""

CALLS_ROWS = 9
"""What the calls keep, with the line above them, before the meter may be more than its smallest."""

METER_LEAST = 5
"""The loop and the size of the context, with the line above them."""


class Panes(Horizontal):
    """Holds the conversation at the left, tool calls above the meter at the right."""

    DEFAULT_CSS = """
    Panes { height: 1fr; }
    Panes > #left { width: 1fr; layers: conversation empty; }
    Panes #empty { layer: empty; width: 100%; height: 100%; background: $background; }
    Panes > #right { width: 46; }
    """

    def __init__(self, root: str, *, id: str | None = None) -> None:
        super().__init__(id=id, classes="-show-conversation")
        self.shown: Pane = "conversation"
        self.empty_page = EmptyPage(root, id="empty")
        self.transcript = Transcript(id="conversation")
        self.calls = CallsPane(id="calls")
        self.meter = Meter(id="meter")

    def compose(self) -> ComposeResult:
        with Vertical(id="left"):
            yield self.empty_page
            yield self.transcript
        with Vertical(id="right"):
            yield self.calls
            yield self.meter

    def on_mount(self) -> None:
        self.calls.border_title, self.meter.border_title = "Tool calls", "Meter"

    def on_resize(self) -> None:
        """Share the right column out: the meter gives its least needed rows before the calls give theirs."""
        narrow = self.screen.has_class("-narrow")
        self.meter.shrinks = not narrow
        room = max(self.size.height - CALLS_ROWS, METER_LEAST)
        self.meter.styles.height = None if narrow else min(METER_ROWS, room)

    def bring(self, pane: Pane) -> None:
        """Put a pane in front, where only one is seen at a time."""
        self.shown = pane
        for each in PANES:
            self.set_class(each == pane, f"-show-{each}")

    def widget_of(self, pane: Pane) -> Transcript | RowView:
        match pane:
            case "conversation":
                return self.transcript
            case "calls":
                return self.calls
            case "meter":
                return self.meter

    def in_sight(self, narrow: bool) -> list[Transcript | RowView]:
        """The panes that are seen, in order."""
        return [self.widget_of(pane) for pane in ([self.shown] if narrow else PANES)]

    def show_conversation(self, begun: bool) -> None:
        """Uncover the conversation once it has begun; until then it says where we are."""
        self.empty_page.display = not begun

    def show_meter(self, ledger: Ledger) -> None:
        self.meter.show(ledger, datetime.now(UTC))
