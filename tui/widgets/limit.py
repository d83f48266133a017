"""The questions at a bound: what was used, what waits, and how to go on."""

import time
from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType

from cutaway.harness.answers import LimitAnswer
from cutaway.harness.events import LimitReached
from cutaway.tui.widgets.ask import Ask, Clock
from cutaway.tui.widgets.limit_words import (
    BoundFacts,
    BudgetWording,
    ContextWording,
    LimitWording,
    LoopWording,
)
from cutaway.tui.widgets.wording import Wording

NO_FACTS = BoundFacts()


class BoundWidget(Ask):
    """Shows one `LimitReached` and posts a `LimitAnswer`: to go on, or to stop."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("c", "go_on", "Continue", id="limit.continue", tooltip="Go on up to the next limit"),
        Binding("s", "stop", "Stop", id="limit.stop", tooltip="Stop; the waiting calls do not run"),
    ]

    def __init__(
        self,
        event: LimitReached,
        wording: Wording,
        *,
        clock: Clock = time.monotonic,
        id: str | None = None,
    ) -> None:
        super().__init__(event.request_id, wording, clock=clock, id=id)
        self.event = event

    def action_go_on(self) -> None:
        if self.hears():
            self.answer(LimitAnswer("continue"))

    def action_stop(self) -> None:
        if self.hears():
            self.answer(LimitAnswer("stop"))


class LimitWidget(BoundWidget):
    """The tool-call limit: to the next one, to another, or on without asking."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "n", "choose_number", "Continue with N", id="limit.number", tooltip="Go on up to a limit of yours"
        ),
        Binding(
            "a", "autopilot", "Autopilot", id="limit.autopilot", tooltip="Extend by itself for this task"
        ),
    ]

    def __init__(
        self,
        event: LimitReached,
        facts: BoundFacts = NO_FACTS,
        *,
        clock: Clock = time.monotonic,
        id: str | None = None,
    ) -> None:
        self._words = LimitWording(event, facts)
        super().__init__(event, self._words, clock=clock, id=id)

    def action_choose_number(self) -> None:
        if self.hears():
            self.ask_for_line(*self._words.other())

    def action_autopilot(self) -> None:
        if self.hears():
            self.answer(LimitAnswer("autopilot"))


class BudgetWidget(BoundWidget):
    """A budget: to the next one or to another."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "n", "choose_budget", "Another budget", id="budget.number", tooltip="Go on up to your budget"
        ),
    ]

    def __init__(
        self,
        event: LimitReached,
        words: BudgetWording,
        *,
        clock: Clock = time.monotonic,
        id: str | None = None,
    ) -> None:
        self._words = words
        super().__init__(event, words, clock=clock, id=id)

    def action_choose_budget(self) -> None:
        if self.hears():
            self.ask_for_line(*self._words.other())


class ContextWidget(BoundWidget):
    """A context that is nearly full: compact it now, not now, or always from here."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "skip", "Not now", id="context.skip", tooltip="Go on with the whole conversation"),
        Binding("a", "always", "Always", id="context.always", tooltip="Compact without asking from here"),
    ]

    def action_skip(self) -> None:
        if self.hears():
            self.answer(LimitAnswer("skip"))

    def action_always(self) -> None:
        if self.hears():
            self.answer(LimitAnswer("autopilot"))


def bound_question(
    event: LimitReached, facts: BoundFacts = NO_FACTS, *, clock: Clock = time.monotonic
) -> BoundWidget:
    """The question that a bound asks."""
    match event.kind:
        case "turns":
            return LimitWidget(event, facts, clock=clock)
        case "loop":
            return BoundWidget(event, LoopWording(event, facts), clock=clock)
        case "context":
            return ContextWidget(event, ContextWording(event, facts), clock=clock)
        case kind:
            return BudgetWidget(event, BudgetWording(kind, event, facts), clock=clock)


BOUND_QUESTIONS: Sequence[type[BoundWidget]] = (BoundWidget, LimitWidget, BudgetWidget, ContextWidget)
"""All that bind keys."""
