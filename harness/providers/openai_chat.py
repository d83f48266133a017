"""Chat Completions as a wire format: a request to canonical bytes, chunks to one answer."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, assert_never

import msgspec

from cutaway.harness.messages import (
    AssistantMessage,
    Message,
    Note,
    Reasoning,
    ToolCall,
    ToolResult,
    UserMessage,
    scrub,
)
from cutaway.harness.providers.base import CallDelta, Params, Request, TextDelta, ThinkingDelta
from cutaway.harness.providers.call_fragments import CallFragments
from cutaway.harness.providers.dialects import Dialect
from cutaway.harness.providers.reported_usage import tells_cache, usage_in
from cutaway.harness.providers.think_tags import Kind, ThinkTags
from cutaway.harness.providers.wire import Delta
from cutaway.harness.usage import Usage

Json = dict[str, Any]

THINK_TAG = "think-tag"
"""The key of thinking that came inside the text; it is shown and never sent back."""
_CUT_REASONS = frozenset({"length", "max_tokens", "model_length", "incomplete"})
_BAD_NAME = re.compile(r"[^a-zA-Z0-9_-]")


@dataclass(frozen=True, slots=True)
class ChatWire:
    """Chat Completions in one provider's dialect."""

    dialect: Dialect

    @property
    def path(self) -> str:
        return "/chat/completions"

    @property
    def optional(self) -> Mapping[str, str]:
        return {}

    def headers(self, key: str) -> dict[str, str]:
        """Give the key as a bearer token."""
        return {"Authorization": f"Bearer {key}"} if key else {}

    def encode(self, request: Request, identity: str) -> bytes:
        return encode_chat(request, self.dialect, identity)

    def answer(self, request: Request, identity: str) -> "ChatAnswer":
        return ChatAnswer(request, self.dialect, identity)


def encode_chat(request: Request, dialect: Dialect, identity: str) -> bytes:
    """Encode a request as the bytes to send: compact, in one fixed order, the messages last.

    Equal requests give equal bytes, and more messages only add to the end of the list.
    """
    body: Json = {"model": request.model, "stream": True}
    if dialect.stream_options:
        body["stream_options"] = {"include_usage": True}
    body |= _params(request.params, dialect)
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
    messages = [{"role": "system", "content": scrub(system)}] if system else []
    for message in request.messages:
        messages += _message(message, request.model, dialect, identity)
    return msgspec.json.encode({**body, "messages": messages})


def _params(params: Params, dialect: Dialect) -> Json:
    body: Json = {}
    if params.max_output_tokens is not None:
        body[dialect.max_tokens_field] = params.max_output_tokens
    if params.temperature is not None:
        body["temperature"] = params.temperature
    if params.effort is not None:
        match dialect.effort:
            case "reasoning_effort":
                body["reasoning_effort"] = params.effort
            case "reasoning.effort":
                body["reasoning"] = {"effort": params.effort}
            case "none":
                pass
            case _:
                assert_never(dialect.effort)
    return body


def _message(message: Message, model: str, dialect: Dialect, identity: str) -> list[Json]:
    match message:
        case UserMessage():
            return [{"role": "user", "content": scrub(user_text(message))}]
        case ToolResult():
            return [{"role": "tool", "tool_call_id": message.call_id, "content": scrub(message.text)}]
        case AssistantMessage():
            return _assistant(message, model, dialect, identity)
        case _:
            assert_never(message)


def user_text(message: UserMessage) -> str:
    """Give the text of a user's message as the model reads it: the harness's notes come before it."""
    return "\n\n".join(filter(None, [*map(_tagged, message.notes), message.text]))


def _tagged(note: Note) -> str:
    return f'<harness_note source="{note.source}">\n{note.text}\n</harness_note>'


def _assistant(message: AssistantMessage, model: str, dialect: Dialect, identity: str) -> list[Json]:
    """Encode an answer; one with neither words nor calls is left out, since providers refuse it."""
    if not message.text and not message.tool_calls:
        return []
    encoded: Json = {"role": "assistant", "content": scrub(message.text) or dialect.empty_content}
    for thought in message.reasoning:
        if thought.key != THINK_TAG and (thought.provider, thought.model) == (identity, model):
            encoded[thought.key] = scrub(thought.text)
    if message.tool_calls:
        encoded["tool_calls"] = [_call(call) for call in message.tool_calls]
    return [encoded]


def _call(call: ToolCall) -> Json:
    """Encode a past call so that a strict provider takes it, whatever the model wrote."""
    name = _BAD_NAME.sub("_", call.name)[:64] or "unknown"
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": name, "arguments": _object_text(call.arguments)},
    }


