"""Chat Completions as a wire format: a request to canonical bytes, chunks to one answer."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
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
    tagged,
)
from cutaway.harness.providers.base import Params, Request
from cutaway.harness.providers.call_ids import CallIds, ids_in
from cutaway.harness.providers.chat_extras import on_message
from cutaway.harness.providers.dialects import Dialect
from cutaway.harness.providers.efforts import nearest_effort
from cutaway.harness.providers.memo import Encoder, Memo
from cutaway.harness.providers.openai_chat_answer import ChatAnswer
from cutaway.harness.providers.think_tags import THINK_TAG

Json = dict[str, Any]

LONGEST_CACHE_KEY = 64
"""Characters; OpenAI refuses a longer `prompt_cache_key`."""
_BAD_NAME = re.compile(r"[^a-zA-Z0-9_-]")


@dataclass(frozen=True, slots=True)
class ChatWire:
    """Chat Completions in one provider's dialect."""

    dialect: Dialect
    _memo: Memo[bytes] = field(default_factory=Memo, compare=False, repr=False)

    @property
    def path(self) -> str:
        return "/chat/completions"

    @property
    def optional(self) -> Mapping[str, str]:
        """The name of the session can be done without: compatible servers may not know the field."""
        field = self.dialect.cache_key_field
        return {field: "cache_key"} if field else {}

    def headers(self, key: str) -> dict[str, str]:
        """Give the key as a bearer token."""
        return {"Authorization": f"Bearer {key}"} if key else {}

    def encode(self, request: Request, identity: str) -> bytes:
        return encode_chat(request, self.dialect, identity, self._memo)

    def answer(self, request: Request, identity: str) -> ChatAnswer:
        return ChatAnswer(request, self.dialect, identity)


def encode_chat(request: Request, dialect: Dialect, identity: str, memo: Memo[bytes] | None = None) -> bytes:
    """Encode a request as the bytes to send: compact, in one fixed order, the messages last.

    Equal requests give equal bytes, and more messages only add to the end of the list. `memo` spares the
    work for messages that were encoded before.
    """
    body: Json = {"model": request.model, "stream": True}
    if dialect.stream_options:
        body["stream_options"] = {"include_usage": True}
    if dialect.cache_key_field and request.cache_key:
        body[dialect.cache_key_field] = scrub(request.cache_key)[:LONGEST_CACHE_KEY]
    body |= _params(request.params, dialect)
    if request.tools and dialect.parallel_calls is not None:
        body["parallel_tool_calls"] = dialect.parallel_calls
    if request.tools:
        body["tools"] = [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": scrub(tool.description),
                    "parameters": msgspec.json.decode(scrub(tool.input_schema)),
                },
            }
            for tool in request.tools
        ]
    system = "\n\n".join(part for part in request.system if part)
    pieces = [msgspec.json.encode({"role": "system", "content": scrub(system)})] if system else []
    origin = (identity, request.model)

    def begin() -> Encoder[bytes]:
        return _Speech(dialect, origin, ids_in(dialect)).piece

    pieces += filter(None, (memo or Memo()).of(origin, request.messages, begin))
    head = msgspec.json.encode({**body, "messages": []})
    return head.removesuffix(b"]}") + b",".join(pieces) + b"]}"


def _params(params: Params, dialect: Dialect) -> Json:
    body: Json = {}
    if params.max_output_tokens is not None:
        body[dialect.max_tokens_field] = params.max_output_tokens
    if params.temperature is not None:
        body["temperature"] = params.temperature
    if params.effort is not None:
        effort = nearest_effort(params.effort, dialect.efforts)
        match dialect.effort:
            case "reasoning_effort":
                body["reasoning_effort"] = effort
            case "reasoning.effort":
                body["reasoning"] = {"effort": effort}
            case "none":
                pass
            case _:
                assert_never(dialect.effort)
    return body


@dataclass(slots=True)
class _Speech:
    """A conversation in one dialect; `origin` is the server and the model that it is meant for."""

    dialect: Dialect
    origin: tuple[str, str]
    ids: CallIds
    after_result: bool = False

    def piece(self, message: Message) -> bytes:
        """Encode the next message as JSON objects with commas between them; empty when it is left out."""
        encoded = self._message(message)
        filler = self.dialect.after_results
        if filler and self.after_result and isinstance(message, UserMessage):
            encoded.insert(0, {"role": "assistant", "content": filler})
        if encoded:
            self.after_result = isinstance(message, ToolResult)
        return b",".join(map(msgspec.json.encode, encoded))

    def _message(self, message: Message) -> list[Json]:
        match message:
            case UserMessage():
                return [{"role": "user", "content": scrub(user_text(message))}]
            case ToolResult():
                result = {"role": "tool", "tool_call_id": self.ids.of(message.call_id)}
                if self.dialect.names_results:
                    result["name"] = legal_name(message.name)
                return [{**result, "content": scrub(message.text)}]
            case AssistantMessage():
                return self._assistant(message)
            case _:
                assert_never(message)

    def _assistant(self, message: AssistantMessage) -> list[Json]:
        """Encode an answer; one with neither words nor calls is left out, since providers refuse it."""
        if not message.text and not message.tool_calls:
            return []
        dialect = self.dialect
        own = [one for one in message.reasoning if (one.provider, one.model) == self.origin]
        encoded: Json = {"role": "assistant", "content": scrub(message.text) or dialect.empty_content}
        opaque = on_message(own, dialect)
        for thought in own:
            if thought.text and thought.key != THINK_TAG and dialect.reasoning_back and not opaque:
                encoded[thought.key] = scrub(thought.text)
        encoded |= opaque
        if message.tool_calls:
            encoded["tool_calls"] = list(self._calls(message, own))
        return [encoded]

    def _calls(self, message: AssistantMessage, own: list[Reasoning]) -> Iterator[Json]:
        """Encode the calls of an answer, each with the fields that came with it."""
        first = 1 if message.text else 0
        extras = {(one.at - first, one.key): msgspec.Raw(one.opaque.encode()) for one in own if one.opaque}
        found = [
            {key: extras[number, key] for key in self.dialect.call_extras if (number, key) in extras}
            for number in range(len(message.tool_calls))
        ]
        stand_in = re.match(self.dialect.unsigned_models or "(?!)", self.origin[1].rpartition("/")[2])
        if stand_in and not any(found):
            found[0] = msgspec.json.decode(self.dialect.unsigned_call)
        for call, fields in zip(message.tool_calls, found, strict=True):
            yield {**_call(call, self.ids), **fields}


def user_text(message: UserMessage) -> str:
    """Give the text of a user's message as the model reads it: the harness's notes come before it."""
    return "\n\n".join(filter(None, [*map(tagged, message.notes), message.text]))


def legal_name(name: str) -> str:
    """Make a past call's name one that strict providers take, whatever the model wrote."""
    return _BAD_NAME.sub("_", name)[:64] or "unknown"


def _call(call: ToolCall, ids: CallIds) -> Json:
    """Encode a past call so that a strict provider takes it."""
    return {
        "id": ids.of(call.id),
        "type": "function",
        "function": {"name": legal_name(call.name), "arguments": _object_text(call.arguments)},
    }


def _object_text(arguments: str) -> str:
    """Keep a JSON object as it was written; anything else is quoted by the call's error result."""
    try:
        valid = isinstance(json.loads(arguments), dict)
    except (ValueError, RecursionError):
        valid = False
    return scrub(arguments) if valid else "{}"
