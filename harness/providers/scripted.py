"""A provider that plays a script: no model is asked, and everything it gives is marked so.

Used by the demo, by the documentation and by tests, over the same seam as real models.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any, Literal, assert_never

import msgspec
from msgspec import Struct

from cutaway.harness.cache.rules import rules_for
from cutaway.harness.cache.simulator import CacheSimulator
from cutaway.harness.clock import Clock, SystemClock
from cutaway.harness.errors import (
    AuthenticationFailed,
    ConfigError,
    ConnectionFailed,
    ContextTooLong,
    Overloaded,
    ProviderError,
    RateLimited,
    RequestRejected,
    StreamBroken,
)
from cutaway.harness.events import Timings
from cutaway.harness.messages import AssistantMessage, Reasoning, ToolCall
from cutaway.harness.providers.base import (
    CallDelta,
    Chunk,
    Completed,
    Connected,
    Request,
    TextDelta,
    ThinkingDelta,
)
from cutaway.harness.providers.dialects import SCRIPTED
from cutaway.harness.providers.memo import Memo
from cutaway.harness.providers.openai_chat import encode_chat
from cutaway.harness.providers.think_tags import THINK_TAG
from cutaway.harness.usage import Usage

_PIECE = 12
"""Characters a chunk when nothing paces the stream."""
_PACED_PIECE = 4


class ScriptedCall(Struct, frozen=True, forbid_unknown_fields=True):
    """A tool call to make; `arguments` is an object, or the very text (also when it is no JSON)."""

    name: str
    arguments: dict[str, Any] | str = {}
    id: str = ""

    @property
    def text(self) -> str:
        """The arguments as the model would have written them."""
        if isinstance(self.arguments, str):
            return self.arguments
        return json.dumps(self.arguments, ensure_ascii=False)


class ScriptedError(Struct, frozen=True, forbid_unknown_fields=True):
    """A failure to raise; after the step's words when it is `broken`, else instead of them."""

    kind: Literal[
        "auth", "rate-limited", "quota", "overloaded", "connection", "broken", "too-long", "rejected"
    ]
    message: str = ""
    status: int | None = None
    retry_after: float | None = None


class Step(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One answer. `delay` is in seconds before the first word, `rate` in characters a second.

    `usage` replaces the simulated count. `cut` ends the answer as the output limit would.
    """

    text: str = ""
    thinking: str = ""
    calls: tuple[ScriptedCall, ...] = ()
    usage: Usage | None = None
    error: ScriptedError | None = None
    stop_reason: str = ""
    cut: bool = False
    delay: float = 0.0
    rate: float | None = None


class Script(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What will be answered, in order; `rate` holds for steps without their own, 0 is at once.

    `cache` names the provider whose prompt cache is played, as `anthropic`.
    """

    steps: tuple[Step, ...] = ()
    model: str = "scripted"
    rate: float = 0.0
    cache: str = "scripted"


Choose = Callable[[Request, int], Step]
"""Picks the answer from the request and its number (from 0) instead of the next step."""


def load_script(path: Path) -> Script:
    """Read a script from a `.json` or `.toml` file. Raises ConfigError naming the file and the place."""
    try:
        content = path.read_bytes()
        if path.suffix.lower() == ".toml":
            return msgspec.toml.decode(content, type=Script)
        return msgspec.json.decode(content, type=Script)
    except OSError as error:
        raise ConfigError(f"The script {path} cannot be read: {error.strerror}.") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"The script {path} is not a script: {error}.") from error


