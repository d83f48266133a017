"""Messages that wait: for the session to open, for the tools that run, or for the running work to end."""

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual.app import RenderResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from cutaway.harness.events import Delivery
from cutaway.tui.outgoing import Waits
from cutaway.tui.transcript.safe_text import one_line
from cutaway.tui.transcript.wrap import cut

SHOWN = 3
"""Messages listed before the rest is counted: the prompt must stay in reach on a small screen."""

DELIVERIES: tuple[Delivery, ...] = ("after-interaction", "after-tools", "now")
"""From the latest to the soonest, as the key walks through them."""

DELIVERY_WORDS: dict[Delivery, str] = {
    "now": "now",
    "after-tools": "after tools",
    "after-interaction": "after this",
}

KEYS = "alt+d when · alt+e edit · alt+up back · ctrl+s after tools · ctrl+n now"
KEYS_OF_MANY = "alt+d when · alt+e edit · ctrl+s after tools · ctrl+n now"
KEYS_HERE = "j k choose · d when · e edit · ctrl+l back"
KEYS_HELD = "alt+e edit · alt+up takes back"
EDITING = "editing: enter keeps its place · esc leaves it as it was"


class QueueLane(Widget, can_focus=True):
    """One line a waiting message, oldest first, with its moment at the right; hidden while nothing waits.

    The chosen one is the newest until the lane has the keys and another is walked to.
    """

    DEFAULT_CSS = "QueueLane { height: auto; padding: 0 1; color: $text-muted; display: none; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "choose(1)", "Next", show=False, id="queue.down", tooltip="The next message"),
        Binding("k,up", "choose(-1)", "Previous", show=False, id="queue.up", tooltip="The one before"),
        Binding(
            "d,space",
            "screen.change_delivery",
            "When",
            show=False,
            id="queue.when",
            tooltip="When it goes out",
        ),
        Binding(
            "e,enter", "screen.edit_waiting", "Edit", show=False, id="queue.edit", tooltip="In the prompt"
        ),
    ]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.messages: tuple[Waits, ...] = ()
        self.reason = ""
        self.edited: int | None = None
        """The place of the message that is in the prompt now."""
        self._chosen: int | None = None

    @property
    def chosen(self) -> int:
        """The place of the message that keys mean; -1 when nothing waits."""
        newest = len(self.messages) - 1
        return newest if self._chosen is None else min(self._chosen, newest)

    def show(self, messages: Sequence[Waits], reason: str, edited: int | None) -> None:
        """List what waits, and for what."""
        if (tuple(messages), reason, edited) == (self.messages, self.reason, self.edited):
            return
        self.messages, self.reason, self.edited = tuple(messages), reason, edited
        self.display = bool(messages)
        self.refresh(layout=True)

    def action_choose(self, step: int) -> None:
        self._chosen = max(0, min(self.chosen + step, len(self.messages) - 1))
        self.refresh()

    def watch_has_focus(self, has_focus: bool) -> None:
        super().watch_has_focus(has_focus)
        self._chosen = None
        self.refresh()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return min(len(self.messages), SHOWN) + 1

    def render(self) -> RenderResult:
        width, height = max(1, self.size.width), max(1, self.size.height)
        rows = min(len(self.messages), SHOWN, max(1, height - 1))
        first = max(0, min(self.chosen - rows + 1, len(self.messages) - rows))  # what keys mean is in sight
        lines = [self._line(at, width) for at in range(first, first + rows)]
        hidden = len(self.messages) - rows
        more = f"{hidden} more · " if hidden else ""
        hint = Content.styled(cut(f"  {more}{self._hint()}", width), "italic $text-muted")
        return Content("\n").join([*lines, hint])

    def _line(self, at: int, width: int) -> Content:
        text, delivery = self.messages[at]
        chosen = self.has_focus and at == self.chosen
        mark = "✎" if at == self.edited else "▸" if chosen else "◷"
        moment = DELIVERY_WORDS[delivery] if delivery is not None else ""
        room = max(1, width - cell_len(moment) - 1) if moment else width
        said = cut(f"{mark} {one_line(text)}", room)
        gap = " " * max(0, width - cell_len(said) - cell_len(moment))
        style = "bold $accent" if chosen or at == self.edited else ""
        return Content.assemble((said, style), gap, (moment, "$accent" if delivery == "now" else ""))

    def _hint(self) -> str:
        if self.edited is not None:
            return EDITING
        if self.has_focus:
            return KEYS_HERE
        if self.reason:
            return f"{self.reason} · {KEYS_HELD}"
        return KEYS if len(self.messages) <= SHOWN else KEYS_OF_MANY
