"""Tool calls as servers really send them."""

import json
from typing import Any

import pytest

from cutaway.harness.messages import AssistantMessage, Message, ToolCall, ToolResult
from cutaway.harness.providers.base import CallDelta, Completed
from tests.harness.providers.kit import HELLO, Asking, delta, piece
from tests.servers.openai_steps import Json, Step, call

A, B = '{"path":"a.txt"}', '{"path":"b.txt"}'


def calls_of(completed: Completed) -> list[tuple[str, str]]:
    return [(made.name, made.arguments) for made in completed.message.tool_calls]


async def go_on(asking: Asking, completed: Completed) -> list[Json]:
    """Answer the calls and ask again; what the strict server was then sent for them."""
    results = [ToolResult(made.id, made.name, "ok") for made in completed.message.tool_calls]
    messages: list[Message] = [HELLO, completed.message, *results]
    asking.server.play(Step(text="done"))
    assert (await asking(*messages)).message.text == "done"
    sent: list[Json] = asking.server.requests[-1].messages[2]["tool_calls"]
    return sent


TWO_CALLS = {
    "same index": [
        [piece(id="c1", name="read_file", arguments=A)],
        [piece(id="c2", name="read_file", arguments=B)],
    ],
    "no index": [
        [piece(index=None, id="c1", name="read_file", arguments=A)],
        [piece(index=None, id="c2", name="read_file", arguments=B)],
    ],
    "one chunk": [
        [piece(id="c1", name="read_file", arguments=A), piece(id="c2", name="read_file", arguments=B)],
    ],
    "no index, fragments": [
        [piece(index=None, id="c1", name="read_file", arguments="")],
        [piece(index=None, arguments=A[:5])],
        [piece(index=None, arguments=A[5:])],
        [piece(index=None, id="c2", name="read_file", arguments=B)],
    ],
    "id and name in every fragment": [
        [piece(id="c1", name="read_file", arguments=A[:5])],
        [piece(id="c1", name="read_file", arguments=A[5:])],
        [piece(id="c2", name="read_file", arguments=B)],
    ],
    "interleaved": [
        [piece(id="c1", name="read_file", arguments=""), piece(index=1, id="c2", name="read_file")],
        [piece(arguments=A[:5]), piece(index=1, arguments=B[:7])],
        [piece(arguments=A[5:]), piece(index=1, arguments=B[7:])],
    ],
    "sent again in full": [
        [piece(id="c1", name="read_file", arguments=A[:5])],
        [piece(arguments=A[5:])],
        [piece(arguments=A)],
        [piece(index=1, id="c2", name="read_file", arguments=B)],
    ],
}


@pytest.mark.parametrize("kind", TWO_CALLS)
async def test_two_calls_stay_two_whatever_the_index(asking: Asking, kind: str) -> None:
    """D01: calls are told apart by id, index, name and whole arguments together."""
    chunks = [delta(tool_calls=fragments) for fragments in TWO_CALLS[kind]]
    completed = await asking.play(Step(chunks=[*chunks, delta("tool_calls")]))
    assert calls_of(completed) == [("read_file", A), ("read_file", B)]
    assert [made.id for made in completed.message.tool_calls] == ["c1", "c2"]
    assert [made["id"] for made in await go_on(asking, completed)] == ["c1", "c2"]


@pytest.mark.parametrize("id", ["", None])
@pytest.mark.parametrize("index", [0, None])
async def test_missing_ids_become_unique_and_stable_ones(
    asking: Asking, id: str | None, index: int | None
) -> None:
    """D01, with both ids empty: the same answer gets the same ids each time it is read."""
    chunks = [
        delta(tool_calls=[piece(index=index, id=id, name="read_file", arguments=given)]) for given in (A, B)
    ]
    step = Step(chunks=[*chunks, delta("tool_calls")])
    completed = await asking.play(step)
    assert calls_of(completed) == [("read_file", A), ("read_file", B)]
    again = await asking.play(step)
    assert [made.id for made in completed.message.tool_calls] == ["call_1", "call_2"]
    assert again.message == completed.message
    await go_on(asking, completed)


async def test_an_id_of_an_earlier_turn_is_not_used_again(asking: Asking) -> None:
    """Servers that count from zero in every answer would make the conversation ambiguous."""
    past = AssistantMessage("", (ToolCall("call_0", "read_file", A),))
    asking.server.play(Step(calls=[call("read_file", id="call_0", path="b")]))
    completed = await asking(HELLO, past, ToolResult("call_0", "read_file", "ok"))
    assert [made.id for made in completed.message.tool_calls] == ["call_0_2"]


@pytest.mark.parametrize("given", ["", None, {}, "{}", "absent", "null"])
@pytest.mark.parametrize("stream", [True, False])
async def test_no_arguments_are_an_empty_object(asking: Asking, given: Any, stream: bool) -> None:
    """D03: empty, null, absent, an object or its text, streamed or not."""
    made = piece(id="c1", name="list_all", arguments=given, bare=given == "absent")
    completed = await asking.play(_answer([made], stream))
    assert calls_of(completed) == [("list_all", "{}")]
    assert (await go_on(asking, completed))[0]["function"]["arguments"] == "{}"
    assert len(asking.server.requests) == 2


