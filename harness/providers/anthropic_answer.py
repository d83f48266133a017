"""One answer of the Messages API as far as it has arrived: blocks in, deltas out."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from cutaway.harness.messages import AssistantMessage, Reasoning, scrub
from cutaway.harness.providers.anthropic_messages import AFTER, THINKING
from cutaway.harness.providers.anthropic_usage import tells_cache, usage_of
from cutaway.harness.providers.base import CallDelta, Request, TextDelta, ThinkingDelta
from cutaway.harness.providers.call_fragments import CallFragments
from cutaway.harness.providers.wire import Delta
from cutaway.harness.usage import Usage

Json = Mapping[str, Any]
_CUT_REASONS = frozenset({"max_tokens", "model_context_window_exceeded"})


@dataclass(slots=True)
class _Thought:
    """A thought as far as it has arrived, and what of the answer came before it."""

    text_before: int
    calls_before: int
    pieces: list[str] = field(default_factory=list)
    signature: str = ""
    data: str = ""


class AnthropicAnswer:
    """One answer; `ended` is set by the stop reason, which the last counts come with.

    Blocks of kinds that were not asked for are skipped.
    """

    def __init__(self, request: Request, identity: str) -> None:
        self.ended = False
        self.stop_reason = ""
        self.id = ""
        self.diagnosis = ""
        self.usage: Usage | None = None
        self.cache_reported = False
        self._origin = (identity, request.model)
        past = [m for m in request.messages if isinstance(m, AssistantMessage)]
        self._taken = {call.id for message in past for call in message.tool_calls}
        self._report: dict[str, Any] = {}
        self._text: list[str] = []
        self._thoughts: dict[int, _Thought] = {}
        self._calls = CallFragments()
        self._begun = 0
        self._inputs: dict[int, str] = {}
        """Arguments that came whole with the start of a block, until others come in pieces."""

    def take(self, event: str, data: Json) -> Iterator[Delta]:
        """Take one event in, by the type that it names itself; also a whole unstreamed message."""
        index = data.get("index")
        index = index if isinstance(index, int) else 0
        match data.get("type"):
            case "message_start":
                self._take_head(_object(data.get("message")))
            case "content_block_start":
                yield from self._open(index, _object(data.get("content_block")))
            case "content_block_delta":
                yield from self._grow(index, _object(data.get("delta")))
            case "content_block_stop":
                yield from self._close(index)
            case "message_delta":
                self._take_end(_object(data.get("delta")), data)
            case "message_stop":
                self.ended = True
            case "message":
                yield from self._take_whole(data)
            case _:
                pass

    def finish(self) -> Iterator[Delta]:
        """Take the end of the stream; arguments of a block that was never closed are as they came."""
        for index in list(self._inputs):
            yield from self._close(index)

    def _take_head(self, message: Json) -> None:
        self.id = _text(message.get("id")) or self.id
        self._count(message.get("usage"))
        reason = _object(_object(message.get("diagnostics")).get("cache_miss_reason"))
        self.diagnosis = _text(reason.get("type")) or self.diagnosis

    def _take_end(self, delta: Json, data: Json) -> None:
        self._count(data.get("usage"))
        reason = _text(delta.get("stop_reason"))
        if reason:
            self.stop_reason = reason
            self.ended = True

    def _take_whole(self, message: Json) -> Iterator[Delta]:
        self._take_head(message)
        blocks = message.get("content")
        for index, block in enumerate(blocks if isinstance(blocks, list) else ()):
            yield from self._open(index, _object(block))
            yield from self._close(index)
        self._take_end(message, {})

    def _count(self, report: Any) -> None:
        """Take counts in: they are totals, so that a later one replaces the one before."""
        self._report |= {key: value for key, value in _object(report).items() if value is not None}
        self.usage = usage_of(self._report)
        self.cache_reported = tells_cache(self._report)

    def _open(self, index: int, block: Json) -> Iterator[Delta]:
        match block.get("type"):
            case "text":
                yield from self._say(_text(block.get("text")))
            case "thinking" | "redacted_thinking":
                self._thoughts[index] = _Thought(len(self._said), self._begun, data=_text(block.get("data")))
                yield from self._think(index, _text(block.get("thinking")))
                self._thoughts[index].signature = _text(block.get("signature"))
            case "tool_use":
                self._begun += 1
                given = block.get("input")
                if given and isinstance(given, dict):
                    self._inputs[index] = json.dumps(given, ensure_ascii=False)
                yield from self._call(index, "", _text(block.get("id")), _text(block.get("name")))
            case _:
                pass

    def _grow(self, index: int, delta: Json) -> Iterator[Delta]:
        match delta.get("type"):
            case "text_delta":
                yield from self._say(_text(delta.get("text")))
            case "input_json_delta":
                self._inputs.pop(index, None)
                yield from self._call(index, _text(delta.get("partial_json")))
            case "thinking_delta" if index in self._thoughts:
                yield from self._think(index, _text(delta.get("thinking")))
            case "signature_delta" if index in self._thoughts:
                self._thoughts[index].signature += _text(delta.get("signature"))
            case _:
                pass

    def _close(self, index: int) -> Iterator[Delta]:
        if index in self._inputs:
            yield from self._call(index, self._inputs.pop(index))

    def _say(self, text: str) -> Iterator[Delta]:
        if text:
            self._text.append(scrub(text))
            yield TextDelta(self._text[-1])

    def _think(self, index: int, text: str) -> Iterator[Delta]:
        if text:
            self._thoughts[index].pieces.append(scrub(text))
            yield ThinkingDelta(self._thoughts[index].pieces[-1])

    def _call(self, index: int, arguments: str, id: str = "", name: str = "") -> Iterator[Delta]:
        function = {"name": name, "arguments": arguments}
        found = self._calls.add({"index": index, "id": id, "function": function})
        if found is not None:
            position, name, arguments = found
            yield CallDelta(position, scrub(name), scrub(arguments))

    @property
    def _said(self) -> str:
        return "".join(self._text)

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
        thoughts = tuple(self._reasoning(thought) for _, thought in sorted(self._thoughts.items()))
        return AssistantMessage(self._said, calls, thoughts, cut=dropped or self._is_cut)

    def _reasoning(self, thought: _Thought) -> Reasoning:
        """Keep a thought with its place: parts before it, and the characters when it is inside the text."""
        total, before, calls = len(self._said), thought.text_before, thought.calls_before
        opaque: dict[str, Any] = {}
        if thought.data:
            opaque["data"] = thought.data
        elif thought.signature:
            opaque["signature"] = thought.signature
        if not calls and 0 < before < total:
            opaque[AFTER] = before
        provider, model = self._origin
        return Reasoning(
            "".join(thought.pieces),
            THINKING,
            provider,
            model,
            opaque=json.dumps(opaque, separators=(",", ":")) if opaque else "",
            at=calls + (1 if total and (before or calls) else 0),
        )


def _object(value: Any) -> Json:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
