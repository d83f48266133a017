"""The prompt: a text area that sends, remembers, and takes a paste of any size whole."""

from collections.abc import Collection
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.binding import BindingType
from textual.document._document import Location
from textual.message import Message
from textual.widgets import TextArea

from cutaway.tui.drafts import CHIP, Draft, DraftHistory, chip_for, draft_of, joined, lf, needs_folding

GOES_ON_AFTER_A_DIGIT = " .,:;)]/%-+*="
"""What follows a digit in a text (`3 tests`, `1. do`), and never a key that was meant to change the pane."""


class Prompt(TextArea):
    """Where the user writes; what was typed or pasted is never lost."""

    BINDINGS: ClassVar[list[BindingType]] = []
    COMPONENT_CLASSES: ClassVar[set[str]] = {"prompt--chip"}

    class Submitted(Message):
        """The whole text of a message that the user sends, chips expanded."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class QuickKey(Message):
        """A key of `quick_keys` that was pressed while the prompt was empty."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    class TextAfterAll(Message):
        """Quick keys turned out to be the start of a text, which now stands in the prompt."""

    class OlderWanted(Message):
        """`up` in an empty prompt, where a queued message is nearer than the history."""

    class Paged(Message):
        """Page up (-1) or down (1): the prompt is small, so the conversation scrolls."""

        def __init__(self, side: int) -> None:
            super().__init__()
            self.side = side

    def __init__(
        self,
        *,
        send_keys: Collection[str] = ("enter",),
        newline_keys: Collection[str] = ("ctrl+j", "shift+enter", "alt+enter"),
        id: str | None = None,
    ) -> None:
        super().__init__(
            id=id,
            compact=True,
            highlight_cursor_line=False,
            placeholder="Say what should be done",
            show_line_numbers=False,
        )
        self.cursor_blink = False  # a blinking cursor is a redraw twice a second, for ever
        self.quick_keys: frozenset[str] = frozenset()
        self.queue_above = False
        self._send_keys = frozenset(send_keys)
        self._newline_keys = frozenset(newline_keys)
        self._pastes: dict[str, str] = {}
        self._drafts = DraftHistory()
        self._swallowed = ""

    @property
    def draft(self) -> Draft:
        """What stands in the prompt, with the texts behind its chips."""
        shown = self.text
        return Draft(shown, {chip: text for chip, text in self._pastes.items() if chip in shown})

    def submit(self) -> None:
        """Send what stands in the prompt; nothing happens when that is only white space."""
        if text := self.take():
            self.post_message(self.Submitted(text))

    def take(self) -> str:
        """Empty the prompt into the history and give the whole text; '' when there is none."""
        draft = self.draft
        if draft.empty:
            return ""
        self._drafts.add(draft)
        self.show_draft(Draft())
        return draft.text

    def remember(self, text: str) -> None:
        """Put a text of an earlier run into the history."""
        self._drafts.add(draft_of(text))

    def give_back(self, text: str) -> None:
        """Bring a text back in front of what is being written."""
        self.show_draft(joined(text, self.draft))

    def show_draft(self, draft: Draft) -> None:
        """Replace the prompt's content."""
        self._pastes = dict(draft.pastes)
        self.load_text(draft.shown)
        self.move_cursor(self.document.end)

    def insert_paste(self, text: str) -> None:
        """Insert a pasted text where the cursor stands, as a chip when it is large or not printable."""
        text = lf(text)
        if needs_folding(text):
            chip = chip_for(text, self._pastes)
            self._pastes[chip] = text
            text = chip
        if result := self._replace_via_keyboard(text, *self.selection):
            self.move_cursor(result.end_location)

    def on_paste(self, event: events.Paste) -> None:
        event.prevent_default()
        event.stop()
        self._swallowed = ""
        self.insert_paste(event.text)

    def action_paste(self) -> None:
        self.insert_paste(self.app.clipboard)

    def on_key(self, event: events.Key) -> None:
        if self._handles(event):
            event.prevent_default()
            event.stop()

    def _handles(self, event: events.Key) -> bool:
        key = event.key
        swallowed, self._swallowed = self._swallowed, ""
        if swallowed and event.character and event.character in GOES_ON_AFTER_A_DIGIT:
            self.insert(swallowed + event.character)
            self.post_message(self.TextAfterAll())
            return True
        if key in self._send_keys:
            self.submit()
            return True
        if key in self._newline_keys:
            self._replace_via_keyboard("\n", *self.selection)
            return True
        if key in self.quick_keys and not self.text:
            if key.isdigit():
                self._swallowed = swallowed + key
            self.post_message(self.QuickKey(key))
            return True
        if key in ("pageup", "pagedown"):
            self.post_message(self.Paged(-1 if key == "pageup" else 1))
            return True
        if key == "up" and self.navigator.is_first_wrapped_line(self.cursor_location):
            return self._older()
        if key == "down" and self.navigator.is_last_wrapped_line(self.cursor_location):
            return self._show_if(self._drafts.newer(self.draft))
        return False

    def _older(self) -> bool:
        if self.queue_above and not self.text:
            self.post_message(self.OlderWanted())
            return True
        return self._show_if(self._drafts.older(self.draft))

    def _show_if(self, draft: Draft | None) -> bool:
        if draft is None:
            return False
        self.show_draft(draft)
        return True

    def get_line(self, line_index: int) -> Text:
        line = super().get_line(line_index)
        if self._pastes and "[" in line.plain:
            style = self.get_component_rich_style("prompt--chip", partial=True)
            for match in CHIP.finditer(line.plain):
                if match.group() in self._pastes:
                    line.stylize(style, *match.span())
        return line

    def get_cursor_left_location(self) -> Location:
        return self._over_chip(-1) or super().get_cursor_left_location()

    def get_cursor_right_location(self) -> Location:
        return self._over_chip(1) or super().get_cursor_right_location()

    def get_cursor_word_left_location(self) -> Location:
        return self._over_chip(-1) or super().get_cursor_word_left_location()

    def get_cursor_word_right_location(self) -> Location:
        return self._over_chip(1) or super().get_cursor_word_right_location()

    def _over_chip(self, side: int) -> Location | None:
        """The far end of a chip beside the cursor: chips are walked over and deleted as one."""
        row, column = self.cursor_location
        if not self._pastes:
            return None
        for match in CHIP.finditer(self.document.get_line(row)):
            near, far = match.span() if side > 0 else reversed(match.span())
            if near == column and match.group() in self._pastes:
                return row, far
        return None
