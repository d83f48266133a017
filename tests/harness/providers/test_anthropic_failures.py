"""Refusals of the Messages API: each becomes the error that says what to do."""

import pytest

from cutaway.harness.errors import (
    AuthenticationFailed,
    ContextTooLong,
    OptionRefused,
    Overloaded,
    ProviderError,
    RateLimited,
    RequestRejected,
)
from cutaway.harness.providers.anthropic import BASE_URL, AnthropicWire, anthropic_wire
from cutaway.harness.providers.base import Chunk, Completed
from cutaway.harness.providers.endpoint import endpoint_for
from cutaway.harness.providers.retry import stream_with_retry
from tests.harness.providers.anthropic_kit import DIALECT, asking_anthropic
from tests.harness.providers.kit import HELLO, Asking, request
from tests.servers.anthropic_server import AnthropicServer
from tests.servers.anthropic_steps import problem, refusal
from tests.servers.openai_steps import Step


async def failure(claude: Asking, step: Step) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        await claude.play(step)
    assert caught.value.request_id == "req_test"
    return caught.value


async def test_a_refused_key_names_its_variable(claude: Asking, anthropic_server: AnthropicServer) -> None:
    anthropic_server.key = "another"
    with pytest.raises(AuthenticationFailed, match="Check the key in ANTHROPIC_API_KEY") as caught:
        await claude(HELLO)
    assert "SECRET" not in str(caught.value)


async def test_a_missing_key_names_its_variable(anthropic_server: AnthropicServer) -> None:
    anthropic_server.key = "another"
    asking = asking_anthropic(anthropic_server, key="")
    with pytest.raises(AuthenticationFailed, match="No key was sent: set ANTHROPIC_API_KEY"):
        await asking(HELLO)
    await asking.provider.aclose()


async def test_an_unknown_model_is_named(claude: Asking, anthropic_server: AnthropicServer) -> None:
    anthropic_server.only_known_models = True
    with pytest.raises(RequestRejected, match="does not know the model 'claude-none'"):
        await claude(HELLO, model="claude-none")


@pytest.mark.parametrize(
    ("message", "sent", "limit"),
    [
        ("prompt is too long: 213462 tokens > 200000 maximum", 213462, 200000),
        (
            "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000, decrease it",
            190000,
            200000,
        ),
    ],
)
async def test_a_prompt_that_is_too_long_says_how_long(
    claude: Asking, message: str, sent: int, limit: int
) -> None:
    error = await failure(claude, refusal(400, message))
    assert isinstance(error, ContextTooLong)
    assert (error.sent, error.limit) == (sent, limit)


async def test_a_body_that_is_too_large_is_too_long(claude: Asking) -> None:
    assert isinstance(await failure(claude, refusal(413, "Request exceeds the maximum size")), ContextTooLong)


async def test_a_rate_limit_tells_how_long_and_which(claude: Asking) -> None:
    """D14: `retry-after` is the floor; without it the reset of the limit that is used up."""
    headers = {
        "anthropic_ratelimit_input_tokens_limit": "30000",
        "anthropic_ratelimit_input_tokens_remaining": "0",
        "anthropic_ratelimit_input_tokens_reset": "2026-11-30T12:00:07Z",
        "anthropic_ratelimit_requests_remaining": "49",
    }
    error = await failure(claude, refusal(429, "This request would exceed your limit", **headers))
    assert isinstance(error, RateLimited)
    assert (error.retry_after, error.quota) == (7.0, False)
    assert "Used up: input tokens (30000 a minute)." in str(error)
    error = await failure(claude, refusal(429, "Slow down", retry_after="12", **headers))
    assert isinstance(error, RateLimited)
    assert error.retry_after == 12.0


async def test_no_money_left_is_not_tried_again(claude: Asking) -> None:
    """D14: this API says it with status 400."""
    error = await failure(claude, refusal(400, "Your credit balance is too low to access the Anthropic API."))
    assert isinstance(error, RateLimited)
    assert error.quota
    assert "Add credit" in str(error)


@pytest.mark.parametrize("status", [500, 504, 529])
async def test_a_failure_of_the_server_may_be_tried_again(claude: Asking, status: int) -> None:
    """D14: 529 is this API's word for being overloaded."""
    error = await failure(claude, refusal(status, "Overloaded"))
    assert isinstance(error, Overloaded)
    assert error.status == status


async def retried(claude: Asking, seen: list[str], previous: str = "") -> list[Chunk]:
    asked = request(HELLO, previous_response=previous)

    def note(_attempt: int, _attempts: int, _delay: float, reason: str, _status: int | None) -> None:
        seen.append(reason)

    body = claude.provider.encode(asked)
    stream = stream_with_retry(
        claude.provider, asked, body, clock=claude.clock, on_retry=note, random=lambda: 0.5
    )
    return [chunk async for chunk in stream]


