"""Compaction over real sessions: what stays, what it costs, how it fails, and how it is undone."""

import asyncio
import dataclasses
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cutaway.harness import events as e
from cutaway.harness.answers import LimitAnswer
from cutaway.harness.compaction import boundary, cut_at, shrunk
from cutaway.harness.history import Conversation
from cutaway.harness.messages import AssistantMessage, Message, ToolCall, ToolResult, UserMessage
from cutaway.harness.opening import new_session
from cutaway.harness.providers.base import Request
from cutaway.harness.providers.scripted import ScriptedError, Step
from cutaway.harness.session import Session
from tests.harness.hook_kit import Entry, blocks, told, writes_down
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

ROUNDS = 5


def looks(number: int) -> Step:
    names = (f"file{number}_{index}.txt" for index in range(3))
    return ask_for(*(call("read_file", filePath=name) for name in names))


def lay(root: Path) -> None:
    for number in range(ROUNDS):
        for index in range(3):
            (root / f"file{number}_{index}.txt").write_text(f"line of {number} {index}\n" * 40)


async def compacted(session: Session, instructions: str = "") -> e.CompactionCompleted:
    since = len(session.records)
    session.compact(instructions)
    await until(session, e.SessionIdle, since=since)
    return events(session, e.CompactionCompleted)[-1]


async def test_what_the_user_wants_stays_and_the_rest_is_a_summary(tmp_path: Path) -> None:
    """E05: the goal and the files are there although the model forgot them in its summary."""
    lay(tmp_path)
    steps = [*map(looks, range(ROUNDS)), say("Read."), say("We read files. TODO-9 is open."), say("On it.")]
    session = start(tmp_path, steps)
    await converse(session, "GOAL-42: read everything")
    done = await compacted(session, "mind TODO-9")
    assert done.success and done.tokens_after < done.tokens_before
    await converse(session, "go on")
    summarise, after = bodies(session)[-2:]
    assert summarise.startswith(bodies(session)[-3].removesuffix(b"]}")), "it reads what is cached"
    assert b"mind TODO-9" in summarise
    text = after.decode()
    assert "GOAL-42" in text and "TODO-9 is open" in text and "file3_1.txt: read" in text
    assert "line of 3 1" not in text and after[:200] == summarise[:200]
    requested = events(session, e.ModelRequested)
    assert [one.purpose for one in requested][-2:] == ["compaction", "turn"]
    (responded,) = [one for one in events(session, e.ModelResponded) if one.purpose == "compaction"]
    assert responded.usage.input > 0 and len(events(session, e.TurnStarted)) == len(requested) - 1
    await session.aclose()


async def test_a_resumed_session_sends_the_same_and_undoing_brings_everything_back(tmp_path: Path) -> None:
    lay(tmp_path)
    session = start(tmp_path, [looks(0), say("Read."), say("A summary."), say("One.")])
    await converse(session, "go")
    whole = bodies(session)[-1]
    await compacted(session)
    await converse(session, "first")
    short = bodies(session)[-1]
    await session.aclose()
    again = take_up(tmp_path, session.id, [say("Two."), say("Three.")])
    await converse(again, "second")
    assert bodies(again)[-1].startswith(short.removesuffix(b"]}"))
    assert again.undo_compaction() and not again.undo_compaction()
    await converse(again, "third")
    last = bodies(again)[-1]
    assert last.startswith(whole.removesuffix(b"]}")) and b"first" in last and b"second" in last
    await again.aclose()


@pytest.mark.parametrize(
    ("steps", "why"),
    [
        ([say("")], "no summary"),
        ([Step(error=ScriptedError("rejected", "boom", 400))], "boom"),
        ([say("far too long " * 4000)], "not shorter"),
    ],
)
async def test_a_compaction_that_fails_leaves_the_history_as_it_was(
    tmp_path: Path, steps: list[Step], why: str
) -> None:
    session = start(tmp_path, [say("Hello."), *steps, say("Still here.")])
    await converse(session, "hi")
    before = bodies(session)[-1]
    done = await compacted(session)
    assert not done.success and why in done.error
    await converse(session, "on")
    assert bodies(session)[-1].startswith(before.removesuffix(b"]}"))
    await session.aclose()


