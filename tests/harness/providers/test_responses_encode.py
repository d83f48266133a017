"""Requests to the Responses API as bytes: canonical, append-only, and taken by a strict server."""

import json
from itertools import pairwise
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from cutaway.harness.events import ToolDefinition
from cutaway.harness.messages import AssistantMessage, Message, Note, ToolCall, ToolResult, UserMessage
from cutaway.harness.providers.base import Params
from cutaway.harness.providers.openai_responses import NAME, ResponsesWire, responses_wire
from tests.harness.providers.kit import HELLO, READ
from tests.harness.providers.responses_kit import OWN, asked, asks, body, kept, mark, result, sent, thought
from tests.servers.responses_strict import fault_of

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=[]), max_size=12)  # lone surrogates too
TEXT = ANY_TEXT.filter(bool)
ARGUMENTS = st.one_of(
    st.just("{}"), TEXT, st.dictionaries(TEXT, TEXT, max_size=2).map(lambda value: json.dumps(value))
)
SEALED = st.builds(thought, st.sampled_from(["a", "b"]), at=st.integers(0, 4))
KEPT = st.one_of(
    SEALED,
    st.builds(mark, st.integers(0, 5), st.integers(0, 12), st.sampled_from([None, "commentary"])),
    SEALED.map(lambda item: msgspec.structs.replace(item, provider="elsewhere")),
    SEALED.map(lambda item: msgspec.structs.replace(item, opaque="{torn")),
    st.just(kept({"type": "reasoning", "id": "rs_2", "summary": [], "encrypted_content": None})),
)


@st.composite
def conversations(draw: st.DrawFn) -> list[Message]:
    """Messages of the user, each with an answer and one result for each call of it."""
    messages: list[Message] = []
    for turn in range(draw(st.integers(1, 4))):
        calls = draw(
            st.lists(st.tuples(st.sampled_from(["read_file", "naïve.tool", ""]), ARGUMENTS), max_size=3)
        )
        stem = draw(st.sampled_from(["", "id", "x" * 70]))
        made = tuple(ToolCall(f"{stem}{turn}.{n}", name, given) for n, (name, given) in enumerate(calls))
        answer = AssistantMessage(draw(ANY_TEXT), made, tuple(draw(st.lists(KEPT, max_size=3))))
        results = [ToolResult(call.id, call.name, draw(ANY_TEXT)) for call in made]
        messages += [UserMessage(draw(TEXT), (Note("date", "Monday"),)), answer, *results]
    return messages


@given(conversations())
@settings(deadline=None, max_examples=60)
def test_more_messages_only_add_bytes(messages: list[Message]) -> None:
    """What was sent once is sent again unchanged; equal requests give equal bytes."""
    every = [OWN.encode(asked(*messages[:count]), NAME) for count in range(1, len(messages) + 1)]
    assert every[-1] == OWN.encode(asked(*messages), NAME)
    for shorter, longer in pairwise(every):
        assert longer.startswith(shorter.removesuffix(b"]}"))


@given(conversations())
@settings(deadline=None, max_examples=60)
def test_whatever_was_said_is_taken_by_a_strict_server(messages: list[Message]) -> None:
    """D10: each call has one output, in order; ids, names, arguments and thoughts are legal."""
    assert fault_of(body(*messages)) is None


def test_fields_stand_in_a_fixed_order_and_the_input_is_last() -> None:
    value = body(HELLO, cache_key="session-1", system=("one", "", "two"), tools=(READ,))
    assert list(value) == [
        "model", "stream", "store", "include", "prompt_cache_key", "tools", "instructions", "input",
    ]  # fmt: skip
    assert (value["stream"], value["store"]) == (True, False)
    assert value["include"] == ["reasoning.encrypted_content"]
    assert value["instructions"] == "one\n\ntwo"
    assert value["tools"] == [
        {
            "type": "function",
            "name": "read_file",
            "description": "Read a file.",
            "parameters": json.loads(READ.input_schema),
            "strict": False,
        }
    ]
    assert not {"tools", "instructions"} & body(HELLO, system=(), tools=()).keys()


