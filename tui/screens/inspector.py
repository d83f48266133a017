"""A turn as a document: what was sent, what came back, what ran, how long it took, and why."""

from typing import ClassVar, Literal, Protocol, assert_never, get_args

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen

from cutaway.harness.ledger import Ledger, TurnView
from cutaway.tui import format as figures
from cutaway.tui.inspector.anatomy import anatomy_rows
from cutaway.tui.inspector.cache import TONES, cache_rows
from cutaway.tui.inspector.time import Waterfall
from cutaway.tui.inspector.tools import tools_rows
from cutaway.tui.inspector.turns import TurnRows
from cutaway.tui.inspector.why import why_rows
from cutaway.tui.inspector.wire import request_source, response_source
from cutaway.tui.rows import Part, Row, Rows, RowSource, key_row, row
from cutaway.tui.widgets.row_view import RowText, RowView

Tab = Literal["Anatomy", "Cache", "Request", "Response", "Tools", "Time", "Why"]
TABS: tuple[Tab, ...] = get_args(Tab)
LOOK_SECONDS = 0.5
"""How often the session is looked at for changes while the inspector is open."""
KEYS = (("[ ]", "turn"), ("1–7", "tab"), ("j k", "move"), ("p", "readable"), ("esc", "close"))


class Bodies(Protocol):
    """Where the exact bytes of a request are; a Session is one."""

    def request_body(self, request_id: str) -> bytes:
        """The bytes as they were sent; raises UnknownRequest."""
        ...


class TurnList(RowView):
    """The turns of the session, by interaction."""