async def test_a_request_to_summarise_that_is_too_long_shrinks_and_keeps_the_goal(tmp_path: Path) -> None:
    lay(tmp_path)
    too_long = Step(error=ScriptedError("too-long"))
    steps = [looks(0), looks(1), say("Read."), too_long, too_long, too_long, say("Short."), say("On.")]
    session = start(tmp_path, steps)
    await converse(session, "GOAL-42")
    assert (await compacted(session)).success
    sizes = [len(body) for body in bodies(session)[-4:]]
    assert sizes == sorted(sizes, reverse=True) and b"GOAL-42" in bodies(session)[-1]
    await converse(session, "on")
    assert b"GOAL-42" in bodies(session)[-1]
    await session.aclose()


async def test_four_times_too_long_gives_up(tmp_path: Path) -> None:
    session = start(tmp_path, [say("Hello."), *[Step(error=ScriptedError("too-long"))] * 9])
    await converse(session, "hi")
    before = len(bodies(session))
    assert not (await compacted(session)).success
    assert len(bodies(session)) == before + 4
    await session.aclose()


def windowed(root: Path, steps: list[Step], window: int, **options: object) -> Session:
    mode = options.pop("compaction", "auto")
    given = opening(root, steps, **options)  # type: ignore[arg-type]
    model = dataclasses.replace(given.model, window=window)
    return new_session(dataclasses.replace(given, model=model, compaction=mode))  # type: ignore[arg-type]


async def test_near_the_window_it_happens_by_itself_and_the_newest_turn_stays(tmp_path: Path) -> None:
    lay(tmp_path)

    def choose(request: Request, number: int) -> Step:
        if "Write a summary" in str(request.messages[-1]):
            return say("A summary.")
        return looks(number) if number < 4 else say("Done.")

    session = windowed(tmp_path, [], 7000, choose=choose)
    await converse(session, "GOAL-42")
    (done,) = events(session, e.CompactionCompleted)
    assert done.success and events(session, e.CompactionStarted)[0].trigger == "threshold"
    assert events(session, e.InteractionEnded)[0].reason == "answered"
    assert b"GOAL-42" in bodies(session)[-1]
    await session.aclose()


async def test_when_it_asks_the_user_decides(tmp_path: Path) -> None:
    lay(tmp_path)
    asker = Answering(LimitAnswer("skip"), LimitAnswer("stop"))
    session = windowed(tmp_path, [*map(looks, range(5)), say("x")], 6000, compaction="ask", asker=asker)
    await converse(session, "go")
    assert [reached.kind for reached in asker.limits] == ["context", "context"]
    assert int(asker.limits[0].used) >= 4800 and asker.limits[0].most == "6000"
    assert events(session, e.CompactionStarted) == []
    assert events(session, e.InteractionEnded)[0].reason == "context"
    await session.aclose()


async def test_off_means_off(tmp_path: Path) -> None:
    lay(tmp_path)
    session = windowed(tmp_path, [looks(0), looks(1), say("x")], 1000, compaction="off")
    await converse(session, "go")
    assert events(session, e.CompactionStarted) == []
    await session.aclose()


async def test_a_prompt_that_the_provider_finds_too_long_is_compacted_and_sent_once_more(
    tmp_path: Path,
) -> None:
    lay(tmp_path)
    steps = [looks(0), looks(1), Step(error=ScriptedError("too-long")), say("A summary."), say("Done.")]
    session = windowed(tmp_path, steps, 1_000_000)
    await converse(session, "go")
    assert events(session, e.CompactionStarted)[0].trigger == "too-long"
    assert events(session, e.InteractionEnded)[0].reason == "answered"
    await session.aclose()


async def test_a_prompt_that_stays_too_long_is_an_error_and_no_circle(tmp_path: Path) -> None:
    steps = [say("Hello."), *[Step(error=ScriptedError("too-long"))] * 12]
    session = windowed(tmp_path, steps, 1_000_000)
    await converse(session, "hi", "on")
    assert events(session, e.InteractionEnded)[-1].reason == "error"
    assert len(bodies(session)) <= 7
    await session.aclose()


