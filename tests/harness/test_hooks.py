"""Hooks over real commands: what each point is told, what it may decide, and what goes wrong with it."""

import dataclasses
import time
from pathlib import Path

import pytest

from cutaway.harness import events as e
from cutaway.harness.opening import new_session
from cutaway.harness.providers.scripted import Step
from cutaway.harness.session import Session
from tests.harness.hook_kit import Entry, blocks, prints, says, told, writes_down
from tests.harness.session_kit import Answering, ask_for, bodies, call, converse, events, opening, say, until

LOOK = ask_for(call("list_dir", path="."))
MAKE = ask_for(call("create_file", filePath="made.txt", content="one\n"))


def hooked(root: Path, steps: list[Step], hooks: dict[str, list[Entry]], **options: object) -> Session:
    given = opening(root, steps, **options)  # type: ignore[arg-type]
    return new_session(dataclasses.replace(given, hooks=hooks))


def warnings(session: Session) -> list[str]:
    return [event.message for event in events(session, e.SessionWarning)]


async def test_every_point_is_told_what_happens(tmp_path: Path) -> None:
    heard = tmp_path.with_name(f"{tmp_path.name}-heard")
    points = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"]
    session = hooked(
        tmp_path, [LOOK, say("done"), say("again")], {point: [Entry(writes_down(heard))] for point in points}
    )
    await converse(session, "go", "more")
    await session.aclose()
    said = told(heard)
    assert [one["hook_event_name"] for one in said] == [*points[:5], "UserPromptSubmit", "Stop", "SessionEnd"]
    assert {one["session_id"] for one in said} == {session.id} and said[0]["cwd"] == str(tmp_path)
    assert said[0]["source"] == "new" and said[1]["prompt"] == "go" and said[4]["stop_hook_active"] is False
    assert said[2]["tool_name"] == "list_dir" and said[2]["tool_input"] == {"path": "."}
    assert said[3]["tool_use_id"] == said[2]["tool_use_id"] and "heard" not in said[3]["tool_response"]
    starts, ends = events(session, e.HookStarted), events(session, e.HookEnded)
    assert [one.hook_invocation_id for one in starts] == [one.hook_invocation_id for one in ends]
    assert all(one.success for one in ends)


async def test_context_of_the_first_hooks_joins_the_message_and_is_not_the_users(tmp_path: Path) -> None:
    context = says(hookSpecificOutput={"hookEventName": "UserPromptSubmit", "additionalContext": "Use tabs."})
    session = hooked(
        tmp_path,
        [say("done"), say("more")],
        {"SessionStart": [Entry(prints("Be brief."))], "UserPromptSubmit": [Entry(context)]},
    )
    await converse(session, "go", "on")
    first, second = events(session, e.UserMessageSent)
    assert [note.text for note in first.notes if note.source == "hook"] == ["Be brief.", "Use tabs."]
    assert [note.text for note in second.notes if note.source == "hook"] == ["Use tabs."]
    before, after = bodies(session)
    assert after.startswith(before.removesuffix(b"]}"))
    await session.aclose()


async def test_a_blocked_message_reaches_no_model_and_is_said_to_be(tmp_path: Path) -> None:
    session = hooked(tmp_path, [say("never")], {"UserPromptSubmit": [Entry(blocks("no secrets here"))]})
    await converse(session, "my password is hunter2")
    (error,) = events(session, e.SessionErrored)
    assert "no secrets here" in error.message and "hunter2" in error.message
    assert events(session, e.UserMessageSent) == [] and bodies(session) == []
    assert not session.busy
    await session.aclose()


