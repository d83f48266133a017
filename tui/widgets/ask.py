"""What the questions share: they wait for a pause, never take keys meant for the prompt, and queue."""

import time
from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.events import Paste
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, TextArea

from cutaway.harness.answers import Answer
from cutaway.tui.rows import BLANK, Headline, Row, Rows, row
from cutaway.tui.transcript.safe_text import one_line
from cutaway.tui.widgets.row_view import RowText

DEAF_SECONDS = 0.4
"""How long a question must have been on the screen, without a key for it, before a key answers it."""

MORE = "more below: j k space scroll, f taller"

Clock = Callable[[], float]


class LineInput(Input):
    """One line that keeps all of a paste and shows what a terminal would otherwise obey."""

    def _on_paste(self, event: Paste) -> None:
        event.prevent_default()  # Textual's own handler keeps the first line only
        event.stop()
        self.insert_text_at_cursor(one_line(event.text.strip("\r\n")))


class Ask(Widget, can_focus=True):
    """A question of the harness, answered by single letters while it has the focus.

    For the first 400 ms after it was painted, and for 400 ms after each key that came in that time, it
    is deaf. It takes the focus by itself when that time is over, and only if `may_focus` then says
    that the prompt is empty; otherwise it waits for `tab` or `ctrl+g`.
    """

    DEFAULT_CSS = """
    Ask {
        height: auto;
        layout: vertical;
        border: round $warning 60%;
        padding: 0 1;
        border-subtitle-color: $text-muted;
        &:focus, &:focus-within { border: heavy $warning; }
        & .ask--body { max-height: 35vh; margin: 1 0; overflow-y: auto; }
        &.-full .ask--body { max-height: 70vh; }
        & LineInput { display: none; height: 1; border: none; padding: 0 1; background: $foreground 10%; }
        & LineInput:focus { border: none; }
        &.-typing LineInput { display: block; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "scroll_text(1)", "Down", show=False, id="ask.down", tooltip="Scroll the question"),
        Binding("k,up", "scroll_text(-1)", "Up", show=False, id="ask.up", tooltip="Scroll the question"),
        Binding("pagedown,space", "page(1)", "Page down", show=False, id="ask.page-down"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="ask.page-up"),
        Binding("f", "toggle_full", "Taller", show=False, id="ask.full", tooltip="Show more of it at once"),
        Binding("ctrl+g", "leave", "Back", show=False, id="ask.leave", tooltip="Back to where you were"),
        Binding("ctrl+c", "refuse", "No", show=False, id="ask.refuse", tooltip="Answer with no"),
        Binding("escape", "back", "Back", show=False, id="ask.back", tooltip="Back to the question"),
    ]

    class Answered(Message):
        """A person decided; `request_id` names the question, `answer` goes to the session."""

        def __init__(self, ask: "Ask", request_id: str, answer: Answer) -> None:
            super().__init__()
            self.ask = ask
            self.request_id = request_id
            self.answer = answer

        @property
        def control(self) -> "Ask":
            return self.ask

    def __init__(self, request_id: str, *, clock: Clock = time.monotonic, id: str | None = None) -> None:
        super().__init__(id=id)
        self.request_id = request_id
        self.may_focus: Callable[[], bool] = lambda: False
        """Asked once, when the deaf time is over: may the question take the focus?"""
        self.answered = False
        self._clock = clock
        self._quiet_since: float | None = None
        self._place = (1, 1)
        self._left: Widget | None = None
        self._head = RowText()
        self._body = RowText()
        self._foot = RowText()
        self._keys = RowText()
        self._input = LineInput(compact=True)

    def title(self) -> str:
        """The question in a few words of our own."""
        raise NotImplementedError

    def subject(self) -> str:
        """What asks, at the right of the title."""
        return ""

    def body_rows(self) -> Sequence[Row]:
        """All that the answer depends on, in full."""
        raise NotImplementedError

    def foot_rows(self) -> Sequence[Row]:
        """What stays in sight when the body scrolls."""
        return ()

    def key_rows(self) -> Sequence[Row]:
        """The keys that answer, and what each does."""
        raise NotImplementedError

    def line_rows(self) -> Sequence[Row]:
        """What the line below is for, while it is open."""
        return ()

    def refusal(self) -> Answer:
        """What `ctrl+c` answers."""
        raise NotImplementedError

    def typed(self, text: str) -> None:
        """`enter` in the line below the question."""

    def compose(self) -> ComposeResult:
        self._body.add_class("ask--body")
        self._foot.add_class("ask--foot")
        self._keys.add_class("ask--keys")
        self._draw()
        self._draw_body()
        yield self._head
        yield self._body
        yield self._foot
        yield self._keys
        yield self._input

    def on_mount(self) -> None:
        self.watch(self._body, "scroll_y", self._mark_more)
        if self.display:
            self.appear()

    def appear(self) -> None:
        """Start the deaf time, from the first paint on."""
        self.call_after_refresh(self._painted)

    def _painted(self) -> None:
        self._quiet_since = self._clock()
        self._mark_more()
        self.set_timer(DEAF_SECONDS, self.wake)

    def on_resize(self) -> None:
        self._draw_body()
        self.call_after_refresh(self._mark_more)

    def unseen(self) -> bool:
        """Tell whether the foot, which ends the body on a short screen, was out of sight; scroll to it."""
        hidden = not self._foot.display and self._body.scroll_offset.y < self._body.max_scroll_y
        if hidden:
            self._body.scroll_end(animate=False)
        return hidden

    @property
    def deaf(self) -> bool:
        """True while keys may have been meant for something else."""
        return self._quiet_since is None or self._clock() - self._quiet_since < DEAF_SECONDS

    def wake(self) -> None:
        """Take the focus if the deaf time is over and the prompt is empty."""
        if self.answered or not self.display:
            return
        if not self.screen.is_current:
            self._quiet_since = self._clock()  # another screen hides the question
        if self.deaf:
            self.set_timer(DEAF_SECONDS, self.wake)
        elif not self.has_focus_within and not self._typing_elsewhere() and self.may_focus():
            self.take_focus()

    def _typing_elsewhere(self) -> bool:
        """Tell whether keys are on their way into some text."""
        match self.screen.focused:
            case Input():
                return True
            case TextArea(text=text):
                return bool(text)
            case _:
                return False

    def take_focus(self) -> None:
        """Move the focus here, remembering where it was."""
        if self.screen.focused is not self:
            self._left = self.screen.focused
        self.focus()

    def place(self, number: int, count: int) -> None:
        """Say which of several waiting questions this is."""
        self._place = (number, count)
        self._draw()

    def answer(self, answer: Answer) -> None:
        """Send the answer, once; keys of the deaf time are swallowed and prolong it."""
        if self.answered:
            return
        self.answered = True
        self.post_message(self.Answered(self, self.request_id, answer))

    def hears(self) -> bool:
        """Tell whether a key counts now; one that does not prolongs the deaf time."""
        if self.deaf:
            if self._quiet_since is not None:
                self._quiet_since = self._clock()
            return False
        return not self.answered

    def ask_for_line(self, value: str = "") -> None:
        """Open the line below the question."""
        self._input.value = value
        self._input.cursor_position = len(value)
        self.add_class("-typing")
        self._draw()
        self._input.focus()

    def complain(self, message: str) -> None:
        """Say what is wrong with the line that was typed."""
        self._foot.set_rows(Rows((*self.foot_rows(), row(("! " + message, "bad")))))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.typed(event.value.strip())

    def watch_has_focus(self, has_focus: bool) -> None:
        super().watch_has_focus(has_focus)
        self._draw()

    def _draw(self) -> None:
        number, count = self._place
        which = f"{number} of {count}  " if count > 1 else ""
        hint = "" if self.has_focus or self.has_class("-typing") else "ctrl+g to answer  "
        right = row((hint, "accent"), (which, "warn"), (self.subject(), "dim"))
        self._head.set_rows(Headline(row(("? ", "warn"), (self.title(), "strong")), right))
        self._foot.set_rows(Rows(self.foot_rows()))
        self._keys.set_rows(Rows(self.line_rows() if self.has_class("-typing") else self.key_rows()))

    def _draw_body(self) -> None:
        below = () if self._foot.display else (BLANK, *self.foot_rows())
        self._body.set_rows(Rows((*self.body_rows(), *below)))

    def _mark_more(self) -> None:
        """Say at the edge that the body goes on below; the edge has room for it in any case."""
        more = self._body.max_scroll_y > self._body.scroll_offset.y
        self.border_subtitle = MORE if more else ""

    def action_scroll_text(self, step: int) -> None:
        self._body.scroll_relative(y=step, animate=False)

    def action_page(self, side: int) -> None:
        self._body.scroll_relative(y=side * max(self._body.size.height - 1, 1), animate=False)

    def action_toggle_full(self) -> None:
        self.toggle_class("-full")

    def action_leave(self) -> None:
        target = self._left if self._left is not None and self._left.is_mounted else None
        self.screen.set_focus(target)

    def action_back(self) -> None:
        self.remove_class("-typing")
        self._draw()
        self.focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self.has_class("-typing") if action == "back" else True

    def action_refuse(self) -> None:
        self.answer(self.refusal())


class AskDock(Vertical):
    """The questions that wait, one at a time, in the order in which they came."""

    DEFAULT_CSS = "AskDock { height: auto; }"

    def __init__(self, prompt_is_empty: Callable[[], bool], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._prompt_is_empty = prompt_is_empty
        self._asks: list[Ask] = []

    @property
    def current(self) -> Ask | None:
        """The question that is shown now."""
        return self._asks[0] if self._asks else None

    def ask(self, ask: Ask) -> None:
        """Put a question at the end of the row; one that waits already is not asked twice."""
        if any(ask.request_id == other.request_id for other in self._asks):
            return
        ask.may_focus = self._prompt_is_empty
        ask.display = not self._asks
        self._asks.append(ask)
        self.mount(ask)
        self._number()

    def drop(self, request_id: str) -> None:
        """Take a question away, as when it was answered or its interaction ended."""
        found = next((ask for ask in self._asks if ask.request_id == request_id), None)
        if found is None:
            return
        was_current, had_focus, home = found is self.current, found.has_focus_within, found._left
        self._asks.remove(found)
        found.remove()
        if was_current and (following := self.current):
            following.display = True
            following.appear()
            if had_focus:
                following.take_focus()
                following._left = home
        elif had_focus and home is not None and home.is_mounted:
            home.focus()
        self._number()

    def focus_current(self) -> bool:
        """Bring the keys to the question; False when none waits."""
        if self.current is None:
            return False
        self.current.take_focus()
        return True

    def on_ask_answered(self, event: Ask.Answered) -> None:
        self.drop(event.request_id)

    def _number(self) -> None:
        for at, ask in enumerate(self._asks, 1):
            ask.place(at, len(self._asks))