@pytest.mark.parametrize("stream", [True, False])
async def test_arguments_that_are_an_object_become_its_text(asking: Asking, stream: bool) -> None:
    """D03: history holds a JSON string."""
    made = piece(id="c1", name="read_file", arguments={"path": "a.txt"})
    completed = await asking.play(_answer([made], stream))
    assert calls_of(completed) == [("read_file", '{"path": "a.txt"}')]
    await go_on(asking, completed)


async def test_arguments_encoded_twice_are_unwrapped(asking: Asking) -> None:
    made = piece(id="c1", name="read_file", arguments=json.dumps(A))
    assert calls_of(await asking.play(_answer([made], stream=True))) == [("read_file", A)]


def _answer(calls: list[Json], stream: bool) -> Step:
    if stream:
        return Step(chunks=[delta(tool_calls=calls), delta("tool_calls")])
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    return Step(body={"id": "x", "choices": [{"message": message, "finish_reason": "tool_calls"}]})


@pytest.mark.parametrize("finish", ["length", "stop", "tool_calls"])
async def test_a_call_that_was_cut_is_left_out_and_said(asking: Asking, finish: str) -> None:
    """D05: half a file is never written, whatever the finish reason claims."""
    torn = '{"path":"out.txt","content":"line1\\nline2'
    chunk = delta(tool_calls=[piece(id="c1", name="create_file", arguments=torn)])
    completed = await asking.play(Step(chunks=[chunk, delta(finish)]))
    assert completed.message.tool_calls == ()
    assert completed.message.cut
    assert completed.stop_reason == finish
    streamed = [chunk for chunk in asking.chunks if isinstance(chunk, CallDelta)]
    assert streamed == [CallDelta(0, "create_file", torn)]


async def test_the_whole_calls_before_a_cut_one_stay(asking: Asking) -> None:
    """D05, last variant: the first call may run."""
    first = delta(tool_calls=[piece(id="c1", name="read_file", arguments=A)])
    second = delta(tool_calls=[piece(index=1, id="c2", name="run", arguments='{"command":"rm -rf build')])
    completed = await asking.play(Step(chunks=[first, second, delta("length")]))
    assert calls_of(completed) == [("read_file", A)]
    assert completed.message.cut
    await go_on(asking, completed)


async def test_a_call_whose_arguments_never_began_is_cut_by_the_limit(asking: Asking) -> None:
    chunk = delta(tool_calls=[piece(id="c1", name="list_all", arguments="")])
    completed = await asking.play(Step(chunks=[chunk, delta("length")]))
    assert (completed.message.tool_calls, completed.message.cut) == ((), True)


async def test_arguments_that_never_were_json_are_kept_for_the_error(asking: Asking) -> None:
    """The tool's own error names the fault; history stays acceptable to a strict provider."""
    chunk = delta(tool_calls=[piece(id="c1", name="read_file", arguments="{'path': 'a'}")])
    completed = await asking.play(Step(chunks=[chunk, delta("tool_calls")]))
    assert calls_of(completed) == [("read_file", "{'path': 'a'}")]
    assert not completed.message.cut
    assert (await go_on(asking, completed))[0]["function"]["arguments"] == "{}"


@pytest.mark.parametrize("finish", ["stop", None, "end_turn", ""])
async def test_a_whole_call_counts_whatever_the_finish_reason(asking: Asking, finish: str | None) -> None:
    """D22: wrong, null, foreign or empty finish reasons."""
    chunk = delta(tool_calls=[piece(id="c1", name="read_file", arguments=A)])
    completed = await asking.play(Step(chunks=[chunk, delta(finish)]))
    assert calls_of(completed) == [("read_file", A)]
    assert not completed.message.cut


async def test_a_whole_call_counts_without_any_finish_chunk(asking: Asking) -> None:
    """D22: only `[DONE]` ends the stream."""
    chunk = delta(tool_calls=[piece(id="c1", name="read_file", arguments=A)])
    assert calls_of(await asking.play(Step(chunks=[chunk]))) == [("read_file", A)]


async def test_a_finish_reason_without_a_call_is_an_empty_answer(asking: Asking) -> None:
    """D22: `tool_calls` as the reason and no call at all."""
    completed = await asking.play(Step(chunks=[delta("tool_calls", content=None)]))
    assert completed.message == AssistantMessage("")
    assert completed.stop_reason == "tool_calls"


async def test_names_that_history_may_not_hold_are_sent_in_a_form_that_it_may(asking: Asking) -> None:
    chunk = delta(tool_calls=[piece(id="c1", name="functions.read file", arguments=A)])
    completed = await asking.play(Step(chunks=[chunk, delta("tool_calls")]))
    assert completed.message.tool_calls[0].name == "functions.read file"
    assert (await go_on(asking, completed))[0]["function"]["name"] == "functions_read_file"
