"""Answers as they arrive: comments, thoughts, usage, odd shapes, and streams that break."""

import asyncio
import json

import pytest

from cutaway.harness.errors import ConnectionFailed, Overloaded, RateLimited, StreamBroken
from cutaway.harness.messages import AssistantMessage, Reasoning, ToolCall
from cutaway.harness.providers.base import CallDelta, Connected
from cutaway.harness.providers.http import TimeLimits
from cutaway.harness.providers.reception import MAX_RAW_BYTES
from cutaway.harness.usage import Usage
from tests.harness.providers.kit import HELLO, Asking, delta, drain, piece, request
from tests.servers.openai_server import OpenAIServer
from tests.servers.openai_steps import Json, Step, call

NOISE = (
    b': OPENROUTER PROCESSING\n\n:\n\nretry: 3000\n\nevent: ping\ndata: {"type":"ping"}\n\nid: 7\n\ndata:\n\n'
)


def event(value: Json) -> bytes:
    return b"data: " + json.dumps(value).encode() + b"\n\n"


async def test_an_answer_comes_as_chunks_that_end_with_the_whole(asking: Asking) -> None:
    step = Step(thinking="hm, a file", text="I read it. " * 5, calls=[call("read_file", id="c1", path="a")])
    completed = await asking.play(step)
    assert asking.chunks[0] == Connected("req_test")
    assert asking.shown == completed.message.text == step.text
    assert asking.thought == step.thinking
    assert completed.message.tool_calls == (ToolCall("c1", "read_file", '{"path": "a"}'),)
    assert (completed.stop_reason, completed.provider_call_id) == ("tool_calls", "chatcmpl-1")
    assert completed.raw.startswith("data: {") and completed.raw.endswith("data: [DONE]\n\n")
    assert not completed.simulated


async def test_the_bytes_sent_are_the_bytes_encoded(asking: Asking) -> None:
    await asking.play(Step(text="ok"))
    sent = asking.server.requests[0]
    assert sent.body == asking.provider.encode(request(HELLO))
    assert sent.headers["authorization"] == "Bearer sk-test-SECRET123"
    assert sent.headers["content-type"] == "application/json"


async def test_comments_and_pings_are_nothing(asking: Asking) -> None:
    """D07: before, between and after the real events; one request only."""
    raw = 20 * NOISE + event(delta(content="He")) + NOISE + event(delta("stop", content="llo")) + NOISE
    completed = await asking.play(Step(raw=raw + b"data: [DONE]\n\n" + NOISE))
    assert completed.message == AssistantMessage("Hello")
    assert len(asking.server.requests) == 1


async def test_comments_alone_end_at_a_limit(openai_server: OpenAIServer) -> None:
    """D07: keep-alives hold the line open only so long."""
    asking = Asking(openai_server, limits=TimeLimits(silent=-1.0))
    with pytest.raises(StreamBroken, match="only keep-alives"):
        await asking.play(Step(raw=b": alive\n\n", stall=True))
    await asking.provider.aclose()


async def test_line_separators_inside_json_stay_text(asking: Asking) -> None:
    text = "a\u2028b\u2029c\u0085d\x0be"
    raw = f'data: {{"choices":[{{"delta":{{"content":{json.dumps(text, ensure_ascii=False)}}}}}]}}\n\n'
    completed = await asking.play(Step(raw=raw.encode() + b"data: [DONE]\n\n"))
    assert completed.message.text == text


THINK = {
    "split tags": (["<thi", "nk>plan", "</th", "ink>", "\n\nAnswer 42"], "Answer 42", "plan"),
    "blank before": (["\n ", "<think>", "plan</think>Answer 42"], "Answer 42", "plan"),
    "tags in code": (
        ["Use the `<think>` tag", " and `</think>`."],
        "Use the `<think>` tag and `</think>`.",
        "",
    ),
    "no opening tag": (["plan</think>Answer 42"], "plan</think>Answer 42", ""),
    "never closed": (["<think>only this"], "only this", "only this"),
    "nearly a tag": (["<thin", "king> is no tag"], "<thinking> is no tag", ""),
    "half a tag at the end": (["<thi"], "<thi", ""),
    "half a closing tag": (["<think>a</thx</think>b"], "b", "a</thx"),
}


@pytest.mark.parametrize("kind", THINK)
async def test_think_tags_count_only_at_the_start(asking: Asking, kind: str) -> None:
    """D21: thoughts are no answer, words about tags are, and nothing is ever swallowed."""
    pieces, text, thought = THINK[kind]
    completed = await asking.play(Step(chunks=[*(delta(content=part) for part in pieces), delta("stop")]))
    assert (completed.message.text, asking.shown, asking.thought) == (text, text, thought)


