"""The loop over real tools: turns, limit, order, errors, cancel."""

from pathlib import Path

import pytest

from cutaway.harness import events as e
from cutaway.harness.answers import LimitAnswer, PermissionAnswer
from cutaway.harness.providers.scripted import ScriptedCall, Step
from tests.harness.session_kit import (
    Answering,
    ask_for,
    bodies,
    call,
    converse,
    events,
    say,
    start,
    until,
)

LOOK = ask_for(call("list_dir", path="."))


def outcomes(session: object) -> list[str]:
    return [event.outcome for event in events(session, e.ToolCompleted)]  # type: ignore[arg-type]


async def test_a_limit_of_l_means_exactly_l_turns(tmp_path: Path) -> None:
    asker = Answering(LimitAnswer("stop"))
    session = start(tmp_path, [LOOK] * 5, limit=3, mode="interactive", asker=asker)
    await converse(session, "go")
    assert len(events(session, e.ModelRequested)) == 3
    assert len(events(session, e.TurnStarted)) == len(events(session, e.TurnEnded)) == 3
    assert asker.limits[0].limit == 3 and asker.limits[0].next_limit == 5
    assert [pending.name for pending in asker.limits[0].pending] == ["list_dir"]
    assert outcomes(session) == ["done", "done", "not-run"]
    assert events(session, e.InteractionEnded)[0].reason == "limit"
    await session.aclose()


async def test_continue_runs_the_pending_calls_and_adds_nothing_to_the_prompt(tmp_path: Path) -> None:
    asker = Answering(LimitAnswer("continue"))
    session = start(tmp_path, [LOOK, LOOK, say("done")], limit=2, mode="interactive", asker=asker)
    await converse(session, "go")
    assert outcomes(session) == ["done", "done"]
    assert len(events(session, e.UserMessageSent)) == 1
    assert len({event.interaction_id for event in events(session, e.TurnStarted)}) == 1
    assert events(session, e.LimitDecided)[0].new_limit == 3
    assert events(session, e.InteractionEnded)[0].reason == "answered"
    await session.aclose()


async def test_autopilot_extends_the_limit_by_itself(tmp_path: Path) -> None:
    steps = [LOOK, LOOK, ask_for(call("task_complete", summary="done"))]
    session = start(tmp_path, steps, limit=2, asker=Answering(), mode="autopilot")
    await converse(session, "go")
    assert [(decided.new_limit, decided.by) for decided in events(session, e.LimitDecided)] == [
        (3, "autopilot")
    ]
    await session.aclose()


async def test_nobody_there_means_that_the_limit_holds(tmp_path: Path) -> None:
    session = start(tmp_path, [LOOK, LOOK], limit=1, mode="interactive", asker=Answering(None))
    await converse(session, "go")
    assert events(session, e.LimitDecided)[0].by == "headless"
    assert outcomes(session) == ["not-run"]
    await session.aclose()


async def test_reads_run_together_and_writes_in_the_order_asked(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a\n")
    steps = [
        ask_for(
            call("read_file", filePath="a.txt"),
            call("list_dir", path="."),
            call("create_file", filePath="b.txt", content="b\n"),
            call("read_file", filePath="b.txt"),
        ),
        say("done"),
    ]
    session = start(tmp_path, steps)
    await converse(session, "go")
    kinds = [
        (type(record.event).__name__, record.event.tool_name)
        for record in session.records
        if isinstance(record.event, e.ToolStarted | e.ToolCompleted)
    ]
    began = [name for kind, name in kinds if kind == "ToolStarted"]
    assert sorted(began[:2]) == ["list_dir", "read_file"] and began[2:] == ["create_file", "read_file"]
    assert kinds.index(("ToolStarted", "create_file")) == 4
    assert outcomes(session) == ["done"] * 4
    await session.aclose()


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (ScriptedCall("read_fil", {"filePath": "a"}), "Did you mean read_file"),
        (ScriptedCall("read_file", '{"filePath": 1'), "not valid JSON"),
        (ScriptedCall("read_file", {"offset": 3}), "filePath"),
        (ScriptedCall("read_file", {"filePath": "gone.txt"}), "gone.txt"),
    ],
)
async def test_a_call_that_cannot_work_becomes_an_error_result(
    tmp_path: Path, asked: ScriptedCall, said: str
) -> None:
    session = start(tmp_path, [ask_for(asked), say("I see.")])
    await converse(session, "go")
    (result,) = events(session, e.ToolCompleted)
    assert (
        result.outcome in ("invalid", "failed") and result.text.startswith("Error:") and said in result.text
    )
    assert events(session, e.InteractionEnded)[0].reason == "answered"
    await session.aclose()


async def test_an_interrupt_answers_every_open_call_and_keeps_the_session(tmp_path: Path) -> None:
    """D10: the next request is valid for a strict provider."""
    steps = [
        ask_for(call("run_in_terminal", command="echo begun; sleep 30"), call("list_dir", path=".")),
        say("Going on."),
    ]
    session = start(tmp_path, steps, rules=None)
    session.send("go")
    await until(session, e.ToolProgressed)
    session.interrupt()
    await until(session, e.SessionIdle)
    assert outcomes(session) == ["interrupted", "interrupted"]
    stopped, never_begun = events(session, e.ToolCompleted)
    assert "begun" in stopped.text and "may have had a part" in stopped.text
    assert "nothing was done" in never_begun.text
    assert events(session, e.InteractionEnded)[0].reason == "interrupted"
    await converse(session, "go on")
    assert events(session, e.InteractionEnded)[1].reason == "answered"
    await session.aclose()


