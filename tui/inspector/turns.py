"""The list of turns, under the messages that began them."""

from collections.abc import Sequence

from cutaway.harness.ledger import Ledger, SideCallView, TurnView
from cutaway.tui import format as figures
from cutaway.tui.inspector.cache import TONES
from cutaway.tui.rows import Part, Row, justified, row
from cutaway.tui.transcript.safe_text import one_line
from cutaway.tui.transcript.wrap import cut

CALLS_FROM = 26
"""Width from which a turn's number of calls has room beside its tokens."""

VERDICT_FROM = 29
"""Width from which the verdict on a turn's cache has room; one that hit needs no word."""

INTERRUPTED = "Interrupted"
"""The kind of failure of a call that the user stopped."""


class TurnRows:
    """A row for each message and a walkable row for each turn, each on one line."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def lines(self, width: int) -> Sequence[Row]:
        rows: list[Row] = []
        for interaction in self._ledger.interactions:
            rows.append(row(("❯ ", "dim"), (cut(one_line(interaction.message), width - 2), "dim")))
            rows.extend(_turn_row(turn, width) for turn in interaction.turns)
        if self._ledger.side_calls:
            rows.append(row(("◇ side calls", "dim")))
            rows.extend(_side_row(call, width) for call in self._ledger.side_calls)
        return rows


def _side_row(call: SideCallView, width: int) -> Row:
    if call.response is None:
        right = row((" failed", "bad")) if call.failure else row((" running", "dim"))
    else:
        right = row(
            f"{figures.money(call.response.cost):>9}"
            if call.response.cost
            else f"{figures.tokens(call.response.usage.input):>7}"
        )
    return justified(row((f"  {call.request.purpose}", "dim")), right, width)


def _turn_row(turn: TurnView, width: int) -> Row:
    right: list[Part] = []
    verdict = turn.response.verdict if turn.response else None
    if verdict is not None and verdict.word != "hit" and width >= VERDICT_FROM:
        right.append((f"{verdict.word} ", TONES[verdict.word]))
    elif turn.calls and width >= CALLS_FROM:
        right.append((f"{len(turn.calls)} {'call' if len(turn.calls) == 1 else 'calls'}", "dim"))
    if turn.response is not None:
        right.append(f"{figures.tokens(turn.response.usage.input):>7}")
    elif turn.failure is not None:
        stopped = turn.failure.error_type == INTERRUPTED
        right.append((" stopped", "warn") if stopped else (" failed", "bad"))
    return justified(row(f"  turn {turn.number}", key=turn.id), row(*right), width)
