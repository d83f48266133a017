"""Whole lives of sessions at random: the prefix law, the lifecycles and the log hold at every step.

The bytes of a request begin with those of the one before, unless a named event stands between them.
"""

import asyncio
import dataclasses
import shutil
from collections.abc import Coroutine, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from cutaway.harness import events as e
from cutaway.harness.answers import LimitAnswer, PermissionAnswer
from cutaway.harness.eventlog.store import SessionStore
from cutaway.harness.messages import UserMessage
from cutaway.harness.opening import Opening, new_session, resume_session
from cutaway.harness.providers.base import Request
from cutaway.harness.providers.scripted import ScriptedError, Step
from cutaway.harness.session import Session
from tests.harness.invariants import check_log
from tests.harness.session_kit import QuickClock, ask_for, call, events, opening, say

END = b"]}"
BREAKS = (
    e.ModelChanged,
    e.CompactionCompleted,
    e.CompactionUndone,
    e.SystemReset,
    e.ToolsOffered,
)
"""What may make a prompt another one."""

STEPS: dict[str, Step] = {
    "read": ask_for(call("read_file", filePath="notes.txt"), call("list_dir", path="."), text="Let me see."),
    "edit": ask_for(call("create_file", filePath="new.txt", content="ü\n"), call("list_dir", path=".")),
    "fail": ask_for(call("read_file", filePath="nowhere"), call("no_such_tool")),
    "broken": Step(text="half an ans", error=ScriptedError("rejected", "no", 400)),
    "empty": say(""),
    "cut": Step(text="and then", stop_reason="length"),
}
KINDS = ("talk", *STEPS)


def choose(request: Request, number: int) -> Step:
    """Answer by the words of the newest message; after results just talk."""
    newest = request.messages[-1]
    if not isinstance(newest, UserMessage):
        return say(f"answer {number} — naïve, 日本語" * 5)
    if not newest.text and [note.source for note in newest.notes] == ["summary"]:
        return (say(f"Summary {number}."), say(""), STEPS["read"], say("long " * 9000))[number % 4]
    return STEPS.get(newest.text.split(" ")[0], say(f"answer {number}"))


class SaysYes:
    """Somebody who is there: a question that nobody answers would leave the session waiting for ever."""

    async def permission(self, request: e.PermissionRequested) -> PermissionAnswer:
        return PermissionAnswer("approve")

    async def limit(self, reached: e.LimitReached) -> LimitAnswer:
        return LimitAnswer("stop")


