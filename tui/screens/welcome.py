"""The first screen of a user who has no model yet: what was looked for, and what to do now."""

import os
from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message
from textual.screen import Screen

from cutaway.tui.keymap import bindings
from cutaway.tui.live_session import SearchedFor
from cutaway.tui.rows import BLANK, Part, Row, Rows, row
from cutaway.tui.widgets.row_view import RowView

DEMO = "a recorded model on a small real project. No key, no network."
SET_KEY = '$env:OPENAI_API_KEY = "sk-…"' if os.name == "nt" else "export OPENAI_API_KEY=sk-…"
WAYS = (
    ("A key of a provider, before you start cutaway:", (SET_KEY, "cutaway")),
    ("A model on this machine, such as with Ollama:", ("ollama serve", "ollama pull qwen3", "cutaway")),
    (
        "Any other server that speaks like OpenAI's:",
        ("cutaway --base-url http://localhost:8080/v1 --model NAME",),
    ),
)


class WelcomeScreen(Screen[None]):
    """Says what was looked for and what was found, and offers the demo with one key."""

    DEFAULT_CSS = """
    WelcomeScreen { align: center middle; }
    WelcomeScreen RowView { width: 1fr; max-width: 92; height: auto; max-height: 1fr; padding: 1 2; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("welcome")]

    class DemoWanted(Message):
        """The user wants to see the demo."""

    class LookAgain(Message):
        """The user has changed something and wants the search to be made once more."""

    def __init__(self, findings: Sequence[SearchedFor], *, demo: bool) -> None:
        super().__init__()
        self._findings = tuple(findings)
        self._demo = demo

    def compose(self) -> ComposeResult:
        yield RowView(Rows(self.rows()), id="welcome")

    def rows(self) -> Iterator[Row]:
        """All that the page says."""
        yield row(("cutaway", "title"))
        yield row("A coding assistant whose engine can be watched. It needs a model, and none was found yet.")
        yield BLANK
        if self._demo:
            yield row(("  d", "accent"), f"  start the demo: {DEMO}", hang=5)
        yield row(("  r", "accent"), "  look again")
        yield row(("  q", "accent"), "  quit")
        yield BLANK
        yield row(("To use a model", "strong"))
        for title, lines in WAYS:
            yield row("  ", title, hang=2)
            for line in lines:
                yield row("      ", (line, "name"), hang=8)
        yield BLANK
        yield row(("What was looked for", "strong"))
        for finding in self._findings:
            yield _finding_row(finding)

    def action_demo(self) -> None:
        if self._demo:
            self.post_message(self.DemoWanted())

    def action_look_again(self) -> None:
        self.post_message(self.LookAgain())

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self._demo if action == "demo" else True


def _finding_row(finding: SearchedFor) -> Row:
    mark: Part = ("  ✓ ", "good") if finding.found else ("  · ", "dim")
    return row(mark, finding.title, (f"  {finding.looked_for}: {finding.reason}", "dim"), hang=6)
