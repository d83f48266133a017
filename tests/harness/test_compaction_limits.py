"""Compaction where little can be gained, where much waits, and what a strict server takes of it."""

import dataclasses
from pathlib import Path

from cutaway.harness import events as e
from cutaway.harness.messages import UserMessage
from cutaway.harness.opening import new_session
from cutaway.harness.providers.base import Request
from cutaway.harness.providers.scripted import ScriptedError, Step
from cutaway.harness.session import Session
from tests.harness.invariants import check_log
from tests.harness.session_kit import ask_for, bodies, call, converse, events, opening, say, start, until


def windowed(root: Path, window: int, choose: object) -> Session:
    given = opening(root, choose=choose)  # type: ignore[arg-type]
    model = dataclasses.replace(given.model, window=window)
    return new_session(dataclasses.replace(given, model=model, compaction="auto"))


async def test_a_prompt_that_no_summary_gets_below_the_threshold_is_not_summarised_every_turn(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.txt").write_text("word " * 30)

    def choose(request: Request, number: int) -> Step:
        newest = request.messages[-1]
        if isinstance(newest, UserMessage) and not newest.text and len(newest.notes) == 1:
            return say("Short.")
        if number > 16:
            return say("Done.")
        return ask_for(call("read_file", filePath="a.txt"), call("list_dir", path=f"d{number}"))

    session = windowed(tmp_path, 2000, choose)  # the tools alone need more
    await converse(session, "go")
    turns, done = events(session, e.TurnStarted), events(session, e.CompactionCompleted)
    assert done and len(done) <= len(turns) // 2
    check_log(session.records)
    await session.aclose()


async def test_what_is_typed_during_a_compaction_goes_out_after_it(tmp_path: Path) -> None:
    session = start(tmp_path, [say("hello there " * 50), say("A summary."), say("next")])
    await converse(session, "go")
    session.compact()
    session.send("and now this")
    await until(session, e.InteractionEnded, count=2)
    assert [one.content for one in events(session, e.UserMessageSent)] == ["go", "and now this"]
    kinds = [type(record.event) for record in session.records]
    assert kinds.index(e.CompactionCompleted) < len(kinds) - kinds[::-1].index(e.UserMessageSent)
    await session.aclose()


async def test_what_is_typed_during_a_compaction_that_is_stopped_waits(tmp_path: Path) -> None:
    session = start(tmp_path, [say("hello there " * 50), say("A summary."), say("next"), say("more")])
    await converse(session, "go")
    since = len(session.records)
    session.compact()
    session.send("and now this")
    session.interrupt()
    await until(session, e.SessionIdle, since=since)
    assert session.take_back() == "and now this" and not session.busy
    await session.aclose()


async def test_a_shortened_request_that_still_has_calls_names_the_tools_of_them(tmp_path: Path) -> None:
    """Some servers take no call of a tool that the request does not define."""
    too_long = Step(error=ScriptedError("too-long"))
    look = ask_for(call("list_dir", path="."))
    session = start(tmp_path, [look, say("Seen."), *[too_long] * 3, say("A summary.")])
    await converse(session, "go")
    since = len(session.records)
    session.compact()
    await until(session, e.SessionIdle, since=since)
    with_tools = [b'"tools"' in body for body in bodies(session)[-3:]]
    assert with_tools == [b'"tool"' in body for body in bodies(session)[-3:]] == [True, True, False]
    await session.aclose()
