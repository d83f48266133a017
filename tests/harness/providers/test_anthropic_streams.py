"""Answers of the Messages API over real HTTP: each block becomes what it is, and no other."""

import json
from typing import Any

import pytest

from cutaway.harness.errors import Overloaded, StreamBroken
from cutaway.harness.messages import ToolCall
from cutaway.harness.providers.anthropic import BETAS, AnthropicWire
from cutaway.harness.providers.base import CallDelta, Connected
from cutaway.harness.usage import Usage
from tests.harness.providers.anthropic_kit import asking_anthropic, result
from tests.harness.providers.kit import HELLO, Asking
from tests.servers.anthropic_server import AnthropicServer, event
from tests.servers.anthropic_steps import (
    message_end,
    message_start,
    problem,
    redacted,
    said,
    seal,
    sign,
    text,
    thinking,
    tool_use,
)
from tests.servers.openai_steps import Json, Step, call

ARGUMENTS = '{"path": "a.txt"}'


async def test_text_is_streamed_and_kept_whole(claude: Asking) -> None:
    done = await claude.play(Step(text="Grüße, 世界 😀\u2028!", piece=3))
    assert claude.shown == done.message.text == "Grüße, 世界 😀\u2028!"
    assert (done.stop_reason, done.message.cut, done.response_id) == ("end_turn", False, "msg_1")
    assert isinstance(claude.chunks[0], Connected)
    assert done.timings.first_token is not None
    assert claude.server.faults == []


async def test_the_request_goes_to_the_api_with_its_own_headers(claude: Asking) -> None:
    await claude.play(Step(text="hi"))
    sent = claude.server.requests[0]
    assert sent.path == "/v1/messages"
    assert sent.headers["x-api-key"] == "sk-test-SECRET123"
    assert sent.headers["anthropic-version"] == "2023-06-01"
    assert sent.headers["anthropic-beta"] == ",".join(BETAS)
    assert "authorization" not in sent.headers


async def test_a_token_goes_as_bearer(anthropic_server: AnthropicServer) -> None:
    asking = asking_anthropic(anthropic_server, AnthropicWire(bearer=True))
    await asking.play(Step(text="hi"))
    sent = anthropic_server.requests[0].headers
    assert sent["authorization"] == "Bearer sk-test-SECRET123"
    assert "x-api-key" not in sent
    assert "anthropic-beta" not in sent
    await asking.provider.aclose()


async def test_the_models_of_the_server_are_listed(claude: Asking, anthropic_server: AnthropicServer) -> None:
    anthropic_server.models = ("small", "large")
    assert await claude.provider.models() == ("small", "large")


async def test_calls_arrive_in_pieces_and_in_order(claude: Asking) -> None:
    calls = (tool_use("toolu_1", "read_file", path="a.txt"), tool_use("toolu_2", "read_file", path="b.txt"))
    done = await claude.play(said(text("Reading."), *calls, stop="tool_use", piece=4))
    assert done.message.tool_calls == (
        ToolCall("toolu_1", "read_file", ARGUMENTS),
        ToolCall("toolu_2", "read_file", '{"path": "b.txt"}'),
    )
    deltas = [chunk for chunk in claude.chunks if isinstance(chunk, CallDelta)]
    assert {delta.name for delta in deltas} == {"read_file"}
    pieces = ["".join(d.arguments for d in deltas if d.index == index) for index in (0, 1)]
    assert pieces == [ARGUMENTS, '{"path": "b.txt"}']
    assert done.stop_reason == "tool_use"


@pytest.mark.parametrize("given", [{}, "", "{}"])
async def test_a_call_without_arguments_has_an_empty_object(claude: Asking, given: Any) -> None:
    """D03: it runs once, and goes back as `{}`."""
    done = await claude.play(said(tool_use("toolu_1", "list_all", given), stop="tool_use"))
    assert done.message.tool_calls == (ToolCall("toolu_1", "list_all", "{}"),)
    claude.server.play(Step(text="ok"))
    await claude(HELLO, done.message, result("toolu_1"))
    assert claude.server.requests[1].messages[1]["content"][0]["input"] == {}


