"""A session: the thin façade through which a screen, or the command line, drives the loop."""

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec

from cutaway.harness import events as e
from cutaway.harness.answers import Answer
from cutaway.harness.compaction import compact
from cutaway.harness.desk import Desk
from cutaway.harness.errors import SessionClosed, UnknownRequest
from cutaway.harness.eventlog import EventLog
from cutaway.harness.eventlog.bodies import rebuild
from cutaway.harness.free_memory import give_back
from cutaway.harness.hooks.door import Heard, next_heard
from cutaway.harness.hooks.outcome import HookOutcome, together
from cutaway.harness.keep_alive import keep_warm
from cutaway.harness.loop import REFUSED, run_interaction
from cutaway.harness.messages import Note, scrub
from cutaway.harness.prompt.stable import changed_instructions, lay_stable_part, notes_now
from cutaway.harness.reruns import rerun
from cutaway.harness.seams import Model, Seams, new_id
from cutaway.harness.title import give_title
from cutaway.harness.workspace import GitFacts, git_facts, today


class Session:
    """One conversation in one workspace, with one event log.

    Built by `cutaway.harness.opening`; all methods are called from the event loop's thread.
    """

    def __init__(
        self,
        *,
        session_id: str,
        log: EventLog,
        seams: Seams,
        desk: Desk | None,
        limit: int,
        swap_model: Callable[[Model], None],
        close: Callable[[], Coroutine[Any, Any, None]],
        titled: bool = False,
        keep_warm_for: Decimal | None = None,
    ) -> None:
        self.id = session_id
        self.root: Path = seams.workspace.root
        self._log = log
        self._seams = seams
        self._desk = desk
        self._limit = limit
        self._swap_model = swap_model
        self._lane = seams.lane
        self._close = close
        self._task: asyncio.Task[None] | None = None
        self._reruns: set[asyncio.Task[None]] = set()
        self._looking: set[asyncio.Task[None]] = set()
        self._git: GitFacts | None = None
        self._closed = False
        self._greeted = False
        self._welcome = HookOutcome()
        """What the SessionStart hooks said, until a message takes it along."""
        self._titled = titled
        self._keep_warm_for = keep_warm_for
        self._side_calls_before = len(seams.ledger.side_calls)
        self._warming: asyncio.Task[None] | None = None
        _keep(self._looking, self._look_at_git())

    @property
    def records(self) -> Sequence[e.Record]:
        """Everything that is in the log so far."""
        return self._log.records

    @property
    def unsaved(self) -> int:
        """How many records are on no disk: those that it refuses, and all where there is no file."""
        return len(self._log.records) if self._log.path is None else self._log.unwritten

    @property
    def busy(self) -> bool:
        """True while an interaction runs."""
        return self._task is not None

    @property
    def model(self) -> Model:
        """The model that the next turn asks."""
        return self._seams.model()

    def subscribe(self, since: int = 0) -> AsyncIterator[Sequence[e.Record]]:
        """Records from number `since` on, then live ones, in batches; ends with the session."""
        return self._log.subscribe(since)

    def send(self, text: str, delivery: e.Delivery = "after-interaction") -> None:
        """Start an interaction with a message; while one runs the message waits for its delivery.

        `now` goes out when the running tool is done, and the calls behind it do not run; `after-tools`
        when all tools of the turn are done.
        """
        self._check_open()
        if self.busy or len(self._lane):
            self._lane.put(scrub(text), delivery if self.busy else "after-interaction")
        else:
            self._lane.put_quietly(scrub(text))
        if not self.busy:
            self._start_next()

    def steer(self, text: str) -> None:
        """Give the running interaction a message as soon as the tools of this turn are done."""
        self.send(text, "after-tools")

    def take_back(self) -> str | None:
        """Take the newest message out of the lane again, so that it can be edited; None when empty."""
        return self._lane.take_back()

    def change_waiting(self, index: int, text: str | None = None, delivery: e.Delivery | None = None) -> None:
        """Change a waiting message, or when it goes out; raises IndexError when it has gone out."""
        self._check_open()
        self._lane.replace(index, None if text is None else scrub(text), delivery)

    def interrupt(self) -> None:
        """Stop what runs: the model call ends, tools and tests are killed, every open call is answered."""
        running = (self._task, *self._reruns)
        for task in running:  # soon, not now: a task that has not begun could record no end
            if task is not None:
                asyncio.get_running_loop().call_soon(task.cancel)

    def respond(self, request_id: str, answer: Answer) -> None:
        """Answer an open question; raises UnknownRequest when it is not open (any more)."""
        if self._desk is None:
            raise UnknownRequest("The questions of this session are answered without a screen.")
        self._desk.answer(request_id, answer)

    def set_mode(self, mode: e.Mode) -> None:
        """Change what may run without asking, from the next call on."""
        self._check_open()
        if mode != self._seams.ledger.mode:
            self._seams.emit(e.ModeChanged(self._seams.ledger.mode, mode))

    def set_model(self, model: Model) -> None:
        """Use another model from the next turn on; what was spent is never priced anew."""
        self._check_open()
        before = self._seams.ledger.model
        self._let_cool()  # the next prompt is another one: to read this one again would keep nothing
        self._swap_model(model)
        effort = model.params.effort or ""
        self._seams.emit(e.ModelChanged(before, model.name, model.provider.name, model.window, effort))

    def set_effort(self, effort: str | None) -> None:
        """Let the model think more or less from the next turn on; None leaves it to the provider."""
        model = self._seams.model()
        if (model.params.effort or None) != (effort or None):
            params = msgspec.structs.replace(model.params, effort=effort or None)
            self.set_model(dataclasses.replace(model, params=params))

    def reload_instructions(self) -> bool:
        """Read system text and instruction files anew with the next message; the prompt is then sent as new.

        False while something runs, and where nothing has been laid yet.
        """
        self._check_open()
        if self.busy or not self._seams.conversation.parts:
            return False
        self._let_cool()
        self._seams.emit(e.SystemReset("the user asked for it"))
        return True

    def compact(self, instructions: str = "") -> None:
        """Summarise the conversation, between two interactions; nothing happens while something runs."""
        self._check_open()
        if not self.busy and self._seams.conversation.messages:
            self._let_cool()
            self._task = asyncio.create_task(self._compact(scrub(instructions)))

    def undo_compaction(self) -> bool:
        """Send the whole history again that the newest compaction replaced; False when there is none."""
        self._check_open()
        compacted = self._seams.conversation.compacted
        if self.busy or not compacted:
            return False
        self._let_cool()
        self._seams.emit(e.CompactionUndone(compacted[-1][0]))
        return True

    async def _compact(self, instructions: str) -> None:
        aborted = False
        try:
            await compact(self._seams, "user", instructions)
        except asyncio.CancelledError:
            aborted = True
        finally:
            self._task = None
            self._seams.emit(e.SessionIdle(aborted=aborted))
        if len(self._lane) and not aborted and not self._closed:
            self._start_next()  # what was typed meanwhile

    def skip_wait(self) -> None:
        """Try again now instead of waiting for the end of the retry countdown."""
        self._seams.wake.set()

    def rerun_tests(self, call_id: str) -> None:
        """Run a test call of the model again for the user; the model is not told.

        Nothing happens for other calls, or while one of these tests runs.
        """
        self._check_open()
        if not self._reruns:
            _keep(self._reruns, rerun(self._seams, call_id))

    def request_body(self, request_id: str) -> bytes:
        """The exact bytes of any request of this session; raises LogCorrupt when they are damaged."""
        return rebuild(self._log.records, request_id)

    async def aclose(self) -> None:
        """Stop what runs, kill what was left running, make the log durable and let go of it."""
        if self._closed:
            return
        self._closed = True
        await asyncio.sleep(0)  # a task that has not begun could record no end
        tasks = [
            task for task in (self._task, self._warming, *self._reruns, *self._looking) if task is not None
        ]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        try:
            if self._seams.ledger.interactions and self._seams.hooks.listens("SessionEnd"):
                self._task = asyncio.create_task(self._say_goodbye())
                await self._task
        finally:
            await self._close()

    async def _say_goodbye(self) -> None:
        """Tell the hooks that the session ends; an interrupt cuts it short."""
        with suppress(asyncio.CancelledError):
            await self._seams.hooks.run("SessionEnd", {"reason": "closed"})

    def _check_open(self) -> None:
        if self._closed:
            raise SessionClosed(f"The session {self.id} is closed.")

    def _start_next(self) -> None:
        """Begin with the message that waits first; it is in the log before anything can fail."""
        self._let_cool()
        hooks, text = self._seams.hooks, self._lane.next_text() or ""
        if hooks.listens("UserPromptSubmit") or (not self._greeted and hooks.listens("SessionStart")):
            self._lane.put_foremost(text)
            self._task = asyncio.create_task(self._interact(None))
        elif self._lane.take(text):
            self._task = asyncio.create_task(self._interact(self._begin(text, ())))

    def _let_cool(self) -> None:
        """Stop to keep the cache warm: what comes next does it."""
        if self._warming is not None:
            self._warming.cancel()
            self._looking.add(self._warming)  # its call is still to be recorded
            self._warming.add_done_callback(self._looking.discard)
            self._warming = None

    def _begin(self, text: str, more: tuple[Note, ...]) -> str:
        """Record the message, and what has become true with it; the interaction's id."""
        waited = bool(self._seams.ledger.pending)
        conversation, ledger = self._seams.conversation, self._seams.ledger
        changed = ""
        if conversation.parts:
            told = conversation.told.get("instructions", "")
            changed = changed_instructions(self.root, conversation.parts, told)
        notes = notes_now(conversation.told, ledger.mode, today(self._seams.clock.now()), self._git, changed)
        interaction_id = new_id()
        self._seams.emit(e.UserMessageSent(interaction_id, text, (*notes, *more)))
        if waited:
            self._lane.show()
        return interaction_id

    async def _interact(self, interaction_id: str | None) -> None:
        try:
            if interaction_id is None:
                interaction_id = await self._past_hooks()
            if interaction_id is not None:
                beside = self._title_wanted()
                await run_interaction(self._seams, interaction_id, self._limit, lay_stable_part, beside)
        finally:
            self._task = None
        if self._closed:
            return
        ended = self._seams.ledger.interaction
        mine = ended is not None and ended.id == interaction_id and ended.ended
        if len(self._lane) and mine and mine.reason in ("answered", "task-complete"):
            self._start_next()  # else what waits is held back until the user says more
        elif self._keep_warm_for is not None:
            warm = keep_warm(self._seams, self._keep_warm_for, self._side_calls_before)
            self._warming = asyncio.create_task(warm)
        _keep(self._looking, self._look_at_git())
        _keep(self._looking, asyncio.to_thread(give_back))  # a long answer leaves much of it

    def _title_wanted(self) -> asyncio.Task[None] | None:
        """Begin to ask for a title beside the session's first interaction, where titles are wanted."""
        ledger = self._seams.ledger
        if not self._titled or ledger.title or len(ledger.interactions) != 1:
            return None
        return asyncio.create_task(give_title(self._seams, ledger.interactions[0].message))

    async def _past_hooks(self) -> str | None:
        """Let the hooks see the message before the model does; None when it goes no further."""
        seams = self._seams
        try:
            if not self._greeted:
                source = "resume" if seams.ledger.interactions else "new"
                self._welcome = await seams.hooks.run("SessionStart", {"source": source})
                self._greeted = True
            heard = await next_heard(seams.hooks, self._lane)
        except asyncio.CancelledError:
            seams.emit(e.SessionIdle(aborted=True))
            return None
        if heard is None:
            seams.emit(e.SessionIdle())
            return None
        heard = Heard(heard.text, together((self._welcome, heard.outcome)))
        if heard.refused:
            self._welcome = msgspec.structs.replace(self._welcome, blocked=(), abort="")
            self._lane.show()
            said = REFUSED.format(reason=heard.refused, text=heard.text[:200])
            seams.emit(e.SessionErrored("HookBlocked", said))
            seams.emit(e.SessionIdle())
            return None
        self._welcome = HookOutcome()
        return self._begin(heard.text, tuple(Note("hook", text) for text in heard.outcome.context))

    async def _look_at_git(self) -> None:
        self._git = await git_facts(self.root)


def _keep(tasks: set[asyncio.Task[None]], work: Coroutine[Any, Any, None]) -> None:
    """Run it beside the interaction; the set holds it while it runs."""
    task = asyncio.create_task(work)
    tasks.add(task)
    task.add_done_callback(tasks.discard)