async def test_a_call_after_a_thought_without_an_end_counts(asking: Asking) -> None:
    """D21 (d)."""
    made = delta(tool_calls=[piece(id="c1", name="list_all", arguments="{}")])
    completed = await asking.play(Step(chunks=[delta(content="<think>plan"), made, delta("tool_calls")]))
    assert (completed.message.text, len(completed.message.tool_calls)) == ("", 1)


async def test_thinking_is_kept_with_its_origin_and_goes_back_there(asking: Asking) -> None:
    """D12: verbatim, under its own name, to the same server and model only."""
    made = delta(tool_calls=[piece(id="c1", name="list_all", arguments="{}")])
    pieces = [delta(content=None, reasoning_content="thi"), delta(reasoning_content="nk-1"), made]
    completed = await asking.play(Step(chunks=[*pieces, delta("tool_calls")]))
    kept = Reasoning("think-1", "reasoning_content", asking.provider.endpoint.identity, "test-model")
    assert completed.message.reasoning == (kept,)
    assert (asking.shown, asking.thought) == ("", "think-1")


async def test_thinking_that_comes_under_two_names_is_shown_once(asking: Asking) -> None:
    chunks = [delta(reasoning="a", reasoning_content="a"), delta("stop", content="b")]
    completed = await asking.play(Step(chunks=chunks))
    assert asking.thought == "a"
    assert len(completed.message.reasoning) == 1


USAGE: list[tuple[Json, Usage]] = [
    (
        {"prompt_tokens": 100, "completion_tokens": 9, "prompt_tokens_details": {"cached_tokens": 64}},
        Usage(fresh=36, cache_read=64, output=9),
    ),
    (
        {"prompt_tokens": 100, "completion_tokens": 9, "prompt_cache_hit_tokens": 60},
        Usage(fresh=40, cache_read=60, output=9),
    ),
    (
        {
            "prompt_tokens": 100,
            "completion_tokens": 9,
            "prompt_tokens_details": {"cached_tokens": 50, "cache_write_tokens": 30},
            "completion_tokens_details": {"reasoning_tokens": 4},
        },
        Usage(fresh=20, cache_read=50, cache_write_5m=30, output=9, reasoning=4),
    ),
    (
        {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 22}
        | {"completion_tokens_details": {"reasoning_tokens": 7}},
        Usage(fresh=10, output=12, reasoning=7),
    ),
    ({"prompt_tokens": 10, "completion_tokens": 1, "prompt_tokens_details": None}, Usage(fresh=10, output=1)),
]


@pytest.mark.parametrize(("report", "usage"), USAGE)
async def test_usage_is_disjoint(asking: Asking, report: Json, usage: Usage) -> None:
    assert (await asking.play(Step(text="ok", usage=report))).usage == usage


async def test_usage_reported_twice_is_replaced_and_none_is_none(asking: Asking) -> None:
    first, last = ({"prompt_tokens": 10, "completion_tokens": n} for n in (3, 8))
    chunks = [delta(content="a") | {"usage": first}, delta("stop") | {"usage": None}, {"usage": last}]
    assert (await asking.play(Step(chunks=chunks))).usage == Usage(fresh=10, output=8)
    assert (await asking.play(Step(text="ok", report_usage=False))).usage is None
    zeros = {"prompt_tokens": 0, "completion_tokens": 0}
    assert (await asking.play(Step(text="ok", usage=zeros))).usage is None


async def test_a_document_instead_of_a_stream_is_an_answer(asking: Asking) -> None:
    completed = await asking.play(Step(text="hi", thinking="t", calls=[call("list_all")], stream=False))
    assert asking.shown == completed.message.text == "hi"
    assert len(completed.message.tool_calls) == 1
    assert completed.usage is not None


async def test_events_under_the_wrong_content_type_are_read(asking: Asking) -> None:
    completed = await asking.play(Step(text="hi", headers={"content-type": "application/json"}))
    assert completed.message.text == "hi"


async def test_odd_chunks_are_skipped(asking: Asking) -> None:
    odd: list[Json] = [{}, {"choices": None}, {"choices": [None]}, {"choices": [{"index": 1, "delta": {}}]}]
    odd += [delta(content=None, tool_calls=None), delta(content=[{"type": "text", "text": "parts"}])]
    odd += [delta(tool_calls=[None, {}, {"function": None}]), {"choices": [{"delta": None}]}]
    raw = b"".join(map(event, [*odd, delta("stop", refusal=" no")]))
    completed = await asking.play(Step(raw=b"data: 5\n\ndata: []\n\n" + raw))
    assert completed.message == AssistantMessage("parts no")


