"""An answer over Chat Completions as it arrives: chunks go in, deltas come out."""

from collections.abc import Iterator, Mapping
from typing import Any, assert_never

from cutaway.harness.messages import AssistantMessage, Reasoning, scrub
from cutaway.harness.providers.base import CallDelta, Request, TextDelta, ThinkingDelta
from cutaway.harness.providers.call_fragments import CallFragments
from cutaway.harness.providers.chat_extras import Extras
from cutaway.harness.providers.dialects import Dialect
from cutaway.harness.providers.reported_usage import tells_cache, usage_in
from cutaway.harness.providers.think_tags import THINK_TAG, Kind, ThinkTags
from cutaway.harness.providers.wire import Delta
from cutaway.harness.usage import Usage

_CUT_REASONS = frozenset({"length", "max_tokens", "model_length", "incomplete"})


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
        self._calls = CallFragments(dialect.call_extras)
        self._extras = Extras(dialect)

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
        self._extras.take(delta)
        key = next((k for k in self._keys if isinstance(delta.get(k), str) and delta[k]), None)
        if key is not None:
            thought = scrub(delta[key])
            self._thoughts.setdefault(key, []).append(thought)
            yield ThinkingDelta(thought)
        for thought in _thinking(delta.get("content")):
            self._thoughts.setdefault(THINK_TAG, []).append(scrub(thought))
            yield ThinkingDelta(scrub(thought))
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
        reasoning = [Reasoning("".join(parts), key, *self._origin) for key, parts in self._thoughts.items()]
        reasoning += [Reasoning("", key, *self._origin, opaque) for key, opaque in self._extras.opaque()]
        first = 1 if self._text else 0
        reasoning += [
            Reasoning("", key, *self._origin, opaque, first + number)
            for number, fields in enumerate(self._calls.extras(ended=not self._is_cut))
            for key, opaque in fields.items()
        ]
        return AssistantMessage("".join(self._text), calls, tuple(reasoning), cut=dropped or self._is_cut)


def _plain(content: Any) -> str:
    """Take content as text; some servers send a list of typed parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = (part for part in content if isinstance(part, dict))
    return "".join(part["text"] for part in parts if isinstance(part.get("text"), str))


def _thinking(content: Any) -> list[str]:
    """Take the thoughts out of content in typed parts, as Mistral sends them."""
    parts = content if isinstance(content, list) else []
    thinking = (part.get("thinking") for part in parts if isinstance(part, dict))
    return [text for thought in thinking if (text := _plain(thought))]
