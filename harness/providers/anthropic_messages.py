"""A conversation as the Messages API takes it: blocks, roles in turn, results first, nothing empty."""

import re
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
from cutaway.harness.providers.anthropic_marks import Place
from cutaway.harness.providers.call_ids import CallIds
from cutaway.harness.providers.memo import Encoder, Memo
from cutaway.harness.providers.openai_chat import legal_name, user_text

Json = dict[str, Any]

THINKING = "thinking"
"""The key of `Reasoning` that came over this wire."""
AFTER = "textBefore"
"""In `Reasoning.opaque`: how many characters of the answer's text came before a thought inside it."""
SILENT_FAILURE = "The tool failed and gave no message."
"""The API refuses a failed result without content."""
BLANK = "(a blank message)"
"""The API refuses a text of white space alone, and a conversation that an answer begins."""
_BAD_CHARACTER = re.compile(r"[^a-zA-Z0-9_-]")


def legal_ids(id: str) -> Iterator[str]:
    """Ids that the API takes in place of one."""
    stem = _BAD_CHARACTER.sub("_", id) or "call"
    yield stem
    yield from (f"{stem}_{turn}" for turn in count(2))


def encode_messages(
    messages: tuple[Message, ...], model: str, identity: str, memo: Memo[list[Json]] | None = None
) -> tuple[list[Json], list[tuple[Place, Json]]]:
    """Give the messages, and those of their blocks that may carry a mark, each with its place.

    Neighbours of one role become one message, which the API would do itself but count differently.
    More messages only add to the end: of the last message's blocks, then of the list. `memo` spares the
    work for messages that were encoded before; a mark on a block has to be taken off again.
    """
    encoded: list[Json] = []
    markable: list[tuple[Place, Json]] = []

    def begin() -> Encoder[list[Json]]:
        ids = CallIds(legal_ids)
        return lambda message: list(_blocks(message, model, identity, ids))

    made = (memo or Memo()).of((model, identity), messages, begin)
    for index, (message, blocks) in enumerate(zip(messages, made, strict=True)):
        role = "assistant" if isinstance(message, AssistantMessage) else "user"
        if not blocks:
            continue
        if not encoded and role == "assistant":
            encoded.append({"role": "user", "content": [text_block(BLANK)]})
        if not encoded or encoded[-1]["role"] != role:
            encoded.append({"role": role, "content": []})
        encoded[-1]["content"] += blocks
        markable += [((2, index), block) for block in blocks if "thinking" not in block["type"]]
    return encoded, markable


def text_block(text: str) -> Json:
    return {"type": "text", "text": scrub(text)}


def _blocks(message: Message, model: str, identity: str, ids: CallIds) -> Iterator[Json]:
    match message:
        case UserMessage():
            text = user_text(message)
            if text.strip():
                yield text_block(text)
        case ToolResult():
            yield _result(message, ids)
        case AssistantMessage():
            blocks = list(_answer(message, model, identity, ids))
            while blocks and "thinking" in blocks[-1]["type"]:  # an answer may not end with a thought
                blocks.pop()
            yield from blocks
        case _:
            assert_never(message)


def _result(result: ToolResult, ids: CallIds) -> Json:
    block: Json = {"type": "tool_result", "tool_use_id": ids.of(result.call_id)}
    text = result.text if result.text.strip() else SILENT_FAILURE if result.is_error else ""
    if text:
        block["content"] = scrub(text)
    if result.is_error:
        block["is_error"] = True
    return block


def _answer(message: AssistantMessage, model: str, identity: str, ids: CallIds) -> Iterator[Json]:
    """Encode an answer with its thoughts where they came; one of thoughts alone is left out."""
    if not message.text.strip() and not message.tool_calls:
        return
    thoughts = [
        (thought, block, after)
        for thought in message.reasoning
        if thought.key == THINKING and (thought.provider, thought.model) == (identity, model)
        for block, after in [_thought(thought)]
        if block
    ]
    first_call = 1 if message.text else 0
    start = 0
    for thought, block, after in thoughts:
        if thought.at < first_call or after:
            yield from _text(message.text[start:after])
            start = max(start, after)
            yield block
    yield from _text(message.text[start:])
    for number, call in enumerate(message.tool_calls, first_call):
        yield from (b for t, b, after in thoughts if t.at == number and not after)
        yield _call(call, ids)


def _text(text: str) -> Iterator[Json]:
    if text.strip():
        yield text_block(text)


def _thought(thought: Reasoning) -> tuple[Json | None, int]:
    """Give a thought back as it came, and the place in the text where it came; None when it was cut off.

    Without its signature the API refuses it.
    """
    try:
        kept = msgspec.json.decode(thought.opaque or "{}", type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError):
        return None, 0
    after = kept.get(AFTER)
    after = after if isinstance(after, int) else 0
    if "data" in kept:
        return {"type": "redacted_thinking", "data": kept["data"]}, after
    if "signature" in kept:
        return {"type": "thinking", "thinking": thought.text, "signature": kept["signature"]}, after
    return None, 0


def _call(call: ToolCall, ids: CallIds) -> Json:
    return {
        "type": "tool_use",
        "id": ids.of(call.id),
        "name": legal_name(call.name),
        "input": _input(call.arguments),
    }


def _input(arguments: str) -> msgspec.Raw:
    """Keep a JSON object as it was written; of anything else the call's error result tells the words."""
    text = scrub(arguments)
    try:
        valid = isinstance(msgspec.json.decode(text), dict)
    except (msgspec.DecodeError, RecursionError):
        valid = False
    return msgspec.Raw(text.encode() if valid else b"{}")
