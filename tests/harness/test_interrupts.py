"""Stopping at any moment: whatever was going on, the log stays whole and the session can go on."""

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from cutaway.harness import events as e
from cutaway.harness.answers import LimitAnswer, PermissionAnswer
from cutaway.harness.events import LimitReached, PermissionRequested
from cutaway.harness.providers.scripted import ScriptedError, Step
from cutaway.harness.session import Session
from tests.harness.invariants import check_log
from tests.harness.session_kit import ask_for, call, events, say, start, until


class Hesitating:
    """Says yes to everything, after giving others a turn."""

    async def permission(self, request: PermissionRequested) -> PermissionAnswer:
        await asyncio.sleep(0)
        return PermissionAnswer("approve")

    async def limit(self, reached: LimitReached) -> LimitAnswer:
        await asyncio.sleep(0)
        return LimitAnswer("continue")


def eventful(root: Path) -> Session:
    """A session that reads side by side, writes, asks, retries, runs a command and meets the limit."""
    (root / "AGENTS.md").write_text("Be kind.\n")
    steps = [
        ask_for(
            call("read_file", filePath="AGENTS.md"),
            call("list_dir", path="."),
            call("create_file", filePath="b.txt", content="b\n"),
            text="hm",
        ),
        Step(error=ScriptedError("overloaded")),
        ask_for(call("run_in_terminal", command="echo hi")),
        ask_for(call("list_dir", path=".")),
        *[say(f"answer {number}") for number in range(5)],
    ]
    return start(root, steps, mode="interactive", limit=3, asker=Hesitating())


async def follow(session: Session, seen: list[e.Event]) -> None:
    async for batch in session.subscribe():
        seen += [record.event for record in batch]


async def idle(session: Session, ticks: int = 1_000_000) -> None:
    """Let the session work until it is idle, or for so many turns of the event loop."""
    while session.busy and ticks:
        ticks -= 1
        await asyncio.sleep(0)


async def stop_after(ticks: int, gaps: list[int]) -> None:
    with TemporaryDirectory() as folder:
        session = eventful(Path(folder).resolve())
        seen: list[e.Event] = []
        following = asyncio.create_task(follow(session, seen))
        session.send("go")
        await idle(session, ticks)
        for gap in gaps:
            session.interrupt()
            await idle(session, gap)
        await idle(session)
        await asyncio.sleep(0)
        assert [type(event) for event in seen[-2:]] == [e.InteractionEnded, e.SessionIdle]
        check_log(session.records)
        session.send("go on")
        await idle(session)
        origins = [event.origin for event in events(session, e.SystemPart)]
        assert origins == ["system", "instructions", "workspace"]
        check_log(session.records)
        await session.aclose()
        await following


@settings(max_examples=40, deadline=None)
@given(ticks=st.integers(0, 1500), gaps=st.lists(st.integers(0, 6), min_size=1, max_size=3))
def test_an_interrupt_at_any_moment_and_more_of_them(ticks: int, gaps: list[int]) -> None:
    """D10: each start has its end, the idle event is the last, and the next request is valid."""
    asyncio.run(stop_after(ticks, gaps))


async def close_after(ticks: int, interrupt: bool) -> None:
    with TemporaryDirectory() as folder:
        session = eventful(Path(folder).resolve())
        session.send("go")
        await idle(session, ticks)
        if interrupt:
            session.interrupt()
        await session.aclose()
        check_log(session.records)


@settings(max_examples=15, deadline=None)
@given(ticks=st.integers(0, 1500), interrupt=st.booleans())
def test_closing_at_any_moment_leaves_nothing_open(ticks: int, interrupt: bool) -> None:
    asyncio.run(close_after(ticks, interrupt))


async def test_closing_right_after_a_message_records_its_end(tmp_path: Path) -> None:
    session = start(tmp_path, [say("hello")])
    session.send("go")
    await session.aclose()
    check_log(session.records)
    assert events(session, e.InteractionEnded)[0].reason == "interrupted"


async def test_an_interrupt_ends_the_wait_before_a_retry(tmp_path: Path) -> None:
    busy = Step(error=ScriptedError("overloaded", retry_after=60))
    session = start(tmp_path, [busy, say("hello")])
    session.send("go")
    await until(session, e.RetryScheduled)
    session.interrupt()
    await until(session, e.SessionIdle)
    check_log(session.records)
    assert [event.error_type for event in events(session, e.CallFailed)] == ["Interrupted"]
    await session.aclose()