async def test_arguments_that_come_whole_with_the_block_are_taken(claude: Asking) -> None:
    """D03: some gateways send the object at the start and no pieces; also without a stream."""
    block = tool_use("toolu_1", "read_file", path="a.txt")
    events = [
        message_start("test-model", 1, {"input_tokens": 1}),
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_stop", "index": 0},
        *message_end("tool_use", {"output_tokens": 1}),
    ]
    done = await claude.play(Step(chunks=events))
    assert done.message.tool_calls == (ToolCall("toolu_1", "read_file", ARGUMENTS),)
    whole = await claude.play(Step(calls=[call("read_file", id="toolu_1", path="a.txt")], stream=False))
    assert whole.message.tool_calls == done.message.tool_calls
    assert (whole.stop_reason, whole.response_id) == ("tool_use", "msg_2")


@pytest.mark.parametrize("reason", ["max_tokens", "model_context_window_exceeded", "end_turn"])
@pytest.mark.parametrize("torn", ['{"path":"out.txt","content":"line1', '{"command":"rm -rf build'])
async def test_a_call_that_was_cut_is_left_out(claude: Asking, reason: str, torn: str) -> None:
    """D05: the whole first call is kept, the second one never runs, and the model is told."""
    first = tool_use("toolu_1", "read_file", path="a.txt")
    done = await claude.play(said(first, tool_use("toolu_2", "create_file", torn), stop=reason))
    assert [made.id for made in done.message.tool_calls] == ["toolu_1"]
    assert done.message.cut
    assert done.stop_reason == reason


@pytest.mark.parametrize(
    ("reason", "cut"),
    [
        ("end_turn", False),
        ("stop_sequence", False),
        ("pause_turn", False),
        ("refusal", False),
        ("max_tokens", True),
        ("model_context_window_exceeded", True),
    ],
)
async def test_the_reason_for_the_end_is_told(claude: Asking, reason: str, cut: bool) -> None:
    done = await claude.play(said(text("so far"), stop=reason))
    assert (done.stop_reason, done.message.cut, done.message.text) == (reason, cut, "so far")


async def test_pings_comments_and_unknown_events_are_ignored(claude: Asking) -> None:
    """D07: before, between and after the real events; the answer is exact and one request is sent."""
    noise = b': keep-alive\n\n:\n\nretry: 3000\n\nevent: ping\ndata: {"type": "ping"}\n\nid: 7\n\ndata:\n\n'
    noise += b'event: from_the_future\ndata: {"type": "from_the_future", "index": 0}\n\n'
    events = said(thinking("plan"), text("The answer."), piece=5).chunks
    assert events is not None
    stream = noise * 20 + noise.join(event(value) for value in events) + noise
    done = await claude.play(Step(raw=stream))
    assert (claude.shown, claude.thought, done.message.text) == ("The answer.", "plan", "The answer.")
    assert len(claude.server.requests) == 1


async def test_blocks_of_other_kinds_are_skipped(claude: Asking) -> None:
    search = {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {}}
    done = await claude.play(said(search, text("Found.")))
    assert done.message.text == "Found."
    assert done.message.tool_calls == ()


async def test_thoughts_are_kept_signed_and_go_back_as_they_came(claude: Asking) -> None:
    """D12: the server refuses a thought that was changed; the order of all blocks is kept."""
    blocks = (
        thinking("first"),
        redacted("secret"),
        text("One. "),
        thinking("inside"),
        text("Two."),
        tool_use("toolu_1", "read_file", path="a.txt"),
        thinking(""),
        tool_use("toolu_2", "read_file", path="b.txt"),
    )
    done = await claude.play(said(*blocks, stop="tool_use", piece=3))
    assert done.message.text == "One. Two."
    assert claude.thought == "firstinside"
    claude.server.play(Step(text="ok"))
    await claude(HELLO, done.message, result("toolu_1"), result("toolu_2"))
    assert claude.server.faults == []
    assert claude.server.requests[1].messages[1]["content"] == [
        {"type": "thinking", "thinking": "first", "signature": sign("first")},
        {"type": "redacted_thinking", "data": seal("secret")},
        {"type": "text", "text": "One. "},
        {"type": "thinking", "thinking": "inside", "signature": sign("inside")},
        {"type": "text", "text": "Two."},
        {"type": "tool_use", "id": "toolu_1", "name": "read_file", "input": {"path": "a.txt"}},
        {"type": "thinking", "thinking": "", "signature": sign("")},
        {"type": "tool_use", "id": "toolu_2", "name": "read_file", "input": {"path": "b.txt"}},
    ]


