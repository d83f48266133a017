"""What the questions share: they wait for a pause, never take keys meant for the prompt, and queue."""

import time
from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.events import Paste
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, TextArea

from cutaway.harness.answers import Answer
from cutaway.tui.rows import BLANK, Headline, Rows, row
from cutaway.tui.transcript.safe_text import one_line
from cutaway.tui.widgets.row_view import RowText
from cutaway.tui.widgets.wording import Line, Wording

DEAF_SECONDS = 0.4
"""How long a question must have been on the screen, without a key for it, before a key answers it."""

MORE = "more below: j k space scroll, f taller"
END_SHOWN = "this is the end of it: once more to answer"

BODY_SHARE, FULL_BODY_SHARE = 0.35, 0.7
"""How much of the screen's height what is asked about may take, at first and after `f`."""

BODY_LEAST = 3
"""Rows that it keeps before the foot may stand apart from it."""

KEPT = {"-tiny": 4, "-short": 5, "-tall": 7}
"""Rows around a question, by the screen's class: tabs, a row of the pane, what waits, the prompt, status."""

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
    that the prompt is empty; otherwise it waits for `tab` or `ctrl+g`. Whatever the length of what is
    asked about, the keys that answer stay on the screen.
    """

    DEFAULT_CSS = """
    Ask {
        height: auto;
        layout: vertical;
        border: round $warning 60%;
        padding: 0 1;
        border-subtitle-color: $text-muted;
        &:focus, &:focus-within { border: heavy $warning; }
        & .ask--body { margin: 1 0; overflow-y: auto; }
        &.-foot-below .ask--foot { display: none; }
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

    def __init__(
        self,
        request_id: str,
        wording: Wording,
        *,
        clock: Clock = time.monotonic,
        id: str | None = None,
    ) -> None:
        super().__init__(id=id, classes="-foot-below")  # until it is known how many rows there are
        self.request_id = request_id
        self.wording = wording
        self.may_focus: Callable[[], bool] = lambda: False
        """Asked once, when the deaf time is over: may the question take the focus?"""
        self.answered = False
        self._clock = clock
        self._quiet_since: float | None = None
        self._place = (1, 1)
        self._left: Widget | None = None
        self._line: Line | None = None
        self._complaint = ""
        self._end_seen = False
        self._head = RowText()
        self._body = RowText()
        self._foot = RowText()
        self._keys = RowText()
        self._input = LineInput(compact=True)

    def compose(self) -> ComposeResult:
        self._body.add_class("ask--body")
        self._body.set_rows(Rows(self.wording.body()))
        self._body.styles.height = 1  # until there is a width to lay it out for
        self._foot.add_class("ask--foot")
        self._keys.add_class("ask--keys")
        self._draw()
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
        self._fit()

    def _fit(self) -> None:
        """Share out the rows that there are: first the keys, then the body, then a foot of its own."""
        width = self.scrollable_content_region.width
        if not width:
            return
        height = self.screen.size.height
        kept = next((rows for name, rows in KEPT.items() if self.screen.has_class(name)), KEPT["-short"])
        fixed = self.gutter.height + self._body.styles.margin.height + self.has_class("-typing")
        fixed += len(self._head_rows().lines(width)) + len(self._key_rows().lines(width))
        room = min(int(height * 0.8), height - kept) - fixed
        foot = len(Rows(self.wording.foot()).lines(width))
        below = room - foot < BODY_LEAST
        if below:
            foot = 0
        self.set_class(below, "-foot-below")
        self._body.set_rows(Rows((*self.wording.body(), *((BLANK, *self.wording.foot()) if below else ()))))
        most = int(height * (FULL_BODY_SHARE if self.has_class("-full") else BODY_SHARE))
        body = max(min(len(self._body.texts), room - foot, max(most, BODY_LEAST)), 1)
        self._body.styles.height = body
        self.styles.height = fixed + body + foot  # measured, it counts rows that are out of sight as well
        self.call_after_refresh(self._mark_more)

    def unseen(self) -> bool:
        """Tell whether what a yes depends on was never in sight; then scroll to the end of it, and say so."""
        hidden = not self._end_seen and (self.wording.whole or self.has_class("-foot-below"))
        if hidden:
            self._body.scroll_end(animate=False)
            self._end_seen = True
            self.border_subtitle = END_SHOWN
        return hidden

    @property
    def deaf(self) -> bool:
        """True while keys may have been meant for something else."""
        return self._quiet_since is None or self._clock() - self._quiet_since < DEAF_SECONDS

    def wake(self) -> None:
        """Take the focus if the deaf time is over and the prompt is empty."""
        if self.answered or not self.display:
            return
        if not self.screen.is_active:
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

    def ask_for_line(self, line: Line, value: str = "") -> None:
        """Open a line below the question."""
        self._line, self._complaint = line, ""
        self._input.value = value
        self._input.cursor_position = len(value)
        self.add_class("-typing")
        self._draw()
        self._input.focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if self._line is None:
            return
        match self._line.answer(event.value.strip()):
            case str(complaint):
                self._complaint = complaint
                self._draw()
            case answer:
                self.answer(answer)

    def watch_has_focus(self, has_focus: bool) -> None:
        super().watch_has_focus(has_focus)
        self._draw()

    def _draw(self) -> None:
        self._head.set_rows(self._head_rows())
        self._foot.set_rows(Rows(self.wording.foot()))
        self._keys.set_rows(self._key_rows())
        if self.is_mounted:
            self._fit()

    def _head_rows(self) -> Headline:
        number, count = self._place
        which = f"{number} of {count}  " if count > 1 else ""
        hint = "" if self.has_focus or self.has_class("-typing") else "ctrl+g to answer  "
        right = row((hint, "accent"), (which, "warn"), (self.wording.subject, "dim"))
        return Headline(row(("? ", "warn"), (self.wording.title, "strong")), right)

    def _key_rows(self) -> Rows:
        if self._line is None or not self.has_class("-typing"):
            return Rows(self.wording.keys(lit=self.has_focus))
        wrong = row(("! " + self._complaint, "bad"), hang=2)
        return Rows([wrong if self._complaint else self._line.label])

    def _mark_more(self) -> None:
        """Say at the edge that the body goes on below; the edge has room for it in any case."""
        more = self._body.max_scroll_y > self._body.scroll_offset.y
        if more or not self._end_seen:
            self.border_subtitle = MORE if more else ""
        self._end_seen = self._end_seen or (not more and self._quiet_since is not None)

    def action_scroll_text(self, step: int) -> None:
        self._body.scroll_relative(y=step, animate=False)

    def action_page(self, side: int) -> None:
        self._body.scroll_relative(y=side * max(self._body.size.height - 1, 1), animate=False)

    def action_toggle_full(self) -> None:
        self.toggle_class("-full")
        self._fit()

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
        self.answer(self.wording.refusal())


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
        if not self.screen.is_active:
            self.notify("A question waits in the conversation; esc goes back to it.", markup=False)

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
        self.screen.set_class(bool(self._asks), "-asking")
        for at, ask in enumerate(self._asks, 1):
            ask.place(at, len(self._asks))
