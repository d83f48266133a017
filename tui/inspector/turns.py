"""The list of turns, under the messages that began them."""

from cutaway.harness.ledger import Ledger, TurnView
from cutaway.tui import format as figures
from cutaway.tui.rows import Part, Row, row
from cutaway.tui.transcript.wrap import cut

MESSAGE_CELLS = 200


def turn_rows(ledger: Ledger) -> list[Row]:
    """A row for each message and a walkable row for each turn."""
    rows: list[Row] = []
    for interaction in ledger.interactions:
        rows.append(row(("❯ ", "dim"), (cut(interaction.message, MESSAGE_CELLS), "dim")))
        rows.extend(_turn_row(turn) for turn in interaction.turns)
    return rows


def _turn_row(turn: TurnView) -> Row:
    sent: list[Part] = []
    if turn.response is not None:
        sent = [(f"{figures.tokens(turn.response.usage.input):>7}", "dim")]
    elif turn.failure is not None:
        sent = [(" failed", "bad")]
    calls = f"  {len(turn.calls)} {'call' if len(turn.calls) == 1 else 'calls'}" if turn.calls else ""
    return row(f"  turn {turn.number:<3}", *sent, (calls, "dim"), key=turn.id)
