"""Answers of the Responses API as they arrive: items, thoughts, usage, odd shapes, and ends."""

import json
from typing import Any

import pytest

from cutaway.harness.errors import StreamBroken
from cutaway.harness.messages import AssistantMessage, ToolCall
from cutaway.harness.providers.base import CallDelta, Completed, Connected
from cutaway.harness.usage import Usage
from tests.harness.providers.kit import HELLO, Asking
from tests.harness.providers.responses_kit import asks, result
from tests.servers.openai_steps import Json, Step, call
from tests.servers.responses_server import event
from tests.servers.responses_steps import (
    USAGE,
    ending,
    events,
    function_call,
    item_events,
    reasoning,
    refuses,
    response,
    said,
    text,
)

NOISE = (
    b': OPENROUTER PROCESSING\n\n:\n\nretry: 3000\n\nevent: ping\ndata: {"type":"ping"}\n\nid: 7\n\ndata:\n\n'
)
EMOJI = "\U0001f600"


def calls_of(completed: Completed) -> list[tuple[str, str, str]]:
    return [(made.id, made.name, made.arguments) for made in completed.message.tool_calls]


def nameless(*values: Json) -> bytes:
    """Write events without their names, and with half characters as escapes."""
    return b"".join(b"data: " + json.dumps(value).encode() + b"\n\n" for value in values)


def opaque(completed: Completed) -> list[Any]:
    return [json.loads(thought.opaque or "null") for thought in completed.message.reasoning]


async def test_an_answer_comes_as_chunks_that_end_with_the_whole(gpt: Asking) -> None:
    step = Step(thinking="hm, a file", text="I read it. " * 5, calls=[call("read_file", id="c1", path="a")])
    completed = await gpt.play(step)
    assert gpt.chunks[0] == Connected("req_test")
    assert gpt.shown == completed.message.text == step.text
    assert gpt.thought == step.thinking
    assert completed.message.tool_calls == (ToolCall("c1", "read_file", '{"path": "a"}'),)
    assert [chunk.index for chunk in gpt.chunks if isinstance(chunk, CallDelta)] == [0, 0]
    assert (completed.stop_reason, completed.response_id) == ("completed", "resp_1")
    assert completed.message.cut is False
    assert completed.raw.startswith("event: response.created\ndata: {")


async def test_the_bytes_sent_are_the_bytes_encoded(gpt: Asking) -> None:
    await gpt.play(Step(text="ok"))
    request = gpt.server.requests[0]
    assert (request.path, request.headers["authorization"]) == ("/v1/responses", "Bearer sk-test-SECRET123")
    assert request.json["input"][0]["content"][0]["text"] == HELLO.text
    assert gpt.server.faults == []


async def test_comments_and_pings_are_nothing(gpt: Asking) -> None:
    """D07: before, between and after the real events; one request only."""
    raw = 20 * NOISE + NOISE.join(event(one) for one in events(text("Hello, you.")))
    completed = await gpt.play(Step(raw=raw + NOISE))
    assert completed.message == AssistantMessage("Hello, you.")
    assert len(gpt.server.requests) == 1


async def test_unknown_events_and_items_are_skipped(gpt: Asking) -> None:
    search: Json = {"type": "web_search_call", "id": "ws_1", "status": "completed"}
    odd: list[Json] = [
        {"type": "response.web_search_call.searching", "output_index": 0, "item_id": "ws_1"},
        {"type": "response.output_text.annotation.added", "output_index": 1, "annotation": {}},
        {"type": "response.output_text.delta", "output_index": 1, "delta": 3},
        {"type": "response.output_item.added"},
        {"type": "keepalive", "sequence_number": 3},
        {"type": 7},
    ]
    made = events(search, text("Found."))
    completed = await gpt.play(
        Step(raw=b"".join(b"data: " + json.dumps(e).encode() + b"\n\n" for e in [*odd, *made]))
    )
    assert completed.message == AssistantMessage("Found.")


