"""Try a model call again when that can help and can do no harm."""

import asyncio
import random as chance
from collections.abc import AsyncGenerator, Callable

from msgspec import Struct

from cutaway.harness.clock import Clock
from cutaway.harness.errors import (
    ConnectionFailed,
    OptionRefused,
    Overloaded,
    ProviderError,
    RateLimited,
    StreamBroken,
)
from cutaway.harness.providers.base import Chunk, Completed, Provider, Request, TextDelta

OnRetry = Callable[[int, int, float, str, int | None], None]
"""Called before each wait: attempt that failed (from 1), attempts in all, delay, reason, status."""


class RetryPolicy(Struct, frozen=True):
    """How often and how patiently; times in seconds.

    The delay before attempt n+1 is `base * 2**(n-1)`, give or take `jitter` of it, at most `cap`,
    and never less than what the provider asks for. A provider that asks for more than
    `longest_wait` is not waited for: the error surfaces at once.
    """

    attempts: int = 6
    refused_attempts: int = 3
    """Where nothing listens, waiting seldom helps."""
    base: float = 1.0
    cap: float = 30.0
    jitter: float = 0.25
    longest_wait: float = 120.0

    def delay(self, attempt: int, floor: float | None, random: float) -> float:
        """Seconds to wait after that failed attempt; `random` is from 0 to 1."""
        spread = self.base * 2.0 ** (attempt - 1) * (1 + self.jitter * (2 * random - 1))
        return max(min(spread, self.cap), floor or 0.0)


async def stream_with_retry(
    provider: Provider,
    request: Request,
    body: bytes,
    *,
    clock: Clock,
    on_retry: OnRetry,
    policy: RetryPolicy | None = None,
    wake: asyncio.Event | None = None,
    random: Callable[[], float] = chance.random,
    adapt: bool = True,
) -> AsyncGenerator[Chunk, None]:
    """Stream an answer to exactly `body`, anew after failures that may pass.

    Only a refused option makes another body: the request is encoded anew without it, and `on_retry`
    is told which.

    Once words of the answer or a whole tool call have arrived nothing is sent again: the error
    surfaces and what came is kept by the caller. After thoughts or a torn call alone it is, and
    the chunks after `on_retry` then begin the answer from its start. Setting `wake` ends a wait.
    A request with an option that is refused is encoded anew without it, unless `adapt` is false.
    """
    policy = policy or RetryPolicy()
    attempt = 0
    while True:
        attempt += 1
        kept = False
        chunks = provider.stream(request, body)
        try:
            async for chunk in chunks:
                kept = kept or isinstance(chunk, TextDelta | Completed)
                yield chunk
            return
        except ProviderError as error:
            attempts = _attempts(error, policy)
            if kept or attempt >= attempts or (isinstance(error, OptionRefused) and not adapt):
                raise
            delay = policy.delay(attempt, _floor(error), random())
            if isinstance(error, OptionRefused):
                body, delay = provider.encode(request), 0.0
            on_retry(attempt, attempts, delay, str(error), error.status)
        finally:
            if isinstance(chunks, AsyncGenerator):
                await chunks.aclose()
        await _wait(clock, delay, wake)


def _attempts(error: ProviderError, policy: RetryPolicy) -> int:
    """How many attempts a failure is worth; 1 is none again."""
    if (_floor(error) or 0.0) > policy.longest_wait:
        return 1
    match error:
        case RateLimited(quota=True):
            return 1
        case ConnectionFailed(refused=True):
            return policy.refused_attempts
        case StreamBroken(partial=partial) if partial is not None and (partial.text or partial.tool_calls):
            return 1
        case RateLimited() | Overloaded() | ConnectionFailed() | StreamBroken() | OptionRefused():
            return policy.attempts
        case _:
            return 1


def _floor(error: ProviderError) -> float | None:
    return error.retry_after if isinstance(error, RateLimited | Overloaded) else None


async def _wait(clock: Clock, delay: float, wake: asyncio.Event | None) -> None:
    """Wait until the delay is over or somebody does not want to wait; an older wake does not count."""
    if wake is None:
        await clock.sleep(delay)
        return
    wake.clear()
    waits = [asyncio.ensure_future(clock.sleep(delay)), asyncio.ensure_future(wake.wait())]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
        await asyncio.gather(*waits, return_exceptions=True)
        wake.clear()
