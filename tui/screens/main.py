"""The main screen: conversation, tool calls, meter, prompt and one status line."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import ClassVar, cast

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input, TextArea

from cutaway.harness.events import Mode, Record, SessionIdle, UserMessageSent
from cutaway.tui.activity import activity, tab_facts
from cutaway.tui.conversation import Conversation
from cutaway.tui.keymap import bindings, keys_of
from cutaway.tui.live_session import LiveSession
from cutaway.tui.offered import offered
from cutaway.tui.pump import pump
from cutaway.tui.questions import Questions
from cutaway.tui.router import Part, parts_for
from cutaway.tui.screens.changing import ChangingScreen
from cutaway.tui.screens.sending import HINT_SECONDS
from cutaway.tui.transcript import Transcript
from cutaway.tui.widgets.ask import Ask, AskDock
from cutaway.tui.widgets.pane_tabs import PANES, Pane, PaneTabs
from cutaway.tui.widgets.panes import Panes
from cutaway.tui.widgets.prompt import Prompt
from cutaway.tui.widgets.row_view import RowView
from cutaway.tui.widgets.search_bar import SearchBar
from cutaway.tui.widgets.status import MODES

NARROW_BELOW = 110
"""Columns under which the three panes become tabs."""

SHORT_BELOW, TINY_BELOW = 16, 12
"""Rows under which blank lines are given up, and then all that a question can be answered without."""

INTERRUPTING = "interrupting …"
"""Said until what runs has stopped."""


class MainScreen(ChangingScreen):
    """Lays the parts out, hands records to them, and sends what the user decides to the session."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("main")]
    AUTO_FOCUS = "Prompt"

    def __init__(self, root: str, keys: Mapping[str, str]) -> None:
        super().__init__(keys_of("prompt.send", keys), keys_of("prompt.newline", keys))
        self.ready = asyncio.Event()
        self._hurry = asyncio.Event()
        self.HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (NARROW_BELOW, "-wide")]
        self.VERTICAL_BREAKPOINTS = [(0, "-tiny"), (TINY_BELOW, "-short"), (SHORT_BELOW, "-tall")]
        self.panes = Panes(root, id="panes")
        self.conversation = Conversation(self.panes.transcript)
        self.dock = AskDock(lambda: not self.prompt.text, id="dock")
        self.questions = Questions(self.dock)
        self.tabs = PaneTabs(id="tabs")
        self.search_bar = SearchBar(id="search")
        self.status.root = root
        self._clock: Timer | None = None
        self._armed = False

    def compose(self) -> ComposeResult:
        yield self.tabs
        yield self.panes
        yield self.search_bar
        yield self.dock
        yield self.lane
        yield self.prompt
        yield self.status

    def on_mount(self) -> None:
        self.ready.set()
        self._clock = self.set_interval(1.0, self._tick, pause=True)
        self.show_queue()

    @property
    def narrow(self) -> bool:
        return self.size.width < NARROW_BELOW

    @property
    def transcript(self) -> Transcript:
        return self.panes.transcript

    def on_resize(self, event: events.Resize) -> None:
        digits = "123" if event.size.width < NARROW_BELOW else ""
        self.prompt.quick_keys = frozenset({*digits, "question_mark"})

    # from the session

    def attach(self, session: LiveSession) -> None:
        """Take the opened session: show its records from the first on, and send what waited for it."""
        self.status.place(root=str(session.root), session=session.id)
        self.run_worker(pump(session.subscribe(), self.ledger, self.deliver, self._hurry), name="pump")
        for record in session.records:
            if isinstance(record.event, UserMessageSent) and record.event.source == "user":
                self.prompt.remember(record.event.content)
        self.outgoing.attach(session)
        self.look_at_branch(session.root)
        self.show_queue()

    def deliver(self, records: Sequence[Record]) -> None:
        """Let every part that is concerned draw itself anew from the ledger."""
        self.conversation.take(records, self.ledger)
        parts = parts_for(records)
        for part in parts:
            self._show_part(part)
        if parts & {"calls", "meter", "questions"}:
            self.tabs.tell(tab_facts(self.ledger))
        if self._hurry.is_set():
            self.transcript.paint_now()
        self.panes.show_conversation(not self.conversation.empty)
        if any(isinstance(record.event, SessionIdle) for record in records):
            if self.status.hint == INTERRUPTING:
                self.status.say("")
            self._hurry.clear()
            if self.outgoing.session is not None:
                self.look_at_branch(self.outgoing.session.root)
        self._tend_clock()
        self.watch_expiry()

    @work(exclusive=True, group="branch")
    async def look_at_branch(self, root: Path) -> None:
        """Ask git, away from the screen, on which branch we are; commands may have changed it."""
        from cutaway.harness.workspace import git_facts

        self.status.place(branch=(await git_facts(root)).branch)

    def _show_part(self, part: Part) -> None:
        match part:
            case "calls":
                self.panes.calls.show(self.ledger)
            case "meter":
                self.panes.show_meter(self.ledger)
            case "status":
                self.status.show(self.ledger, activity(self.ledger, _now()))
                self.panes.empty_page.show(self.ledger)
                self.show_queue()
            case "queue":
                self.show_queue()
            case "questions":
                self.questions.show(self.ledger)
            case "conversation":
                pass  # it has taken the records themselves

    def _tend_clock(self) -> None:
        if self._clock is not None:
            if self.ledger.busy:
                self._clock.resume()
            else:
                self._clock.pause()

    def _tick(self) -> None:
        """Once a second while something runs: the few figures that move by themselves."""
        now = _now()
        self.status.show(self.ledger, activity(self.ledger, now))
        self.conversation.tick(self.ledger, now)

    # to the session

    @on(Prompt.Submitted)
    def _follow(self) -> None:
        self.transcript.scroll_end(animate=False)

    @on(Ask.Answered)
    def _answer(self, event: Ask.Answered) -> None:
        self.outgoing.answer(event.request_id, event.answer)

    def action_interrupt(self) -> None:
        if self.leave_editing():
            return
        if self.outgoing.session is not None and self.outgoing.busy:
            self.status.say(INTERRUPTING)
            self.outgoing.session.interrupt()
            self._hurry.set()
        else:
            self.prompt.focus()

    def action_cycle_mode(self) -> None:
        self.outgoing.set_mode(MODES[(MODES.index(self.ledger.mode) + 1) % len(MODES)])

    def action_mode(self, mode: str) -> None:
        self.outgoing.set_mode(cast(Mode, mode))

    def action_retry_now(self) -> None:
        if self.outgoing.session is not None and self.ledger.retrying is not None:
            self.outgoing.session.skip_wait()
        else:
            self.hint("no retry is waiting")

    def action_answer(self) -> None:
        if not self.dock.focus_current():
            self.hint("no question is open")

    def action_break(self) -> None:
        """Ctrl+c, by what there is: a selection, a question, a text, running work, and only then the end."""
        if selected := self.prompt.selected_text or self.get_selected_text():
            self.copy(selected)
            self.clear_selection()
        elif (question := self.dock.current) is not None and (
            question.has_focus_within or not self.prompt.text
        ):
            question.action_refuse()
        elif self.leave_editing():
            self.hint("the waiting message is as it was")
        elif self.prompt.take():
            self.status.say("cleared · up brings it back", seconds=HINT_SECONDS)
        elif self.outgoing.busy:
            self.action_interrupt()
        elif self._armed:
            self.app.exit()
        else:
            self._arm()

    def _arm(self) -> None:
        self._armed = True
        self.status.say("ctrl+c again quits", seconds=HINT_SECONDS)
        self.set_timer(HINT_SECONDS, self._disarm)

    def _disarm(self) -> None:
        self._armed = False

    # panes

    def _bring(self, pane: Pane) -> None:
        self.panes.bring(pane)
        self.tabs.choose(pane)

    def action_pane(self, pane: str) -> None:
        """Bring a pane to the front and give it the keys."""
        chosen = cast(Pane, pane)
        self._bring(chosen)
        self.panes.widget_of(chosen).focus()

    def action_next_pane(self) -> None:
        """Walk: prompt, the question if there is one, then the panes in sight."""
        stops: list[Widget | None] = [
            self.prompt,
            self.lane,
            self.dock.current,
            *self.panes.in_sight(self.narrow),
        ]
        ring = [widget for widget in stops if widget is not None and widget.display]
        at = next((number for number, widget in enumerate(ring) if widget.has_focus_within), -1)
        ring[(at + 1) % len(ring)].focus()

    @on(PaneTabs.Chosen)
    def _choose_tab(self, event: PaneTabs.Chosen) -> None:
        self.action_pane(event.pane)

    @on(Prompt.QuickKey)
    async def _quick_key(self, event: Prompt.QuickKey) -> None:
        if event.key.isdigit():
            self._bring(PANES[int(event.key) - 1])
        else:
            await self.run_action("app.show_keys")

    @on(Prompt.TextAfterAll)
    def _text_after_all(self) -> None:
        self._bring("conversation")

    @on(Prompt.Paged)
    def _page(self, event: Prompt.Paged) -> None:
        pane = self.panes.widget_of(self.panes.shown if self.narrow else "conversation")
        (pane.scroll_page_up if event.side < 0 else pane.scroll_page_down)(animate=False)

    def action_go_to_end(self) -> None:
        self.transcript.scroll_end(animate=False)

    def lead(self, event: events.Key) -> None:
        """Give a letter that means nothing where the focus is to the prompt, and with it all that follow.

        It is asked before the key is handed on: keys that are already on their way to a pane would do there
        what they do there, in the middle of a word; and the `y` of a sentence would answer a question.
        """
        if isinstance(self.focused, TextArea | Input) or not event.is_printable:
            return
        if event.key not in self.active_bindings:
            self.set_focus(self.prompt)

    def on_paste(self, event: events.Paste) -> None:
        """A paste belongs to the prompt, wherever the focus is."""
        event.stop()
        self.prompt.focus()
        self.prompt.insert_paste(event.text)

    # the conversation

    def action_fold_thinking(self) -> None:
        self.conversation.fold_thinking()
        self.hint("thinking is folded" if self.conversation.thinking_folded else "thinking is unfolded")

    def action_copy_answer(self) -> None:
        answers = (each.text for each in reversed(self.ledger.turns.values()) if each.text)
        if text := next(answers, ""):
            self.copy(text)
        else:
            self.hint("no answer has come yet")

    def copy(self, text: str) -> None:
        """Give a text to the terminal's clipboard, and say what was done, not more."""
        self.app.copy_to_clipboard(text)
        self.status.say(f"{len(text):,} characters sent to the clipboard", seconds=HINT_SECONDS)

    @on(Transcript.CopyRequested)
    def _copy_block(self, event: Transcript.CopyRequested) -> None:
        self.copy(event.text)

    @on(Transcript.SearchRequested)
    def action_search(self) -> None:
        if self.conversation.empty:
            self.hint("nothing was said yet")
            return
        self._bring("conversation")
        self.search_bar.start()

    @on(SearchBar.Sought)
    def _seek(self, event: SearchBar.Sought) -> None:
        hits = self.transcript.search(event.text)
        self.search_bar.count(f"{len(hits):,} found" if event.text else "")

    @on(SearchBar.Stepped)
    def _step(self, event: SearchBar.Stepped) -> None:
        (self.transcript.next_hit if event.by > 0 else self.transcript.previous_hit)()

    @on(SearchBar.Closed)
    def _end_search(self) -> None:
        self.transcript.search("")
        self.prompt.focus()

    @on(Transcript.Selected)
    def _inspect_block(self, event: Transcript.Selected) -> None:
        self._inspect(self.conversation.turn_of.get(event.block_id, ""))

    @on(RowView.Chosen, "#calls")
    def _open_call(self, event: RowView.Chosen) -> None:
        from cutaway.tui.screens.call import CallScreen

        if event.key in self.ledger.calls:
            self.app.push_screen(CallScreen(self.ledger, event.key))

    def action_inspect(self) -> None:
        self._inspect(self.conversation.turn_of.get(self.transcript.cursor_id or "", ""))

    def _inspect(self, turn_id: str) -> None:
        if self.outgoing.session is not None and self.ledger.turns:
            from cutaway.tui.screens.inspector import InspectorScreen

            self.app.push_screen(InspectorScreen(self.ledger, self.outgoing.session, turn_id))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Which keys go elsewhere: escape may close what it is pressed in, and `i` may begin a message."""
        return self.offers(action) if action in ("interrupt", "inspect", "cycle_mode") else True

    def offers(self, action: str) -> bool:
        """Which actions mean something now: the palette has only these; a key for another says why not."""
        if action == "model":
            return self.switch is not None and self.outgoing.session is not None
        return offered(
            action,
            self.outgoing,
            self.ledger,
            asking=self.dock.current is not None,
            writing=self.prompt.has_focus,
            begun=not self.conversation.empty,
        )


def _now() -> datetime:
    return datetime.now(UTC)
