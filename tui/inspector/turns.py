"""The list of turns, under the messages that began them."""

from collections.abc import Sequence

from cutaway.harness.ledger import Ledger, SideCallView, TurnView
from cutaway.tui import format as figures
from cutaway.tui.inspector.cache import TONES
from cutaway.tui.rows import Part, Row, Tone, justified, row
from cutaway.tui.transcript.safe_text import one_line
from cutaway.tui.transcript.wrap import cut

CALLS_FROM = 26
"""Width from which a turn's number of calls has room beside its tokens."""

VERDICT_FROM = 34
"""Width from which the verdict on a turn's cache has room; one that hit needs no word."""

UNWANTED: tuple[Tone, ...] = ("warn", "bad")
"""Tones of the verdicts that are marked where there is no room for the word."""

INTERRUPTED = "Interrupted"
"""The kind of failure of a call that the user stopped."""


class TurnRows:
    """A row for each message and a walkable row for each turn and each side call, each on one line."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def lines(self, width: int) -> Sequence[Row]:
        rows: list[Row] = []
        for interaction in self._ledger.interactions:
            rows.append(row(("❯ ", "dim"), (cut(one_line(interaction.message), width - 2), "dim")))
            rows.extend(_turn_row(turn, width) for turn in interaction.turns)
        if self._ledger.side_calls:
            rows.append(row(("· side calls", "dim")))
            rows.extend(_side_row(call, width) for call in self._ledger.side_calls)
        return rows


def _side_row(call: SideCallView, width: int) -> Row:
    left = row(f"  {call.request.purpose}", key=call.request.request_id)
    running: list[Part] = [] if call.response or call.failure else [(" running", "dim")]
    return justified(left, row(*_verdict(call, width), *running, *_sent(call)), width)


def _turn_row(turn: TurnView, width: int) -> Row:
    middle = _verdict(turn, width)
    if not middle and turn.calls and width >= CALLS_FROM:
        middle = [(f"{len(turn.calls)} {'call' if len(turn.calls) == 1 else 'calls'} ", "dim")]
    return justified(row(f"  turn {turn.number}", key=turn.id), row(*middle, *_sent(turn)), width)


def _verdict(call: TurnView | SideCallView, width: int) -> list[Part]:
    """The word for what the cache did, or only a mark for what nobody wanted."""
    verdict = call.response.verdict if call.response else None
    if verdict is None or verdict.word == "hit":
        return []
    tone = TONES[verdict.word]
    if width >= VERDICT_FROM:
        return [(f"{verdict.word} ", tone)]
    return [("!", tone)] if tone in UNWANTED else []


def _sent(call: TurnView | SideCallView) -> list[Part]:
    """Tokens of the prompt by the provider's count, or why there are none."""
    if call.response is not None:
        return [f"{figures.tokens(call.response.usage.input):>6}"]
    if call.failure is None:
        return []
    stopped = call.failure.error_type == INTERRUPTED
    return [(" stopped", "warn") if stopped else (" failed", "bad")]
