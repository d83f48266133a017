"""A conversation as the Responses API takes it: one flat list of items that only grows."""

import json
from collections.abc import Iterator
from itertools import count
from typing import Any, assert_never

import msgspec

from cutaway.harness.messages import (
    AssistantMessage,
    Message,
    Reasoning,
    ToolCall,
    ToolResult,
    UserMessage,
    scrub,
)
from cutaway.harness.providers.call_ids import CallIds
from cutaway.harness.providers.memo import Encoder, Memo
from cutaway.harness.providers.openai_chat import legal_name, user_text

Json = dict[str, Any]

PATH = "/responses"
ITEM = "responses"
"""The key of `Reasoning` that came over this wire; `opaque` is an item of the answer.

That of a thought is kept as it came. That of a message (without words of its own) keeps what the text
of an answer cannot: its phase and the span of its characters in the text.
"""
LONGEST_ID = 64
"""Characters; the API refuses a longer `call_id`."""


def origin_of(identity: str) -> str:
    """Name the server and its API: an item of this one means nothing to another API of the same server."""
    return identity + PATH


def short_ids(id: str) -> Iterator[str]:
    """Ids that the API takes in place of one."""
    whole = scrub(id) or "call"
    yield whole[:LONGEST_ID]
    for tail in (f"_{turn}" for turn in count(2)):
        yield whole[: LONGEST_ID - len(tail)] + tail


def encode_items(
    messages: tuple[Message, ...], model: str, identity: str | None, memo: Memo[list[Json]] | None = None
) -> list[Json]:
    """Give the input; more messages only add to its end. Without an identity no thought goes back.

    `memo` spares the work for messages that were encoded before.
    """
    origin = ("" if identity is None else origin_of(identity), model)

    def begin() -> Encoder[list[Json]]:
        ids = CallIds(short_ids)
        return lambda message: list(_items(message, origin, ids))

    return [item for items in (memo or Memo()).of(origin, messages, begin) for item in items]


def _items(message: Message, origin: tuple[str, str], ids: CallIds) -> Iterator[Json]:
    match message:
        case UserMessage():
            text = user_text(message)
            if text:
                yield _message("user", "input_text", text)
        case ToolResult():
            yield {
                "type": "function_call_output",
                "call_id": ids.of(message.call_id),
                "output": scrub(message.text),
            }
        case AssistantMessage():
            items = list(_answer(message, origin, ids))
            while items and items[-1]["type"] == "reasoning":  # a thought must lead to something
                items.pop()
            yield from items
        case _:
            assert_never(message)


def _message(role: str, kind: str, text: str, phase: str = "") -> Json:
    item: Json = {"type": "message", "role": role, "content": [{"type": kind, "text": scrub(text)}]}
    return {**item, "phase": phase} if phase else item


def _answer(message: AssistantMessage, origin: tuple[str, str], ids: CallIds) -> Iterator[Json]:
    """Encode an answer with its thoughts where they came; its text stands before its calls."""
    kept = [
        (thought.at, item)
        for thought in message.reasoning
        if thought.key == ITEM and (thought.provider, thought.model) == origin
        for item in [_kept(thought)]
    ]
    first_call = 1 if message.text else 0
    if message.text:
        yield from _text(message.text, [item for at, item in kept if at < first_call])
    for number, call in enumerate(message.tool_calls, first_call):
        yield from (item for at, item in kept if at == number and item.get("type") == "reasoning")
        yield _call(call, ids)


def _text(text: str, kept: list[Json]) -> Iterator[Json]:
    """Cut the text where it was cut when it came, and put the thoughts between."""
    start = 0
    for item in kept:
        if item.get("type") == "reasoning":
            yield item
        elif (span := _span(item, start, len(text))) is not None:
            yield _message("assistant", "output_text", text[span[0] : span[1]], _phase(item))
            start = span[1]
    if text[start:].strip():
        yield _message("assistant", "output_text", text[start:])


def _span(item: Json, start: int, end: int) -> tuple[int, int] | None:
    match item.get("span"):
        case [int(first), int(last)] if start <= first < last <= end:
            return first, last
        case _:
            return None


def _phase(item: Json) -> str:
    phase = item.get("phase")
    return phase if isinstance(phase, str) else ""


def _kept(thought: Reasoning) -> Json:
    """Read what was kept of an answer's item; empty for one that cannot go back.

    Without encrypted content, or its words, a thought is nothing but the name of something that the
    server was told not to store. A field that is null comes in an answer and is refused in a request.
    """
    try:
        item = msgspec.json.decode(thought.opaque or "{}", type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError):
        return {}
    if item.get("type") == "reasoning" and not (item.get("encrypted_content") or item.get("content")):
        return {}
    return {key: value for key, value in item.items() if value is not None}


def _call(call: ToolCall, ids: CallIds) -> Json:
    return {
        "type": "function_call",
        "call_id": ids.of(call.id),
        "name": legal_name(call.name),
        "arguments": _object_text(call.arguments),
    }


def _object_text(arguments: str) -> str:
    """Keep a JSON object as it was written; anything else is quoted by the call's error result."""
    try:
        valid = isinstance(json.loads(arguments), dict)
    except (ValueError, RecursionError):
        valid = False
    return scrub(arguments) if valid else "{}"
