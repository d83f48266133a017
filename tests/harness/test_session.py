"""The session's own promises: the queue, prices, re-runs, damaged logs, what a model is told of its slips."""

import asyncio
import dataclasses
from decimal import Decimal
from pathlib import Path

import pytest

from cutaway.harness import events as e
from cutaway.harness.answers import PermissionAnswer
from cutaway.harness.errors import UnknownRequest
from cutaway.harness.eventlog.store import SessionStore
from cutaway.harness.ledger import Ledger
from cutaway.harness.opening import new_session
from cutaway.harness.providers.scripted import ScriptedCall, Step
from cutaway.harness.usage import Price
from tests.harness.invariants import check_log
from tests.harness.session_kit import (
    Answering,
    ask_for,
    bodies,
    call,
    converse,
    events,
    opening,
    say,
    start,
    take_up,
    until,
)

DEAR = Decimal(1_000_000)
SLOW = """
import pathlib, time

def test_slow() -> None:
    pathlib.Path("started").touch()
    time.sleep(60)
"""
LOOK = ask_for(call("list_dir", path="."))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ('{"filePath": 1', '{"filePath": 1'),
        ("[1, 2]", "[1, 2]"),
        ("read a.txt please", "read a.txt please"),
        ("{" * 100_000, "[cut here: 98000 characters more]"),
    ],
    ids=["torn", "a list", "words", "long"],
)
async def test_arguments_that_are_no_object_are_quoted_to_the_model(
    tmp_path: Path, arguments: str, said: str
) -> None:
    """The wire has `{}` in their place, so that the quotation is all that the model sees of them."""
    session = start(tmp_path, [ask_for(ScriptedCall("read_file", arguments)), say("I see.")])
    await converse(session, "go")
    (result,) = events(session, e.ToolCompleted)
    assert result.outcome == "invalid" and said in result.text and len(result.text) < 3000
    check_log(session.records)
    await session.aclose()


async def test_what_waited_when_the_process_died_is_sent_once(tmp_path: Path) -> None:
    session = start(tmp_path, [LOOK, say("one")])
    session.send("first")
    session.send("second")
    session.send("third")
    await until(session, e.TurnStarted)
    await session.aclose()
    again = take_up(tmp_path, session.id, [say("two"), say("three"), say("four")])
    again.send("fourth")
    await until(again, e.SessionIdle, count=3)
    assert [event.content for event in events(again, e.UserMessageSent)] == [
        "first",
        "second",
        "third",
        "fourth",
    ]
    assert events(again, e.PendingMessages)[-1].messages == ()
    await again.aclose()


async def test_a_message_is_in_the_log_before_it_leaves_the_queue(tmp_path: Path) -> None:
    """A log that is cut at any record holds every message, as sent or as waiting, and none twice."""
    session = start(tmp_path, [LOOK, say("one"), say("two")])
    session.send("first")
    session.send("second")
    session.steer("aside")
    await until(session, e.SessionIdle, count=2)
    shown = [index for index, r in enumerate(session.records) if isinstance(r.event, e.PendingMessages)]
    for cut in range(shown[1] + 1, len(session.records) + 1):
        conversation = session.records[:cut]
        ledger = Ledger()
        for record in conversation:
            ledger.fold(record)
        sent = [r.event.content for r in conversation if isinstance(r.event, e.UserMessageSent)]
        assert sorted([*sent, *ledger.pending]) == ["aside", "first", "second"], cut
    await session.aclose()


