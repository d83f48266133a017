"""The application: paints first, opens the session after, and leaves the terminal as it was."""

import asyncio
import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import events, on, work
from textual.binding import BindingType
from textual.timer import Timer
from textual.widgets import TextArea
from textual.worker import WorkerFailed

from cutaway.harness.errors import HarnessError
from cutaway.harness.events import UserMessageSent
from cutaway.harness.kept_draft import KeptDraft
from cutaway.tui.commands import ActionCommands
from cutaway.tui.keymap import bindings, clashes, unknown_actions
from cutaway.tui.live_session import LiveSession, NoModelFound, SessionOpener
from cutaway.tui.paced_app import PacedApp
from cutaway.tui.screens.failed import FailedScreen
from cutaway.tui.screens.main import MainScreen
from cutaway.tui.screens.sending import HINT_SECONDS
from cutaway.tui.screens.welcome import WelcomeScreen
from cutaway.tui.themes import DEFAULT_THEME, load_themes
from cutaway.tui.widgets.call_detail import CallDetail

DRAFT_SECONDS = 0.5
"""How old the draft on the disk may be while the user types."""

ENDING_SIGNALS = ("SIGTERM", "SIGHUP", "SIGINT")
"""Signals that end the program in order: session saved, terminal restored."""


class CutawayApp(PacedApp):
    """The screen of one session; `session_opener` is awaited after the first paint.

    `demo_opener` opens the demo from the welcome screen, `theme_folder` holds the user's themes, `keys`
    maps action ids to keys, `draft` keeps what is typed until it is sent.
    """

    TITLE = "cutaway"
    CSS_PATH = "cutaway.tcss"
    COMMANDS = {ActionCommands}  # noqa: RUF012 - Textual's own type for it
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("app")]

    def __init__(
        self,
        session_opener: SessionOpener,
        *,
        root: Path,
        demo_opener: SessionOpener | None = None,
        theme: str = "",
        theme_folder: Path | None = None,
        keys: Mapping[str, str] | None = None,
        draft: KeptDraft | None = None,
    ) -> None:
        # With NO_COLOR only Textual's native mode leaves every colour code out; else it turns them to grey.
        super().__init__(ansi_color=True if "NO_COLOR" in os.environ else None)
        self._open_session = session_opener
        self._demo_opener = demo_opener
        self._theme_wanted = theme
        self._theme_folder = theme_folder
        self._keys = dict(keys or {})
        self._draft = draft
        self._draft_timer: Timer | None = None
        self.session: LiveSession | None = None
        self.main = MainScreen(str(root), self._keys)
        self._set_themes()
        self.set_keymap(self._keys)

    def _set_themes(self) -> None:
        loaded = load_themes(self._theme_folder)
        for name in list(self.available_themes):
            if loaded.named(name) is None and name != "textual-dark":
                self.unregister_theme(name)
        for theme in loaded.themes:
            self.register_theme(theme)
        self._problems = [*loaded.problems]
        wanted = self._theme_wanted or DEFAULT_THEME
        if loaded.named(wanted) is None:
            names = ", ".join(theme.name for theme in loaded.themes)
            self._problems.append(f"There is no theme {wanted!r}; {DEFAULT_THEME} is used. Themes: {names}.")
            wanted = DEFAULT_THEME
        self.theme = wanted
        self.unregister_theme("textual-dark")
        self.stylesheet.set_variables(self.get_css_variables())
        self._first_theme = wanted

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Stand in for what Textual's widgets use and its generator of 16-colour themes leaves out."""
        return dict.fromkeys(
            ("ansi-background", "ansi-foreground", "foreground-disabled", "surface-active"), "ansi_default"
        )

    def refresh_css(self, animate: bool = True) -> None:
        """Read the style sheets again; not when the first theme says so, with which they are read anyway."""
        first, self._first_theme = self._first_theme, ""
        if self.theme != first:
            super().refresh_css(animate)

    def get_default_screen(self) -> MainScreen:
        """The main screen is the first one: a blank one under it would be laid out and styled for nothing."""
        return self.main

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.Key) and not event.is_forwarded and self.screen is self.main:
            self.main.lead(event)
        await super().on_event(event)

    def on_load(self) -> None:
        self._listen_to_signals()  # before the terminal is changed, which none of them undoes by itself

    async def on_mount(self) -> None:
        await self.main.ready.wait()  # keys that came before it would fall on nothing
        self.call_after_refresh(self.open_session)
        if self._theme_folder is not None and self._theme_folder.is_dir():
            self.watch_themes(self._theme_folder)
        for problem in (*self._problems, *self._key_problems()):
            self.notify(problem, severity="warning", markup=False, timeout=10)

    def _key_problems(self) -> list[str]:
        if not self._keys:
            return []
        from cutaway.tui.widget_keys import widget_key_ids

        clashing = [str(clash) for clash in clashes(self._keys)]
        return [*unknown_actions(self._keys, widget_key_ids()), *clashing]

    @work(exclusive=True, group="themes")
    async def watch_themes(self, folder: Path) -> None:
        """Show a theme as it is saved; one that breaks is named and the old one stays."""
        from watchfiles import awatch

        async for _ in awatch(folder, recursive=False):
            loaded = load_themes(folder)
            for theme in loaded.themes:
                self.register_theme(theme)
            for problem in loaded.problems:
                self.notify(problem, severity="warning", markup=False, timeout=10)
            self.refresh_css(animate=False)

    @work(exclusive=True, group="open")
    async def open_session(self) -> None:
        """Open the session; a failure is shown with its next step, and nothing typed is lost."""
        await self._bring_draft_back()
        try:
            session = await self._open_session()
        except NoModelFound as nothing:
            self.push_screen(WelcomeScreen(nothing.findings, demo=self._demo_opener is not None))
        except (HarnessError, OSError) as error:
            self.push_screen(FailedScreen("The session could not be opened", str(error)))
        else:
            self.session = session
            self.main.attach(session)

    @on(WelcomeScreen.DemoWanted)
    def _start_demo(self) -> None:
        if self._demo_opener is not None:
            self._open_session = self._demo_opener
            self.main.switch = None  # the demo's model is a script, and no other is asked in its place
            self._try_again()

    @on(WelcomeScreen.LookAgain)
    def _look_again(self) -> None:
        self._try_again()

    @on(FailedScreen.Again)
    def _again(self) -> None:
        self.open_session()

    @on(CallDetail.RerunTests)
    def _rerun(self, event: CallDetail.RerunTests) -> None:
        if self.session is not None:
            self.session.rerun_tests(event.call_id)

    def _try_again(self) -> None:
        self.pop_screen()
        self.open_session()

    def action_show_keys(self) -> None:
        from cutaway.tui.screens.help import HelpScreen

        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen(self._keys))

    def action_break(self) -> None:
        """Ctrl+c on any screen: copy what is selected, else leave what lies over the conversation."""
        screen = self.screen
        selected = screen.get_selected_text() or getattr(self.focused, "selected_text", "")
        if screen is self.main:
            self.main.action_break()
        elif selected:
            self.main.copy(selected)
        elif isinstance(screen, WelcomeScreen | FailedScreen):
            self.exit()
        else:
            screen.dismiss()

    def action_next_theme(self) -> None:
        names = list(self.available_themes)
        self.theme = names[(names.index(self.theme) + 1) % len(names)]
        self.main.status.say(f"theme {self.theme}", seconds=HINT_SECONDS)

    def _listen_to_signals(self) -> None:
        """End in order when the terminal or the system says so (where the platform has signals)."""
        loop = asyncio.get_running_loop()
        for name in ENDING_SIGNALS:
            number = getattr(signal, name, None)
            if number is not None:
                try:
                    loop.add_signal_handler(number, self.exit, None, 128 + number)
                except (NotImplementedError, RuntimeError, ValueError):
                    return  # not the main thread, or Windows

    async def _bring_draft_back(self) -> None:
        """Show what an earlier program left unsent; one `up` away when something new stands there already."""
        if self._draft is None:
            return
        text = await asyncio.to_thread(self._draft.take_over)
        if not text:
            return
        if self.main.prompt.text:
            self.main.prompt.remember(text)
            self.main.status.say("what you had not sent is one up away", seconds=HINT_SECONDS)
        else:
            self.main.prompt.give_back(text)
            self.main.status.say("this was typed and not sent", seconds=HINT_SECONDS)
        self._keep_draft()

    @on(TextArea.Changed, "#prompt")
    def _draft_changed(self) -> None:
        if self._draft is not None and self._draft_timer is None:
            self._draft_timer = self.set_timer(DRAFT_SECONDS, self._keep_draft)

    def _keep_draft(self) -> None:
        self._draft_timer = None
        if self._draft is not None:
            typed = (*self.main.outgoing.typed, self.main.prompt.draft.text)
            self._draft.keep("\n\n".join(text for text in typed if text))

    async def on_unmount(self) -> None:
        if self._draft is not None:
            self._keep_draft()
            self._draft.close()
        if self.session is not None:
            await self.session.aclose()

    @property
    def _spoken(self) -> bool:
        """Whether the user has said anything: a session without a word is not kept."""
        session = self.session
        return session is not None and any(
            isinstance(each.event, UserMessageSent) for each in session.records
        )

    @property
    def loss(self) -> str:
        """After the end: what of the session is on no disk, in one sentence; '' when nothing is lost."""
        if self.session is None or not self._spoken or not self.session.unsaved:
            return ""
        return (
            f"{self.session.unsaved} events of the session {self.session.id} could not be saved and are "
            "lost. Free some space or check the permissions of the data folder: cutaway doctor shows it."
        )

    def _fatal_error(self) -> None:
        """Leave a sentence and the place, not pages of local values, which may hold secrets."""
        import traceback

        error: BaseException | None = self._exception
        if isinstance(error, WorkerFailed):
            error = error.error
        if error is None:
            return
        place = traceback.extract_tb(error.__traceback__)[-1:]
        lines = [f"cutaway's screen failed: {type(error).__name__}: {error}"]
        if place:
            lines.append(f"in {place[0].filename}, line {place[0].lineno}")
        if self.session is not None and self._spoken and not self.session.unsaved:
            lines.append(f"The session is saved; this goes on with it: cutaway resume {self.session.id}")
        self.panic(Text("\n".join(lines)))