USAGES: list[tuple[Json, Json, Usage]] = [
    (
        {"input_tokens": 10, "cache_creation_input_tokens": 30, "cache_read_input_tokens": 100},
        {"output_tokens": 7, "output_tokens_details": {"thinking_tokens": 3}},
        Usage(fresh=10, cache_read=100, cache_write_5m=30, output=7, reasoning=3),
    ),
    (
        {
            "input_tokens": 4,
            "cache_creation_input_tokens": 30,
            "cache_creation": {"ephemeral_5m_input_tokens": 10, "ephemeral_1h_input_tokens": 20},
        },
        {"input_tokens": 5, "cache_creation_input_tokens": 30, "output_tokens": 9},
        Usage(fresh=5, cache_write_5m=10, cache_write_1h=20, output=9),
    ),
    (
        {"input_tokens": 1, "cache_creation": {"ephemeral_1h_input_tokens": 40}},
        {"output_tokens": 2, "input_tokens": None},
        Usage(fresh=1, cache_write_1h=40, output=2),
    ),
]


@pytest.mark.parametrize(("start", "end", "usage"), USAGES, ids=["plain", "both lives", "breakdown only"])
async def test_counts_are_totals_and_become_disjoint(
    claude: Asking, start: Json, end: Json, usage: Usage
) -> None:
    """The counts at the end replace those at the start; they are never added to them."""
    events = [message_start("test-model", 1, start), *said(text("hi"), stop=None).chunks[1:]]  # type: ignore[index]
    done = await claude.play(Step(chunks=[*events, *message_end("end_turn", end)]))
    assert done.usage == usage
    assert done.cache_reported


async def test_counts_that_are_not_told_are_unknown(claude: Asking) -> None:
    events = [message_start("test-model", 1, {}), *message_end("end_turn", {})]
    del events[0]["message"]["usage"], events[1]["usage"]
    done = await claude.play(Step(chunks=events))
    assert done.usage is None
    assert not done.cache_reported


async def test_an_overload_inside_the_stream_may_be_tried_again(claude: Asking) -> None:
    """D14: before the first word it is an overload, after it the stream broke and the words are kept."""
    failure = {"type": "error", "error": problem("overloaded_error", "Overloaded")}
    with pytest.raises(Overloaded, match="529"):
        await claude.play(Step(chunks=[message_start("test-model", 1, {"input_tokens": 1}), failure]))
    begun = said(text("so far"), stop=None).chunks
    assert begun is not None
    with pytest.raises(StreamBroken, match="Overloaded") as broken:
        await claude.play(Step(chunks=[*begun, failure]))
    assert broken.value.partial is not None
    assert (broken.value.partial.text, broken.value.partial.cut) == ("so far", True)


@pytest.mark.parametrize("kind", ["breaks", "torn"])
async def test_a_stream_that_stops_early_keeps_what_had_arrived(claude: Asking, kind: str) -> None:
    begun = said(thinking("plan"), text("so far"), tool_use("t", "read_file", '{"pa'), stop=None).chunks
    assert begun is not None
    raw = b"".join(map(event, begun[:-1]))
    step = (
        Step(chunks=begun, breaks=True)
        if kind == "breaks"
        else Step(raw=raw + b'event: x\ndata: {"type": "con')
    )
    with pytest.raises(StreamBroken) as broken:
        await claude.play(step)
    partial = broken.value.partial
    assert partial is not None
    assert (partial.text, partial.tool_calls, partial.cut) == ("so far", (), True)
    assert json.loads(partial.reasoning[0].opaque) == {"signature": sign("plan")}


async def test_an_answer_is_over_with_its_stop_reason(claude: Asking) -> None:
    """A connection that breaks after it has lost nothing."""
    events = said(text("done")).chunks
    assert events is not None
    done = await claude.play(Step(chunks=events[:-1], breaks=True))
    assert (done.message.text, done.message.cut) == ("done", False)