async def test_no_arguments_are_an_empty_object(gpt: Asking) -> None:
    """D03: whatever a server gives for none, streamed and whole; an object becomes its text."""
    shapes: tuple[Any, ...] = ("", None, {}, "{}", "null")
    for given in shapes:
        made = {**function_call("c1", "list_all", ""), "arguments": given}
        added = {"type": "response.output_item.added", "output_index": 0, "item": made}
        done = {"type": "response.output_item.done", "output_index": 0, "item": made}
        for step in (
            Step(chunks=[added, done, ending("m", 1, [made], USAGE)]),
            Step(chunks=[added, ending("m", 1, [], USAGE)]),
            Step(chunks=[ending("m", 1, [made], USAGE)]),
            Step(body=response("m", 1, "completed", output=[made])),
        ):
            completed = await gpt.play(step)
            assert calls_of(completed) == [("c1", "list_all", "{}")]
            assert not completed.message.cut
    made = {**function_call("c1", "read_file", ""), "arguments": {"path": "a.txt"}}
    completed = await gpt.play(Step(chunks=[ending("m", 1, [made], USAGE)]))
    assert calls_of(completed) == [("c1", "read_file", '{"path": "a.txt"}')]
    left_out = {key: value for key, value in made.items() if key != "arguments"}
    assert calls_of(await gpt.play(Step(chunks=[ending("m", 1, [left_out], USAGE)]))) == [
        ("c1", "read_file", "{}")
    ]


async def test_calls_are_told_apart_however_they_are_named(gpt: Asking) -> None:
    """D01: by index, by id, by nothing but their order, or by an index that counts anew."""
    items = [function_call("c1", "read_file", path="a.txt"), function_call("c2", "read_file", path="b.txt")]
    expected = [
        (f"c{n}", "read_file", json.dumps({"path": f"{name}.txt"})) for n, name in ((1, "a"), (2, "b"))
    ]

    def without(*keys: str, **instead: Any) -> list[Json]:
        made = events(*items, piece=4)
        return [{**{k: v for k, v in one.items() if k not in keys}, **instead} for one in made]

    for chunks in (
        without(),
        without("output_index"),
        without("item_id"),
        without("output_index", "item_id"),
        without("item_id", output_index=0),
        without(item_id="rotated"),
        [one for one in without() if not one["type"].endswith(".done")],
        [one for one in without() if one["type"] != "response.output_item.added"],
    ):
        assert calls_of(await gpt.play(Step(chunks=chunks))) == expected


async def test_pieces_of_two_calls_may_be_mixed(gpt: Asking) -> None:
    """D01."""
    one, two = function_call("c1", "read_file", path="a"), function_call("c2", "read_file", path="b")
    first = [event for event, _ in item_events(0, one, 3)]
    second = [event for event, _ in item_events(1, two, 3)]
    mixed = [event for pair in zip(first, second, strict=True) for event in pair]
    completed = await gpt.play(Step(chunks=[*mixed, ending("m", 1, [one, two], USAGE)]))
    assert [arguments for _, _, arguments in calls_of(completed)] == ['{"path": "a"}', '{"path": "b"}']


async def test_missing_and_repeated_ids_become_unique(gpt: Asking) -> None:
    bare = {**function_call("", "read_file", path="a"), "id": ""}
    completed = await gpt.play(said(bare, bare))
    assert [id for id, _, _ in calls_of(completed)] == ["call_1", "call_2"]
    gpt.server.play(said(function_call("c1", "read_file", path="a")))
    completed = await gpt(HELLO, asks("c1"), result("c1"))
    assert [id for id, _, _ in calls_of(completed)] == ["c1_2"]


async def test_thoughts_are_kept_whole_from_the_end_of_their_item(gpt: Asking) -> None:
    """D12: the item goes back as it came; what it says at its beginning is not yet whole."""
    thinking = reasoning("First this.", "Then that.")
    completed = await gpt.play(said(thinking, function_call("c1", "list_all")))
    assert gpt.thought == "First this.\n\nThen that."
    (thought,) = completed.message.reasoning
    assert (thought.text, thought.model, thought.at) == (gpt.thought, "test-model", 0)
    assert opaque(completed) == [thinking]
    gpt.server.play(Step(text="ok"))
    await gpt(HELLO, completed.message, result("c1"))
    assert gpt.server.faults == []
    assert gpt.server.requests[1].json["input"][1]["encrypted_content"] == thinking["encrypted_content"]


async def test_thoughts_find_back_to_their_places(gpt: Asking) -> None:
    """D12: before words, between messages, before each call."""
    items = [
        reasoning("a", id="rs_1"),
        text("Look.", id="m1", phase="commentary"),
        reasoning("b", id="rs_2"),
        text("Act.", id="m2", phase="commentary"),
        reasoning("c", id="rs_3"),
        function_call("c1", "list_all"),
        reasoning("d", id="rs_4"),
        function_call("c2", "list_all"),
    ]
    completed = await gpt.play(said(*items))
    assert gpt.shown == completed.message.text == "Look.\n\nAct."
    assert gpt.thought == "a\n\nb\n\nc\n\nd"
    gpt.server.play(Step(text="ok"))
    await gpt(HELLO, completed.message, result("c1"), result("c2"))
    assert gpt.server.faults == []
    back = gpt.server.requests[1].json["input"][1:9]
    assert [item.get("id") or item.get("call_id") or item["content"][0]["text"] for item in back] == [
        "rs_1", "Look.", "rs_2", "Act.", "rs_3", "c1", "rs_4", "c2",
    ]  # fmt: skip
    assert [item.get("phase") for item in back if item["type"] == "message"] == ["commentary"] * 2


