"""Hooks that do what no hook should, and messages that change while a hook looks at them."""

import asyncio
import dataclasses
import os
import shlex
from pathlib import Path

import pytest

from cutaway.harness import events as e
from cutaway.harness.opening import new_session
from cutaway.harness.providers.scripted import Step
from cutaway.harness.session import Session
from tests.harness.hook_kit import Entry, blocks, prints, says, told, writes_down
from tests.harness.invariants import check_log
from tests.harness.session_kit import ask_for, call, converse, events, opening, say, take_up, until

LOOK = ask_for(call("list_dir", path="."))


def hooked(root: Path, steps: list[Step], **hooks: Entry) -> Session:
    given = opening(root, steps)
    return new_session(dataclasses.replace(given, hooks={point: [hook] for point, hook in hooks.items()}))


def messages(session: Session) -> list[str]:
    return [event.content for event in events(session, e.UserMessageSent)]


@pytest.mark.parametrize("word", [["allow"], {"a": 1}, 5, True, None])
async def test_a_decision_that_is_no_word_decides_nothing(tmp_path: Path, word: object) -> None:
    hook = Entry(says(hookSpecificOutput={"permissionDecision": word}))
    session = hooked(tmp_path, [LOOK, say("done")], PreToolUse=hook)
    await converse(session, "go")
    assert events(session, e.InteractionEnded)[0].reason == "answered"
    await session.aclose()


async def test_a_child_that_a_hook_leaves_behind_holds_nothing_up(tmp_path: Path) -> None:
    """C01: it keeps the pipes open; the hook has ended all the same, and the child goes with it."""
    pid = tmp_path.with_name(f"{tmp_path.name}-pid")
    start = f"setsid sh -c 'echo $$ > {shlex.quote(str(pid))}; exec sleep 60' & "
    hook = Entry(f"{start} until [ -s {shlex.quote(str(pid))} ]; do sleep 0.01; done")
    session = hooked(tmp_path, [LOOK, say("done")], PreToolUse=hook)
    await converse(session, "go")
    (ended,) = events(session, e.HookEnded)
    assert ended.success and ended.exit_code == 0
    assert gone(int(pid.read_text()))
    await session.aclose()


async def test_interrupts_one_after_another_still_kill_a_hook_that_does_not_want_to_end(
    tmp_path: Path,
) -> None:
    pid = tmp_path.with_name(f"{tmp_path.name}-pid")
    hook = Entry(f"trap '' TERM; echo $$ > {shlex.quote(str(pid))}; while :; do sleep 0.05; done")
    session = hooked(tmp_path, [LOOK, say("done")], PreToolUse=hook)
    session.send("go")
    await until(session, e.HookStarted)
    while not (pid.exists() and pid.read_text().strip()):  # noqa: ASYNC110 - another process makes it true
        await asyncio.sleep(0)
    while session.busy:
        session.interrupt()
        await asyncio.sleep(0)
    assert gone(int(pid.read_text()))
    check_log(session.records)
    await session.aclose()


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return Path(f"/proc/{pid}/stat").exists() and ") Z" in Path(f"/proc/{pid}/stat").read_text()


async def test_a_message_taken_back_while_a_hook_looks_at_it_is_not_sent(tmp_path: Path) -> None:
    release = tmp_path.with_name(f"{tmp_path.name}-go")
    hook = Entry(f"until [ -e {shlex.quote(str(release))} ]; do sleep 0.01; done")
    session = hooked(tmp_path, [say("done")], UserPromptSubmit=hook)
    idles = session.subscribe()
    session.send("secret")
    await until(session, e.HookStarted)
    assert session.take_back() == "secret"
    release.touch()
    async for batch in idles:
        if any(isinstance(record.event, e.SessionIdle) for record in batch):
            break
    assert messages(session) == [] and not session.busy
    await converse(session, "harmless")
    assert messages(session) == ["harmless"]
    await session.aclose()


async def test_no_message_overtakes_or_replaces_the_one_that_the_hooks_have_seen(tmp_path: Path) -> None:
    heard, release = (tmp_path.with_name(f"{tmp_path.name}-{name}") for name in ("heard", "go"))
    wait = f"until [ -e {shlex.quote(str(release))} ]; do sleep 0.01; done"
    hook = Entry(writes_down(heard, wait))
    session = hooked(tmp_path, [say("done"), say("more"), say("again")], UserPromptSubmit=hook)
    session.send("first")
    await until(session, e.HookStarted)
    session.change_waiting(0, "changed")
    session.send("second", "now")
    release.touch()
    await until(session, e.InteractionEnded)
    assert [one["prompt"] for one in told(heard)] == ["first", "changed", "second"]
    assert messages(session) == ["changed", "second"]
    await session.aclose()


async def test_hooks_see_a_message_that_joins_a_running_interaction_too(tmp_path: Path) -> None:
    hook = Entry(f"if grep -q hunter2; then {blocks('no secrets here')}; fi")
    session = hooked(tmp_path, [LOOK, say("done")], UserPromptSubmit=hook)
    since = len(session.records)
    session.send("go")
    session.steer("my password is hunter2")
    await until(session, e.SessionIdle, since=since)
    assert messages(session) == ["go"] and session.take_back() is None
    (warning,) = events(session, e.SessionWarning)
    assert "no secrets here" in warning.message and "hunter2" in warning.message
    await session.aclose()


async def test_what_the_first_hooks_said_is_kept_when_the_first_message_is_refused(tmp_path: Path) -> None:
    given = opening(tmp_path, [say("done")])
    hooks = {
        "SessionStart": [Entry(prints("Be brief."))],
        "UserPromptSubmit": [Entry(f"if grep -q secret; then {blocks('no')}; fi")],
    }
    session = new_session(dataclasses.replace(given, hooks=hooks))
    await converse(session, "secret", "go")
    (sent,) = events(session, e.UserMessageSent)
    assert sent.content == "go" and "Be brief." in [note.text for note in sent.notes]
    await session.aclose()


@pytest.mark.parametrize("how", ["cancel", "interrupt"])
async def test_the_last_hooks_can_be_cut_and_the_session_is_closed_all_the_same(
    tmp_path: Path, how: str
) -> None:
    session = hooked(tmp_path, [say("done")], SessionEnd=Entry("sleep 100", timeout=99))
    await converse(session, "go")
    closing = asyncio.create_task(session.aclose())
    await until(session, e.HookStarted)
    if how == "cancel":
        closing.cancel()
    else:
        session.interrupt()
    await asyncio.wait({closing})
    again = take_up(tmp_path, session.id, [say("still here")])
    await converse(again, "on")
    await again.aclose()
