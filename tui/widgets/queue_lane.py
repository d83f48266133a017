"""Messages that wait: for the session to open, or for the running work to end."""

from collections.abc import Sequence

from textual.app import RenderResult
from textual.content import Content
from textual.widget import Widget

from cutaway.tui.transcript.safe_text import one_line
from cutaway.tui.transcript.wrap import cut

SHOWN = 3
"""Messages listed before the rest is counted: the prompt must stay in reach on a small screen."""


class QueueLane(Widget):
    """One line a waiting message, oldest first; hidden while nothing waits."""

    DEFAULT_CSS = "QueueLane { height: auto; padding: 0 1; color: $text-muted; display: none; }"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.messages: tuple[str, ...] = ()
        self.reason = ""

    def show(self, messages: Sequence[str], reason: str) -> None:
        """List what waits, and for what."""
        if (tuple(messages), reason) != (self.messages, self.reason):
            self.messages, self.reason = tuple(messages), reason
            self.display = bool(messages)
            self.refresh(layout=True)

    def render(self) -> RenderResult:
        width = max(1, self.size.width)
        rows = [f"◷ {one_line(text)}" for text in self.messages[:SHOWN]]
        if more := len(self.messages) - SHOWN:
            rows[-1:] = [rows[-1], f"  … {more} more"] if more > 0 else rows[-1:]
        lines = [Content(cut(line, width)) for line in rows]
        hint = Content.styled(cut(f"  {self.reason}", width), "italic $text-muted")
        return Content("\n").join([*lines, hint])
