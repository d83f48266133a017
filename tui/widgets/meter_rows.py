"""The meter as rows: every figure comes from the ledger, here they are only put in their places."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from cutaway.harness.blocks import Origin
from cutaway.harness.ledger import Ledger, LoopStep, Spending
from cutaway.harness.ledger.parts import (
    CallSpending,
    TurnTokens,
    context_parts,
    last_call,
    recent_turns,
)
from cutaway.harness.ledger.parts import Part as ContextPart
from cutaway.harness.usage import Usage
from cutaway.tui import format as figures
from cutaway.tui.inspector.cache import TONES
from cutaway.tui.rows import BLANK, Part, Row, Tone, justified, row

CHART_ROWS = 3
CONTEXT_ROWS = 2
"""The size of the context and its bar; the rows below them say what each part is."""
BESIDE_FROM = 76
"""Width from which tokens and money stand next to one another."""
LONGEST_COUNT = 3600.0
"""Seconds; a cache that lives longer is not counted down: it is a server's memory and not a promise."""
STEPS = ("build", "call", "tools?", "execute")
_LIT: dict[LoopStep, str] = {
    "build": "build",
    "call": "call",
    "retry": "call",
    "tools?": "tools?",
    "limit": "tools?",
    "asking": "execute",
    "execute": "execute",
}
ORIGINS: dict[Origin, tuple[str, str, Tone]] = {
    "tool": ("tools", "█", "accent"),
    "system": ("system", "▓", "accent"),
    "instructions": ("instructions", "▒", "title"),
    "workspace": ("workspace", "░", "title"),
    "note": ("notes", "▒", "dim"),
    "user": ("you", "█", "good"),
    "assistant": ("assistant", "▓", "name"),
    "tool-result": ("results", "▒", "warn"),
}
"""Word, glyph and tone of each part of the context; glyph and order tell them apart without colours."""


def shares(amounts: Sequence[int], cells: int, whole: int) -> list[int]:
    """Deal `cells` out in proportion to amounts of `whole`; the largest remainders are rounded up."""
    if whole <= 0:
        return [0 for _ in amounts]
    total = min(round(sum(amounts) * cells / whole), cells)
    exact = [amount * cells / whole for amount in amounts]
    dealt = [int(value) for value in exact]
    order = sorted(range(len(amounts)), key=lambda at: dealt[at] - exact[at])
    for at in order[: max(total - sum(dealt), 0)]:
        dealt[at] += 1
    return dealt