async def test_open_thoughts_are_shown_once(gpt: Asking) -> None:
    """A server that gives its thoughts in full gives the same again as a summary."""
    words = [{"type": "reasoning_text", "text": "All of it."}]
    item: Json = {"type": "reasoning", "id": "r", "summary": [], "content": words, "encrypted_content": None}
    completed = await gpt.play(said(item, text("ok")))
    assert gpt.thought == completed.message.reasoning[0].text == "All of it."
    assert opaque(completed) == [item]
    both = {**item, "summary": [{"type": "summary_text", "text": "In short."}]}
    await gpt.play(said(both, text("ok")))
    assert gpt.thought == "In short."


async def test_one_message_without_a_phase_needs_no_mark(gpt: Asking) -> None:
    assert (await gpt.play(said(text("ok")))).message.reasoning == ()
    completed = await gpt.play(said(text("ok", phase="final_answer")))
    assert opaque(completed) == [{"type": "message", "phase": "final_answer", "span": [0, 2]}]


async def test_a_refusal_is_the_answer(gpt: Asking) -> None:
    completed = await gpt.play(said(refuses("I cannot help with that.")))
    assert completed.message == AssistantMessage("I cannot help with that.")
    assert gpt.shown == completed.message.text


async def test_words_that_were_not_streamed_are_shown_at_the_end(gpt: Asking) -> None:
    """Some servers send whole items, or nothing but the response."""
    item = text("Hello, you.")
    made = events(item)
    for kept in ("output_item.done", "content_part.done", "output_text.done", "nothing"):
        chunks = [one for one in made if one["type"].removeprefix("response.") in (kept, "completed")]
        completed = await gpt.play(Step(chunks=chunks))
        assert gpt.shown == completed.message.text == "Hello, you."
    half = [one for one in events(item, piece=5) if one.get("delta") != "you."]
    half = [one for one in half if one["type"].endswith((".delta", ".completed"))][:1] + half[-1:]
    completed = await gpt.play(Step(chunks=half))
    assert gpt.shown == completed.message.text == "Hello, you."


async def test_a_whole_answer_without_a_stream(gpt: Asking) -> None:
    step = Step(thinking="hm", text="Hi.", calls=[call("list_all", id="c1")], stream=False)
    completed = await gpt.play(step)
    assert (gpt.shown, gpt.thought) == ("Hi.", "hm")
    assert calls_of(completed) == [("c1", "list_all", "{}")]
    assert completed.usage is not None
    cut = await gpt.play(Step(text="Hi", finish="length", stream=False))
    assert (cut.message.cut, cut.stop_reason) == (True, "max_output_tokens")


async def test_a_character_in_two_pieces_is_mended(gpt: Asking) -> None:
    halves = [
        {"type": "response.output_text.delta", "output_index": 0, "delta": d} for d in ("a\ud83d", "\ude00")
    ]
    lone = {"type": "response.output_text.delta", "output_index": 0, "delta": "\ud83d"}
    end = ending("m", 1, [], USAGE)
    completed = await gpt.play(Step(raw=nameless(*halves, lone, end)))
    assert gpt.shown == completed.message.text == f"a{EMOJI}\ufffd"


async def test_usage_is_disjoint(gpt: Asking) -> None:
    report = {
        "input_tokens": 1000,
        "input_tokens_details": {"cached_tokens": 600, "cache_write_tokens": 300},
        "output_tokens": 50,
        "output_tokens_details": {"reasoning_tokens": 20},
        "total_tokens": 1050,
    }
    completed = await gpt.play(said(text("ok"), usage=report))
    assert completed.usage == Usage(fresh=100, cache_read=600, cache_write_5m=300, output=50, reasoning=20)
    assert completed.cache_reported
    bare = await gpt.play(said(text("ok"), usage={"input_tokens": 7, "output_tokens": 1}))
    assert (bare.usage, bare.cache_reported) == (Usage(fresh=7, output=1), False)
    none = await gpt.play(Step(text="ok", report_usage=False))
    assert (none.usage, none.cache_reported) == (None, False)
    zero = await gpt.play(said(text("ok")))
    assert (zero.usage, zero.cache_reported) == (Usage(fresh=10, output=5), True)
    odd = {"input_tokens": 5, "input_tokens_details": {"cached_tokens": 9}, "output_tokens": None}
    assert (await gpt.play(said(text("ok"), usage=odd))).usage == Usage(cache_read=5)


