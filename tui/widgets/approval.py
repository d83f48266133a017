"""The question whether a call may run: what, on what, in full, and why it is asked."""

import json
import time
from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType

from cutaway.harness.answers import Answer, PermissionAnswer
from cutaway.harness.details import CommandRun, Effect, FileEdit, PlannedCommand
from cutaway.harness.events import PermissionRequested
from cutaway.tui.call_words import arguments_of
from cutaway.tui.rows import BLANK, Row, key_row, row, text_lines
from cutaway.tui.widgets.ask import Ask, Clock
from cutaway.tui.widgets.detail import detail_rows
from cutaway.tui.widgets.detail.terminal import prompt_rows
from cutaway.tui.widgets.wording import Line

TEST_TOOL = "run_tests"
_QUESTIONS: dict[Effect, str] = {
    "read": "Read this?",
    "write": "Write to this?",
    "execute": "Run this command?",
    "network": "Send this over the network?",
    "ask": "Ask you this?",
    "control": "Allow this?",
}


class ApprovalWording:
    """The words of one `PermissionRequested`.

    `arguments` is the call's JSON text: what of it neither the target nor the preview shows is shown too.
    """

    def __init__(self, request: PermissionRequested, arguments: str = "") -> None:
        self._request = request
        self._arguments = arguments

    @property
    def title(self) -> str:
        if isinstance(edit := self._request.preview, FileEdit):
            return "Create this file?" if edit.created else "Apply this edit?"
        if self._request.tool_name == TEST_TOOL:
            return "Run these tests?"
        return _QUESTIONS[self._request.access.effect]

    @property
    def subject(self) -> str:
        return self._request.tool_name

    @property
    def whole(self) -> bool:
        return self._request.access.effect == "execute"  # the end of a command may undo its harmless start

    def body(self) -> Sequence[Row]:
        request = self._request
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
        request = self._request
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

    def foot(self) -> Sequence[Row]:
        request = self._request
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

    def keys(self, *, lit: bool) -> Sequence[Row]:
        keys = [("y", "yes, once"), ("n", "no, and say why")]
        if self._request.always:
            keys += [("a", "always this session"), ("e", "edit the rule")]
        return (key_row(keys, lit=lit),)

    def refusal(self) -> Answer:
        return PermissionAnswer("deny")


WHY_NOT = Line(
    row(
        ("why not? ", "strong"),
        ("the model reads it · enter sends, also empty · esc goes back", "dim"),
        hang=9,
    ),
    lambda text: PermissionAnswer("deny", feedback=text),
)


def edited_rule(tool: str) -> Line:
    """The line in which the rule of "always" is edited; it can only be one for the tool that asks."""

    def answer(text: str) -> Answer | str:
        from cutaway.harness.errors import ConfigError
        from cutaway.harness.permissions.rules import SESSION, Rule  # late: it brings the shell's grammar

        try:
            Rule.parse(text, "allow", SESSION, (tool,))
        except ConfigError as error:
            return str(error)
        return PermissionAnswer("approve-for-session", rule=text)

    label = row(("rule ", "strong"), ("· enter runs this and adds the rule · esc goes back", "dim"), hang=5)
    return Line(label, answer)


class ApprovalWidget(Ask):
    """Shows one `PermissionRequested` and posts a `PermissionAnswer`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "approve", "Yes, once", id="approval.yes", tooltip="Let this one call run"),
        Binding("n", "deny", "No", id="approval.no", tooltip="Refuse, and say why if you like"),
        Binding(
            "a", "always", "Always", id="approval.always", tooltip="Yes, and add the rule for this session"
        ),
        Binding("e", "edit_rule", "Edit the rule", id="approval.edit", tooltip="Then yes, and add that rule"),
    ]

    def __init__(
        self,
        request: PermissionRequested,
        arguments: str = "",
        *,
        clock: Clock = time.monotonic,
        id: str | None = None,
    ) -> None:
        super().__init__(request.request_id, ApprovalWording(request, arguments), clock=clock, id=id)
        self.request = request

    def action_approve(self) -> None:
        if self.hears() and not (self.wording.whole and self.unseen()):
            self.answer(PermissionAnswer("approve"))

    def action_deny(self) -> None:
        if self.hears():
            self.ask_for_line(WHY_NOT)

    def action_always(self) -> None:
        if self.hears() and self.request.always and not self.unseen():  # the rule has to have been in sight
            self.answer(PermissionAnswer("approve-for-session"))

    def action_edit_rule(self) -> None:
        if self.hears() and self.request.always and not self.unseen():
            self.ask_for_line(edited_rule(self.request.tool_name), self.request.always)
