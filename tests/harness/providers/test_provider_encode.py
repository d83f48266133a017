"""Requests as bytes: canonical, append-only, and such that a strict provider takes them."""

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from cutaway.harness.messages import (
    AssistantMessage,
    Message,
    Note,
    Reasoning,
    ToolCall,
    ToolResult,
    UserMessage,
)
from cutaway.harness.providers.base import Params, Request
from cutaway.harness.providers.dialects import CUSTOM, DIALECTS, OPENAI, Dialect, dialect_named
from cutaway.harness.providers.openai_chat import encode_chat
from tests.harness.providers.kit import HELLO, READ, request
from tests.servers.openai_steps import Json
from tests.servers.strict import fault_of

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=[]), max_size=12)  # lone surrogates too
TEXT = ANY_TEXT.filter(bool)
NOTES = st.lists(st.builds(Note, source=st.sampled_from(["date", "files"]), text=TEXT), max_size=2).map(tuple)
ARGUMENTS = st.one_of(
    st.just("{}"), TEXT, st.dictionaries(TEXT, TEXT, max_size=2).map(lambda value: json.dumps(value))
)
REASONING = st.builds(
    Reasoning,
    text=TEXT,
    key=st.sampled_from(["reasoning_content", "reasoning", "think-tag"]),
    provider=st.sampled_from(["here", "elsewhere"]),
    model=st.just("test-model"),
)


@st.composite
def exchanges(draw: st.DrawFn) -> list[Message]:
    """A user's message, an answer, and one result for each call of it."""
    calls = draw(st.lists(st.tuples(st.sampled_from(["read_file", "naïve.tool", ""]), ARGUMENTS), max_size=3))
    made = tuple(ToolCall(f"id{n}", name, arguments) for n, (name, arguments) in enumerate(calls))
    thoughts = tuple(draw(st.lists(REASONING, max_size=2)))
    answer = AssistantMessage(draw(ANY_TEXT), made, thoughts, cut=draw(st.booleans()))
    results = [ToolResult(call.id, call.name, draw(ANY_TEXT)) for call in made]
    return [UserMessage(draw(TEXT), draw(NOTES)), answer, *results]


@st.composite
def conversations(draw: st.DrawFn) -> list[Message]:
    """Exchanges with ids that are unique in the whole conversation."""
    messages: list[Message] = []
    for turn, exchange in enumerate(draw(st.lists(exchanges(), min_size=1, max_size=4))):
        for message in exchange:
            match message:
                case AssistantMessage(tool_calls=calls):
                    renamed = tuple(msgspec.structs.replace(c, id=f"{turn}{c.id}") for c in calls)
                    messages.append(msgspec.structs.replace(message, tool_calls=renamed))
                case ToolResult():
                    messages.append(msgspec.structs.replace(message, call_id=f"{turn}{message.call_id}"))
                case UserMessage():
                    messages.append(message)
    return messages


def encoded(messages: Sequence[Message], dialect: Dialect = CUSTOM, **changes: object) -> bytes:
    asked: Request = msgspec.structs.replace(request(), messages=tuple(messages), **changes)
    return encode_chat(asked, dialect, "here")


def sent(*messages: Message, dialect: Dialect = CUSTOM) -> list[Json]:
    body = json.loads(encoded(messages, dialect))
    value: list[Json] = body["messages"]
    return value


@settings(deadline=None, max_examples=100)
@given(conversations(), st.sampled_from([CUSTOM, *DIALECTS]))
def test_more_messages_only_add_to_the_end_of_the_body(messages: list[Message], dialect: Dialect) -> None:
    bodies = [encoded(messages[:n], dialect) for n in range(len(messages) + 1)]
    for shorter, longer in pairwise(bodies):
        assert shorter.endswith(b"]}")
        assert longer.startswith(shorter[:-2])


@settings(deadline=None, max_examples=100)
@given(conversations(), st.sampled_from([CUSTOM, *DIALECTS]))
def test_a_strict_provider_takes_whatever_was_said(messages: list[Message], dialect: Dialect) -> None:
    assert fault_of(json.loads(encoded(messages, dialect))) is None


