"""The seam to a model: encode a request to exact bytes, then stream an answer to those bytes."""

from collections.abc import AsyncIterator
from typing import Literal, Protocol

from msgspec import Struct

from cutaway.harness.cache.values import CacheTtl
from cutaway.harness.events import Timings, ToolDefinition
from cutaway.harness.messages import AssistantMessage, Message
from cutaway.harness.usage import Usage


class Params(Struct, frozen=True, rename="camel"):
    """How the model is to answer; None leaves the choice to the provider."""

    max_output_tokens: int | None = None
    temperature: float | None = None
    effort: str | None = None


class Breakpoint(Struct, frozen=True, rename="camel"):
    """A place up to which the provider is asked to cache: after the item at `index` of a list of the request.

    Meant for providers that want to be told; others cache by themselves and are sent nothing.
    """

    after: Literal["tools", "system", "messages"]
    index: int
    ttl: CacheTtl = "5m"


class Request(Struct, frozen=True):
    """A whole prompt, provider-neutral. `system` is the stable part in wire order, one text a block.

    `breakpoints` are in wire order. `cache_key` groups requests that share a prefix, where a provider
    routes by it. `previous_response` is the provider's own name for the answer before, so that it can
    say itself why its cache missed. `thought_summary` asks a provider that keeps its thoughts to itself
    for their sum, in its own word for how; '' does not ask. `thought_return` '' neither asks for thoughts in
    a form that can be sent back nor sends them, for a server that does not take its own.
    """

    model: str
    tools: tuple[ToolDefinition, ...]
    system: tuple[str, ...]
    messages: tuple[Message, ...]
    params: Params = Params()
    breakpoints: tuple[Breakpoint, ...] = ()
    cache_key: str = ""
    previous_response: str = ""
    thought_summary: str = "auto"
    thought_return: str = "verbatim"


class Connected(Struct, frozen=True):
    """The provider has accepted the request; `provider_call_id` is its own name for the call."""

    provider_call_id: str = ""


class TextDelta(Struct, frozen=True):
    text: str


class ThinkingDelta(Struct, frozen=True):
    text: str


class CallDelta(Struct, frozen=True):
    """A fragment of the arguments of the call at `index` (0-based, in the order of first sight)."""

    index: int
    name: str
    arguments: str


class Completed(Struct, frozen=True):
    """Always the last chunk of an answer that ended by itself.

    `stop_reason` is the provider's own word. `usage` is None when the provider reported none.
    `raw` is the response body as received, for the inspector. `response_id` is what
    `Request.previous_response` may name later. `cache_reported` tells whether the usage says anything
    about the cache (a zero is a statement, a missing field is none); `diagnosis` is the provider's own
    word for a cache miss, '' when it gave none.
    """

    message: AssistantMessage
    stop_reason: str
    usage: Usage | None
    timings: Timings
    raw: str
    simulated: bool = False
    provider_call_id: str = ""
    response_id: str = ""
    cache_reported: bool = True
    diagnosis: str = ""


Chunk = Connected | TextDelta | ThinkingDelta | CallDelta | Completed


class Provider(Protocol):
    """A way to reach models. One instance serves one session and owns one HTTP client.

    `encode` is pure and canonical: equal requests give equal bytes, and when `b.messages` begins
    with `a.messages` (all else equal) then `encode(b)` begins with `encode(a)` less the closing
    characters of the message list. `stream` sends exactly `body`, yields chunks as they come, and
    raises a ProviderError after the chunks that had arrived; it never retries by itself and it
    closes its connection when it is cancelled.
    """

    @property
    def name(self) -> str: ...
    @property
    def family(self) -> str:
        """Whose rules hold for the cache: the provider's own, or those of the API that it speaks."""
        ...

    @property
    def url(self) -> str:
        """Where requests go, for the inspector; no credentials in it."""
        ...

    def encode(self, request: Request) -> bytes: ...
    def stream(self, request: Request, body: bytes) -> AsyncIterator[Chunk]: ...
    async def aclose(self) -> None: ...