@pytest.mark.parametrize(
    ("command", "outcome", "said"),
    [
        (blocks("not on Fridays"), "refused", "not on Fridays"),
        (
            says(hookSpecificOutput={"permissionDecision": "deny", "permissionDecisionReason": "no"}),
            "refused",
            "no",
        ),
        (says(hookSpecificOutput={"additionalContext": "Mind the gap."}), "done", "Mind the gap."),
        (
            says(hookSpecificOutput={"updatedInput": {"filePath": "made.txt", "content": "two\n"}}),
            "done",
            "changed the arguments",
        ),
        (says(hookSpecificOutput={"updatedInput": {"nothing": 1}}), "done", ""),
    ],
)
async def test_a_hook_before_a_tool(tmp_path: Path, command: str, outcome: str, said: str) -> None:
    session = hooked(tmp_path, [MAKE, say("done")], {"PreToolUse": [Entry(command, matcher="create_*")]})
    await converse(session, "go")
    (result,) = events(session, e.ToolCompleted)
    assert result.outcome == outcome and said in result.text
    assert (tmp_path / "made.txt").exists() == (outcome == "done")
    if "changed the" in said:
        assert (tmp_path / "made.txt").read_text() == "two\n"
    if not said:
        assert any("does not fit" in text for text in warnings(session))
    await session.aclose()


async def test_a_hook_may_ask_for_the_user_and_may_answer_for_him_but_not_at_the_floor(
    tmp_path: Path,
) -> None:
    word = {"permissionDecision": "ask", "permissionDecisionReason": "look at it"}
    asker = Answering(None)
    session = hooked(
        tmp_path,
        [MAKE, say("done")],
        {"PreToolUse": [Entry(says(hookSpecificOutput=word))]},
        asker=asker,
    )
    await converse(session, "go")
    assert "look at it" in asker.permissions[0].reason and asker.permissions[0].rule == "hook"
    await session.aclose()

    allow = {"PreToolUse": [Entry(says(hookSpecificOutput={"permissionDecision": "allow"}))]}
    asker = Answering(None)
    steps = [MAKE, ask_for(call("create_file", filePath=".git/hooks/x", content="x")), say("done")]
    session = hooked(tmp_path, steps, allow, asker=asker, mode="interactive")
    await converse(session, "go")
    assert [one.outcome for one in events(session, e.ToolCompleted)] == ["done", "refused"]
    assert [one.rule for one in asker.permissions] == ["floor"]
    await session.aclose()


async def test_a_hook_after_a_tool_speaks_in_its_result_before_the_model_reads_it(tmp_path: Path) -> None:
    block = says(decision="block", reason="Run the formatter.")
    session = hooked(tmp_path, [MAKE, say("done")], {"PostToolUse": [Entry(block)]})
    await converse(session, "go")
    (result,) = events(session, e.ToolCompleted)
    assert result.outcome == "done" and result.text.endswith(
        '<harness_note source="hook">\nRun the formatter.\n</harness_note>'
    )
    assert "Run the formatter." in bodies(session)[1].decode()
    await session.aclose()


async def test_continue_false_ends_the_interaction_with_every_call_answered(tmp_path: Path) -> None:
    stop = says(**{"continue": False, "stopReason": "Enough."})
    steps = [ask_for(call("list_dir", path="."), call("list_dir", path="..")), say("on")]
    session = hooked(tmp_path, steps, {"PreToolUse": [Entry(stop)]})
    await converse(session, "go")
    (ended,) = events(session, e.InteractionEnded)
    assert (ended.reason, ended.explanation) == ("hook", "Enough.")
    assert len(events(session, e.ToolCompleted)) == 2
    await session.aclose()


async def test_a_stop_hook_that_blocks_once_gives_one_more_turn(tmp_path: Path) -> None:
    """E09 (f), and the reason is in the prompt once."""
    flag = tmp_path.with_name(f"{tmp_path.name}-flag")
    once = f"test -e {flag} && exit 0; touch {flag}; echo not yet >&2; exit 2"
    session = hooked(tmp_path, [say("done"), say("really done")], {"Stop": [Entry(once)]})
    await converse(session, "go")
    assert len(bodies(session)) == 2 and bodies(session)[1].count(b"not yet") == 1
    assert [one.cause for one in events(session, e.UserMessageSent)] == [None, "stop-hook"]
    assert events(session, e.InteractionEnded)[0].reason == "answered"
    await session.aclose()