async def test_529_and_an_overload_in_the_stream_are_waited_out(claude: Asking) -> None:
    """D14: the same bytes are sent each time."""
    inside: list[dict[str, object]] = [{"type": "error", "error": problem("overloaded_error", "Overloaded")}]
    claude.server.play(refusal(529, "Overloaded"), Step(chunks=inside), Step(text="at last"))
    seen: list[str] = []
    last = (await retried(claude, seen))[-1]
    assert isinstance(last, Completed)
    assert last.message.text == "at last"
    assert claude.clock.slept == [1.0, 2.0]
    assert all("529" in reason for reason in seen)
    assert len({sent.body for sent in claude.server.requests}) == 1


async def test_the_diagnosis_is_asked_for_and_told(claude: Asking) -> None:
    first = await claude.play(Step(text="one"))
    reason = {"type": "system_changed", "cache_missed_input_tokens": 40000}
    start = {
        "type": "message_start",
        "message": {"id": "msg_2", "diagnostics": {"cache_miss_reason": reason}},
    }
    end = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}}
    claude.server.play(Step(chunks=[start, end]))
    done = await claude(HELLO, previous_response=first.response_id)
    assert claude.server.requests[1].json["diagnostics"] == {"previous_message_id": "msg_1"}
    assert done.diagnosis == "system_changed"
    assert (await claude.play(Step(text="three"))).diagnosis == ""


async def test_a_diagnosis_that_is_refused_is_left_out_from_then_on(
    claude: Asking, anthropic_server: AnthropicServer
) -> None:
    """The same request goes again without it, and the user is told."""
    anthropic_server.beta = False
    anthropic_server.play(Step(text="one"))
    seen: list[str] = []
    last = (await retried(claude, seen, previous="msg_0"))[-1]
    assert isinstance(last, Completed)
    assert "asked again without `diagnostics`" in seen[0]
    assert claude.clock.slept == [0.0]
    assert ["diagnostics" in sent.json for sent in anthropic_server.requests] == [True, False]
    anthropic_server.play(Step(text="two"))
    await claude(HELLO, previous_response="msg_1")
    assert "diagnostics" not in anthropic_server.requests[-1].json


async def test_words_about_thoughts_that_are_refused_are_left_out(
    claude: Asking, anthropic_server: AnthropicServer
) -> None:
    anthropic_server.beta = False
    with pytest.raises(OptionRefused, match="asked again without `block_binding`"):
        await claude(HELLO, model="claude-opus-5-5")
    anthropic_server.play(Step(text="ok"))
    await claude(HELLO, model="claude-opus-5-5")
    assert "thinking" not in anthropic_server.requests[-1].json


async def test_a_beta_that_is_refused_is_left_out_from_then_on(claude: Asking) -> None:
    message = "Unexpected value(s) `cache-diagnosis-2026-04-07` for the `anthropic-beta` header."
    with pytest.raises(OptionRefused):
        await claude.play(refusal(400, message))
    claude.server.play(Step(text="ok"))
    await claude(HELLO, previous_response="msg_0")
    assert "anthropic-beta" not in claude.server.requests[-1].headers
    assert "diagnostics" not in claude.server.requests[-1].json
    with pytest.raises(RequestRejected) as again:
        await claude.play(refusal(400, message))
    assert not isinstance(again.value, OptionRefused)


def test_only_the_vendors_own_address_is_asked_for_a_diagnosis() -> None:
    own = AnthropicWire(own=True)
    assert anthropic_wire() == anthropic_wire(BASE_URL) == anthropic_wire("api.anthropic.com/v1") == own
    assert anthropic_wire("https://gateway.example/anthropic") == AnthropicWire()
    asked = request(HELLO, previous_response="msg_1")
    assert b"diagnostics" not in AnthropicWire().encode(asked, "anthropic")


@pytest.mark.parametrize(
    ("base", "url"),
    [
        ("", "https://api.anthropic.com/v1/messages"),
        ("https://api.anthropic.com/v1/", "https://api.anthropic.com/v1/messages"),
        ("https://api.anthropic.com/v1/messages", "https://api.anthropic.com/v1/messages"),
        ("https://example.org/anthropic", "https://example.org/anthropic/v1/messages"),
    ],
)
def test_addresses_are_worked_out(base: str, url: str) -> None:
    endpoint = endpoint_for(DIALECT, anthropic_wire(base), base)
    assert endpoint.url == url
    assert (endpoint.identity == "anthropic") is ("api.anthropic.com" in url)
