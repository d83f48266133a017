"""A bare screen for one widget at a time, and the words that it shows."""

from collections.abc import Callable
from typing import Any

from textual import on
from textual.app import App, ComposeResult
from textual.message import Message
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import TextArea

from cutaway.tui.widgets.ask import Ask
from cutaway.tui.widgets.call_detail import CallDetail
from cutaway.tui.widgets.row_view import RowView


class Stage(App[None]):
    """Mounts what it is given; `messages` holds what the widgets posted, in order."""

    def __init__(self, *widgets: Widget) -> None:
        super().__init__()
        self.on_stage = widgets
        self.messages: list[Message] = []

    def compose(self) -> ComposeResult:
        yield from self.on_stage

    @on(Ask.Answered)
    @on(RowView.Chosen)
    @on(CallDetail.RerunTests)
    def _note(self, message: Message) -> None:
        self.messages.append(message)


class Prompt(TextArea):
    """A text area at the bottom, as the real prompt is."""

    DEFAULT_CSS = "Prompt { dock: bottom; height: 3; }"


class FakeClock:
    """Seconds that pass only when a test says so."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def on_screen(app: App[Any]) -> str:
    """All text of the screen, row by row, as the compositor paints it."""
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)


async def until(pilot: Pilot[Any], holds: Callable[[], bool], rounds: int = 400) -> None:
    """Let the app work until something holds; fails when it never does."""
    for _ in range(rounds):
        if holds():
            return
        await pilot.pause()
    raise AssertionError("the state that was waited for never came")