def test_items_are_messages_calls_and_outputs() -> None:
    noted = UserMessage("do it", (Note("date", "Monday"),))
    words = '<harness_note source="date">\nMonday\n</harness_note>\n\ndo it'
    assert sent(noted, asks("c1", text="Reading."), result("c1"), HELLO) == [
        {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": words}],
        },
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "Reading."}],
        },
        {"type": "function_call", "call_id": "c1", "name": "read_file", "arguments": '{"path":"a.txt"}'},
        {"type": "function_call_output", "call_id": "c1", "output": "ok"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]},
    ]


def kinds(*messages: Message, **changes: Any) -> list[str]:
    """Name the items of the answer in short: a thought by its id, words by themselves."""
    items = sent(*messages, **changes)
    return [
        item.get("id") or item.get("call_id") or "".join(part["text"] for part in item["content"])
        for item in items
        if item.get("role") != "user" and item["type"] != "function_call_output"
    ]


def test_thoughts_go_back_where_they_came() -> None:
    """D12: verbatim, each before what it led to."""
    thoughts = (thought("a", id="rs_1"), thought("b", id="rs_2", at=1), thought("c", id="rs_3", at=2))
    answer = asks("c1", "c2", text="Words.", thoughts=thoughts)
    said = (HELLO, answer, result("c1"), result("c2"))
    assert kinds(*said) == ["rs_1", "Words.", "rs_2", "c1", "rs_3", "c2"]
    item = sent(*said)[1]
    assert item == {key: value for key, value in json.loads(thoughts[0].opaque).items() if key != "status"}
    assert fault_of(body(*said)) is None


def test_a_thought_that_led_to_nothing_is_left_out() -> None:
    """D12: the API refuses a thought without what follows it, as after a cut."""
    late = thought("late", at=2)
    assert kinds(HELLO, asks("c1", text="Words.", thoughts=(late,)), result("c1")) == ["Words.", "c1"]
    assert kinds(HELLO, AssistantMessage("", (), (thought("only"),)), HELLO) == []


def test_thoughts_go_back_only_to_where_they_came_from() -> None:
    """D12: another server, another model, another API of the same server, or one that was cut off."""
    for other in (
        thought("t", provider="elsewhere/responses"),
        thought("t", provider=NAME),
        thought("t", model="other"),
        thought("t", key="reasoning_content"),
        thought("t", opaque=""),
        kept({"type": "reasoning", "id": "rs_9", "summary": [], "encrypted_content": None}),
    ):
        assert kinds(HELLO, asks("c1", thoughts=(other,)), result("c1")) == ["c1"]


def test_open_thoughts_go_back_in_their_own_words() -> None:
    """D12: servers without encryption give the words themselves."""
    item = {
        "type": "reasoning",
        "id": "r",
        "summary": [],
        "content": [{"type": "reasoning_text", "text": "x"}],
    }
    assert sent(HELLO, asks("c1", thoughts=(kept(item),)), result("c1"))[1] == item


def test_messages_of_one_answer_go_back_apart_with_their_phase() -> None:
    text = "I look.\n\nDone."
    marks = (mark(0, 7, "commentary"), thought("t"), mark(9, 14, "final_answer"))
    items = sent(HELLO, AssistantMessage(text, (), marks))
    assert [item.get("phase") for item in items] == [None, "commentary", None, "final_answer"]
    assert kinds(HELLO, AssistantMessage(text, (), marks)) == ["I look.", "rs_1", "Done."]
    elsewhere = tuple(msgspec.structs.replace(one, model="other") for one in marks)
    assert kinds(HELLO, AssistantMessage(text, (), elsewhere)) == [text]
    wrong = (mark(0, 99), mark(3, 3), kept({"type": "message", "span": "x"}))
    assert kinds(HELLO, AssistantMessage(text, (), wrong)) == [text]


def test_an_answer_or_message_that_says_nothing_is_left_out() -> None:
    assert [item["role"] for item in sent(HELLO, AssistantMessage(" "), HELLO)] == ["user", "user"]
    assert len(sent(UserMessage(""), HELLO)) == 1