async def test_an_interrupt_while_asking_closes_the_question(tmp_path: Path) -> None:
    session = start(tmp_path, [ask_for(call("run_in_terminal", command="true"))], mode="interactive")
    session.send("go")
    await until(session, e.PermissionRequested)
    session.interrupt()
    await until(session, e.SessionIdle)
    assert [event.kind for event in events(session, e.PermissionCompleted)] == ["cancelled"]
    assert outcomes(session) == ["interrupted"]
    await session.aclose()


async def test_a_refusal_reaches_the_model_with_its_reason(tmp_path: Path) -> None:
    asker = Answering(PermissionAnswer("deny", "use the other file"))
    steps = [ask_for(call("create_file", filePath="x", content="1")), say("All right.")]
    session = start(tmp_path, steps, mode="interactive", asker=asker)
    await converse(session, "go")
    (result,) = events(session, e.ToolCompleted)
    assert result.outcome == "refused" and "use the other file" in result.text
    assert not (tmp_path / "x").exists()
    await session.aclose()


async def test_always_holds_for_the_session_and_for_exactly_what_it_shows(tmp_path: Path) -> None:
    asker = Answering(PermissionAnswer("approve-for-session"), PermissionAnswer("deny"))
    steps = [
        ask_for(call("run_in_terminal", command="echo one")),
        ask_for(call("run_in_terminal", command="echo one")),
        ask_for(call("run_in_terminal", command="echo two")),
        say("done"),
    ]
    session = start(tmp_path, steps, mode="interactive", asker=asker)
    await converse(session, "go")
    assert outcomes(session) == ["done", "done", "refused"]
    assert len(asker.permissions) == 2
    await session.aclose()


async def test_plan_mode_writes_nothing(tmp_path: Path) -> None:
    steps = [ask_for(call("create_file", filePath="x", content="1")), say("Here is the plan.")]
    session = start(tmp_path, steps, mode="plan")
    await converse(session, "go")
    assert outcomes(session) == ["refused"] and not (tmp_path / "x").exists()
    assert "Plan mode" in events(session, e.ToolCompleted)[0].text
    await session.aclose()


async def test_task_complete_alone_ends_the_interaction(tmp_path: Path) -> None:
    session = start(tmp_path, [ask_for(call("task_complete", summary="All mended."))])
    await converse(session, "go")
    assert events(session, e.TaskComplete)[0].summary == "All mended."
    assert events(session, e.InteractionEnded)[0].reason == "task-complete"
    await session.aclose()


async def test_ids_that_a_server_uses_again_are_made_new(tmp_path: Path) -> None:
    again = Step(calls=(ScriptedCall("list_dir", {"path": "."}, id="call_0"),))
    session = start(tmp_path, [again, again, say("done")])
    await converse(session, "go")
    ids = [event.tool_call_id for event in events(session, e.ToolCompleted)]
    assert len(set(ids)) == 2
    assert all(body.count(ids[1].encode()) in (0, 2) for body in bodies(session))
    await session.aclose()


async def test_a_message_while_it_runs_waits_and_is_not_lost(tmp_path: Path) -> None:
    session = start(tmp_path, [LOOK, say("one"), say("two")])
    session.send("first")
    session.send("second")
    await until(session, e.SessionIdle, count=2)
    sent = events(session, e.UserMessageSent)
    assert [event.content for event in sent] == ["first", "second"]
    assert sent[0].interaction_id != sent[1].interaction_id
    await session.aclose()


async def test_a_steering_message_joins_after_the_tools_of_the_turn(tmp_path: Path) -> None:
    session = start(tmp_path, [LOOK, say("as you wish")])
    session.send("first")
    session.steer("and be brief")
    await until(session, e.SessionIdle)
    sent = events(session, e.UserMessageSent)
    assert [(event.content, event.delivery) for event in sent] == [
        ("first", "start"),
        ("and be brief", "steer"),
    ]
    assert sent[0].interaction_id == sent[1].interaction_id
    await session.aclose()


@pytest.mark.parametrize("weak", [Step(), Step(text="half an ans", cut=True)])
async def test_an_empty_or_cut_answer_is_sent_back_once(tmp_path: Path, weak: Step) -> None:
    session = start(tmp_path, [weak, weak])
    await converse(session, "go")
    assert len(events(session, e.ModelRequested)) == 2
    assert events(session, e.InteractionEnded)[0].reason == "answered"
    await session.aclose()


async def test_a_queued_message_is_held_back_when_the_user_stops_at_the_limit(tmp_path: Path) -> None:
    asker = Answering(LimitAnswer("stop"))
    session = start(tmp_path, [LOOK], limit=1, mode="interactive", asker=asker)
    session.send("first")
    session.send("second")
    await until(session, e.SessionIdle)
    assert not session.busy and session.take_back() == "second"
    await session.aclose()
