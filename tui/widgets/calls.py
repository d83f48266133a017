"""The live list of tool calls: one widget for any number of them, each row made when it is painted."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import overload

from textual.timer import Timer

from cutaway.harness.ledger import CallView, Ledger, TurnView
from cutaway.tui import format as figures
from cutaway.tui.call_words import (
    STATE_MARKS,
    is_path,
    outcome_of,
    ran_for,
    short_name,
    shorter_path,
    target_of,
)
from cutaway.tui.rows import Part, Row, cut_start, justified, row
from cutaway.tui.transcript.safe_text import one_line
from cutaway.tui.transcript.wrap import cut
from cutaway.tui.widgets.row_view import RowView

NAME_CELLS = 7
LIVE_SECONDS = 1.0
"""How long a call runs before its seconds are counted on the screen, and how often they move."""

Entry = TurnView | CallView


def _now() -> datetime:
    return datetime.now(UTC)


def call_row(call: CallView, width: int, now: datetime) -> Row:
    """A call on one line: state, name, target, then counts and time at the right edge."""
    mark, tone = STATE_MARKS[call.state]
    name = cut(one_line(short_name(call.name)), max(NAME_CELLS, width // 4))
    lapse = elapsed(call, now)
    right = row(*outcome_of(call), (f" {lapse:>6}" if lapse else "", "dim"))
    target = one_line(shorter_path(target_of(call.name, call.arguments)))
    head: list[Part] = [" ", (mark, tone), " ", (f"{name:<{NAME_CELLS}}", "strong"), " "]
    room = max(width - row(*head).cells - right.cells - 1, 0)
    target = cut_start(target, room) if is_path(call.name) else cut(target, room)
    return justified(row(*head, target, key=call.id), right, width)


def elapsed(call: CallView, now: datetime) -> str:
    """How long a call ran, or has been running; waiting for a person is not running."""
    if call.completed is not None:
        return ran_for(call)
    if call.started_at is None or (seconds := (now - call.started_at).total_seconds()) < LIVE_SECONDS:
        return ""
    return figures.duration(int(seconds))


def turn_row(turn: TurnView, width: int) -> Row:
    """The line above a turn's calls."""
    count = len(turn.calls)
    label = f"turn {turn.number}"
    note = f"{count} {'call' if count == 1 else 'calls'}"
    return justified(row((f" {label}", "dim")), row((note, "dim")), width)


class _CallRows(Sequence[Row]):
    """Turns and calls seen as rows of one width."""

    def __init__(self, entries: Sequence[Entry], width: int, now: Callable[[], datetime]) -> None:
        self._entries = entries
        self._width = width
        self._now = now

    def __len__(self) -> int:
        return len(self._entries)

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | Sequence[Row]:
        if isinstance(index, slice):
            return _CallRows(self._entries[index], self._width, self._now)
        entry = self._entries[index]
        if isinstance(entry, TurnView):
            return turn_row(entry, self._width)
        return call_row(entry, self._width, self._now())


class CallsPane(RowView):
    """The calls, grouped by turn; it follows the newest until somebody looks back.

    `Chosen(key)` with a call's id is posted on `enter`, `Walked(key)` when the cursor moves. `now` is
    only asked while a call runs.
    """

    def __init__(self, *, now: Callable[[], datetime] = _now, id: str | None = None) -> None:
        super().__init__(id=id)
        self._now = now
        self._entries: list[Entry] = []
        self._turns = 0
        self._last_turn_at = 0
        self._ledger: Ledger | None = None
        self._ticker: Timer | None = None
        self.follows = True

    def lines(self, width: int) -> Sequence[Row]:
        """The rows for a width, made one by one when asked for."""
        return _CallRows(self._entries, width, self._now)

    def on_mount(self) -> None:
        self._ticker = self.set_interval(LIVE_SECONDS, self._tick, pause=True)
        self._source = self
        self._tend()

    def show(self, ledger: Ledger) -> None:
        """Take in what the ledger holds now; costs the calls of the newest turn, not of all."""
        if ledger is not self._ledger:
            self._ledger, self._entries, self._turns, self._last_turn_at = ledger, [], 0, 0
        self._take_in(ledger)
        self.set_rows(self)
        self._tend()

    def keys(self) -> list[str]:
        return [entry.id for entry in self._entries if isinstance(entry, CallView)]

    def place_of(self, key: str) -> tuple[int, int]:
        at = next((at for at, entry in enumerate(self._entries) if entry.id == key), 0)
        return at, at

    def call_at_cursor(self) -> CallView | None:
        """The call that the cursor stands on."""
        return self._ledger.calls.get(self.cursor) if self._ledger else None

    def _take_in(self, ledger: Ledger) -> None:
        """Rewrite the newest turn's entries and add those of turns that came since."""
        del self._entries[self._last_turn_at :]
        for turn in islice(ledger.turns.values(), max(self._turns - 1, 0), None):
            self._last_turn_at = len(self._entries)
            if turn.calls:
                self._entries += [turn, *turn.calls]
        self._turns = len(ledger.turns)

    def _running_lines(self) -> list[int]:
        """Lines of running calls; only the newest turn can have any."""
        tail = self._entries[self._last_turn_at :]
        return [
            self._last_turn_at + at
            for at, entry in enumerate(tail)
            if isinstance(entry, CallView) and entry.state == "running"
        ]

    def _tend(self) -> None:
        if self._ticker is None:
            return
        if self._running_lines():
            self._ticker.resume()
        else:
            self._ticker.pause()

    def _tick(self) -> None:
        for line in self._running_lines():
            self.refresh_line(line)
