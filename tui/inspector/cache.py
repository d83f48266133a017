"""What the provider's cache was expected to do, what it did, and the word for the difference."""

from cutaway.harness.cache.rules import CacheRules, rules_for
from cutaway.harness.cache.values import Prediction, Word
from cutaway.harness.ledger import Ledger, TurnView
from cutaway.harness.ledger.cache import key_of
from cutaway.tui import format as figures
from cutaway.tui.rows import BLANK, Row, Tone, row, text_lines

TONES: dict[Word, Tone] = {
    "hit": "good",
    "cold start": "dim",
    "below minimum": "dim",
    "not reported": "dim",
    "compacted": "title",
    "expired": "warn",
    "model changed": "warn",
    "settings changed": "warn",
    "tools changed": "warn",
    "system changed": "warn",
    "history changed": "bad",
    "look-back exceeded": "bad",
    "parallel race": "warn",
    "marker stripped": "bad",
    "server side": "bad",
}
"""What is as it should be, what somebody chose, and what nobody wanted."""

_COLUMN = 12


def cache_rows(ledger: Ledger, turn: TurnView) -> list[Row]:
    """The verdict, expected beside measured for each kind of token, what it saved, and by which rules."""
    if turn.request is None:
        return [row(("nothing was sent in this turn", "dim"))]
    expected = turn.request.prediction
    if expected is None:
        return [row(("this log holds no prediction for the turn", "dim"))]
    return [
        *_verdict_rows(turn, expected),
        BLANK,
        *_table(turn, expected),
        BLANK,
        *_difference_rows(turn, expected),
        *_saved_rows(turn),
        *_rules_rows(ledger, turn),
    ]


def _verdict_rows(turn: TurnView, expected: Prediction) -> list[Row]:
    """The word, and why."""
    verdict = turn.response.verdict if turn.response else None
    if verdict is None:
        rows = [row(("expected  ", "dim"), (expected.cause, TONES[expected.cause]))]
        return rows + [row("  ", line, hang=2) for line in text_lines(expected.detail)]
    rows = [row((verdict.word, TONES[verdict.word]))]
    rows += [row("  ", line, hang=2) for line in text_lines(verdict.detail)]
    if verdict.missed:
        cost = figures.money(verdict.cost)
        said = (
            f"  {figures.tokens(verdict.missed)} tokens were not read that had been sent before: {cost} more"
        )
        rows.append(row((said, "warn"), hang=2))
    if turn.response is not None and turn.response.diagnosis:
        rows.append(row(("  the provider says  ", "dim"), turn.response.diagnosis, hang=2))
    return rows


def _table(turn: TurnView, expected: Prediction) -> list[Row]:
    actual = turn.response.usage if turn.response else None
    kinds = (
        ("read", expected.read, actual.cache_read if actual else None),
        ("written 5m", expected.write_5m, actual.cache_write_5m if actual else None),
        ("written 1h", expected.write_1h, actual.cache_write_1h if actual else None),
        ("fresh", expected.fresh, actual.fresh if actual else None),
        ("sent", expected.input, actual.input if actual else None),
    )
    rows = [row((f"{'':{_COLUMN}}{'expected':>12}{'measured':>12}{'off by':>12}", "dim"))]
    for name, before, after in kinds:
        off = "" if after is None else f"{after - before:+,}" if after != before else "0"
        shown = "–" if after is None else f"{after:,}"
        mark = "" if expected.certain else "≈"
        tone: Tone = "strong" if name == "sent" else "text"
        rows.append(
            row(
                (f"{name:<{_COLUMN}}", "dim"),
                (f"{mark + f'{before:,}':>12}{shown:>12}", tone),
                (f"{off:>12}", "dim"),
            )
        )
    cost = figures.money(expected.cost, estimated=True)
    rows.append(row((f"{'input costs':<{_COLUMN}}", "dim"), f"{cost:>12}"))
    return rows


def _difference_rows(turn: TurnView, expected: Prediction) -> list[Row]:
    """The first block that is not as it was, where there is one."""
    verdict = turn.response.verdict if turn.response else None
    at = verdict.block if verdict is not None and verdict.block is not None else expected.block
    if at is None or at >= turn.block_count:
        return []
    block = turn.blocks[at]
    return [
        row(
            ("first block that differs  ", "dim"),
            f"{at + 1} of {turn.block_count}  ",
            (f"{block.origin} {block.label}", "strong"),
        ),
        BLANK,
    ]


def _saved_rows(turn: TurnView) -> list[Row]:
    saved = turn.saved
    if saved is None or saved.paid is None:
        return []
    rows = [row((f"{'paid':<22}", "dim"), f"{figures.money(saved.paid):>12}")]
    if saved.without_cache is not None:
        rows.append(row((f"{'without any cache':<22}", "dim"), f"{figures.money(saved.without_cache):>12}"))
    if saved.with_copilot_marks is not None:
        cost = figures.money(saved.with_copilot_marks, estimated=True)
        rows.append(row((f"{'with Copilot’s marks':<22}", "dim"), f"{cost:>12}"))
    return [*rows, BLANK]


def _rules_rows(ledger: Ledger, turn: TurnView) -> list[Row]:
    if turn.request is None:
        return []
    key = key_of(turn.request)
    rules = rules_for(key.provider, key.model)
    rows = [row(("rules  ", "dim"), (rules.name, "strong"), hang=7)]
    rows += [row("       ", (line, "dim"), hang=7) for line in _facts(rules)]
    error = ledger.cache.state.error
    if error is not None:
        rows.append(
            row(
                ("       our predictions were off by ", "dim"), f"{error * 100:.1f} %", (" on average", "dim")
            )
        )
    marks = ", ".join(f"block {mark.block + 1} ({mark.ttl})" for mark in turn.request.marks)
    rows.append(row(("marks  ", "dim"), marks or "none are sent to this provider", hang=7))
    return rows


def _facts(rules: CacheRules) -> list[str]:
    if rules.kind == "unknown":
        return ["nothing is known of this provider's cache, and nothing is guessed"]
    how = {
        "marks": "caches what is marked",
        "prefix": "caches by itself from the beginning",
        "none": "caches nothing",
    }
    facts = f"{how[rules.kind]} · {rules.minimum:,} tokens at least · lives {rules.life('5m') / 60:g} min"
    return [facts, f"{rules.source} ({rules.date})"]
