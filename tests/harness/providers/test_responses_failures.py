"""Failures of the Responses API: in the status, in the stream, in the response; options that are refused."""

from typing import Any

import pytest

from cutaway.harness.errors import (
    AuthenticationFailed,
    ContextTooLong,
    OptionRefused,
    Overloaded,
    ProviderError,
    RateLimited,
    RequestRejected,
    StreamBroken,
)
from cutaway.harness.providers.base import Chunk, Completed
from cutaway.harness.providers.openai_responses import ResponsesWire
from cutaway.harness.providers.retry import stream_with_retry
from tests.harness.providers.kit import HELLO, Asking, FakeClock
from tests.harness.providers.responses_kit import asked, asking_responses, asks, kept, result
from tests.servers.openai_steps import Json, Step
from tests.servers.responses_server import ResponsesServer, event
from tests.servers.responses_steps import beginning, events, failing, reasoning, refusal, response, text

BEGUN = beginning("test-model", 1)
RATE = (
    "Rate limit reached for gpt-5.1 in organization org-x on tokens per min (TPM): Limit 30000, "
    "Used 29000, Requested 4000. Please try again in 1.5s. Visit https://platform.openai.com"
)
WINDOW = "Your input exceeds the context window of this model. Please adjust your input and try again."
TOLD: dict[str, tuple[str, str, type[ProviderError]]] = {
    "rate": ("rate_limit_exceeded", RATE, RateLimited),
    "window": ("context_length_exceeded", WINDOW, ContextTooLong),
    "server": ("server_error", "An error occurred while processing your request.", Overloaded),
    "overload": ("server_is_overloaded", "Our servers are currently overloaded.", Overloaded),
    "quota": ("insufficient_quota", "You exceeded your current quota.", RateLimited),
    "prompt": ("invalid_prompt", "Your prompt was flagged.", RequestRejected),
    "policy": ("bio_policy", "This content was flagged.", RequestRejected),
}


def shapes(code: str, message: str) -> list[Step]:
    """Say a failure in each way in which the stream, or a whole answer, can tell it."""
    flat: Json = {"type": "error", "code": code, "message": message, "param": None, "sequence_number": 1}
    nested = {"type": "error", "error": {"type": code, "code": code, "message": message}}
    failed = failing(code, message)
    return [
        Step(chunks=[BEGUN, flat]),
        Step(chunks=[BEGUN, nested]),
        Step(chunks=[BEGUN, failed]),
        Step(raw=b"".join(event(one).partition(b"\n")[2] for one in (BEGUN, flat))),
        Step(raw=b"".join(event(one).partition(b"\n")[2] for one in (BEGUN, failed))),
        Step(body=failed["response"]),
    ]


async def refused(asking: Asking, step: Step) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        await asking.play(step)
    return caught.value


@pytest.mark.parametrize("kind", TOLD)
async def test_a_failure_inside_the_answer_means_what_its_code_says(gpt: Asking, kind: str) -> None:
    """D14: and is not taken for an answer, in whatever shape it is told."""
    code, message, expected = TOLD[kind]
    for step in shapes(code, message):
        failure = await refused(gpt, step)
        assert type(failure) is expected
        assert message.partition(".")[0] in str(failure)
        if isinstance(failure, RateLimited):
            assert failure.quota == (kind == "quota")
            assert failure.retry_after == (1.5 if kind == "rate" else None)


async def test_a_failure_after_words_keeps_them(gpt: Asking) -> None:
    """D14: what had arrived is not thrown away, and the reason is told."""
    made = events(text("So far."), end=False)
    failure = await refused(gpt, Step(chunks=[*made, failing("server_error", "Sorry.")]))
    assert isinstance(failure, StreamBroken)
    assert failure.partial is not None
    assert failure.partial.text == "So far."
    assert "Sorry" in str(failure)


async def test_a_response_that_failed_without_a_word_is_no_answer(gpt: Asking) -> None:
    silent = {"type": "response.failed", "response": response("m", 1, "failed")}
    assert isinstance(await refused(gpt, Step(chunks=[BEGUN, silent])), StreamBroken)
    assert isinstance(await refused(gpt, Step(body=response("m", 1, "cancelled"))), StreamBroken)


async def test_a_refusal_by_status_means_what_it_says(gpt: Asking) -> None:
    """D14 (d) and the rest."""
    quota = refusal(429, "You exceeded your current quota.", "insufficient_quota")
    failure = await refused(gpt, quota)
    assert isinstance(failure, RateLimited)
    assert failure.quota
    assert isinstance(await refused(gpt, refusal(400, WINDOW, "context_length_exceeded")), ContextTooLong)
    assert isinstance(await refused(gpt, refusal(503, "Overloaded.")), Overloaded)
    unknown = await refused(gpt, refusal(400, "The model `gpt-9` does not exist.", "model_not_found"))
    assert isinstance(unknown, RequestRejected)
    assert "cutaway models" in str(unknown)
    gpt.server.key = "another"
    wrong = await refused(gpt, Step())
    assert isinstance(wrong, AuthenticationFailed)
    assert "OPENAI_API_KEY" in str(wrong)
    assert "SECRET123" not in str(wrong)


