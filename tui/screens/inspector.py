"""A turn as a document: what was sent, what came back, what ran, how long it took, and why."""

from typing import ClassVar, Literal, Protocol, assert_never, get_args

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen

from cutaway.harness.errors import HarnessError
from cutaway.harness.ledger import Ledger, TurnView
from cutaway.harness.ledger.difference import TextDifference, request_before, text_difference
from cutaway.tui import format as figures
from cutaway.tui.inspector.anatomy import anatomy_rows
from cutaway.tui.inspector.cache import TONES, cache_rows, differing_block
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
COMPARED = 4_000_000
"""Bytes of a request up to which its text is compared with that of the one before, each time it is shown."""
KEYS = (("[ ]", "turn"), ("1–7", "tab"), ("j k", "move"), ("p", "readable"), ("esc", "close"))


class Bodies(Protocol):
    """Where the exact bytes of a request are; a Session is one."""

    def request_body(self, request_id: str) -> bytes:
        """The bytes as they were sent; raises LogCorrupt."""
        ...


class TurnList(RowView):
    """The turns of the session, by interaction."""


class InspectorScreen(ModalScreen[None]):
    """The turns at the left, one of them opened at the right; what is not looked at is not built."""

    DEFAULT_CSS = """
    InspectorScreen { background: $background; }
    #inspector-turns { width: 38; border-right: solid $foreground 20%; }
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
        self.turn_id = turn_id if ledger.sheet(turn_id) is not None else (newest.id if newest else "")
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
        """The turn, or the side call, that is open."""
        return self._ledger.sheet(self.turn_id)

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
        self._tabs.set_rows(Rows([_tab_row(self.tab)]))
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
                return Rows(cache_rows(self._ledger, turn, self._difference(turn)))
            case "Request":
                return self._request(turn)
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

    def _request(self, turn: TurnView) -> RowSource:
        if turn.request is None:
            return request_source(turn, b"", pretty=self.pretty)
        try:
            body = self._bodies.request_body(turn.request.request_id)
        except HarnessError as damaged:
            return Rows([row((str(damaged), "bad"))])
        return request_source(turn, body, pretty=self.pretty)

    def _difference(self, turn: TurnView) -> TextDifference | None:
        """The first text that is not as it was sent before, where a block differs."""
        before = request_before(self._ledger, turn)
        if turn.request is None or not before or differing_block(turn) is None:
            return None
        if turn.request.body_bytes > COMPARED:
            return None
        try:
            bodies = [self._bodies.request_body(each) for each in (before, turn.request.request_id)]
        except HarnessError:
            return None  # the Request tab says what is damaged
        return text_difference(*bodies)

    def on_row_view_walked(self, event: RowView.Walked) -> None:
        if event.view is self._list and event.key != self.turn_id:
            self.open(event.key)

    def on_row_view_chosen(self, event: RowView.Chosen) -> None:
        if event.view is self._list:
            self._page.focus()

    def action_step(self, step: int) -> None:
        ids = self._list.keys()
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
        return (len(ledger.turns), len(ledger.side_calls))
    calls = tuple((call.state, call.rerun) for call in turn.calls)
    sent = len(ledger.turns), len(ledger.side_calls)
    return (sent, turn.request, turn.response, turn.failure, turn.why, len(turn.pieces), calls)


def _tab_row(lit: Tab) -> Row:
    """All tabs, as close as they fit a screen of 80; brackets stand around the one that is shown."""
    parts: list[Part] = []
    for at, tab in enumerate(TABS, 1):
        if tab == lit:
            parts.append((f"[{at} {tab}]", "accent"))
        else:
            gap = " " if parts and TABS[at - 2] != lit else ""
            parts.append((f"{gap}{at} {tab}", "dim"))
    return row(*parts)


def _head_row(turn: TurnView) -> Row:
    """What is open and how it went; what never changes in most sessions stands last."""
    name = f"turn {turn.number} of {turn.limit}"
    if not turn.number and turn.request is not None:
        name = f"side call: {turn.request.purpose}"
    parts: list[Part] = [(name, "strong")]
    if turn.response is not None:
        if verdict := turn.response.verdict:
            parts.append((f"  {verdict.word}", TONES[verdict.word]))
        parts.append(f"  {figures.usage_line(turn.response.usage)} · {figures.money(turn.response.cost)}")
        if turn.response.simulated:
            parts.append(("  simulated", "warn"))
    if turn.request is not None:
        parts.append((f"  {turn.request.provider} {turn.request.model}", "dim"))
    return row(*parts)
