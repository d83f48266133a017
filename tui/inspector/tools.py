"""The calls of a turn: what the model wrote, who decided, how long, how many bytes came back."""

from cutaway.harness.ledger import CallView, TurnView
from cutaway.tui import format as figures
from cutaway.tui.call_words import STATE_MARKS, STATE_WORDS, decider_of, outcome_of, ran_for
from cutaway.tui.rows import BLANK, Row, row
from cutaway.tui.widgets.call_detail import argument_rows


def tools_rows(turn: TurnView) -> list[Row]:
    """Each call with its arguments and its facts."""
    if not turn.calls:
        return [row(("the model asked for no tool in this turn", "dim"))]
    rows: list[Row] = []
    for call in turn.calls:
        rows += [BLANK, *_call_rows(call)] if rows else _call_rows(call)
    return rows


def _call_rows(call: CallView) -> list[Row]:
    mark, tone = STATE_MARKS[call.state]
    rows = [
        row(
            (f"{mark} ", tone),
            (call.name, "strong"),
            "  ",
            *(outcome_of(call) or [(STATE_WORDS[call.state], tone)]),
        )
    ]
    rows.append(_fact("decided by", decider_of(call) or "nobody yet"))
    if call.asked is not None:
        rows.append(_fact("asked", call.asked.reason))
    if call.decided is not None and call.decided.feedback:
        rows.append(_fact("you said", call.decided.feedback))
    if call.waited_ms:
        rows.append(_fact("waited", f"{figures.duration(call.waited_ms / 1000)} for you"))
    if call.completed is not None:
        if ran := ran_for(call):
            rows.append(_fact("ran", ran))
        shown = len(call.completed.text.encode("utf-8", "surrogatepass"))
        rows.append(_fact("returned", f"{shown:,} bytes to the model"))
    written = len(call.arguments.encode("utf-8", "surrogatepass"))
    rows.append(_fact("arguments", f"{written:,} bytes, as the model wrote them"))
    return rows + [
        row("    ", *((piece.text, piece.tone) for piece in line.pieces), hang=4)
        for line in argument_rows(call.arguments)
    ]


def _fact(name: str, value: str) -> Row:
    return row((f"  {name:<12}", "dim"), value, hang=14)
