"""One tool call on the whole screen, live while it runs."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.timer import Timer

from cutaway.harness.details import TestRun
from cutaway.harness.ledger import CallView, Ledger
from cutaway.tui.rows import Row, Rows, key_row
from cutaway.tui.widgets.call_detail import CallDetail
from cutaway.tui.widgets.row_view import RowText

LOOK_SECONDS = 0.25
"""How often an open call is compared with what is drawn; nothing is painted when it has not changed."""


class CallScreen(ModalScreen[None]):
    """The detail of a call; `[` and `]` step through the calls.

    `CallDetail.RerunTests` bubbles to the app, for a modal screen has no other parent.
    """

    DEFAULT_CSS = """
    CallScreen { background: $background; }
    CallScreen CallDetail { padding: 0 1; }
    #call-keys { padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss", "Close", id="call.close", tooltip="Back to the list"),
        Binding("left_square_bracket", "step(-1)", "Previous call", id="call.previous"),
        Binding("right_square_bracket", "step(1)", "Next call", id="call.next"),
    ]

    def __init__(self, ledger: Ledger, call_id: str) -> None:
        super().__init__()
        self._ledger = ledger
        self._call_id = call_id
        self._drawn: tuple[object, ...] = ()
        self._detail = CallDetail()
        self._key_line = RowText(id="call-keys")
        self._look: Timer | None = None

    def compose(self) -> ComposeResult:
        yield self._detail
        yield self._key_line

    def on_mount(self) -> None:
        self._look = self.set_interval(LOOK_SECONDS, self.look)
        self.open(self._call_id)
        self._detail.focus()

    @property
    def call(self) -> CallView | None:
        """The call that is shown."""
        return self._ledger.calls.get(self._call_id)

    def open(self, call_id: str) -> None:
        """Show another call."""
        self._call_id, self._drawn = call_id, ()
        self.look()
        self._key_line.set_rows(Rows([_key_row(self.call)]))

    def look(self) -> None:
        """Draw the call anew if it has changed."""
        call = self.call
        if call is None:
            return
        now = (call.state, call.output, call.tests, call.progress_note, call.completed, call.rerun)
        if now != self._drawn:
            self._drawn = now
            self._detail.show(call)
            self._key_line.set_rows(Rows([_key_row(call)]))

    def action_step(self, step: int) -> None:
        ids = list(self._ledger.calls)
        if self._call_id in ids:
            self.open(ids[min(max(ids.index(self._call_id) + step, 0), len(ids) - 1)])


def _key_row(call: CallView | None) -> Row:
    keys = [("[ ]", "call"), ("j k", "move")]
    if call is not None and isinstance(call.detail, TestRun):
        keys += [("enter", "open a failure"), ("r", "run again")]
    return key_row([*keys, ("esc", "close")], lit=True)
