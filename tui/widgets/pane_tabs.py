"""The panes as tabs, for a screen too narrow to show them side by side."""

from typing import Literal

from textual import events
from textual.app import RenderResult
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

Pane = Literal["conversation", "calls", "meter"]
PANES: tuple[Pane, ...] = ("conversation", "calls", "meter")
TITLES: dict[Pane, str] = {"conversation": "Conversation", "calls": "Calls", "meter": "Meter"}


class PaneTabs(Widget):
    """One line: number, name and a short fact for each pane; the chosen one stands out without colour too."""

    DEFAULT_CSS = "PaneTabs { height: 1; padding: 0 1; color: $text-muted; }"

    class Chosen(Message):
        """A tab was clicked."""

        def __init__(self, pane: Pane) -> None:
            super().__init__()
            self.pane = pane

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.chosen: Pane = "conversation"
        self.facts: dict[Pane, str] = dict.fromkeys(PANES, "")

    def choose(self, pane: Pane) -> None:
        """Mark the pane that is shown."""
        self.chosen = pane
        self.refresh()

    def tell(self, facts: dict[Pane, str]) -> None:
        """Show a short fact beside each name, such as how many calls run."""
        if facts != self.facts:
            self.facts = facts
            self.refresh()

    def _labels(self) -> list[tuple[Pane, str]]:
        labels = []
        for number, pane in enumerate(PANES, 1):
            fact = f" {self.facts[pane]}" if self.facts[pane] else ""
            labels.append((pane, f" {number} {TITLES[pane]}{fact} "))
        return labels

    def render(self) -> RenderResult:
        parts: list[tuple[str, str]] = []
        for pane, label in self._labels():
            parts.append((label, "bold reverse $primary" if pane == self.chosen else "$text-muted"))
            parts.append((" ", ""))
        return Content.assemble(*parts)

    def on_click(self, event: events.Click) -> None:
        left = 1
        for pane, label in self._labels():
            if left <= event.x < left + len(label):
                self.post_message(self.Chosen(pane))
                return
            left += len(label) + 1