class InspectorScreen(ModalScreen[None]):
    """The turns at the left, one of them opened at the right; what is not looked at is not built."""

    DEFAULT_CSS = """
    InspectorScreen { background: $background; }
    #inspector-turns { width: 30; border-right: solid $foreground 20%; }
    #inspector-head, #inspector-tabs, #inspector-keys { padding: 0 1; }
    #inspector-tabs { margin-bottom: 1; }
    #inspector-page { padding: 0 1; }
    InspectorScreen.-narrow #inspector-turns { width: 18; }
    """
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 (the screen declares no ClassVar)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss", "Close", id="inspector.close", tooltip="Back to the conversation"),
        Binding("left_square_bracket", "step(-1)", "Previous turn", id="inspector.previous"),
        Binding("right_square_bracket", "step(1)", "Next turn", id="inspector.next"),
        Binding("l,right", "tab(1)", "Next tab", id="inspector.tab-next", tooltip="The tab to the right"),
        Binding(
            "h,left", "tab(-1)", "Previous tab", id="inspector.tab-previous", tooltip="The tab to the left"
        ),
        Binding("p", "pretty", "Readable", id="inspector.pretty", tooltip="Exact bytes, or made readable"),
        *(Binding(str(at), f"open_tab({at})", tab, show=False) for at, tab in enumerate(TABS, 1)),
    ]

    def __init__(self, ledger: Ledger, bodies: Bodies, turn_id: str = "") -> None:
        super().__init__()
        self._ledger = ledger
        self._bodies = bodies
        newest = ledger.turn
        self.turn_id = turn_id if turn_id in ledger.turns else (newest.id if newest else "")
        self.tab: Tab = "Anatomy"
        self.pretty = False
        self._drawn: tuple[object, ...] = ()
        self._list = TurnList(id="inspector-turns")
        self._head = RowText(id="inspector-head")
        self._tabs = RowText(id="inspector-tabs")
        self._page = RowView(id="inspector-page")
        self._keys = RowText(id="inspector-keys")

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield self._list
            with Vertical():
                yield self._head
                yield self._tabs
                yield self._page
                yield self._keys

    def on_mount(self) -> None:
        self.show(self._ledger)
        self._page.focus()
        self.set_interval(LOOK_SECONDS, self.look)

    def look(self) -> None:
        """Draw anew what has changed while the session goes on; nothing is painted when nothing has."""
        if _state(self._ledger, self.turn) != self._drawn:
            self.show(self._ledger)

    @property
    def turn(self) -> TurnView | None:
        """The turn that is open."""
        return self._ledger.turns.get(self.turn_id)

    def show(self, ledger: Ledger) -> None:
        """Draw the ledger as it stands now, keeping the turn, the tab and the place."""
        self._ledger = ledger
        if self.turn is None and ledger.turn is not None:
            self.turn_id = ledger.turn.id
        self._drawn = _state(ledger, self.turn)
        self._list.set_rows(TurnRows(ledger))
        self.open(self.turn_id)

    def open(self, turn_id: str) -> None:
        """Open a turn at the tab that is shown."""
        moved, self.turn_id = turn_id != self.turn_id, turn_id
        self._drawn = _state(self._ledger, self.turn)
        self._list.walk_to(turn_id)
        self._draw(keep_scroll=not moved)

    def _draw(self, *, keep_scroll: bool = False) -> None:
        turn = self.turn
        tabs: list[Part] = []
        for at, tab in enumerate(TABS, 1):
            lit = tab == self.tab
            tabs.append((f"[{at} {tab}]", "accent") if lit else (f" {at} {tab} ", "dim"))
        self._tabs.set_rows(Rows([row(*tabs)]))
        self._keys.set_rows(Rows([key_row(KEYS, lit=True)]))
        if turn is None:
            self._page.set_rows(Rows([row(("no turn yet: the first one begins with your message", "dim"))]))
            return
        self._head.set_rows(Rows([_head_row(turn)]))
        self._page.set_rows(self._source_of(turn), keep_scroll=keep_scroll)

    def _source_of(self, turn: TurnView) -> RowSource:
        match self.tab:
            case "Anatomy":
                return Rows(anatomy_rows(turn))
            case "Cache":
                return Rows(cache_rows(self._ledger, turn))
            case "Request":
                body = self._bodies.request_body(turn.request.request_id) if turn.request else b""
                return request_source(turn, body, pretty=self.pretty)
            case "Response":
                return response_source(turn, pretty=self.pretty)
            case "Tools":
                return Rows(tools_rows(turn))
            case "Time":
                return Waterfall(turn)
            case "Why":
                return Rows(why_rows(turn))
            case _:
                assert_never(self.tab)

    def on_row_view_walked(self, event: RowView.Walked) -> None:
        if event.view is self._list and event.key in self._ledger.turns and event.key != self.turn_id:
            self.open(event.key)

    def on_row_view_chosen(self, event: RowView.Chosen) -> None:
        if event.view is self._list:
            self._page.focus()

    def action_step(self, step: int) -> None:
        ids = list(self._ledger.turns)
        if self.turn_id in ids:
            self.open(ids[min(max(ids.index(self.turn_id) + step, 0), len(ids) - 1)])

    def action_tab(self, step: int) -> None:
        self.action_open_tab((TABS.index(self.tab) + step) % len(TABS) + 1)

    def action_open_tab(self, number: int) -> None:
        self.tab = TABS[number - 1]
        self._draw()

    def action_pretty(self) -> None:
        self.pretty = not self.pretty
        self._draw()


def _state(ledger: Ledger, turn: TurnView | None) -> tuple[object, ...]:
    """What a turn's pages depend on and can still change."""
    if turn is None:
        return (len(ledger.turns),)
    calls = tuple((call.state, call.rerun) for call in turn.calls)
    return (len(ledger.turns), turn.request, turn.response, turn.failure, turn.why, len(turn.pieces), calls)


def _head_row(turn: TurnView) -> Row:
    parts: list[Part] = [(f"turn {turn.number} of {turn.limit}", "strong")]
    if turn.request is not None:
        parts.append((f"  {turn.request.provider} {turn.request.model}", "dim"))
    if turn.response is not None:
        parts.append(f"  {figures.usage_line(turn.response.usage)} · {figures.money(turn.response.cost)}")
        if turn.response.simulated:
            parts.append(("  simulated", "warn"))
        if verdict := turn.response.verdict:
            parts.append((f"  {verdict.word}", TONES[verdict.word]))
    return row(*parts)