class ScriptedProvider:
    """Plays a script over the provider seam; each request takes one step, also a repeated one.

    `count` gives the tokens of a text, so that usage is computed from what was really sent.
    """

    def __init__(
        self,
        script: Script,
        *,
        count: Callable[[str], int],
        clock: Clock | None = None,
        choose: Choose | None = None,
    ) -> None:
        self._script = script
        self._choose = choose
        self._clock = clock or SystemClock()
        self._count = count
        self.cache = CacheSimulator(rules_for(script.cache, script.model), count)
        self._memo: Memo[bytes] = Memo()
        self._played = 0

    @property
    def name(self) -> str:
        return SCRIPTED.name

    @property
    def family(self) -> str:
        """The provider whose cache is played."""
        return self._script.cache

    @property
    def url(self) -> str:
        return "scripted:"

    @property
    def played(self) -> int:
        """How many steps have been taken."""
        return self._played

    def encode(self, request: Request) -> bytes:
        """Give the body that a Chat Completions server would be sent."""
        return encode_chat(request, SCRIPTED, SCRIPTED.name, self._memo)

    async def stream(self, request: Request, body: bytes) -> AsyncIterator[Chunk]:
        """Play the next step; raises RequestRejected when there is none."""
        started = self._clock.monotonic()
        step, number = self._next(request), self._played
        if step.error is not None and step.error.kind != "broken":
            raise _error(step.error, None)
        yield Connected(f"scripted-{number}")
        sent, keep = await asyncio.to_thread(self.cache.ask, request, self._clock.now().timestamp())
        if step.delay:
            await self._clock.sleep(step.delay)
        keep()
        first: float | None = None
        rate = self._script.rate if step.rate is None else step.rate
        for chunk, shown in _chunks(step, _PACED_PIECE if rate else _PIECE):
            if first is None:
                first = (self._clock.monotonic() - started) * 1000
            yield chunk
            if rate:
                await self._clock.sleep(shown / rate)
            else:
                await asyncio.sleep(0)
        message = self._message(step, request)
        if step.error is not None:
            raise _error(step.error, msgspec.structs.replace(message, cut=True))
        yield Completed(
            message=message,
            stop_reason=step.stop_reason or _stop_reason(step),
            usage=step.usage or await asyncio.to_thread(self._usage, sent, step),
            cache_reported=not self.cache.faults.silent,
            timings=Timings(0.0, first, (self._clock.monotonic() - started) * 1000),
            raw=msgspec.json.encode(step).decode(),
            simulated=True,
            provider_call_id=f"scripted-{number}",
        )

    def _usage(self, sent: Usage, step: Step) -> Usage:
        """Put the answer's tokens to those of the request."""
        thought = self._count(step.thinking) if step.thinking else 0
        return msgspec.structs.replace(sent, output=self._count(_said(step)) + thought, reasoning=thought)

    async def aclose(self) -> None:
        pass

    def _next(self, request: Request) -> Step:
        number, self._played = self._played, self._played + 1
        if self._choose is not None:
            return self._choose(request, number)
        if number < len(self._script.steps):
            return self._script.steps[number]
        raise RequestRejected(
            f"The script is over: it has {len(self._script.steps)} steps and this is request {number + 1}. "
            "Start it anew, or use a real provider.",
            provider=self.name,
        )

    def _message(self, step: Step, request: Request) -> AssistantMessage:
        """Give the answer; calls without an id get one that no earlier call of the conversation has."""
        past = [m for m in request.messages if isinstance(m, AssistantMessage)]
        taken = sum(len(message.tool_calls) for message in past)
        calls = tuple(
            ToolCall(call.id or f"call_{taken + n}", call.name, call.text or "{}")
            for n, call in enumerate(step.calls, start=1)
        )
        thought = (Reasoning(step.thinking, THINK_TAG, self.name, request.model),) if step.thinking else ()
        return AssistantMessage(step.text, () if step.cut else calls, thought, cut=step.cut)


def _stop_reason(step: Step) -> str:
    if step.cut:
        return "length"
    return "tool_calls" if step.calls else "stop"


def _said(step: Step) -> str:
    return step.text + "".join(call.name + call.text for call in step.calls)


def _chunks(step: Step, size: int) -> Iterator[tuple[Chunk, int]]:
    """Cut a step into chunks, each with the count of characters that it shows."""
    for piece in _pieces(step.thinking, size):
        yield ThinkingDelta(piece), len(piece)
    for piece in _pieces(step.text, size):
        yield TextDelta(piece), len(piece)
    for index, call in enumerate(step.calls):
        yield CallDelta(index, call.name, ""), 0
        for piece in _pieces(call.text, size):
            yield CallDelta(index, call.name, piece), len(piece)


def _pieces(text: str, size: int) -> Iterator[str]:
    for start in range(0, len(text), size):
        yield text[start : start + size]


def _error(error: ScriptedError, partial: AssistantMessage | None) -> ProviderError:
    """Make the error that a step asks for."""
    message = error.message or f"The script asked for this failure ({error.kind})."
    name, status = SCRIPTED.name, error.status
    match error.kind:
        case "auth":
            return AuthenticationFailed(message, provider=name, status=status or 401)
        case "rate-limited" | "quota":
            quota = error.kind == "quota"
            return RateLimited(
                message, provider=name, retry_after=error.retry_after, quota=quota, status=status or 429
            )
        case "overloaded":
            return Overloaded(message, provider=name, retry_after=error.retry_after, status=status or 503)
        case "connection":
            return ConnectionFailed(message, provider=name)
        case "broken":
            return StreamBroken(message, provider=name, partial=partial)
        case "too-long":
            return ContextTooLong(message, provider=name, status=status or 400)
        case "rejected":
            return RequestRejected(message, provider=name, status=status or 400)
        case _:
            assert_never(error.kind)