async def test_lone_surrogates_become_text_and_split_pairs_are_joined(asking: Asking) -> None:
    raw = b'data: {"choices":[{"delta":{"content":"\\ud83d"}}]}\n\n'
    raw += b'data: {"choices":[{"delta":{"content":"\\ude00 \\udc00"}}]}\n\ndata: [DONE]\n\n'
    completed = await asking.play(Step(raw=raw))
    assert completed.message.text == asking.shown == "\U0001f600 \ufffd"


async def test_a_stream_that_breaks_in_a_call_keeps_what_is_whole(asking: Asking) -> None:
    """D05: the words and the whole call stay, the torn call is not in what may run."""
    whole = piece(id="c1", name="read_file", arguments='{"path":"a"}')
    torn = piece(index=1, id="c2", name="run", arguments='{"command":"rm')
    chunks = [delta(content="Let me"), delta(tool_calls=[whole]), delta(tool_calls=[torn])]
    with pytest.raises(StreamBroken, match="What had arrived is kept") as caught:
        await asking.play(Step(chunks=chunks, breaks=True))
    assert asking.shown == "Let me"
    assert sum(isinstance(chunk, CallDelta) for chunk in asking.chunks) == 2
    partial = caught.value.partial
    assert partial == AssistantMessage("Let me", (ToolCall("c1", "read_file", '{"path":"a"}'),), cut=True)
    assert '"rm' in caught.value.raw.replace("\\", "")


async def test_a_stream_that_ends_without_an_end_is_broken(asking: Asking) -> None:
    with pytest.raises(StreamBroken, match="in the middle"):
        await asking.play(Step(raw=event(delta(content="half"))))
    assert asking.shown == "half"


async def test_a_connection_that_breaks_after_the_end_does_not_matter(asking: Asking) -> None:
    completed = await asking.play(Step(chunks=[delta(content="all"), delta("stop")], breaks=True))
    assert completed.message.text == "all"


async def test_an_empty_body_is_an_empty_answer_that_may_be_tried_again(asking: Asking) -> None:
    with pytest.raises(StreamBroken, match="empty answer") as caught:
        await asking.play(Step(raw=b""))
    assert caught.value.partial == AssistantMessage("", cut=True)


async def test_silence_ends_the_stream(openai_server: OpenAIServer) -> None:
    asking = Asking(openai_server, limits=TimeLimits(idle=0.05))
    with pytest.raises(StreamBroken, match="silent") as caught:
        await asking.play(Step(text="half", stall=True))
    assert caught.value.partial is not None
    assert caught.value.partial.text == "half"
    with pytest.raises(ConnectionFailed, match="in time"):
        await asking.play(Step(text="never", delay=5))
    await asking.provider.aclose()


async def test_an_error_inside_a_200_stream_is_an_error(asking: Asking) -> None:
    with pytest.raises(RateLimited):
        await asking.play(Step(raw=event({"error": {"code": 429, "message": "slow down"}})))
    with pytest.raises(Overloaded, match="no instance"):
        await asking.play(Step(raw=event({"error": "no instance"})))
    with pytest.raises(Overloaded, match="crashed"):
        await asking.play(Step(body={"error": {"message": "crashed"}}))
    with pytest.raises(StreamBroken, match="upstream died") as caught:
        await asking.play(Step(raw=event(delta(content="half")) + event({"error": "upstream died"})))
    assert caught.value.partial is not None
    assert caught.value.partial.text == "half"


async def test_an_event_that_is_no_json_breaks_the_stream(asking: Asking) -> None:
    with pytest.raises(StreamBroken, match="no JSON"):
        await asking.play(Step(raw=b"data: {oops\n\n"))


async def test_an_interrupt_closes_the_connection(asking: Asking) -> None:
    """The provider stops working, and being paid, at once."""
    asking.server.play(Step(text="half", stall=True))
    asked = request(HELLO)
    chunks = asking.provider.stream(asked, asking.provider.encode(asked))
    task = asyncio.ensure_future(drain(chunks))
    await asking.server.received(1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asking.server.reached(lambda server: server.hang_ups == 1)


async def test_raw_is_bounded_and_says_so(asking: Asking) -> None:
    text = "x" * 1_000_000
    completed = await asking.play(Step(chunks=[*(delta(content=text) for _ in range(9)), delta("stop")]))
    assert len(completed.message.text) == 9_000_000
    assert len(completed.raw) < MAX_RAW_BYTES + 100
    assert completed.raw.endswith("bytes more were received]")


async def test_first_token_and_total_are_timed(asking: Asking) -> None:
    completed = await asking.play(Step(text="ok"))
    assert completed.timings.connected == 0.0
    assert completed.timings.first_token == 0.0
