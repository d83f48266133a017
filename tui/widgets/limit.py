"""The question at the tool-call limit: what was used, what waits, and how to go on."""

import time
from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType

from cutaway.harness.answers import Answer, LimitAnswer
from cutaway.harness.events import LimitReached
from cutaway.harness.ledger.forecast import forecast
from cutaway.tui import format as figures
from cutaway.tui.call_words import short_name, target_of
from cutaway.tui.rows import Row, key_row, row, text_lines
from cutaway.tui.transcript.safe_text import one_line
from cutaway.tui.transcript.wrap import cut
from cutaway.tui.widgets.ask import Ask, Clock
from cutaway.tui.widgets.wording import Line

MOST_DIGITS = 9
"""Digits of a limit; Python itself refuses to read thousands of them."""


class LimitWording:
    """The words of one `LimitReached`."""

    def __init__(self, event: LimitReached) -> None:
        self._event = event

    @property
    def title(self) -> str:
        return f"Go on after {self._event.limit} turns?"

    @property
    def subject(self) -> str:
        return f"{self._event.limit} of {self._event.limit} used"

    @property
    def whole(self) -> bool:
        return False

    def body(self) -> Sequence[Row]:
        waiting = self._event.pending
        rows = [row((f"{len(waiting)} {'call waits' if len(waiting) == 1 else 'calls wait'}", "dim"))]
        for call in waiting:
            first, *rest = text_lines(target_of(call.name, call.arguments)) or [""]
            name = short_name(call.name)
            hang = len(name) + 4
            rows.append(row("  ", (name, "strong"), "  ", first, hang=hang))
            rows.extend(row(" " * hang, line, hang=hang) for line in rest)
        return rows

    def foot(self) -> Sequence[Row]:
        event = self._event
        ahead = forecast(event)
        cost = figures.money(event.cost, estimated=event.usage.estimated)
        spent = f"{figures.usage_line(event.usage)} · {cost}"
        until = f"{figures.tokens(ahead.tokens, estimated=True)} tokens"
        if ahead.cost is not None:
            until += f" · {figures.money(ahead.cost, estimated=True)}"
        return (
            row(("spent so far  ", "dim"), spent, hang=14),
            row((f"to turn {event.next_limit:<6}", "dim"), f"{until} more, at this pace", hang=14),
        )

    def keys(self, *, lit: bool) -> Sequence[Row]:
        keys = [
            ("c", f"continue to {self._event.next_limit}"),
            ("n", "to another limit"),
            ("a", "autopilot for this task"),
            ("s", "stop"),
        ]
        return (key_row(keys, lit=lit),)

    def refusal(self) -> Answer:
        return LimitAnswer("stop")

    def other_limit(self) -> Line:
        """The line in which another limit is typed."""
        least = self._event.limit

        def answer(text: str) -> Answer | str:
            number = int(text) if text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS else 0
            if number > least:
                return LimitAnswer("continue", limit=number)
            shown = cut(one_line(text), 40) or "nothing"
            return f"{shown} is no limit to go on to: type a whole number above {least}"

        return Line(
            row(("new limit in turns ", "strong"), ("· enter goes on · esc goes back", "dim")), answer
        )


class LimitWidget(Ask):
    """Shows one `LimitReached` and posts a `LimitAnswer`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("c", "go_on", "Continue", id="limit.continue", tooltip="Go on up to the next limit"),
        Binding(
            "n", "choose_number", "Continue with N", id="limit.number", tooltip="Go on up to a limit of yours"
        ),
        Binding(
            "a", "autopilot", "Autopilot", id="limit.autopilot", tooltip="Extend by itself for this task"
        ),
        Binding("s", "stop", "Stop", id="limit.stop", tooltip="Stop; the waiting calls do not run"),
    ]

    def __init__(self, event: LimitReached, *, clock: Clock = time.monotonic, id: str | None = None) -> None:
        self._words = LimitWording(event)
        super().__init__(event.request_id, self._words, clock=clock, id=id)
        self.event = event

    def action_go_on(self) -> None:
        if self.hears():
            self.answer(LimitAnswer("continue"))

    def action_choose_number(self) -> None:
        if self.hears():
            self.ask_for_line(self._words.other_limit(), str(self.event.next_limit))

    def action_autopilot(self) -> None:
        if self.hears():
            self.answer(LimitAnswer("autopilot"))

    def action_stop(self) -> None:
        if self.hears():
            self.answer(LimitAnswer("stop"))
