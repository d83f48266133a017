"""What the provider's cache was expected to do, what it did, and the word for the difference."""

from cutaway.harness.cache.rules import CacheRules, rules_for
from cutaway.harness.cache.values import Prediction, Word
from cutaway.harness.ledger import Ledger, TurnView
from cutaway.harness.ledger.cache import key_of
from cutaway.harness.ledger.difference import DiffLine, TextDifference
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

_COLUMN = 20
"""Cells of the first column; with three more of thirteen a table fits a screen of 80."""
_DIFF_TONES: dict[str, Tone] = {" ": "dim", "-": "removed", "+": "added"}


def differing_block(turn: TurnView) -> int | None:
    """The index of the first block that is not as it was sent before; None when there is none."""
    verdict = turn.response.verdict if turn.response else None
    expected = turn.request.prediction if turn.request else None
    at = verdict.block if verdict is not None else None
    if at is None and expected is not None:
        at = expected.block
    return None if at is None or at >= turn.block_count else at


def cache_rows(ledger: Ledger, turn: TurnView, difference: TextDifference | None = None) -> list[Row]:
    """The verdict, what differs, expected beside measured for each kind of token, what it saved, the rules.

    `difference` is the text of the first block that differs, where it was looked for.
    """
    if turn.request is None:
        return [row(("nothing was sent in this turn", "dim"))]
    expected = turn.request.prediction
    if expected is None:
        return [row(("this log holds no prediction for the turn", "dim"))]
    return [
        *_verdict_rows(turn, expected),
        BLANK,
        *_difference_rows(turn, difference),
        *_table(turn, expected),
        BLANK,
        *_saved_rows(ledger, turn),
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
    rows = [row((f"{'tokens':<{_COLUMN}}{'expected':>13}{'measured':>13}{'off by':>13}", "dim"))]
    mark = "" if expected.certain else "≈"
    for name, before, after in kinds:
        if name.startswith("written") and not before and not after:
            continue
        off = "" if after is None else f"{after - before:+,}" if after != before else "0"
        shown = "–" if after is None else f"{after:,}"
        tone: Tone = "strong" if name == "sent" else "text"
        rows.append(
            row(
                (f"{name:<{_COLUMN}}", "dim"),
                (f"{mark + f'{before:,}':>13}{shown:>13}", tone),
                (f"{off:>13}", "dim" if off == "0" else "warn"),
            )
        )
    cost = figures.money(expected.cost, estimated=True)
    rows.append(row((f"{'input costs':<{_COLUMN}}", "dim"), f"{cost:>13}"))
    return rows


def _difference_rows(turn: TurnView, difference: TextDifference | None) -> list[Row]:
    """The first block that is not as it was, where there is one, and how it read before."""
    at = differing_block(turn)
    if at is None:
        return []
    block = turn.blocks[at]
    rows = [
        row(
            ("first block that differs  ", "dim"),
            f"{at + 1} of {turn.block_count}  ",
            (f"{block.origin} {block.label}", "strong"),
            hang=2,
        )
    ]
    if difference is not None:
        rows.append(row(("  at ", "dim"), (difference.place, "dim"), hang=5))
        rows += [_diff_row(line) for line in difference.lines]
        if difference.removed or difference.added:
            hidden = f"{difference.removed} more lines removed, {difference.added} more added"
            rows.append(row((f"  … {hidden}", "dim"), hang=4))
    return [*rows, BLANK]


def _diff_row(line: DiffLine) -> Row:
    sign, text = line
    return row("  ", (f"{sign} {text}", _DIFF_TONES[sign]), hang=4)


def _saved_rows(ledger: Ledger, turn: TurnView) -> list[Row]:
    """What the call and the session cost, beside what they would have cost in other ways."""
    saved, sums = turn.saved, ledger.cache.sums
    if saved is None or (saved.paid is None and sums.paid is None):
        return []
    rows = [row((f"{'money':<{_COLUMN}}{'this call':>13}{'session':>13}", "dim"))]
    for name, one, all_ in (
        ("paid", saved.paid, sums.paid),
        ("without any cache", saved.without_cache, sums.without_cache),
        ("with Copilot’s marks", saved.with_copilot_marks, sums.with_copilot_marks),
    ):
        if one is not None or all_ is not None:
            guess = "Copilot" in name
            mine, session = (figures.money(cost, estimated=guess) for cost in (one, all_))
            rows.append(row((f"{name:<{_COLUMN}}", "dim"), f"{mine:>13}", (f"{session:>13}", "dim")))
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