async def test_a_miss_is_explained_by_the_server(gpt: Asking) -> None:
    gpt.server.play(*[Step(text="ok")] * 4)
    first = await gpt(HELLO, model="gpt-5.6")
    assert first.diagnosis == ""
    same = await gpt(HELLO, first.message, HELLO, model="gpt-5.6", previous_response=first.response_id)
    assert same.diagnosis == ""
    other = await gpt(HELLO, tools=(), model="gpt-5.6", previous_response=same.response_id)
    assert other.diagnosis == "tools_changed"
    lost = await gpt(HELLO, model="gpt-5.6", previous_response="resp_0")
    assert lost.diagnosis == "comparison_response_not_found"
    assert gpt.server.faults == []


TORN = function_call("c1", "create_file", '{"path":"out.txt","content":"line1\\nline2')


async def test_a_call_cut_by_the_output_limit_is_left_out(gpt: Asking) -> None:
    """D05: nothing is closed or guessed; a whole call before it stays."""
    completed = await gpt.play(said(text("Writing."), TORN, reason="max_output_tokens"))
    assert completed.message == AssistantMessage("Writing.", cut=True)
    assert completed.stop_reason == "max_output_tokens"
    whole = function_call("c0", "read_file", path="a.txt")
    completed = await gpt.play(said(whole, TORN, reason="max_output_tokens"))
    assert [id for id, _, _ in calls_of(completed)] == ["c0"]
    assert completed.message.cut
    begun = function_call("c1", "run_command", "")
    completed = await gpt.play(said(begun, reason="max_output_tokens"))
    assert completed.message == AssistantMessage("", cut=True)
    none = function_call("c0", "list_all", "")
    completed = await gpt.play(said(none, TORN, reason="max_output_tokens"))
    assert calls_of(completed) == [("c0", "list_all", "{}")]


async def test_a_torn_call_is_left_out_though_the_answer_claims_to_be_whole(gpt: Asking) -> None:
    """D05: a server that says `completed` all the same."""
    completed = await gpt.play(said(TORN))
    assert completed.message == AssistantMessage("", cut=True)


async def test_a_filtered_answer_keeps_its_words_and_says_why(gpt: Asking) -> None:
    completed = await gpt.play(said(text("So far."), reason="content_filter"))
    assert completed.message == AssistantMessage("So far.")
    assert completed.stop_reason == "content_filter"
    completed = await gpt.play(said(function_call("c1", "list_all", ""), reason="content_filter"))
    assert completed.message == AssistantMessage("", cut=True)


async def test_a_stream_that_breaks_keeps_what_came(gpt: Asking) -> None:
    """D05: whole calls of it count, a torn one does not, and a thought without its end is only shown."""
    whole = function_call("c0", "list_all")
    for step in (
        Step(chunks=events(reasoning("hm"), text("So far."), whole, TORN, end=False)),
        Step(chunks=events(reasoning("hm"), text("So far."), whole, TORN, end=False), breaks=True),
    ):
        with pytest.raises(StreamBroken) as broken:
            await gpt.play(step)
        partial = broken.value.partial
        assert partial is not None
        assert (partial.text, partial.cut) == ("So far.", True)
        assert [made.id for made in partial.tool_calls] == ["c0"]
    with pytest.raises(StreamBroken) as broken:
        await gpt.play(Step(chunks=events(reasoning("hm"), end=False)[:6]))
    assert broken.value.partial is not None
    assert [kept.opaque for kept in broken.value.partial.reasoning] == [""]


async def test_a_stream_that_only_says_done_is_over(gpt: Asking) -> None:
    made = b"".join(event(one) for one in events(text("ok"), function_call("c1", "list_all", ""), end=False))
    completed = await gpt.play(Step(raw=made + b"data: [DONE]\n\n"))
    assert (completed.message.text, calls_of(completed)) == ("ok", [("c1", "list_all", "{}")])


async def test_nothing_is_waited_for_after_the_last_event(gpt: Asking) -> None:
    raw = b"".join(event(one) for one in events(text("ok")))
    completed = await gpt.play(Step(raw=raw, stall=True))
    assert completed.message.text == "ok"
