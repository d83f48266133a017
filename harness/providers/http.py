"""The transport of every wire: one HTTP client, exactly the encoded bytes, one answer."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec import structs

from cutaway.harness.clock import Clock, SystemClock
from cutaway.harness.errors import OptionRefused, ProviderError, RequestRejected
from cutaway.harness.providers.base import Chunk, Connected, Request
from cutaway.harness.providers.endpoint import Endpoint
from cutaway.harness.providers.failures import Refusal, failure_of, is_web_page
from cutaway.harness.providers.gathering import Gathering
from cutaway.harness.providers.listing import ListedModel, read_listing
from cutaway.harness.providers.reception import Reception
from cutaway.harness.providers.sse import EventTooLarge
from cutaway.harness.providers.wire import Wire

if TYPE_CHECKING:
    import httpx

MAX_ERROR_BYTES = 256 * 1024
AFTER_FINISH, AFTER_DONE = 30.0, 2.0
"""Seconds that the rest of the stream may take after a finish reason, and after `[DONE]`."""


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """Seconds: to connect, without a byte, and without an event (comments alone do not count)."""

    connect: float = 10.0
    idle: float = 300.0
    silent: float = 900.0


class HttpProvider:
    """Reaches one server over one wire; the client is made at the first request."""

    def __init__(
        self, endpoint: Endpoint, wire: Wire, *, clock: Clock | None = None, limits: TimeLimits | None = None
    ) -> None:
        self.endpoint = endpoint
        self.wire = wire
        self._refused: set[str] = set()
        self._clock = clock or SystemClock()
        self._limits = limits or TimeLimits()
        self._client: httpx.AsyncClient | None = None

    @property
    def name(self) -> str:
        return self.endpoint.name

    @property
    def family(self) -> str:
        """Whose cache rules hold; a server of the user's own follows the API that it speaks."""
        dialect = self.endpoint.dialect
        return {"anthropic": "anthropic", "responses": "openai-responses", "chat": dialect.name}[dialect.api]

    @property
    def url(self) -> str:
        """Where requests go, without credentials."""
        return self.endpoint.shown

    def encode(self, request: Request) -> bytes:
        """Give the exact body of a request, without the options that this server has refused."""
        fields = {field: "" for word, field in self.wire.optional.items() if word in self._refused}
        if fields:
            request = structs.replace(request, **fields)
        return self.wire.encode(request, self.endpoint.identity)

    async def stream(self, request: Request, body: bytes) -> AsyncIterator[Chunk]:
        """Send `body` once and yield the answer as it comes; raises a ProviderError when it fails."""
        reception = self._reception(request)
        headers = {
            "Content-Type": "application/json",
            "Accept": "text/event-stream, application/json",
            **{name: value for name, value in self.endpoint.headers.items() if name not in self._refused},
        }
        with self._mapped(reception):
            sending = self._http().stream("POST", self.endpoint.url, content=body, headers=headers)
            async with sending as response:
                reception.connected(response)
                if response.status_code != 200:
                    raise self._failure(await _refusal(response, request.model), body)
                yield Connected(reception.request_id)
                chunks, gathering = response.aiter_bytes(), Gathering()
                while (received := await _next(chunks, reception)) is not None:
                    for delta in reception.take(received):
                        yield delta
                    await gathering.took(received)
        for delta in reception.finish():
            yield delta
        yield reception.completed()

    async def models(self, timeout: float = 10.0) -> tuple[str, ...]:
        """List the names of the models that the server says it has; raises a ProviderError."""
        return tuple(model.id for model in await self.list_models(timeout))

    async def list_models(self, timeout: float = 10.0) -> tuple[ListedModel, ...]:
        """List the models with what the server tells of them; empty where it lists none."""
        if not self.endpoint.models_url:
            return ()
        reception = self._reception(Request("", (), (), ()))
        with self._mapped(reception):
            response = await self._http().get(
                self.endpoint.models_url, headers=self.endpoint.headers, timeout=timeout
            )
        refusal = Refusal(response.status_code, dict(response.headers), response.text, "")
        if response.status_code != 200:
            raise failure_of(refusal, self.endpoint, self._clock.now())
        return _listed(refusal, self.endpoint)

    async def aclose(self) -> None:
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    def _reception(self, request: Request) -> Reception:
        answer = self.wire.answer(request, self.endpoint.identity)
        return Reception(self.endpoint, request.model, answer, self._clock, self._limits.silent)

    def _failure(self, refusal: Refusal, body: bytes) -> ProviderError:
        """Say what a refusal means; an option that it names is left out from now on."""
        failure = failure_of(refusal, self.endpoint, self._clock.now())
        if refusal.status != 400:
            return failure
        for word in self.wire.optional:
            sent = f'"{word}"'.encode() in body or word in self.endpoint.headers
            if sent and word in refusal.body and word not in self._refused:
                self._refused.add(word)
                message = f"{str(failure).rstrip('.')}. It is asked again without `{word}`."
                return OptionRefused(message, provider=self.name, status=400, request_id=refusal.request_id)
        return failure

    def _http(self) -> "httpx.AsyncClient":
        """Make the client late: importing httpx costs a tenth of a second.

        Proxies of the environment are for other hosts than this one, and a plain-http address needs
        no certificates loaded. Redirects are not followed: they could carry the key elsewhere.
        """
        if self._client is None:
            import httpx

            limits = self._limits
            self._client = httpx.AsyncClient(
                timeout=httpx.Timeout(limits.idle, connect=limits.connect),
                follow_redirects=False,
                trust_env=not self.endpoint.local,
                verify=self.endpoint.url.startswith("https:"),
            )
        return self._client

    @contextmanager
    def _mapped(self, reception: "Reception") -> Iterator[None]:
        """Say what a transport error means, by how far the answer had come."""
        import httpx

        try:
            yield
        except httpx.TransportError as error:
            if not reception.ended:
                raise reception.failed(error) from error
        except (EventTooLarge, httpx.DecodingError) as error:
            raise reception.broken(f"{self.name} sent what cannot be read: {error}.") from error
        except httpx.InvalidURL as error:
            raise RequestRejected(f"{self.url} cannot be requested: {error}.", provider=self.name) from error


async def _next(chunks: AsyncIterator[bytes], reception: Reception) -> bytes | None:
    """Read on; None at the end, or a while after the answer when the server leaves the stream open."""
    try:
        if not reception.ended:
            return await anext(chunks)
        async with asyncio.timeout(AFTER_DONE if reception.done else AFTER_FINISH):
            return await anext(chunks)
    except (StopAsyncIteration, TimeoutError):
        return None


async def _refusal(response: "httpx.Response", model: str) -> Refusal:
    """Read the body of an error, up to a bound."""
    parts: list[bytes] = []
    size = 0
    async for part in response.aiter_bytes():
        parts.append(part)
        size += len(part)
        if size > MAX_ERROR_BYTES:
            break
    text = b"".join(parts)[:MAX_ERROR_BYTES].decode("utf-8", "replace")
    return Refusal(response.status_code, dict(response.headers), text, model)


def _listed(answer: Refusal, endpoint: Endpoint) -> tuple[ListedModel, ...]:
    try:
        return read_listing(answer.body)
    except ValueError as error:
        kind = "a web page" if is_web_page(answer.body) else "something that is not JSON"
        raise RequestRejected(
            f"{endpoint.models_url.partition('?')[0]} answered with {kind}. Check the base URL.",
            provider=endpoint.name,
            status=answer.status,
        ) from error