def test_long_and_missing_ids_become_legal_and_stay_apart() -> None:
    """The history may come from a provider whose ids are longer than this API takes."""
    ids = ("x" * 70 + "1", "x" * 70 + "2", "")
    items = sent(HELLO, asks(*ids), *map(result, ids))
    made = [item["call_id"] for item in items if item["type"] == "function_call"]
    assert made == ["x" * 64, "x" * 62 + "_2", "call"]
    assert [item["call_id"] for item in items if item["type"] == "function_call_output"] == made


def test_arguments_that_are_no_object_are_sent_as_an_empty_one() -> None:
    """D03: the call's error result quotes what the model wrote; the API would refuse it here."""
    for wrong in ("{'a': 1}", '{"a": 1', "[1]", "3", "null", ""):
        call = AssistantMessage("", (ToolCall("a", "read_file", wrong),))
        assert sent(HELLO, call)[1]["arguments"] == "{}"
    exact = AssistantMessage("", (ToolCall("a", "read_file", '{"a":  1}'),))
    assert sent(HELLO, exact)[1]["arguments"] == '{"a":  1}'


def test_what_models_take_is_data() -> None:
    params = Params(9, 0.5, "high")
    thinking = body(HELLO, model="gpt-5.1", params=params)
    assert thinking["reasoning"] == {"effort": "high", "summary": "auto"}
    assert "temperature" not in thinking
    assert thinking["max_output_tokens"] == 16  # the least that the API takes
    plain = body(HELLO, model="gpt-4.1-mini", params=params)
    assert plain["temperature"] == 0.5
    assert not {"reasoning", "include"} & plain.keys()
    foreign = body(HELLO, model="maker/some-model", params=params)
    assert (foreign["reasoning"], foreign["temperature"]) == ({"effort": "high"}, 0.5)
    assert body(HELLO, model="openai/o4-mini")["reasoning"] == {"summary": "auto"}
    assert "reasoning" not in body(HELLO, model="gpt-5", thought_summary="")
    for value in (thinking, plain, foreign):
        assert fault_of(value) is None


def test_the_diagnosis_is_asked_for_only_where_it_is_offered() -> None:
    newest: dict[str, Any] = {"model": "gpt-5.6-sol", "previous_response": "resp_0"}
    assert body(HELLO, **newest)["prompt_cache_options"] == {"comparison_response_id": "resp_0"}
    assert body(HELLO, model="gpt-6", previous_response="resp_0")["prompt_cache_options"]
    for other in ("gpt-5.5", "gpt-5", "gpt-4.1", "o3", "test-model"):
        assert "prompt_cache_options" not in body(HELLO, model=other, previous_response="resp_0")
    assert "prompt_cache_options" not in body(HELLO, model="gpt-5.6")
    assert "prompt_cache_options" not in body(HELLO, wire=ResponsesWire(), **newest)
    assert responses_wire().diagnoses
    assert responses_wire("https://api.openai.com/v1").diagnoses
    assert not responses_wire("http://127.0.0.1:1234/v1").diagnoses
    assert not responses_wire("https://api.openai.com.example/v1").diagnoses


def test_the_name_of_the_answer_before_comes_last() -> None:
    """It is another each time, and the log keeps what a body does not share with the one before."""
    value = body(HELLO, model="gpt-5.6", previous_response="resp_0")
    assert list(value)[-2:] == ["input", "prompt_cache_options"]


def test_a_long_cache_key_is_cut() -> None:
    assert body(HELLO, cache_key="k" * 70)["prompt_cache_key"] == "k" * 64
    assert "prompt_cache_key" not in body(HELLO)


def test_a_schema_and_text_with_half_a_character_are_mended() -> None:
    tool = ToolDefinition("t", "\ud800", '{"type":"object","description":"\ud800"}')
    assert body(UserMessage("\udfff"), tools=(tool,), system=("\ud800",))["instructions"] == "\ufffd"
