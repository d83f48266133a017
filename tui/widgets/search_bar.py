"""One line to search the conversation with."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from cutaway.tui.widgets.ask import LineInput


class SearchBar(Horizontal):
    """Hidden until it is wanted; what was found is counted at the right."""

    DEFAULT_CSS = """
    SearchBar { height: 1; padding: 0 1; display: none; }
    SearchBar.-open { display: block; }
    SearchBar LineInput { width: 1fr; height: 1; border: none; padding: 0; background: $background; }
    SearchBar Static { width: auto; height: 1; color: $text-muted; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Close the search", show=False, id="search.close"),
        Binding("down", "hit(1)", "Next hit", show=False, id="search.next"),
        Binding("up", "hit(-1)", "Previous hit", show=False, id="search.previous"),
    ]

    class Sought(Message):
        """Find this text; '' ends the search."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Stepped(Message):
        """Go to the next or the previous hit."""

        def __init__(self, by: int) -> None:
            super().__init__()
            self.by = by

    class Closed(Message):
        """The search is over."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._input = LineInput(
            placeholder="search the conversation · enter, up, down · esc closes", compact=True
        )
        self._count = Static("", markup=False)

    def compose(self) -> ComposeResult:
        yield Static("/ ", markup=False)
        yield self._input
        yield self._count

    @property
    def open(self) -> bool:
        return self.has_class("-open")

    def start(self) -> None:
        """Open, and take the keys."""
        self.add_class("-open")
        self._input.focus()

    def count(self, text: str) -> None:
        """Say how much was found."""
        self._count.update(Content(text))

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        if self.open:
            self.post_message(self.Sought(event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.Stepped(1))

    def action_hit(self, by: int) -> None:
        self.post_message(self.Stepped(by))

    def action_close(self) -> None:
        self.remove_class("-open")
        self._input.value = ""
        self.count("")
        self.post_message(self.Closed())
