"""What the provider tests share: a clock that never waits, requests, and answers collected whole."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

from cutaway.harness.events import ToolDefinition
from cutaway.harness.messages import Message, UserMessage
from cutaway.harness.providers.base import (
    Breakpoint,
    Chunk,
    Completed,
    Params,
    Request,
    TextDelta,
    ThinkingDelta,
)
from cutaway.harness.providers.dialects import CUSTOM, Dialect
from cutaway.harness.providers.endpoint import endpoint_for
from cutaway.harness.providers.http import HttpProvider, TimeLimits
from cutaway.harness.providers.openai_chat import ChatWire
from cutaway.harness.providers.wire import Wire
from tests.servers.openai_server import OpenAIServer
from tests.servers.openai_steps import Json, Step

KEY = "sk-test-SECRET123"
READ = ToolDefinition(
    "read_file", "Read a file.", '{"type":"object","properties":{"path":{"type":"string"}}}'
)
LIST = ToolDefinition("list_all", "List everything.", '{"type":"object","properties":{}}')
HELLO = UserMessage("hello")


class FakeClock:
    """Time passes only when somebody sleeps, and then at once."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.slept: list[float] = []

    def monotonic(self) -> float:
        return self.seconds

    def now(self) -> datetime:
        return datetime(2026, 11, 30, 12, tzinfo=UTC) + timedelta(seconds=self.seconds)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.seconds += seconds
        await asyncio.sleep(0)


class Asking:
    """One conversation's side of the wire: asks the server and keeps the chunks of the last answer."""

    def __init__(
        self,
        server: OpenAIServer,
        dialect: Dialect = CUSTOM,
        *,
        key: str = KEY,
        base_url: str = "",
        limits: TimeLimits | None = None,
        wire: Wire | None = None,
    ) -> None:
        self.server = server
        self.clock = FakeClock()
        wire = wire or ChatWire(dialect)
        endpoint = endpoint_for(dialect, wire, base_url or server.url, key)
        self.provider = HttpProvider(endpoint, wire, clock=self.clock, limits=limits)
        self.chunks: list[Chunk] = []

    async def __call__(self, *messages: Message, **changes: Any) -> Completed:
        asked = request(*messages, **changes)
        self.chunks = []
        async for chunk in self.provider.stream(asked, self.provider.encode(asked)):
            self.chunks.append(chunk)
        last = self.chunks[-1]
        assert isinstance(last, Completed)
        return last

    async def play(self, *steps: Step) -> Completed:
        """Play steps and ask once."""
        self.server.play(*steps)
        return await self(HELLO)

    @property
    def shown(self) -> str:
        """The text that was streamed."""
        return "".join(chunk.text for chunk in self.chunks if isinstance(chunk, TextDelta))

    @property
    def thought(self) -> str:
        return "".join(chunk.text for chunk in self.chunks if isinstance(chunk, ThinkingDelta))


def request(
    *messages: Message,
    model: str = "test-model",
    tools: tuple[ToolDefinition, ...] = (READ, LIST),
    params: Params | None = None,
    system: tuple[str, ...] = ("You are a test.",),
    breakpoints: tuple[Breakpoint, ...] = (),
    previous_response: str = "",
) -> Request:
    return Request(
        model,
        tools,
        system,
        messages or (HELLO,),
        params or Params(),
        breakpoints,
        previous_response=previous_response,
    )


def piece(
    *,
    index: int | None = 0,
    id: str | None = None,
    name: str | None = None,
    arguments: Any = None,
    bare: bool = False,
) -> Json:
    """Write one fragment of a tool call; None leaves a key out, `bare` the arguments."""
    function: Json = {} if name is None else {"name": name}
    if not bare:
        function["arguments"] = arguments
    fragment: Json = {"type": "function", "function": function}
    if index is not None:
        fragment["index"] = index
    if id is not None:
        fragment["id"] = id
    return fragment


def delta(finish: str | None = None, **fields: Any) -> Json:
    """Write one chunk."""
    return {"id": "chatcmpl-1", "choices": [{"index": 0, "delta": fields, "finish_reason": finish}]}


async def drain(chunks: AsyncIterator[Chunk]) -> list[Chunk]:
    return [chunk async for chunk in chunks]