async def retried(asking: Asking, *steps: Step, **changes: Any) -> tuple[Completed, list[float], list[str]]:
    """Ask until it is answered; the answer, the waits, and what was said of each."""
    asking.server.play(*steps)
    clock, said = FakeClock(), list[str]()
    asking_for = asked(HELLO, **changes)
    last: Chunk | None = None
    async for chunk in stream_with_retry(
        asking.provider,
        asking_for,
        asking.provider.encode(asking_for),
        clock=clock,
        on_retry=lambda attempt, attempts, delay, reason, status: said.append(reason),
        random=lambda: 0.5,
    ):
        last = chunk
    assert isinstance(last, Completed)
    return last, clock.slept, said


async def test_limits_and_outages_are_waited_for(gpt: Asking) -> None:
    """D14 (a), (b), (c), (f): the server's wait is a floor; each try sends the same bytes."""
    told = Step(chunks=[BEGUN, failing("rate_limit_exceeded", RATE)])
    asked_to_wait = Step(status=429, body="", headers={"retry-after": "7"})
    date = Step(status=429, body="", headers={"retry-after": "Mon, 30 Nov 2026 12:00:20 GMT"})
    steps = [told, asked_to_wait, Step(status=529, body=""), Step(status=503, body=""), date, Step(text="ok")]
    completed, slept, said = await retried(gpt, *steps)
    assert completed.message.text == "ok"
    assert slept[0] >= 1.5
    assert slept[1] >= 7
    assert len(slept) == len(said) == 5
    assert len({request.body for request in gpt.server.requests}) == 1


async def test_quota_and_long_waits_surface_at_once(gpt: Asking) -> None:
    """D14 (d), (e): a wait that helps nobody is not waited for."""
    for step in (
        Step(chunks=[BEGUN, failing("insufficient_quota", "You exceeded your current quota.")]),
        Step(status=429, body="", headers={"retry-after": "3600"}),
    ):
        with pytest.raises(RateLimited):
            await retried(gpt, step)
    assert len(gpt.server.requests) == 2


async def test_a_rate_limit_without_end_gives_up(gpt: Asking) -> None:
    """D14 (g)."""
    with pytest.raises(RateLimited):
        await retried(gpt, *[Step(chunks=[BEGUN, failing("rate_limit_exceeded", RATE)])] * 9)
    assert len(gpt.server.requests) == 6


async def test_an_organisation_that_may_not_see_summaries_goes_without(
    responses_server: ResponsesServer,
) -> None:
    responses_server.verified = False
    asking = asking_responses(responses_server)
    completed, slept, said = await retried(asking, Step(text="ok"), model="gpt-5.1")
    assert completed.message.text == "ok"
    assert (sum(slept), len(said)) == (0, 1)
    assert "without `summary`" in said[0]
    assert [request.json.get("reasoning") for request in responses_server.requests] == [
        {"summary": "auto"},
        None,
    ]
    responses_server.play(Step(text="ok"))
    await asking(HELLO, model="gpt-5.1")
    assert len(responses_server.requests) == 3
    await asking.provider.aclose()


async def test_thoughts_that_the_server_does_not_know_again_do_not_end_the_session(gpt: Asking) -> None:
    """D12: the session goes on without them (openai/codex#8119)."""
    forged = kept({**reasoning("t"), "encrypted_content": "gAAAAx"})
    talk = (HELLO, asks("c1", thoughts=(forged,)), result("c1"))
    with pytest.raises(OptionRefused, match="asked again without `encrypted_content`"):
        await gpt(*talk)
    gpt.server.play(Step(text="ok"))
    await gpt(*talk)
    again = gpt.server.requests[1].json
    assert "include" not in again
    assert [item["type"] for item in again["input"]] == [
        "message", "function_call", "function_call_output",
    ]  # fmt: skip


async def test_a_model_that_has_no_thoughts_to_give_is_asked_without(gpt: Asking) -> None:
    completed, _, said = await retried(gpt, Step(text="ok"), model="gpt-3-unlisted")
    assert (completed.message.text, len(said)) == ("ok", 2)
    assert not {"include", "reasoning"} & gpt.server.requests[-1].json.keys()


@pytest.mark.parametrize("field", ["prompt_cache_key", "prompt_cache_options"])
async def test_a_server_that_lacks_an_option_is_asked_without(
    responses_server: ResponsesServer, field: str
) -> None:
    responses_server.lacks = {field}
    asking = asking_responses(responses_server)
    changes = {"model": "gpt-5.6", "cache_key": "s1", "previous_response": "resp_0"}
    completed, _, said = await retried(asking, Step(text="ok"), **changes)
    assert completed.message.text == "ok"
    assert len(said) == 1
    assert field not in responses_server.requests[-1].json
    await asking.provider.aclose()


async def test_another_server_is_asked_for_nothing_of_the_vendors_own(
    responses_server: ResponsesServer,
) -> None:
    asking = asking_responses(responses_server, ResponsesWire(), own=False)
    responses_server.play(Step(text="ok"))
    await asking(HELLO, previous_response="resp_0")
    assert asking.provider.endpoint.identity == responses_server.url
    assert "prompt_cache_options" not in responses_server.requests[0].json
    assert responses_server.faults == []
    await asking.provider.aclose()


async def test_a_refusal_that_names_no_option_is_final(gpt: Asking) -> None:
    failure = await refused(gpt, refusal(400, "Unknown parameter: 'input[0].x'."))
    assert isinstance(failure, RequestRejected)
    assert not isinstance(failure, OptionRefused)