class Lives(RuleBasedStateMachine):
    """One session from its start to its end, through crashes and resumes."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.folder = TemporaryDirectory()
        self.root = Path(self.folder.name).resolve() / "work"
        self.root.mkdir()
        (self.root / "notes.txt").write_text("one\ntwo\n" * 30)
        (self.root / "AGENTS.md").write_text("Be kind.\n")
        self.store = SessionStore(self.root.with_name("store"))
        self.clock = QuickClock()
        self.copies = 0
        self.session: Session = self.run(self.opened(""))

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return self.runner.run(work)

    def wanted(self) -> Opening:
        return dataclasses.replace(opening(self.root, choose=choose, asker=SaysYes()), clock=self.clock)

    async def opened(self, session_id: str) -> Session:
        if session_id:
            return resume_session(self.wanted(), session_id, self.store)
        return new_session(self.wanted(), self.store)

    async def rest(self, ticks: int = 1_000_000) -> None:
        while self.session.busy and ticks:
            ticks -= 1
            await asyncio.sleep(0)

    async def say(self, text: str, ticks: int, more: Sequence[tuple[str, e.Delivery]]) -> None:
        self.session.send(text)
        for follows, delivery in more:
            self.session.send(follows, delivery)
        await self.rest(ticks)

    @rule(
        kind=st.sampled_from(KINDS),
        more=st.lists(
            st.tuples(st.sampled_from(KINDS), st.sampled_from(("now", "after-tools", "after-interaction"))),
            max_size=2,
        ),
    )
    def talk(self, kind: str, more: list[tuple[str, e.Delivery]]) -> None:
        self.run(self.say(f"{kind} this", 1_000_000, more))

    @rule(kind=st.sampled_from(KINDS), ticks=st.integers(0, 60), queued=st.booleans())
    def interrupt(self, kind: str, ticks: int, queued: bool) -> None:
        async def act() -> None:
            await self.say(f"{kind} that", ticks, [("talk", "after-tools")] if queued else [])
            self.session.interrupt()
            await self.rest()
            while self.session.take_back() is not None:
                pass

        self.run(act())

    @rule(ticks=st.sampled_from((0, 1, 3, 8, 1_000_000)), queued=st.booleans())
    def compact(self, ticks: int, queued: bool) -> None:
        async def act() -> None:
            self.session.compact()
            if queued:
                self.session.send("talk on")
            await self.rest(ticks)
            if ticks < 1_000_000:
                self.session.interrupt()
            await self.rest()

        self.run(act())

    @rule()
    def undo(self) -> None:
        self.session.undo_compaction()

    @rule(mode=st.sampled_from(("plan", "interactive", "accept-edits")))
    def set_mode(self, mode: e.Mode) -> None:
        self.session.set_mode(mode)

    @rule(effort=st.sampled_from(("low", "high", None)))
    def set_effort(self, effort: str | None) -> None:
        self.session.set_effort(effort)

    @rule(name=st.sampled_from(("scripted", "scripted-2")))
    def set_model(self, name: str) -> None:
        self.session.set_model(dataclasses.replace(self.session._seams.model(), name=name))

    @rule(words=st.sampled_from(("Be kind.\n", "Be brief.\n", "")), again=st.booleans())
    def instructions(self, words: str, again: bool) -> None:
        (self.root / "AGENTS.md").write_text(words)
        if again:
            self.session.reload_instructions()

    @rule()
    def late_tool(self) -> None:
        (self.root / "test_it.py").write_text("def test_it():\n    assert True\n")

    @rule(days=st.integers(0, 2))
    def another_day(self, days: int) -> None:
        self.clock.seconds += 86_400 * days

    @precondition(lambda self: bool(events(self.session, e.UserMessageSent)))
    @rule()
    def resume(self) -> None:
        async def act() -> None:
            await self.session.aclose()
            self.session = await self.opened(self.session.id)

        self.run(act())

    @rule(kind=st.sampled_from(KINDS), ticks=st.integers(0, 60), compacting=st.booleans())
    def kill(self, kind: str, ticks: int, compacting: bool) -> None:
        """The process is killed at some moment: another goes on from what is on disk then."""

        async def act() -> None:
            if compacting and self.session._seams.conversation.messages:
                self.session.compact()
                await self.rest(ticks)
            else:
                await self.say(f"{kind} at last", ticks, [])
            self.copies += 1
            old = self.store.folder / self.session.id
            shutil.copytree(old, old.with_name(f"copy-{self.copies}"))
            await self.session.aclose()
            self.session = await self.opened(f"copy-{self.copies}")

        self.run(act())

    def teardown(self) -> None:
        async def act() -> None:
            await self.rest()
            check_log(self.session.records)
            check_prefixes(self.session)
            await self.session.aclose()

        try:
            self.run(act())
        finally:
            self.runner.close()
            self.folder.cleanup()


def check_prefixes(session: Session) -> None:
    """Each request of the conversation begins with the last turn's; an undone summary leaves no trace."""
    before, broken, whole = b"", False, list[tuple[bytes, bool]]()
    for event in (record.event for record in session.records):
        match event:
            case e.CompactionCompleted(success=False):
                continue
            case e.CompactionCompleted():
                whole.append((before, broken))
            case e.CompactionUndone():
                before, broken = whole.pop()
                continue
            case e.ModelRequested() if event.purpose == "turn" or event.previous:
                body = session.request_body(event.request_id)
                if not broken:
                    assert body.startswith(before.removesuffix(END))
                if event.purpose == "turn":
                    before, broken = body, False
                continue
            case _:
                pass
        if isinstance(event, BREAKS):
            broken = True
            if not isinstance(event, e.CompactionCompleted):
                whole = [(body, True) for body, _ in whole]


TestLives = Lives.TestCase
TestLives.settings = settings(max_examples=25, stateful_step_count=14, deadline=None)