def _object_text(arguments: str) -> str:
    """Keep a JSON object as it was written; anything else is quoted by the call's error result."""
    try:
        valid = isinstance(json.loads(arguments), dict)
    except (ValueError, RecursionError):
        valid = False
    return scrub(arguments) if valid else "{}"


class ChatAnswer:
    """One answer as far as it has arrived; chunks go in, deltas come out.

    `ended` tells that the server said so (a finish reason or `[DONE]`), `stop_reason` its word.
    """

    def __init__(self, request: Request, dialect: Dialect, identity: str) -> None:
        self.ended = False
        self.stop_reason = ""
        self.usage: Usage | None = None
        self.id = ""
        self.cache_reported = False
        self.diagnosis = ""
        self._origin = (identity, request.model)
        self._keys = dialect.reasoning_keys
        past = [m for m in request.messages if isinstance(m, AssistantMessage)]
        self._taken = {call.id for message in past for call in message.tool_calls}
        self._text: list[str] = []
        self._half = ""
        self._thoughts: dict[str, list[str]] = {}
        self._tags = ThinkTags()
        self._calls = CallFragments()

    def take(self, event: str, chunk: Mapping[str, Any]) -> Iterator[Delta]:
        """Take one chunk (or a whole unstreamed completion) in; parts of unknown shape are skipped."""
        self.usage = usage_in(chunk) or self.usage
        self.cache_reported = self.cache_reported or tells_cache(chunk)
        if isinstance(chunk.get("id"), str):
            self.id = self.id or chunk["id"]
        choices = chunk.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict) or choice.get("index") not in (None, 0):
            return
        delta = choice.get("delta") or choice.get("message")
        if isinstance(delta, dict):
            yield from self._take_delta(delta)
        reason = choice.get("finish_reason")
        if isinstance(reason, str) and reason:  # some servers send an empty one with every chunk
            self.stop_reason = reason
            self.ended = True

    def _take_delta(self, delta: Mapping[str, Any]) -> Iterator[Delta]:
        key = next((k for k in self._keys if isinstance(delta.get(k), str) and delta[k]), None)
        if key is not None:
            thought = scrub(delta[key])
            self._thoughts.setdefault(key, []).append(thought)
            yield ThinkingDelta(thought)
        for text in (_plain(delta.get("content")), _plain(delta.get("refusal"))):
            if text:
                yield from self._sort(self._tags.feed(self._joined(text)))
        fragments = delta.get("tool_calls")
        for fragment in fragments if isinstance(fragments, list) else ():
            found = self._calls.add(fragment) if isinstance(fragment, dict) else None
            if found is not None:
                position, name, arguments = found
                yield CallDelta(position, scrub(name), scrub(arguments))

    def _joined(self, text: str) -> str:
        """Mend a character whose two halves came in two chunks; a half without the other is replaced."""
        text = self._half + text
        self._half = text[-1] if "\ud800" <= text[-1] <= "\udbff" else ""
        return scrub(text.removesuffix(self._half))

    def _sort(self, pieces: list[tuple[Kind, str]]) -> Iterator[Delta]:
        for kind, text in pieces:
            match kind:
                case "text":
                    self._text.append(text)
                    yield TextDelta(text)
                case "thinking":
                    self._thoughts.setdefault(THINK_TAG, []).append(text)
                    yield ThinkingDelta(text)
                case _:
                    assert_never(kind)

    def finish(self) -> Iterator[Delta]:
        """Take the end of the answer; what was held back until now.

        A thought that never closed is the answer when there is nothing else: never show nothing.
        """
        yield from self._sort(self._tags.feed(scrub(self._half)))
        yield from self._sort(self._tags.finish())
        if self._tags.unclosed and self.ended and not self._calls and not self._is_cut:
            text = "".join(self._thoughts.pop(THINK_TAG, ()))
            if text:
                self._text.append(text)
                yield TextDelta(text)

    @property
    def has_content(self) -> bool:
        """True when words of the answer, or a part of a call, have arrived."""
        return bool(self._text or self._calls)

    @property
    def _is_cut(self) -> bool:
        return not self.ended or self.stop_reason in _CUT_REASONS

    @property
    def message(self) -> AssistantMessage:
        """The answer so far: calls whose arguments were cut off are left out and set `cut`."""
        calls, dropped = self._calls.finish(
            ended=not self._is_cut, taken=self._taken, first=len(self._taken) + 1
        )
        provider, model = self._origin
        reasoning = tuple(
            Reasoning("".join(parts), key, provider, model) for key, parts in self._thoughts.items()
        )
        return AssistantMessage("".join(self._text), calls, reasoning, cut=dropped or self._is_cut)


def _plain(content: Any) -> str:
    """Take content as text; some servers send a list of typed parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = (part for part in content if isinstance(part, dict))
    return "".join(part["text"] for part in parts if isinstance(part.get("text"), str))
