"""What was encoded once is not encoded again, and the bytes are those of a fresh start."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cutaway.harness.messages import AssistantMessage, Message, ToolCall, ToolResult, UserMessage
from cutaway.harness.providers.anthropic import AnthropicWire
from cutaway.harness.providers.base import Breakpoint, Request
from cutaway.harness.providers.dialects import DIALECTS, OPENAI
from cutaway.harness.providers.openai_chat import ChatWire
from cutaway.harness.providers.openai_responses import ResponsesWire
from cutaway.harness.providers.wire import Wire

WIRES = [ChatWire, AnthropicWire, ResponsesWire]
"""Each makes a wire with its defaults, but the first that wants a dialect."""


def fresh(kind: type) -> Wire:
    return kind(OPENAI) if kind is ChatWire else kind()


@st.composite
def rounds(draw: st.DrawFn) -> list[Message]:
    """A conversation in which each call has its result; ids may repeat."""
    said: list[Message] = [UserMessage("go")]
    for number in range(draw(st.integers(1, 6))):
        if draw(st.booleans()):
            said.append(UserMessage(f"more {number}"))
        calls = tuple(
            ToolCall(draw(st.sampled_from(["a", "b", f"c{number}", "x y"])), "read_file", "{}")
            for _ in range(draw(st.integers(0, 2)))
        )
        said.append(AssistantMessage(f"answer {number}", calls))
        said += [ToolResult(call.id, call.name, f"result {number}") for call in calls]
    return said


@pytest.mark.parametrize("kind", WIRES)
@given(rounds(), st.lists(st.integers(0, 20), min_size=1, max_size=6), st.sampled_from(["m", "n"]))
@settings(deadline=None, max_examples=60)
def test_remembering_changes_no_byte(kind: type, said: list[Message], cuts: list[int], model: str) -> None:
    """Requests of any length, one after another, with marks: as from a wire that never saw another."""
    wire = fresh(kind)
    for number, cut in enumerate(cuts):
        messages = tuple(said[: 1 + cut % len(said)])
        marks = (Breakpoint("messages", len(messages) - 1), Breakpoint("messages", number % len(messages)))
        request = Request(model if number % 2 else "m", (), ("system",), messages, breakpoints=marks)
        assert wire.encode(request, "here") == fresh(kind).encode(request, "here")


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
def test_the_pieces_of_a_chat_are_one_json_text(dialect: object) -> None:
    wire = ChatWire(dialect)  # type: ignore[arg-type]
    calls = (ToolCall("a", "read_file", "{}"),)
    said = (
        UserMessage("go"),
        AssistantMessage("", calls),
        ToolResult("a", "read_file", "x"),
        UserMessage("on"),
    )
    for size in range(1, 5):
        body = json.loads(wire.encode(Request("m", (), (), said[:size]), "here"))
        assert body["messages"][0] == {"role": "user", "content": "go"}
    assert json.loads(wire.encode(Request("m", (), (), ()), "here"))["messages"] == []
