"""The question at the tool-call limit: what was used, what waits, and how to go on."""

import time
from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType

from cutaway.harness.answers import LimitAnswer
from cutaway.harness.events import LimitReached
from cutaway.harness.ledger.forecast import forecast
from cutaway.tui import format as figures
from cutaway.tui.call_words import short_name, target_of
from cutaway.tui.rows import Row, key_row, row, text_lines
from cutaway.tui.widgets.ask import Ask, Clock


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
        super().__init__(event.request_id, clock=clock, id=id)
        self.event = event

    def title(self) -> str:
        return f"Go on after {self.event.limit} turns?"

    def subject(self) -> str:
        return f"{self.event.limit} of {self.event.limit} used"

    def body_rows(self) -> Sequence[Row]:
        waiting = self.event.pending
        rows = [row((f"{len(waiting)} {'call waits' if len(waiting) == 1 else 'calls wait'}", "dim"))]
        for call in waiting:
            first, *rest = text_lines(target_of(call.name, call.arguments)) or [""]
            name = short_name(call.name)
            hang = len(name) + 4
            rows.append(row("  ", (name, "strong"), "  ", first, hang=hang))
            rows.extend(row(" " * hang, line, hang=hang) for line in rest)
        return rows

    def foot_rows(self) -> Sequence[Row]:
        event = self.event
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

    def key_rows(self) -> Sequence[Row]:
        keys = [
            ("c", f"continue to {self.event.next_limit}"),
            ("n", "to another limit"),
            ("a", "autopilot for this task"),
            ("s", "stop"),
        ]
        return (key_row(keys, lit=self.has_focus),)

    def line_rows(self) -> Sequence[Row]:
        return (row(("new limit in turns ", "strong"), ("· enter goes on · esc goes back", "dim")),)

    def refusal(self) -> LimitAnswer:
        return LimitAnswer("stop")

    def action_go_on(self) -> None:
        if self.hears():
            self.answer(LimitAnswer("continue"))

    def action_choose_number(self) -> None:
        if self.hears():
            self.ask_for_line(str(self.event.next_limit))

    def action_autopilot(self) -> None:
        if self.hears():
            self.answer(LimitAnswer("autopilot"))

    def action_stop(self) -> None:
        if self.hears():
            self.answer(LimitAnswer("stop"))

    def typed(self, text: str) -> None:
        if text.isascii() and text.isdecimal() and int(text) > self.event.limit:
            self.answer(LimitAnswer("continue", limit=int(text)))
        else:
            self.complain(
                f"{text or 'nothing'} is no limit to go on to: type a whole number above {self.event.limit}"
            )