async def test_an_interrupt_leaves_everything_as_it_was(tmp_path: Path) -> None:
    given = opening(tmp_path, [say("Hello."), Step(text="slow " * 100, rate=10.0)])
    session = new_session(dataclasses.replace(given, clock=None))
    await converse(session, "hi")
    session.compact()
    await until(session, e.ModelRequested, count=2)
    idle = asyncio.create_task(until(session, e.SessionIdle, since=len(session.records)))
    session.interrupt()
    assert (await idle).aborted
    (done,) = events(session, e.CompactionCompleted)
    assert not done.success and "interrupted" in done.error
    assert not session.undo_compaction()
    await session.aclose()


async def test_hooks_are_told_before_and_may_refuse(tmp_path: Path) -> None:
    heard = tmp_path.with_name(f"{tmp_path.name}-heard")
    given = opening(tmp_path, [say("Hello."), say("A summary.")])
    hooks = {"PreCompact": [Entry(writes_down(heard)), Entry(blocks("not now"))]}
    session = new_session(dataclasses.replace(given, hooks=hooks))
    await converse(session, "hi")
    done = await compacted(session, "briefly")
    assert not done.success and "not now" in done.error
    assert told(heard)[0]["trigger"] == "manual" and told(heard)[0]["custom_instructions"] == "briefly"
    await session.aclose()


def history() -> list[Message]:
    """E05: a goal, then five rounds of three parallel calls."""
    messages: list[Message] = [UserMessage("GOAL-42")]
    for number in range(ROUNDS):
        calls = tuple(ToolCall(f"c{number}-{index}", "read_file", "{}") for index in range(3))
        messages.append(AssistantMessage(f"round {number}", calls))
        messages += [ToolResult(one.id, one.name, "x" * 100) for one in calls]
    return messages


def pairs_hold(messages: list[Message]) -> bool:
    """Each call has its one result, behind it and before anything else is said."""
    waiting: list[str] = []
    for message in messages:
        if isinstance(message, ToolResult):
            if not waiting or waiting.pop(0) != message.call_id:
                return False
        elif waiting:
            return False
        elif isinstance(message, AssistantMessage):
            waiting = [one.id for one in message.tool_calls]
    return not waiting


@given(st.integers(0, 21), st.integers(0, 21))
@settings(deadline=None, max_examples=100)
def test_no_cut_parts_a_call_from_its_results(cut: int, second: int) -> None:
    """E05, at every position, and once more on the result."""
    conversation = Conversation()
    conversation.messages = history()
    for number, place in enumerate((cut, second)):
        place = boundary(conversation.messages, min(place, len(conversation.messages)))
        event = e.CompactionCompleted(f"k{number}", True, "GOAL-42 TODO-9", place)
        conversation.fold(event)
        assert isinstance(conversation.messages[0], UserMessage) and pairs_hold(conversation.messages)
        assert conversation.messages[0].notes[0].text == "GOAL-42 TODO-9"
    conversation.fold(e.CompactionUndone("k1"))
    conversation.fold(e.CompactionUndone("k0"))
    assert conversation.messages == history()


@given(st.integers(0, 25), st.sampled_from([0, 10, 1000]))
@settings(deadline=None, max_examples=80)
def test_a_shrunk_history_is_valid_and_keeps_the_goal(kept: int, room: int) -> None:
    messages = shrunk(history(), kept, room)
    assert pairs_hold(messages) and messages[0] == UserMessage("GOAL-42")


@given(st.lists(st.integers(1, 500), min_size=21, max_size=21))
@settings(deadline=None, max_examples=80)
def test_the_tail_that_stays_is_small_and_whole(sizes: list[int]) -> None:
    messages = history()
    cut = cut_at(messages, sizes, "threshold")
    assert cut == 0 or (pairs_hold(messages[cut:]) and sum(sizes[cut:]) <= 0.1 * sum(sizes))
    assert cut_at(messages, sizes, "user") == len(messages)


def test_nothing_said_is_nothing_to_summarise() -> None:
    assert cut_at([UserMessage("hello")], [3], "user") == 0
    assert Request("m", (), (), tuple(shrunk([UserMessage("hello")], 0, 0))).messages