async def test_lost_results_are_said_to_be_and_the_session_goes_on(tmp_path: Path) -> None:
    """E01: a damaged line held the result of a call."""
    session = start(tmp_path, [LOOK, say("one")])
    await converse(session, "go")
    await session.aclose()
    log = SessionStore().folder / session.id / "events.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    bad = [b"{bad\n" if b'"tool.execution_complete"' in line else line for line in lines]
    log.write_bytes(b"".join(bad))
    again = take_up(tmp_path, session.id, [say("two")])
    await converse(again, "go on")
    assert events(again, e.InteractionEnded)[-1].reason == "answered"
    assert b"is damaged and lost" in bodies(again)[-1]
    assert any("damaged" in event.message for event in events(again, e.SessionWarning))
    await again.aclose()


async def test_an_interrupted_call_is_priced_with_the_model_that_was_asked(tmp_path: Path) -> None:
    given = opening(tmp_path, [Step(text="a long answer", rate=10.0)])
    dear = dataclasses.replace(given.model, name="dear", price=Price(DEAR, DEAR, DEAR, DEAR, DEAR))
    session = new_session(dataclasses.replace(given, model=dear, clock=None))
    session.send("go")
    await until(session, e.MessageDelta)
    session.set_model(dataclasses.replace(given.model, name="free", price=Price()))
    session.interrupt()
    await until(session, e.SessionIdle)
    (failure,) = events(session, e.CallFailed)
    assert failure.cost is not None and Decimal(failure.cost) > 1
    await session.aclose()


async def test_only_tests_are_run_again_and_a_stopped_rerun_has_its_end(tmp_path: Path) -> None:
    (tmp_path / "test_slow.py").write_text(SLOW)
    answers = Answering(PermissionAnswer("deny"), PermissionAnswer("deny"))
    steps = [ask_for(call("create_file", filePath="x", content="1"), call("run_tests")), say("I see.")]
    session = start(tmp_path, steps, mode="interactive", asker=answers)
    await converse(session, "go")
    made, tests = events(session, e.ToolCompleted)
    session.rerun_tests(made.tool_call_id)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    session.rerun_tests(tests.tool_call_id)
    while not (tmp_path / "started").exists():  # noqa: ASYNC110 - only a file tells it
        await asyncio.sleep(0)
    session.interrupt()
    rerun = await until(session, e.ToolCompleted, count=3)
    assert (rerun.by_user, rerun.outcome, rerun.tool_call_id) == (True, "interrupted", tests.tool_call_id)
    assert not (tmp_path / "x").exists()
    check_log(session.records)
    await session.aclose()


async def test_an_answer_with_no_question_is_refused(tmp_path: Path) -> None:
    for session in (start(tmp_path), start(tmp_path, asker=Answering())):
        with pytest.raises(UnknownRequest):
            session.respond("nothing", PermissionAnswer("approve"))
        await session.aclose()


async def test_five_hundred_calls_in_one_answer(tmp_path: Path) -> None:
    session = start(tmp_path, [ask_for(*[call("list_dir", path=".")] * 500), say("done")])
    await converse(session, "go")
    assert [event.outcome for event in events(session, e.ToolCompleted)] == ["done"] * 500
    check_log(session.records)
    await session.aclose()


async def test_task_complete_beside_other_calls_ends_nothing(tmp_path: Path) -> None:
    steps = [ask_for(call("task_complete", summary="done"), call("list_dir", path=".")), say("Now it is.")]
    session = start(tmp_path, steps)
    await converse(session, "go")
    assert events(session, e.InteractionEnded)[0].reason == "answered"
    assert events(session, e.TaskComplete) == []
    await session.aclose()


async def test_a_workspace_that_goes_away_is_an_error_for_the_model(tmp_path: Path) -> None:
    root = tmp_path / "work"
    root.mkdir()
    (root / "AGENTS.md").write_text("Be kind.\n")
    steps = [
        say("hello"),
        ask_for(call("list_dir", path="."), call("run_in_terminal", command="ls")),
        say("Gone."),
    ]
    session = start(root, steps)
    await converse(session, "go")
    (root / "AGENTS.md").unlink()
    root.rmdir()
    await converse(session, "look")
    assert [event.outcome for event in events(session, e.ToolCompleted)] == ["failed", "failed"]
    assert events(session, e.InteractionEnded)[1].reason == "answered"
    await session.aclose()