def meter_rows(ledger: Ledger, now: datetime, width: int, window: int | None, height: int = 0) -> list[Row]:
    """Loop, context, tokens, money and cache, turns; a blank row between them.

    With a `height` in rows (0: any) what does not fit goes, the least needed first: the turns, the parts of
    the context, the blank rows, the money, the cache, the tokens.
    """
    last = last_call(ledger.interactions)
    tokens = token_rows(last, ledger.spending)
    money = money_rows(last, ledger.spending, ledger.simulated)
    loop = loop_rows(ledger, now, width)
    context = context_rows(context_parts(ledger.context), width, window)
    cache = cache_rows(ledger, now.timestamp(), width)
    figures_of = [*(beside(tokens, money) if width >= BESIDE_FROM else [*tokens, *money]), *cache]
    turns = chart_rows(recent_turns(ledger.interactions, max((width - 1) // 2, 1)))
    small = context[:CONTEXT_ROWS]
    candidates = (
        _spaced(loop, context, figures_of, turns),
        _spaced(loop, context, figures_of),
        _spaced(loop, small, figures_of),
        [*loop, *small, *figures_of],
        [*loop, *small, *tokens, *cache],
        [*loop, *small, *tokens],
    )
    fitting = (rows for rows in candidates if not height or len(rows) <= height)
    return next(fitting, [*loop, *small])


def _spaced(*groups: Sequence[Row]) -> list[Row]:
    rows: list[Row] = []
    for at, group in enumerate(groups):
        rows += [BLANK, *group] if at else group
    return rows


def beside(left: Sequence[Row], right: Sequence[Row]) -> list[Row]:
    """Two tables next to one another, where there is the width for it."""
    column = max(line.cells for line in left) + 4
    pairs = zip(left, right, strict=True)
    return [row(*one.pieces, " " * (column - one.cells), *other.pieces) for one, other in pairs]


def loop_rows(ledger: Ledger, now: datetime, width: int) -> list[Row]:
    """The four steps with the current one in brackets, and how many turns of the limit are used."""
    lit = _LIT.get(ledger.step)
    parts: list[Part] = []
    for step in STEPS:
        parts += [(" → ", "dim")] if parts else []
        parts.append((f"[{step}]", "accent") if step == lit else (f" {step} ", "dim"))
    turn = ledger.turn if ledger.busy else None
    if turn is not None and ledger.interaction is not None and turn.interaction_id != ledger.interaction.id:
        turn = None
    count = row(f" turn {turn.number} of {ledger.limit}") if turn else row((" idle", "dim"))
    return [row(*parts), justified(count, _state(ledger, now), width)]


def _state(ledger: Ledger, now: datetime) -> Row:
    if ledger.retrying is not None and ledger.retry_at is not None:
        retry = ledger.retrying
        left = (ledger.retry_at + timedelta(seconds=retry.delay) - now).total_seconds()
        wait = f"in {max(0, round(left))}s" if left > 0 else "now"
        return row((f"retry {retry.attempt + 1} of {retry.max_attempts} {wait}", "warn"))
    match ledger.step:
        case "asking":
            return row(("waiting for you", "warn"))
        case "limit":
            asked = ledger.limit_asked
            turns = asked is None or asked.kind == "turns"
            return row(("limit reached" if turns else "waiting for you", "warn"))
        case _:
            return row()


def context_rows(parts: Sequence[ContextPart], width: int, window: int | None) -> list[Row]:
    """The size of the prompt, a bar of its parts, and what each is."""
    total = sum(part.tokens for part in parts)
    of = f" of {figures.tokens(window)}" if window else ""
    right = f"{total * 100 / window:.0f} %" if window else "window unknown"
    head = justified(
        row((" context ", "title"), f"{figures.tokens(total, estimated=True)}{of}"),
        row((right, "dim")),
        width,
    )
    cells = max(width - 1, 1)
    sizes = shares([part.tokens for part in parts], cells, max(window or total, total))
    bar: list[Part] = [" "]
    for part, size in zip(parts, sizes, strict=True):
        _, glyph, tone = ORIGINS[part.origin]
        bar.append((glyph * size, tone))
    bar.append(("·" * (cells - sum(sizes)), "dim"))
    return [head, row(*bar), *_legend(parts, width)]


def _legend(parts: Iterable[ContextPart], width: int) -> list[Row]:
    """All origins in two columns, also those that hold nothing yet, so that nothing moves."""
    known = {part.origin: part.tokens for part in parts}
    column = max((width - 3) // 2, 1)
    entries: list[list[Part]] = []
    for origin, (word, glyph, tone) in ORIGINS.items():
        count = figures.tokens(known[origin]) if origin in known else "–"
        entries.append([(glyph, tone), (f" {word:<12}", "dim"), f"{count:>{max(column - 14, 6)}}"])
    half = len(entries) // 2
    return [row(" ", *entries[at], "  ", *entries[at + half]) for at in range(half)]


def token_rows(last: CallSpending | None, session: Spending) -> list[Row]:
    """The disjoint kinds of the newest call and of the session."""
    head = row((f" {'tokens':<10}", "title"), (f"{'fresh':>7}{'read':>7}{'write':>7}{'output':>8}", "dim"))
    return [head, _kinds("last turn", last.usage if last else None), _kinds("session", session.usage)]


def _kinds(label: str, usage: Usage | None) -> Row:
    if usage is None:
        return row((f" {label:<10}", "dim"), f"{'–':>7}{'–':>7}{'–':>7}{'–':>8}")
    mark = usage.estimated
    written = usage.cache_write_5m + usage.cache_write_1h
    fresh, output = (figures.tokens(count, estimated=mark) for count in (usage.fresh, usage.output))
    read, write = (
        figures.tokens(count, estimated=mark and count > 0) for count in (usage.cache_read, written)
    )
    return row((f" {label:<10}", "dim"), f"{fresh:>7}{read:>7}{write:>7}{output:>8}")


def money_rows(last: CallSpending | None, session: Spending, simulated: bool) -> list[Row]:
    """Cache hits and money; what is not known is said, and what no provider charged is labelled."""
    note = "  simulated" if simulated else ""
    head = row((f" {'cache':<10}", "title"), (f"{'hits':>7}  cost", "dim"), (note, "warn"))
    cost = figures.money(last.cost, estimated=last.usage.estimated) if last else "–"
    rows = [head, _hits("last turn", last.hit_rate if last else None, cost)]
    return [*rows, _hits("session", session.hit_rate, _sum(session))]


def _sum(session: Spending) -> str:
    if session.unpriced and session.unpriced < session.calls:
        return f"≥{figures.money(session.known_cost)}, {session.unpriced} unpriced"
    return figures.spent(session)


def _hits(label: str, rate: float | None, cost: str) -> Row:
    shown = "–" if rate is None else f"{rate * 100:.0f} %"
    return row((f" {label:<10}", "dim"), f"{shown:>7}  {cost}")


def cache_left(ledger: Ledger, now: float) -> float | None:
    """Seconds that are counted down; None when there is nothing to count."""
    left = ledger.cache.left(now)
    return left if left is not None and left <= LONGEST_COUNT else None


def cache_rows(ledger: Ledger, now: float, width: int) -> list[Row]:
    """What the cache did last and how long it lasts; what it saved, and what it costs that it is over."""
    cache = ledger.cache
    verdict = cache.last_verdict
    left, over = cache_left(ledger, now), cache.expired(now)
    word: Part = (verdict.word, TONES[verdict.word]) if verdict else "–"
    clock = row()
    if left is not None:
        mark = "" if cache.certain else "≈"
        clock = row(("cache ", "dim"), f"{mark + figures.countdown(left):>6}")
    elif over:
        clock = row(("cache expired", "warn"))
    first = justified(row((f" {'verdict':<10}", "dim"), word), clock, width)
    saved, calls = cache.sums.saved, ledger.spending.calls
    lost = calls > 0 and saved is not None and saved < 0
    figure = figures.money(None if saved is None else abs(saved)) if calls else "–"
    name = "lost" if lost else "saved"
    going_on = row((" against no cache", "dim")) if calls and saved is not None else row()
    if over and not ledger.busy:
        again = cache.price_of_waiting().once
        cost = "unknown" if again is None else f"{figures.money(again, estimated=True)} once"
        going_on = row(("going on: ", "dim"), (cost, "warn"))
    money = row((f" {name:<10}", "dim"), (figure, "warn" if lost else "text"))
    return [first, justified(money, going_on, width)]


def chart_rows(turns: Sequence[TurnTokens]) -> list[Row]:
    """A bar for each turn: read from the cache below, written to it next, fresh on top."""
    legend: list[Part] = [("█", "good"), " read ", ("▓", "accent"), " written ", ("░", "warn"), " fresh"]
    head = row((f" {'turns':<8}", "title"), *legend)
    tallest = max((turn.total for turn in turns), default=0)
    columns = []
    for turn in turns:
        sizes = shares([turn.cached, turn.written, turn.fresh], CHART_ROWS, tallest)
        if turn.total and not any(sizes):
            sizes[max(range(3), key=lambda at: (turn.cached, turn.written, turn.fresh)[at])] = 1
        columns.append("█" * sizes[0] + "▓" * sizes[1] + "░" * sizes[2])
    tones: dict[str, Tone] = {"█": "good", "▓": "accent", "░": "warn"}
    rows = []
    for level in reversed(range(CHART_ROWS)):
        glyphs = [column[level] if level < len(column) else " " for column in columns]
        rows.append(row(*(part for glyph in glyphs for part in (" ", (glyph, tones.get(glyph, "text"))))))
    return [head, *rows]