def test_equal_requests_give_equal_bytes_in_a_fixed_order() -> None:
    body = encoded([UserMessage("é\u2028😀")], params=Params(100, 0.5, "low"))
    assert body == encoded([UserMessage("é\u2028😀")], params=Params(100, 0.5, "low"))
    assert list(json.loads(body)) == [
        "model",
        "stream",
        "stream_options",
        "max_tokens",
        "temperature",
        "reasoning_effort",
        "tools",
        "messages",
    ]
    assert "é\u2028😀".encode() in body
    assert b": " not in body.replace(b"a test.", b"")


def test_differences_between_providers_are_data() -> None:
    openrouter, lmstudio = dialect_named("openrouter"), dialect_named("lmstudio")
    assert openrouter is not None
    assert lmstudio is not None
    params = Params(9, None, "high")
    assert json.loads(encoded([HELLO], OPENAI, params=params))["max_completion_tokens"] == 9
    assert json.loads(encoded([HELLO], openrouter, params=params))["reasoning"] == {"effort": "high"}
    assert "high" not in encoded([HELLO], lmstudio, params=params).decode()
    call = AssistantMessage("", (ToolCall("a", "read_file", "{}"),))
    assert sent(call)[1]["content"] is None
    assert sent(call, dialect=lmstudio)[1]["content"] == ""


def test_system_parts_are_one_message_and_schemas_are_objects() -> None:
    body = json.loads(encoded([HELLO], system=("one", "", "two")))
    assert body["messages"][0] == {"role": "system", "content": "one\n\ntwo"}
    assert body["tools"][0]["function"]["parameters"] == json.loads(READ.input_schema)
    assert "tools" not in json.loads(encoded([HELLO], tools=(), system=()))
    assert [m["role"] for m in json.loads(encoded([HELLO], system=()))["messages"]] == ["user"]


def test_notes_stand_before_the_users_words_each_in_its_own_tag() -> None:
    message = UserMessage("do it", (Note("date", "Monday"), Note("files", "a.py changed")))
    assert sent(message)[1]["content"] == (
        '<harness_note source="date">\nMonday\n</harness_note>\n\n'
        '<harness_note source="files">\na.py changed\n</harness_note>\n\ndo it'
    )


def test_messages_of_the_user_in_a_row_stay_apart() -> None:
    assert [m["content"] for m in sent(UserMessage("a"), UserMessage("b"))[1:]] == ["a", "b"]


def test_an_answer_that_says_nothing_is_left_out() -> None:
    assert [m["role"] for m in sent(HELLO, AssistantMessage(""), HELLO)] == ["system", "user", "user"]


def test_thinking_goes_back_only_to_where_it_came_from() -> None:
    """D12: the same field is demanded by one server and refused by another."""
    call = (ToolCall("a", "read_file", "{}"),)

    def thought(**changes: str) -> Reasoning:
        given: dict[str, Any] = {
            "text": "t",
            "key": "reasoning_content",
            "provider": "here",
            "model": "test-model",
        }
        return Reasoning(**{**given, **changes})

    assert sent(AssistantMessage("", call, (thought(),)))[1]["reasoning_content"] == "t"
    for other in (thought(provider="elsewhere"), thought(model="other"), thought(key="think-tag")):
        assert set(sent(AssistantMessage("", call, (other,)))[1]) == {"role", "content", "tool_calls"}


def test_arguments_that_are_no_object_are_sent_as_an_empty_one() -> None:
    """The call's error result quotes what the model wrote; a strict provider would refuse it here."""
    for wrong in ("{'a': 1}", '{"a": 1', "[1]", "3", "null", ""):
        call = AssistantMessage("", (ToolCall("a", "read_file", wrong),))
        assert sent(call)[1]["tool_calls"][0]["function"]["arguments"] == "{}"
    kept = AssistantMessage("", (ToolCall("a", "read_file", '{"a":  1}'),))
    assert sent(kept)[1]["tool_calls"][0]["function"]["arguments"] == '{"a":  1}'
