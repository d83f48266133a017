"""Why the loop went on, and why a tool was called: evidence in the model's own words, or none."""

from cutaway.harness.ledger import TurnView
from cutaway.tui.call_words import STATE_MARKS, target_of
from cutaway.tui.rows import BLANK, Row, row, text_lines


def why_rows(turn: TurnView) -> list[Row]:
    """What ended the turn, then what the model said before its calls."""
    rows = [row(("why the loop went on or stopped", "title"))]
    rows += (
        [row("  ", line, hang=2) for line in text_lines(turn.why)]
        if turn.why
        else [row(("  the turn has not ended", "dim"))]
    )
    rows += [BLANK, row(("why these calls" if turn.calls else "what the model said", "title"))]
    rows += _calls(turn)
    rows += _quoted(turn.text, "the model's words before its calls" if turn.calls else "its answer")
    if not turn.text.strip() and turn.calls:
        rows.append(row(("  no reason given", "warn")))
    if turn.thinking.strip():
        rows += [BLANK, *_quoted(turn.thinking, "its thinking, as the provider shows it")]
    return rows


def _calls(turn: TurnView) -> list[Row]:
    rows = []
    for call in turn.calls:
        mark, tone = STATE_MARKS[call.state]
        target = target_of(call.name, call.arguments)
        rows.append(row("  ", (f"{mark} ", tone), (call.name, "strong"), "  ", target, hang=6))
    return rows


def _quoted(text: str, source: str) -> list[Row]:
    if not text.strip():
        return []
    return [row((f"  {source}:", "dim")), *(row(("  │ ", "dim"), line, hang=4) for line in text_lines(text))]
