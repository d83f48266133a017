"""A request of the Messages API: canonical, only appended to, and taken by an API that is strict."""

import json
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cutaway.harness.eventlog.bodies import BodyTape
from cutaway.harness.messages import AssistantMessage, Message, Note, Reasoning, ToolCall, UserMessage
from cutaway.harness.providers.anthropic import NAME
from cutaway.harness.providers.base import Breakpoint, Params
from tests.harness.providers.anthropic_kit import OWN, asks, body, redacted, result, sent, thought
from tests.harness.providers.kit import HELLO, request
from tests.harness.providers.test_provider_encode import conversations
from tests.servers.anthropic_steps import sign
from tests.servers.anthropic_strict import fault_of

MARKS = st.lists(
    st.builds(
        Breakpoint,
        after=st.sampled_from(["tools", "system", "messages"]),
        index=st.integers(0, 14),
        ttl=st.sampled_from(["5m", "1h"]),
    ),
    max_size=7,
).map(tuple)
THOUGHTS = st.lists(
    st.builds(
        thought,
        words=st.text(max_size=4),
        at=st.integers(0, 4),
        provider=st.sampled_from([NAME, "elsewhere"]),
        more=st.sampled_from([{}, {"textBefore": 1}, {"textBefore": 3}]),
    )
    | st.builds(redacted, secret=st.text(max_size=3), at=st.integers(0, 4))
    | st.builds(
        Reasoning,
        text=st.just("torn"),
        key=st.just("thinking"),
        provider=st.just(NAME),
        model=st.just("test-model"),
    ),
    max_size=3,
).map(tuple)


@st.composite
def talks(draw: st.DrawFn) -> list[Message]:
    """Conversations with the thoughts of this API, and ids and texts of all kinds."""
    messages: list[Message] = []
    for message in draw(conversations()):
        if isinstance(message, AssistantMessage):
            message = msgspec.structs.replace(message, reasoning=draw(THOUGHTS))
        messages.append(message)
    return messages


def encoded(messages: list[Message], **changes: Any) -> bytes:
    asked = msgspec.structs.replace(request(), messages=tuple(messages), **changes)
    return OWN.encode(asked, NAME)


@settings(deadline=None, max_examples=100)
@given(talks())
def test_more_messages_only_add_to_the_end_of_the_body(messages: list[Message]) -> None:
    """D19: without marks, also when the new one joins the last message."""
    bodies = [encoded(messages[:n]) for n in range(len(messages) + 1)]
    for shorter, longer in pairwise(bodies):
        assert shorter.endswith(b"]}")
        end = 4 if shorter.endswith(b"]}]}") else 2
        assert longer == shorter or longer.startswith(shorter[:-end])


@settings(deadline=None, max_examples=100)
@given(talks(), MARKS, st.sampled_from(["claude-opus-4-8", "claude-haiku-4-5", "other"]))
def test_a_strict_server_takes_whatever_was_said_and_wherever_it_is_marked(
    messages: list[Message], breakpoints: tuple[Breakpoint, ...], model: str
) -> None:
    """D10, D19: at most four marks, none on an empty block or a thought, long-lived ones first."""
    messages = [*messages, UserMessage("go on")]
    params = Params(effort="high", temperature=0.5)
    sent = json.loads(encoded(messages, breakpoints=breakpoints, model=model, params=params))
    assert fault_of(sent) is None


@settings(deadline=None, max_examples=50)
@given(talks(), MARKS)
def test_marks_change_nothing_but_themselves(messages: list[Message], marks: tuple[Breakpoint, ...]) -> None:
    def bare(value: Any) -> Any:
        if isinstance(value, list):
            return [bare(item) for item in value]
        if isinstance(value, dict):
            return {key: bare(item) for key, item in value.items() if key != "cache_control"}
        return value

    assert bare(json.loads(encoded(messages, breakpoints=marks))) == json.loads(encoded(messages))


def test_equal_requests_give_equal_bytes_in_a_fixed_order() -> None:
    asked = request(UserMessage("é\u2028😀"), model="claude-opus-4-8", params=Params(100, 0.5, "low"))
    asked = msgspec.structs.replace(asked, previous_response="msg_1")
    first = OWN.encode(asked, NAME)
    assert first == OWN.encode(msgspec.structs.replace(asked), NAME)
    assert list(json.loads(first)) == [
        "model",
        "stream",
        "max_tokens",
        "thinking",
        "output_config",
        "tools",
        "system",
        "messages",
        "diagnostics",
    ]
    assert "é\u2028😀".encode() in first


def test_the_log_keeps_little_of_a_request_that_adds_little() -> None:
    """The marks move and the answer before has another name each time; the beginning stays."""
    tape = BodyTape()
    talk: list[Message] = [UserMessage("word " * 50)]
    tails = []
    for turn in range(12):
        last = len(talk) - 1
        marks = tuple(Breakpoint("messages", at) for at in (max(last - 2, 0), last))
        body = encoded(talk, breakpoints=marks, previous_response=f"msg_{turn}")
        tails.append(len(tape.next(str(turn), body)[1]))
        talk += [AssistantMessage("word " * 50), UserMessage("word " * 50)]
    assert max(tails[6:]) <= max(tails[3:6]) + 10


def test_each_text_of_the_system_prompt_is_a_block_and_blank_ones_are_left_out() -> None:
    system = body(HELLO, system=("first", "", " \n", "second"))["system"]
    assert system == [{"type": "text", "text": "first"}, {"type": "text", "text": "second"}]
    assert "system" not in body(HELLO, system=("",))
    assert "tools" not in body(HELLO, tools=())


