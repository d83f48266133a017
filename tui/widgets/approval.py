"""The question whether a call may run: what, on what, in full, and why it is asked."""

import json
import time
from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType

from cutaway.harness.answers import PermissionAnswer
from cutaway.harness.details import CommandRun, Effect, FileEdit, PlannedCommand
from cutaway.harness.events import PermissionRequested
from cutaway.tui.call_words import arguments_of
from cutaway.tui.rows import BLANK, Row, key_row, row, text_lines
from cutaway.tui.widgets.ask import Ask, Clock
from cutaway.tui.widgets.detail import detail_rows
from cutaway.tui.widgets.detail.terminal import prompt_rows

TEST_TOOL = "run_tests"
_QUESTIONS: dict[Effect, str] = {
    "read": "Read this?",
    "write": "Write to this?",
    "execute": "Run this command?",
    "network": "Send this over the network?",
    "ask": "Ask you this?",
    "control": "Allow this?",
}


class ApprovalWidget(Ask):
    """Shows one `PermissionRequested` and posts a `PermissionAnswer`.

    `arguments` is the call's JSON text: what of it neither the target nor the preview shows is shown too.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "approve", "Yes, once", id="approval.yes", tooltip="Let this one call run"),
        Binding("n", "deny", "No", id="approval.no", tooltip="Refuse, and say why if you like"),
        Binding(
            "a", "always", "Always", id="approval.always", tooltip="Yes, and add the rule for this session"
        ),
    ]

    def __init__(
        self,
        request: PermissionRequested,
        arguments: str = "",
        *,
        clock: Clock = time.monotonic,
        id: str | None = None,
    ) -> None:
        super().__init__(request.request_id, clock=clock, id=id)
        self.request = request
        self._arguments = arguments

    def title(self) -> str:
        if isinstance(edit := self.request.preview, FileEdit):
            return "Create this file?" if edit.created else "Apply this edit?"
        if self.request.tool_name == TEST_TOOL:
            return "Run these tests?"
        return _QUESTIONS[self.request.access.effect]

    def subject(self) -> str:
        return self.request.tool_name

    def body_rows(self) -> Sequence[Row]:
        request = self.request
        rows: list[Row] = []
        planned = isinstance(request.preview, PlannedCommand)
        if request.access.effect == "execute" and not planned:
            for command in request.access.targets:
                rows.extend(prompt_rows(command))
        elif not isinstance(request.preview, FileEdit | PlannedCommand) or len(request.access.targets) > 1:
            rows.extend(row(("on ", "dim"), target, hang=3) for target in request.access.targets)
        if request.preview is not None and not isinstance(request.preview, CommandRun):
            rows.extend([BLANK] if rows else [])
            rows.extend(detail_rows(request.preview))
        rows.extend(self._argument_rows())
        return rows or [row(("the call names nothing that it would touch", "dim"))]

    def _argument_rows(self) -> list[Row]:
        request = self.request
        if request.preview is not None and len(request.access.targets) <= 1:
            return []
        rows = []
        for name, value in arguments_of(self._arguments).items():
            if value in request.access.targets:
                continue
            first, *rest = text_lines(value if isinstance(value, str) else json.dumps(value))
            rows.append(row((f"{name} ", "dim"), first, hang=len(name) + 1))
            rows.extend(row(" " * (len(name) + 1), line, hang=len(name) + 1) for line in rest)
        return rows

    def foot_rows(self) -> Sequence[Row]:
        request = self.request
        always = (
            row(
                ("a", "accent"),
                ("    adds the rule ", "dim"),
                request.always,
                (" for this session", "dim"),
                hang=5,
            )
            if request.always
            else row(("a", "dim"), ("    is not offered: no rule would be narrow enough", "dim"), hang=5)
        )
        told = all(word in request.reason for word in request.rule.split())
        by = "" if told else f"  by {request.rule}"
        return row(("why  ", "dim"), request.reason, (by, "dim"), hang=5), always

    def key_rows(self) -> Sequence[Row]:
        keys = [("y", "yes, once"), ("n", "no, and say why")]
        if self.request.always:
            keys.append(("a", "always this session"))
        return (key_row(keys, lit=self.has_focus),)

    def line_rows(self) -> Sequence[Row]:
        return (
            row(
                ("why not? ", "strong"),
                ("the model reads it · enter sends, also empty · esc goes back", "dim"),
            ),
        )

    def refusal(self) -> PermissionAnswer:
        return PermissionAnswer("deny")

    def action_approve(self) -> None:
        if self.hears():
            self.answer(PermissionAnswer("approve"))

    def action_deny(self) -> None:
        if self.hears():
            self.ask_for_line()

    def action_always(self) -> None:
        if self.hears() and self.request.always and not self.unseen():  # the rule has to have been in sight
            self.answer(PermissionAnswer("approve-for-session"))

    def typed(self, text: str) -> None:
        self.answer(PermissionAnswer("deny", feedback=text))
