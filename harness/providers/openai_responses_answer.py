"""One answer of the Responses API as far as it has arrived: items in, deltas out."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, assert_never

from cutaway.harness.messages import AssistantMessage, Reasoning, ToolCall, scrub
from cutaway.harness.providers.base import CallDelta, Request, TextDelta, ThinkingDelta
from cutaway.harness.providers.call_fragments import CallFragments
from cutaway.harness.providers.openai_responses_items import ITEM, origin_of
from cutaway.harness.providers.openai_responses_parts import (
    BREAK,
    Item,
    Items,
    argument_text,
    mark_of,
    text_in,
)
from cutaway.harness.providers.openai_responses_usage import diagnosis_of, tells_cache, usage_of
from cutaway.harness.providers.wire import Delta
from cutaway.harness.usage import Usage

Json = Mapping[str, Any]
_CUT_REASONS = frozenset({"max_output_tokens", "max_tokens", "length", "incomplete"})
_ENDS = frozenset({"completed", "incomplete"})
_WHOLE = frozenset({"", "completed"})
"""Reasons with which a call without arguments has none; otherwise they may have been cut off."""


class ResponsesAnswer:
    """One answer; `ended` is set by its status, `stop_reason` is that, or why it is incomplete.

    Items and events of kinds that were not asked for are skipped.
    """

    def __init__(self, request: Request, identity: str) -> None:
        self.ended = False
        self.stop_reason = ""
        self.usage: Usage | None = None
        self.id = ""
        self.cache_reported = False
        self.diagnosis = ""
        self._origin = (origin_of(identity), request.model)
        past = [m for m in request.messages if isinstance(m, AssistantMessage)]
        self._taken = {call.id for message in past for call in message.tool_calls}
        self._items = Items()
        self._text: list[str] = []

    def take(self, event: str, data: Json) -> Iterator[Delta]:
        """Take one event in, by the type that it names itself; also a whole unstreamed response."""
        kind = text_in(data, "type") or event
        if data.get("object") == "response" or kind == "response":
            yield from self._take_response(data)
            return
        item = _object(data.get("item"))
        match kind.removeprefix("response."):
            case "created" | "in_progress" | "queued":
                self.id = text_in(_object(data.get("response")), "id") or self.id
            case "completed" | "incomplete" as status:
                yield from self._take_response({"status": status, **_object(data.get("response"))})
            case "output_item.added":
                yield from self._begin(self._items.open(data, item))
            case "output_item.done":
                yield from self._close(self._items.closing(data, item), item)
            case other:
                yield from self._take_piece(other, data)

    def _take_piece(self, kind: str, data: Json) -> Iterator[Delta]:
        match kind:
            case "output_text.delta" | "refusal.delta":
                yield from self._say(data, text_in(data, "delta"), whole=False)
            case "output_text.done" | "refusal.done":
                yield from self._say(data, text_in(data, "text") or text_in(data, "refusal"), whole=True)
            case "reasoning_summary_text.delta" | "reasoning_text.delta":
                yield from self._think(kind, data, text_in(data, "delta"), whole=False)
            case "reasoning_summary_text.done" | "reasoning_text.done":
                yield from self._think(kind, data, text_in(data, "text"), whole=True)
            case "function_call_arguments.delta":
                item = self._items.of(data, "function_call")
                yield from self._grow(item, argument_text(data.get("delta")))
            case "function_call_arguments.done":
                item = self._items.of(data, "function_call")
                item.name = item.name or text_in(data, "name")
                yield from self._settle_arguments(item, argument_text(data.get("arguments")))
            case _:
                pass

    def _take_response(self, response: Json) -> Iterator[Delta]:
        """Take the end of an answer, or all of it: what was not streamed, the counts, the status."""
        self.id = text_in(response, "id") or self.id
        output = response.get("output")
        for item, listed in self._items.listed(output if isinstance(output, list) else []):
            yield from self._close(item, listed)
        report = response.get("usage")
        self.usage = usage_of(report) or self.usage
        self.cache_reported = self.cache_reported or tells_cache(report)
        self.diagnosis = diagnosis_of(response.get("prompt_cache_diagnostics")) or self.diagnosis
        status = text_in(response, "status")
        if status in _ENDS:
            reason = text_in(_object(response.get("incomplete_details")), "reason")
            self.stop_reason = reason if status == "incomplete" and reason else status
            self.ended = True

    def finish(self) -> Iterator[Delta]:
        """Take the end of the stream; half a character is replaced."""
        for item in self._items.all:
            yield from self._shown(item, item.flush())

    def _begin(self, item: Item | None) -> Iterator[Delta]:
        if item is not None and item.kind == "function_call" and not item.written:
            yield CallDelta(self._calls.index(item), scrub(item.name), "")

    def _close(self, item: Item | None, whole: Json) -> Iterator[Delta]:
        """Take an item in full; nothing of it that was streamed is told again."""
        if item is None:
            return
        match item.kind:
            case "message":
                yield from self._settle_parts(item, "text", whole.get("content"))
            case "reasoning":
                for thought, key in (("summary", "summary"), ("text", "content")):
                    if item.hears(thought):
                        yield from self._settle_parts(item, thought, whole.get(key))
            case "function_call":
                yield from self._settle_arguments(item, argument_text(whole.get("arguments")))
        if item.raw is None or text_in(whole, "encrypted_content"):
            item.raw = whole
        yield from self._shown(item, item.flush())

    def _settle_parts(self, item: Item, kind: str, parts: Any) -> Iterator[Delta]:
        for index, part in enumerate(parts if isinstance(parts, list) else ()):
            words = _object(part)
            text = text_in(words, "text") or text_in(words, "refusal")
            yield from self._spoken(item, (kind, index), text, whole=True)

    def _say(self, data: Json, text: str, *, whole: bool) -> Iterator[Delta]:
        if text:
            item = self._items.of(data, "message")
            yield from self._spoken(item, ("text", _place(data, "content_index")), text, whole=whole)

    def _think(self, kind: str, data: Json, text: str, *, whole: bool) -> Iterator[Delta]:
        if not text:
            return
        item = self._items.of(data, "reasoning")
        summary = kind.startswith("reasoning_summary")
        thought = "summary" if summary else "text"
        if item.hears(thought):
            place = _place(data, "summary_index" if summary else "content_index")
            yield from self._spoken(item, (thought, place), text, whole=whole)

    def _spoken(self, item: Item, part: tuple[str, int], text: str, *, whole: bool) -> Iterator[Delta]:
        """Show new words; a message or a part of a thought that is not the first begins a paragraph."""
        if text and item.kind == "message" and not item.parts:
            if self._text:
                yield from self._shown(item, BREAK)
            item.start = len(self._said)
        if text and item.kind == "reasoning" and part not in item.parts and self._thought:
            item.pieces.append(BREAK)
            yield from self._shown(item, BREAK)
        yield from self._shown(item, item.settle(part, text) if whole else item.say(part, text))

    def _shown(self, item: Item, words: str) -> Iterator[Delta]:
        if not words:
            return
        if item.kind == "reasoning":
            yield ThinkingDelta(words)
        else:
            self._text.append(words)
            yield TextDelta(words)

    def _grow(self, item: Item, arguments: str) -> Iterator[Delta]:
        if arguments:
            item.written.append(arguments)
            yield CallDelta(self._calls.index(item), scrub(item.name), scrub(arguments))

    def _settle_arguments(self, item: Item, arguments: str) -> Iterator[Delta]:
        """Take arguments in full; they count, whatever had been streamed."""
        written = item.arguments
        if arguments.startswith(written):
            yield from self._grow(item, arguments[len(written) :])
        elif arguments:
            item.written = [arguments]

    @property
    def _calls(self) -> list[Item]:
        return [item for item in self._items.all if item.kind == "function_call"]

    @property
    def _thought(self) -> bool:
        return any(item.pieces for item in self._items.all if item.kind == "reasoning")

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
        text = self._said
        calls: list[ToolCall] = []
        kept: list[Reasoning] = []
        dropped = False
        messages = [item for item in self._items.all if item.kind == "message" and item.pieces]
        left = len(messages)
        for item in self._items.all:
            match item.kind:
                case "message":
                    left -= 1 if item.pieces else 0
                    if item.pieces and (item.phase or len(messages) > 1):
                        kept.append(self._kept("", mark_of(item)))
                case "reasoning":
                    before = 1 if text and (calls or not left) else 0
                    kept.append(self._kept(item.words, item.raw, len(calls) + before))
                case "function_call":
                    made = self._made(item, calls)
                    calls += made
                    dropped = dropped or not made
                case _:
                    assert_never(item.kind)
        return AssistantMessage(text, tuple(calls), tuple(kept), cut=dropped or self._is_cut)

    def _made(self, item: Item, before: list[ToolCall]) -> tuple[ToolCall, ...]:
        """Give a call that may run; none when the end of the answer cut it."""
        joined = CallFragments()
        function = {"name": item.name, "arguments": item.arguments}
        joined.add({"index": 0, "id": item.call_id or item.id, "function": function})
        whole = item.completed or (self.ended and self.stop_reason in _WHOLE)
        taken = self._taken | {call.id for call in before}
        return joined.finish(ended=whole, taken=taken, first=len(taken) + 1)[0]

    def _kept(self, words: str, item: Json | None, at: int = 0) -> Reasoning:
        """Keep what must go back: `item` as JSON, nothing for one that never was complete."""
        provider, model = self._origin
        opaque = scrub(json.dumps(item, ensure_ascii=False, separators=(",", ":"))) if item else ""
        return Reasoning(words, ITEM, provider, model, opaque=opaque, at=at)


def _object(value: Any) -> Json:
    return value if isinstance(value, dict) else {}


def _place(event: Json, key: str) -> int:
    place = event.get(key)
    return place if isinstance(place, int) else 0
