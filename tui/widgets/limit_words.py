"""The words of each question at a bound: turns, a budget, a loop without progress, a full context."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from cutaway.harness.answers import Answer, LimitAnswer
from cutaway.harness.budgets import BudgetKind
from cutaway.harness.doom_loop import TELL_AT
from cutaway.harness.events import LimitReached
from cutaway.harness.ledger.forecast import forecast
from cutaway.harness.messages import ToolCall
from cutaway.tui import format as figures
from cutaway.tui.bounds import amount, used
from cutaway.tui.call_words import short_name, target_of
from cutaway.tui.rows import Row, key_row, row, text_lines
from cutaway.tui.transcript.safe_text import count_of, one_line
from cutaway.tui.transcript.wrap import cut
from cutaway.tui.widgets.wording import Line

MOST_DIGITS = 9
"""Digits of a limit; Python itself refuses to read thousands of them."""

LABEL_CELLS = 14
"""Cells for the words at the left of the foot."""


@dataclass(frozen=True, slots=True)
class BoundFacts:
    """What the ledger knows beside the event.

    `turns` of this interaction so far, the calls of one `round` that repeats itself, and what it would
    cost to compact, in USD (None when that is not known).
    """

    turns: int = 0
    round: tuple[ToolCall, ...] = ()
    compacting: Decimal | None = None


class BoundWording:
    """What the questions share; each says more of its own."""

    def __init__(self, event: LimitReached, facts: BoundFacts) -> None:
        self.event = event
        self.facts = facts

    @property
    def subject(self) -> str:
        return used(self.event)

    @property
    def whole(self) -> bool:
        return False

    def refusal(self) -> Answer:
        return LimitAnswer("stop")

    def body(self) -> Sequence[Row]:
        waiting = self.event.pending
        if not waiting:
            return [row(("no call waits; the model would be asked again", "dim"))]
        rows = [row((f"{len(waiting)} {'call waits' if len(waiting) == 1 else 'calls wait'}", "dim"))]
        return [*rows, *_call_rows(waiting)]

    def spent(self) -> Row:
        event = self.event
        cost = figures.money(event.cost, estimated=event.usage.estimated)
        return _fact("spent so far", f"{figures.usage_line(event.usage)} · {cost}")


def _fact(label: str, text: str) -> Row:
    return row((f"{label:<{LABEL_CELLS}}", "dim"), text, hang=LABEL_CELLS)


def _call_rows(calls: Sequence[ToolCall]) -> list[Row]:
    rows = []
    for call in calls:
        first, *rest = text_lines(target_of(call.name, call.arguments)) or [""]
        name = short_name(call.name)
        hang = len(name) + 4
        rows.append(row("  ", (name, "strong"), "  ", first, hang=hang))
        rows.extend(row(" " * hang, line, hang=hang) for line in rest)
    return rows


class LimitWording(BoundWording):
    """The tool-call limit."""

    @property
    def title(self) -> str:
        return f"Go on after {self.event.limit} turns?"

    def foot(self) -> Sequence[Row]:
        ahead = forecast(self.event)
        until = f"{figures.tokens(ahead.tokens, estimated=True)} tokens"
        if ahead.cost is not None:
            until += f" · {figures.money(ahead.cost, estimated=True)}"
        return self.spent(), _fact(f"to turn {self.event.next_limit}", f"{until} more, at this pace")

    def keys(self, *, lit: bool) -> Sequence[Row]:
        keys = [
            ("c", f"continue to {self.event.next_limit}"),
            ("n", "to another limit"),
            ("a", "autopilot for this task"),
            ("s", "stop"),
        ]
        return (key_row(keys, lit=lit),)

    def other(self) -> tuple[Line, str]:
        """The line in which another limit is typed, and what stands in it at first."""
        least = self.event.limit

        def answer(text: str) -> Answer | str:
            number = int(text) if text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS else 0
            if number > least:
                return LimitAnswer("continue", limit=number)
            shown = cut(one_line(text), 40) or "nothing"
            return f"{shown} is no limit to go on to: type a whole number above {least}"

        label = row(("new limit in turns ", "strong"), ("· enter goes on · esc goes back", "dim"))
        return Line(label, answer), str(self.event.next_limit)


_BUDGETS: dict[BudgetKind, tuple[str, str]] = {
    "cost": ("Go on beyond the budget?", "new budget in USD "),
    "tokens": ("Go on beyond the budget?", "new budget in tokens "),
    "minutes": ("Go on beyond the time?", "new budget in minutes "),
}


class BudgetWording(BoundWording):
    """A budget of money, tokens or minutes."""

    def __init__(self, kind: BudgetKind, event: LimitReached, facts: BoundFacts) -> None:
        super().__init__(event, facts)
        self._kind = kind

    @property
    def title(self) -> str:
        return _BUDGETS[self._kind][0]

    def foot(self) -> Sequence[Row]:
        return self.spent(), _fact(f"to {self._next()}", f"{self._ahead()}")

    def _next(self) -> str:
        return amount(self._kind, Decimal(self.event.next_most))

    def _ahead(self) -> str:
        """How far the next budget goes when turns stay as dear as those of this task."""
        event, turns = self.event, self.facts.turns
        more = Decimal(event.next_most) - Decimal(event.used)
        shown = f"{amount(self._kind, more)} more"
        own = {"cost": Decimal(event.cost or 0), "tokens": Decimal(event.usage.input + event.usage.output)}
        pace = own.get(self._kind, Decimal(0)) / turns if turns else Decimal(0)
        if not pace:
            return shown
        return f"{shown}, ≈{count_of(int(more / pace), 'turn')} at this pace"

    def keys(self, *, lit: bool) -> Sequence[Row]:
        keys = [("c", f"continue to {self._next()}"), ("n", "to another budget"), ("s", "stop")]
        return (key_row(keys, lit=lit),)

    def other(self) -> tuple[Line, str]:
        """The line in which another budget is typed, and what stands in it at first."""
        least = Decimal(self.event.used)

        def answer(text: str) -> Answer | str:
            most = _number(text)
            if most is not None and most > least and (self._kind != "tokens" or most == int(most)):
                return LimitAnswer("continue", most=most)
            shown = cut(one_line(text), 40) or "nothing"
            number = "a whole number" if self._kind == "tokens" else "a number"
            return f"{shown} is no budget to go on with: type {number} above {amount(self._kind, least)}"

        label = row((_BUDGETS[self._kind][1], "strong"), ("· enter goes on · esc goes back", "dim"))
        return Line(label, answer), self.event.next_most


def _number(text: str) -> Decimal | None:
    """Read an amount as people write it: 0.75, $2, 1,000,000; None when it is none."""
    digits = text.removeprefix("$").replace(",", "")
    if not digits.isascii() or not digits.replace(".", "", 1).isdecimal() or len(digits) > 2 * MOST_DIGITS:
        return None
    try:
        return Decimal(digits)
    except InvalidOperation:
        return None


class LoopWording(BoundWording):
    """A model that makes the same calls and gets the same results, again and again."""

    title = "Go on without progress?"

    def body(self) -> Sequence[Row]:
        said = f"made {self.event.used} times in a row, each time with the same results"
        if not self.facts.round:
            return [row(("the same calls were ", "dim"), (said, "dim"))]
        return [row((said, "dim")), *_call_rows(self.facts.round)]

    def foot(self) -> Sequence[Row]:
        return self.spent(), _fact("told already", f"the model, after {TELL_AT} times; it did the same again")

    def keys(self, *, lit: bool) -> Sequence[Row]:
        return (key_row([("c", "go on"), ("s", "stop")], lit=lit),)


class ContextWording(BoundWording):
    """A prompt that nears the end of the model's window."""

    title = "Compact the conversation?"

    def body(self) -> Sequence[Row]:
        event = self.event
        tokens = int(event.used)
        if event.most:
            share = f"{tokens * 100 // int(event.most)}%"
            full = f"≈{tokens:,} of the {int(event.most):,} tokens of the model's window are used ({share})"
        else:
            full = f"the prompt has ≈{tokens:,} tokens; the model's window is not known"
        return [
            row(full),
            row("a summary takes the place of the oldest messages; your own words are kept"),
            row(("nothing is lost: the log keeps all of it, and a compaction can be undone", "dim")),
        ]

    def foot(self) -> Sequence[Row]:
        cost = figures.money(self.facts.compacting, estimated=True)
        return self.spent(), _fact("compacting", f"{cost} for the summary and the next request")

    def keys(self, *, lit: bool) -> Sequence[Row]:
        keys = [
            ("c", "compact now"),
            ("n", "not now"),
            ("a", "always, without asking"),
            ("s", "stop"),
        ]
        return (key_row(keys, lit=lit),)

    def refusal(self) -> Answer:
        return LimitAnswer("skip")
