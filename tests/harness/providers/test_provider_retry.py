"""Trying again: as often as it can help, never when it could do harm; no test here waits."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from cutaway.harness.errors import (
    ConnectionFailed,
    ProviderError,
    RateLimited,
    StreamBroken,
)
from cutaway.harness.messages import AssistantMessage, ToolCall
from cutaway.harness.providers.base import CallDelta, Chunk, Completed, Connected, TextDelta
from cutaway.harness.providers.retry import RetryPolicy, stream_with_retry
from tests.harness.providers.kit import HELLO, Asking, FakeClock, delta, drain, piece, request
from tests.servers.openai_steps import Step, error

OK = Step(text="done")


class Trying:
    """Asks through the retries, with the middle of the jitter, and keeps what was announced."""

    def __init__(self, asking: Asking, wake: asyncio.Event | None = None) -> None:
        self.asking = asking
        self.told: list[tuple[int, int, float, int | None]] = []
        self.reasons: list[str] = []
        self.wake = wake

    def chunks(self) -> AsyncIterator[Chunk]:
        asked = request(HELLO)
        provider = self.asking.provider
        return stream_with_retry(
            provider,
            asked,
            provider.encode(asked),
            clock=self.asking.clock,
            on_retry=self.on_retry,
            wake=self.wake,
            random=lambda: 0.5,
        )

    def on_retry(self, attempt: int, attempts: int, delay: float, reason: str, status: int | None) -> None:
        self.told.append((attempt, attempts, delay, status))
        self.reasons.append(reason)

    async def play(self, *steps: Step) -> Completed:
        self.asking.server.play(*steps)
        last = (await drain(self.chunks()))[-1]
        assert isinstance(last, Completed)
        return last

    async def fail(self, *steps: Step) -> ProviderError:
        self.asking.server.play(*steps)
        with pytest.raises(ProviderError) as caught:
            await drain(self.chunks())
        return caught.value

    @property
    def sent(self) -> int:
        return len(self.asking.server.requests)


@pytest.fixture
def trying(asking: Asking) -> Trying:
    return Trying(asking)


@pytest.mark.parametrize(
    ("headers", "words", "waited"),
    [
        ({"retry_after": "2"}, "slow down", 2.0),
        ({}, "Please try again in 1.5s", 1.5),
        ({"retry_after": "Mon, 30 Nov 2026 12:00:03 GMT"}, "slow down", 3.0),
        ({"retry_after": "0"}, "slow down", 1.0),
    ],
)
async def test_a_rate_limit_is_waited_out(
    trying: Trying, headers: dict[str, str], words: str, waited: float
) -> None:
    """D14 (a), (b), (f): what the provider asks for is a floor under the back-off."""
    assert (await trying.play(error(429, words, **headers), OK)).message.text == "done"
    assert trying.asking.clock.slept == [waited]
    assert trying.told == [(1, 6, waited, 429)]
    assert words in trying.reasons[0]


async def test_failures_of_the_server_pass(trying: Trying) -> None:
    """D14 (c): 529, then 503, then an answer; the same bytes in each try."""
    assert (await trying.play(error(529, "overloaded"), error(503, "busy"), OK)).message.text == "done"
    assert trying.asking.clock.slept == [1.0, 2.0]
    assert len({sent.body for sent in trying.asking.server.requests}) == 1


async def test_a_used_up_quota_is_not_tried_again(trying: Trying) -> None:
    """D14 (d)."""
    failure = await trying.fail(error(429, "You exceeded your current quota", code="insufficient_quota"))
    assert isinstance(failure, RateLimited)
    assert failure.quota
    assert (trying.sent, trying.told) == (1, [])


async def test_a_very_long_wait_surfaces_at_once(trying: Trying) -> None:
    """D14 (e): an hour is said, not slept."""
    failure = await trying.fail(error(429, "slow down", retry_after="3600"))
    assert "3600 s" in str(failure)
    assert (trying.sent, trying.asking.clock.slept) == (1, [])


async def test_the_tries_are_bounded_and_the_delays_grow(trying: Trying) -> None:
    """D14 (g): six tries in all."""
    failure = await trying.fail(*[error(429, "slow down")] * 6, OK)
    assert isinstance(failure, RateLimited)
    assert trying.sent == 6
    assert trying.asking.clock.slept == [1.0, 2.0, 4.0, 8.0, 16.0]
    assert [told[:2] for told in trying.told] == [(n, 6) for n in range(1, 6)]


def test_delays_are_capped_and_spread() -> None:
    policy = RetryPolicy()
    assert [policy.delay(2, None, at) for at in (0.0, 0.5, 1.0)] == [1.5, 2.0, 2.5]
    assert policy.delay(9, None, 1.0) == 30.0
    assert policy.delay(1, 100.0, 1.0) == 100.0


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
async def test_what_cannot_change_is_not_tried_again(trying: Trying, status: int) -> None:
    await trying.fail(error(status, "no"))
    assert trying.sent == 1


async def test_a_stream_that_broke_before_the_answer_is_tried_again(trying: Trying) -> None:
    """Nothing was shown but thoughts, or a torn call that can never have run."""
    torn = delta(tool_calls=[piece(id="c1", name="run", arguments='{"command":"rm')])
    steps = [Step(raw=b""), Step(thinking="hm", breaks=True), Step(chunks=[torn], breaks=True)]
    assert (await trying.play(*steps, OK)).message.text == "done"
    assert trying.sent == 4


async def test_an_answer_that_was_shown_is_never_asked_for_again(trying: Trying) -> None:
    failure = await trying.fail(Step(text="half an answer", breaks=True), OK)
    assert isinstance(failure, StreamBroken)
    assert failure.partial == AssistantMessage("half an answer", cut=True)
    assert trying.sent == 1


async def test_a_call_that_was_complete_is_never_asked_for_again(trying: Trying) -> None:
    """It could run twice; the whole call is kept instead."""
    whole = delta(tool_calls=[piece(id="c1", name="run", arguments='{"command":"ls"}')])
    failure = await trying.fail(Step(chunks=[whole], breaks=True), OK)
    assert isinstance(failure, StreamBroken)
    assert failure.partial is not None
    assert failure.partial.tool_calls == (ToolCall("c1", "run", '{"command":"ls"}'),)
    assert trying.sent == 1


async def test_chunks_after_a_retry_begin_anew(trying: Trying) -> None:
    torn = delta(tool_calls=[piece(id="c1", name="run", arguments='{"com')])
    trying.asking.server.play(Step(chunks=[torn], breaks=True), OK)
    kinds = [type(chunk) for chunk in await drain(trying.chunks())]
    assert kinds == [Connected, CallDelta, Connected, TextDelta, Completed]


async def test_where_nothing_listens_is_tried_less_often(trying: Trying) -> None:
    trying.asking.server.close()
    failure = await trying.fail()
    assert isinstance(failure, ConnectionFailed)
    assert trying.asking.clock.slept == [1.0, 2.0]
    assert [told[:2] for told in trying.told] == [(1, 3), (2, 3)]


class PatientClock(FakeClock):
    """A clock whose sleeps last until they are cancelled."""

    def __init__(self) -> None:
        super().__init__()
        self.sleeping = asyncio.Event()

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.sleeping.set()
        await asyncio.Event().wait()


async def test_a_wait_can_be_skipped(asking: Asking) -> None:
    wake = asyncio.Event()
    wake.set()  # pressed before there was anything to skip: it does not count
    clock = asking.clock = PatientClock()
    asking.server.play(error(503, "busy"), OK)
    task = asyncio.ensure_future(drain(Trying(asking, wake).chunks()))
    await clock.sleeping.wait()
    assert not wake.is_set()
    wake.set()
    assert isinstance((await task)[-1], Completed)
    assert not wake.is_set()


@pytest.mark.parametrize("wake", [None, asyncio.Event()])
async def test_a_wait_can_be_cancelled(asking: Asking, wake: asyncio.Event | None) -> None:
    clock = asking.clock = PatientClock()
    asking.server.play(error(503, "busy"), OK)
    task = asyncio.ensure_future(drain(Trying(asking, wake).chunks()))
    await clock.sleeping.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(asking.server.requests) == 1