async def test_a_stop_hook_that_never_lets_go_is_let_go_of(tmp_path: Path) -> None:
    """E09 (a): eight blocks, each told that it is re-entered, then the end and a notice."""
    heard = tmp_path.with_name(f"{tmp_path.name}-heard")
    entry = Entry(writes_down(heard, "echo not yet >&2; exit 2"))
    session = hooked(tmp_path, [say(f"answer {number}") for number in range(12)], {"Stop": [entry]})
    await converse(session, "go")
    assert [one["stop_hook_active"] for one in told(heard)] == [False] + [True] * 7
    assert len(bodies(session)) == 9
    assert any("8 times" in text for text in warnings(session))
    await session.aclose()


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("/nowhere/hook.sh", "not found or is not executable"),
        (("/nowhere/hook.sh", "x"), "cannot be started"),
        (prints("Traceback\nValueError: boo", 1, "stderr"), "exit code 1: ValueError: boo"),
        (prints("{not json"), "is none"),
        (prints('{"decision": "block"}'), "without a reason"),
        ("kill -9 $$", "exit code -9"),
    ],
)
async def test_a_broken_stop_hook_is_a_warning_and_no_turn(
    tmp_path: Path, command: str | tuple[str, ...], said: str
) -> None:
    """E09 (c), (d), (h)."""
    session = hooked(tmp_path, [say("done")], {"Stop": [Entry(command)]})
    await converse(session, "go")
    assert len(bodies(session)) == 1 and events(session, e.InteractionEnded)[0].reason == "answered"
    assert any(said in text for text in warnings(session)), warnings(session)
    await session.aclose()


async def test_a_hook_that_is_silent_or_floods_costs_nothing(tmp_path: Path) -> None:
    """E09 (b), (g): 50 MB are read and dropped."""
    flood = "head -c 52428800 /dev/zero | tr '\\0' x"
    session = hooked(tmp_path, [say("done")], {"Stop": [Entry("true"), Entry(flood)]})
    await converse(session, "go")
    assert len(bodies(session)) == 1 and warnings(session) == []
    assert max(len(repr(record.event)) for record in session.records) < 100_000
    await session.aclose()


async def test_a_hook_that_hangs_is_killed_with_its_children(tmp_path: Path) -> None:
    """E09 (e)."""
    pids = tmp_path.with_name(f"{tmp_path.name}-pids")
    hang = f"sleep 600 & echo $! >> {pids}; setsid sleep 600 & echo $! >> {pids}; wait"
    session = hooked(tmp_path, [say("done")], {"Stop": [Entry(hang, timeout=0.5)]})
    began = time.monotonic()
    await converse(session, "go")
    assert time.monotonic() - began < 10
    assert any("0.5 s and was killed" in text for text in warnings(session))
    for pid in pids.read_text().split():
        state = Path(f"/proc/{pid}/stat")
        assert not state.exists() or ") Z " in state.read_text()
    await session.aclose()


async def test_an_interrupt_ends_a_hook_at_once(tmp_path: Path) -> None:
    session = hooked(tmp_path, [say("done")], {"Stop": [Entry("sleep 600")]})
    session.send("go")
    await until(session, e.HookStarted)
    began = time.monotonic()
    session.interrupt()
    await until(session, e.SessionIdle)
    assert time.monotonic() - began < 5
    (ended,) = events(session, e.HookEnded)
    assert not ended.success and events(session, e.InteractionEnded)[0].reason == "interrupted"
    await session.aclose()


async def test_a_result_is_not_lost_when_the_hook_after_it_is_interrupted(tmp_path: Path) -> None:
    session = hooked(tmp_path, [MAKE, say("done")], {"PostToolUse": [Entry("sleep 600")]})
    session.send("go")
    await until(session, e.HookStarted)
    session.interrupt()
    await until(session, e.SessionIdle)
    assert [one.outcome for one in events(session, e.ToolCompleted)] == ["done"]
    await session.aclose()
