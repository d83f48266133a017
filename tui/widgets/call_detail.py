"""One call in full: what was asked, who let it, what it did, and what the model read of it."""

import json
from collections.abc import Set
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from cutaway.harness.details import TestRun
from cutaway.harness.ledger import CallView
from cutaway.tui import format as figures
from cutaway.tui.call_words import STATE_MARKS, STATE_WORDS, decider_of, ran_for, target_of
from cutaway.tui.rows import BLANK, Part, Row, Rows, row, text_lines
from cutaway.tui.widgets.detail import detail_rows
from cutaway.tui.widgets.detail.terminal import output_rows, prompt_rows
from cutaway.tui.widgets.detail.tests import progress_rows
from cutaway.tui.widgets.row_view import RowView


def heading(title: str, note: str = "") -> list[Row]:
    """The start of a section."""
    return [BLANK, row((title, "title"), (f"  {note}" if note else "", "dim"), hang=2)]


def call_rows(call: CallView, opened: Set[str] = frozenset()) -> list[Row]:
    """All that is known of a call, the newest result first."""
    mark, tone = STATE_MARKS[call.state]
    rows = [row((f"{mark} ", tone), (call.name, "strong"), (f"  {STATE_WORDS[call.state]}", tone), hang=2)]
    rows += [*_decision_rows(call), *_time_rows(call), BLANK, *_result_rows(call, opened)]
    if call.completed is not None:
        rows += heading("result", "as the model read it")
        rows += [row(line) for line in text_lines(call.completed.text)]
    rows += heading("arguments", "as the model wrote them")
    return [*rows, *argument_rows(call.arguments)]


def _decision_rows(call: CallView) -> list[Row]:
    rows = []
    if call.asked is not None:
        rows.append(row(("why it was asked  ", "dim"), call.asked.reason, hang=2))
    if by := decider_of(call):
        rows.append(row(("decided by ", "dim"), by, hang=2))
    if call.decided is not None and call.decided.rule:
        rows.append(row(("rule ", "dim"), call.decided.rule, hang=2))
    if call.decided is not None and call.decided.feedback:
        rows.append(row(("you told the model ", "dim"), call.decided.feedback, hang=2))
    return rows


def _time_rows(call: CallView) -> list[Row]:
    parts: list[Part] = []
    if ran := ran_for(call):
        parts += [("ran ", "dim"), ran]
    if call.waited_ms:
        parts += [
            ("  " if parts else ""),
            ("waited for you ", "dim"),
            figures.duration(call.waited_ms / 1000),
        ]
    return [row(*parts)] if parts else []


def _result_rows(call: CallView, opened: Set[str]) -> list[Row]:
    rows: list[Row] = []
    if call.rerun is not None:
        rows += [row(("your re-run", "title"), ("  the model has not seen it", "dim"))]
        rows += detail_rows(call.rerun.detail, opened) if call.rerun.detail else _texts(call.rerun.text)
        rows += heading("what the model saw")
        if call.completed is not None and call.completed.detail is not None:
            rows += detail_rows(call.completed.detail)
        return rows
    if call.state == "running":
        return _live_rows(call)
    if call.completed is not None and call.completed.detail is not None:
        return detail_rows(call.completed.detail, opened)
    if call.asked is not None and call.asked.preview is not None:
        note = "not carried out" if call.completed is not None else "what it would do"
        return [row((note, "dim")), *detail_rows(call.asked.preview, opened)]
    return [row((target_of(call.name, call.arguments) or "no target", "dim"))]


def _live_rows(call: CallView) -> list[Row]:
    rows = prompt_rows(target_of(call.name, call.arguments))
    if call.progress_note:
        rows.append(row(("now ", "dim"), call.progress_note, hang=4))
    if call.tests is not None:
        rows += progress_rows(call.tests)
    return [*rows, BLANK, *output_rows(call.output)]


def _texts(text: str) -> list[Row]:
    return [row(line) for line in text_lines(text)]


def argument_rows(arguments: str) -> list[Row]:
    """Raw arguments, indented where they are JSON and exactly as they came where they are not."""
    try:
        parsed = json.loads(arguments)
    except ValueError:
        return [row(("not valid JSON", "bad")), *_texts(arguments)]
    return _texts(json.dumps(parsed, indent=2, ensure_ascii=False))


class CallDetail(RowView):
    """The detail of one call; it follows the end of a running call's output unless scrolled up."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "r", "rerun", "Re-run tests", id="detail.rerun", tooltip="Run these tests again, for you only"
        ),
    ]

    class RerunTests(Message):
        """`r` on a test run: run it again for the person, not for the model."""

        def __init__(self, call_id: str) -> None:
            super().__init__()
            self.call_id = call_id

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.call: CallView | None = None
        self._opened: set[str] = set()

    def show(self, call: CallView) -> None:
        """Draw a call, or draw the same one anew after it changed."""
        same = self.call is not None and self.call.id == call.id
        if not same:
            self._opened, self.cursor = set(), ""
        self.call, self.follows = call, call.state == "running"
        self.set_rows(Rows(call_rows(call, self._opened)), keep_scroll=same)

    def clear(self) -> None:
        """Show no call."""
        self.call = None
        self.set_rows(Rows([row(("enter on a call shows it here", "dim"))]), keep_scroll=False)

    def action_choose(self) -> None:
        if self.call is not None and self.cursor:
            self._opened ^= {self.cursor}
            self.show(self.call)

    def action_rerun(self) -> None:
        if self.call is not None and isinstance(self.call.detail, TestRun):
            self.post_message(self.RerunTests(self.call.id))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "rerun":
            return self.call is not None and isinstance(self.call.detail, TestRun)
        return True
