"""Parts that break their contract: the interaction ends with an error that says so, the log stays whole."""

import dataclasses
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from cutaway.harness import events as e
from cutaway.harness.answers import LimitAnswer, PermissionAnswer
from cutaway.harness.events import LimitReached, PermissionRequested, Timings
from cutaway.harness.messages import AssistantMessage, ToolCall
from cutaway.harness.opening import new_session
from cutaway.harness.providers.base import Chunk, Completed, Connected, Request, TextDelta
from cutaway.harness.providers.scripted import Script, ScriptedProvider
from cutaway.harness.seams import Model
from cutaway.harness.session import Session
from tests.harness.invariants import check_log
from tests.harness.session_kit import COUNTER, ask_for, call, converse, events, opening, say, start

Play = Callable[[int], AsyncIterator[Chunk]]


class Playing(ScriptedProvider):
    """Encodes like the scripted provider and streams whatever it is told to."""

    def __init__(self, play: Play) -> None:
        super().__init__(Script(), count=COUNTER.count_now)
        self._play = play
        self._asked = 0

    async def stream(self, request: Request, body: bytes) -> AsyncIterator[Chunk]:
        self._asked += 1
        async for chunk in self._play(self._asked):
            yield chunk


def session_with(root: Path, play: Play) -> Session:
    given = opening(root)
    return new_session(dataclasses.replace(given, model=Model(Playing(play), "playing")))


def completed(text: str = "", *calls: ToolCall) -> Completed:
    return Completed(AssistantMessage(text, calls), "stop", None, Timings(), "")


async def without_an_end(number: int) -> AsyncIterator[Chunk]:
    yield Connected()
    yield TextDelta("half an answer")


async def raising(number: int) -> AsyncIterator[Chunk]:
    yield Connected()
    yield TextDelta("half an answer")
    raise ValueError("a fault of the provider's code")


@pytest.mark.parametrize("play", [without_an_end, raising])
async def test_a_provider_that_breaks_its_contract_ends_the_interaction(tmp_path: Path, play: Play) -> None:
    session = session_with(tmp_path, play)
    await converse(session, "go", "go on")
    check_log(session.records)
    assert [event.error_type for event in events(session, e.CallFailed)] == ["InternalError"] * 2
    assert events(session, e.AssistantAnswered)[0].content == "half an answer"
    assert "cutaway itself failed" in events(session, e.InteractionEnded)[0].explanation
    await session.aclose()


async def test_what_comes_after_the_end_of_an_answer_is_not_heard(tmp_path: Path) -> None:
    async def talking_on(number: int) -> AsyncIterator[Chunk]:
        yield Connected()
        yield TextDelta("done")
        yield completed("done")
        yield TextDelta("and another thing")
        raise ValueError("never reached")

    session = session_with(tmp_path, talking_on)
    await converse(session, "go")
    check_log(session.records)
    assert [event.content for event in events(session, e.AssistantAnswered)] == ["done"]
    assert events(session, e.InteractionEnded)[0].reason == "answered"
    await session.aclose()


async def test_ids_that_are_missing_doubled_or_odd_are_told_apart(tmp_path: Path) -> None:
    ids = ["", "", "same", "same", "ö \u2028\"'<&>", "half \ud800", "x" * 5000]

    async def play(number: int) -> AsyncIterator[Chunk]:
        calls = [ToolCall(id, "list_dir", '{"path": "."}') for id in ids]
        yield completed("", *calls) if number < 3 else completed("done")

    session = session_with(tmp_path, play)
    await converse(session, "go")
    check_log(session.records)
    assert len({event.tool_call_id for event in events(session, e.ToolCompleted)}) == 2 * len(ids)
    await session.aclose()


class Failing:
    """A desk that fails instead of asking."""

    async def permission(self, request: PermissionRequested) -> PermissionAnswer | None:
        raise LookupError("no desk")

    async def limit(self, reached: LimitReached) -> LimitAnswer | None:
        raise LookupError("no desk")


@pytest.mark.parametrize("limit", [1, 2])
async def test_a_fault_of_ours_closes_what_was_open_and_blames_no_one_else(
    tmp_path: Path, limit: int
) -> None:
    steps = [ask_for(call("run_in_terminal", command="true"), call("list_dir", path=".")), say("I see.")]
    session = start(tmp_path, steps, mode="interactive", limit=limit, asker=Failing())
    await converse(session, "go", "go on")
    check_log(session.records)
    results = [event.text for event in events(session, e.ToolCompleted)]
    assert len(results) == 2 and not any("by the user" in text for text in results)
    assert "LookupError" in events(session, e.SessionErrored)[0].message
    assert events(session, e.InteractionEnded)[1].reason == "answered"
    await session.aclose()
