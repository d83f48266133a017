"""A session that could not be opened: why, and what to do now."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message
from textual.screen import ModalScreen

from cutaway.tui.keymap import bindings
from cutaway.tui.rows import BLANK, Rows, row, text_lines
from cutaway.tui.widgets.row_view import RowView


class FailedScreen(ModalScreen[None]):
    """The message of the failure, which names its cause and the next step, and two keys."""

    DEFAULT_CSS = """
    FailedScreen { align: center middle; background: $background 80%; }
    FailedScreen RowView {
        width: 80%; max-width: 90; height: auto; max-height: 80%;
        padding: 1 2; background: $surface; border-left: thick $error;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("failed")]

    class Again(Message):
        """Try to open it once more."""

    def __init__(self, title: str, message: str) -> None:
        super().__init__()
        self.title_text = title
        self.message = message

    def compose(self) -> ComposeResult:
        yield RowView(
            Rows(
                (
                    row((self.title_text, "bad")),
                    BLANK,
                    *(row(line) for line in text_lines(self.message)),
                    BLANK,
                    row(("r", "accent"), " try again   ", ("q", "accent"), " quit"),
                    row(("what you have typed is kept", "dim")),
                )
            ),
            id="failure",
        )

    def action_again(self) -> None:
        self.dismiss()
        self.app.post_message(self.Again())