def test_results_come_first_and_what_the_user_says_after_them() -> None:
    """D10: two results and the user's words are one message; a failure is marked as one."""
    history = (
        HELLO,
        asks("a", "b"),
        result("a"),
        result("b", "no such file", failed=True),
        UserMessage("go on"),
    )
    roles = [(message["role"], [block["type"] for block in message["content"]]) for message in sent(*history)]
    assert roles == [
        ("user", ["text"]),
        ("assistant", ["tool_use", "tool_use"]),
        ("user", ["tool_result", "tool_result", "text"]),
    ]
    one, two, _ = sent(*history)[2]["content"]
    assert one == {"type": "tool_result", "tool_use_id": "a", "content": "ok"}
    assert two == {"type": "tool_result", "tool_use_id": "b", "content": "no such file", "is_error": True}


def test_neighbours_of_one_role_become_one_message_and_blank_text_is_left_out() -> None:
    note = Note("date", "It is Monday.")
    tagged = '<harness_note source="date">\nIt is Monday.\n</harness_note>'
    history = (UserMessage("one", (note,)), UserMessage(" \n"), AssistantMessage(""), UserMessage("two"))
    assert sent(*history) == [
        {
            "role": "user",
            "content": [{"type": "text", "text": f"{tagged}\n\none"}, {"type": "text", "text": "two"}],
        }
    ]


@pytest.mark.parametrize(("text", "failed"), [("", False), ("  ", False), ("", True), (" \n", True)])
def test_a_result_without_text_is_legal(text: str, failed: bool) -> None:
    """D19: an empty result is left empty, but a failed one says something, as the API demands."""
    content = sent(HELLO, asks("a"), result("a", text, failed=failed))[2]["content"]
    assert ("content" in content[0]) is failed
    assert fault_of(body(HELLO, asks("a"), result("a", text, failed=failed))) is None


def test_ids_are_made_legal_and_stay_apart() -> None:
    calls = asks("call.1|fc_2", "call_1_fc_2", "")
    results = (result("call.1|fc_2", "x"), result("call_1_fc_2", "y"), result("", "z"))
    _, answer, user = sent(HELLO, calls, *results)
    ids = [block["id"] for block in answer["content"]]
    assert ids == ["call_1_fc_2", "call_1_fc_2_2", "call"]
    assert [block["tool_use_id"] for block in user["content"]] == ids
    assert [block["content"] for block in user["content"]] == ["x", "y", "z"]


@pytest.mark.parametrize("arguments", ["", "{", "[1]", '"text"', "null", '{"a": NaN}', "[" * 5000])
def test_arguments_that_are_no_object_are_replayed_as_an_empty_one(arguments: str) -> None:
    """D03: the error result quotes what the model wrote."""
    answer = AssistantMessage("", (ToolCall("a", "naïve.tool", arguments),))
    assert sent(HELLO, answer, result("a", failed=True))[1]["content"] == [
        {"type": "tool_use", "id": "a", "name": "na_ve_tool", "input": {}}
    ]


def test_arguments_go_back_as_the_model_wrote_them() -> None:
    written = '{"big": 123456789012345678901234567890, "a": "é"}'
    answer = AssistantMessage("", (ToolCall("a", "read_file", written),))
    assert f'"input":{written}'.encode() in encoded([HELLO, answer, result("a")])


def test_thoughts_go_back_verbatim_and_in_their_place() -> None:
    """D12: signed and redacted ones, before the text, inside it, and between calls."""
    thoughts = (
        thought("first"),
        redacted("secret"),
        thought("inside", 1, more={"textBefore": 5}),
        thought("", 1),
        thought("between", 2),
    )
    answer = asks("a", "b", text="left right", thoughts=thoughts)
    content = sent(HELLO, answer, result("a"), result("b"))[1]["content"]
    shape = [block.get("thinking", block.get("text", block.get("id", block["type"]))) for block in content]
    assert shape == ["first", "redacted_thinking", "left ", "inside", "right", "", "a", "between", "b"]
    assert content[0] == {"type": "thinking", "thinking": "first", "signature": sign("first")}
    assert fault_of(body(HELLO, answer, result("a"), result("b"))) is None


@pytest.mark.parametrize(
    "foreign",
    [
        thought("t", provider="https://gateway.example/v1"),
        thought("t", model="other-model"),
        thought("t", key="reasoning_content"),
        thought("t", opaque=""),
        thought("t", opaque="{"),
    ],
    ids=["provider", "model", "wire", "unsigned", "torn"],
)
def test_thoughts_that_this_model_did_not_sign_are_not_sent(foreign: Reasoning) -> None:
    """D12: also when the model was changed in between, or the stream broke inside the thought."""
    content = sent(HELLO, asks("a", thoughts=(foreign,)), result("a"))[1]["content"]
    assert [block["type"] for block in content] == ["tool_use"]


def test_an_answer_of_thoughts_alone_is_left_out_and_none_ends_with_one() -> None:
    alone = AssistantMessage("", (), (thought("t"),), cut=True)
    assert [message["role"] for message in sent(HELLO, alone, HELLO)] == ["user"]
    last = AssistantMessage("said", (), (thought("t", 1),))
    assert [block["type"] for block in sent(HELLO, last, HELLO)[1]["content"]] == ["text"]
