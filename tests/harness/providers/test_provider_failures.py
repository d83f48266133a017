"""Refusals: each names who refused, why, and what to do; no secret is ever repeated."""

import socket

import pytest

from cutaway.harness.errors import (
    AuthenticationFailed,
    ConnectionFailed,
    ContextTooLong,
    Overloaded,
    ProviderError,
    RateLimited,
    RequestRejected,
)
from cutaway.harness.providers.base import Completed
from cutaway.harness.providers.dialects import dialect_named
from cutaway.harness.providers.failures import retry_after
from tests.harness.providers.kit import HELLO, KEY, Asking, FakeClock
from tests.servers.openai_server import OpenAIServer
from tests.servers.openai_steps import Step, call, error

NOW = FakeClock().now()


async def refused(asking: Asking, *steps: Step) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        await asking.play(*steps)
    return caught.value


def a_free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


async def test_a_wrong_key_names_the_variable_and_never_the_key(openai_server: OpenAIServer) -> None:
    """F12: the server's 401 repeats the Authorization header; we do not."""
    openai_server.key = "another"
    asking = Asking(openai_server)
    failure = await refused(asking)
    assert isinstance(failure, AuthenticationFailed)
    assert "OPENAI_API_KEY" in str(failure)
    assert "***" in str(failure)
    assert "SECRET123" not in str(failure)
    assert (failure.status, failure.request_id) == (401, "req_test")
    await asking.provider.aclose()
    keyless = Asking(openai_server, key="")
    assert "set OPENAI_API_KEY" in str(await refused(keyless))
    await keyless.provider.aclose()


async def test_a_key_in_the_answer_is_masked_in_raw(asking: Asking) -> None:
    """F12: what is stored of an answer holds no key, also when the server repeats it."""
    completed = await asking.play(Step(raw=f": {KEY}\n\ndata: [DONE]\n\n".encode()))
    assert completed.raw == ": ***\n\ndata: [DONE]\n\n"


async def test_user_and_password_of_the_url_are_sent_and_not_shown(openai_server: OpenAIServer) -> None:
    """F12: `http://user:pw@host`."""
    url = openai_server.url.replace("//", "//user:pw@")
    asking = Asking(openai_server, base_url=url, key="")
    await asking.play(Step(text="ok"))
    assert openai_server.requests[0].headers["authorization"] == "Basic dXNlcjpwdw=="
    assert "pw" not in asking.provider.url
    assert "user" not in asking.provider.url
    keyed = Asking(openai_server, base_url=url)
    await keyed.play(Step(text="ok"))
    assert openai_server.requests[1].headers["authorization"] == f"Bearer {KEY}"
    for one in (asking, keyed):
        await one.provider.aclose()


async def test_a_redirect_is_told_and_not_followed(asking: Asking) -> None:
    """F12: the key is not carried to another host."""
    failure = await refused(asking, Step(status=302, body="", headers={"location": "http://127.0.0.1:9/x"}))
    assert isinstance(failure, RequestRejected)
    assert "http://127.0.0.1:9/x" in str(failure)
    assert len(asking.server.seen) == 1


@pytest.mark.parametrize("status", [200, 404, 502])
async def test_a_web_page_is_no_answer(asking: Asking, status: int) -> None:
    page = "<!DOCTYPE html><html><head><title>Welcome to nginx</title></head><body>x</body></html>"
    failure = await refused(asking, Step(status=status, body=page, headers={"content-type": "text/html"}))
    assert isinstance(failure, Overloaded if status == 502 else RequestRejected)
    assert "Welcome to nginx" in str(failure)
    assert "<body" not in str(failure)
    assert status == 502 or "base URL" in str(failure)


async def test_an_unknown_model_is_named(asking: Asking) -> None:
    asking.server.only_known_models = True
    with pytest.raises(RequestRejected, match=r"does not know the model 'gpt-0'.*`cutaway models`"):
        await asking(HELLO, model="gpt-0")


@pytest.mark.parametrize("tail", ["", "/", "/v1", "/v1/", "/v1/chat/completions"])
async def test_a_base_url_works_in_every_usual_form(openai_server: OpenAIServer, tail: str) -> None:
    asking = Asking(openai_server, base_url=openai_server.url.removesuffix("/v1") + tail)
    assert (await asking.play(Step(text="ok"))).message.text == "ok"
    assert await asking.provider.models() == ("test-model",)
    assert asking.provider.url == f"{openai_server.url}/chat/completions"
    await asking.provider.aclose()


async def test_a_wrong_path_points_at_the_base_url(openai_server: OpenAIServer) -> None:
    asking = Asking(openai_server, base_url=f"{openai_server.url}/v2")
    with pytest.raises(RequestRejected, match=r"Nothing answers at .*/v1/v2.* Check the base URL"):
        await asking(HELLO)
    await asking.provider.aclose()


async def test_a_server_that_is_not_running_says_how_to_start_it(openai_server: OpenAIServer) -> None:
    ollama = dialect_named("ollama")
    assert ollama is not None
    asking = Asking(openai_server, ollama, base_url=f"http://127.0.0.1:{a_free_port()}")
    with pytest.raises(ConnectionFailed, match=r"nothing listens there.*ollama serve") as caught:
        await asking(HELLO)
    assert caught.value.refused
    await asking.provider.aclose()


async def test_the_strict_server_refuses_a_call_without_its_result(asking: Asking) -> None:
    """The server that holds our history valid is itself held to its word."""
    completed = await asking.play(Step(calls=[call("read_file", path="a")]))
    assert isinstance(completed, Completed)
    with pytest.raises(RequestRejected, match="must be followed by tool messages"):
        await asking(HELLO, completed.message, HELLO)
    assert len(asking.server.faults) == 1


@pytest.mark.parametrize(
    ("step", "kind", "words"),
    [
        (error(429, "slow", retry_after="2"), RateLimited, "limits the rate"),
        (error(429, "You exceeded", code="insufficient_quota"), RateLimited, "quota or the balance"),
        (error(402, "Insufficient Balance"), RateLimited, "Add credit"),
        (error(503, "busy"), Overloaded, "busy"),
        (error(529, "overloaded"), Overloaded, "overloaded"),
        (error(500, "oops"), Overloaded, "oops"),
        (error(403, "not in your country"), AuthenticationFailed, "not in your country"),
        (error(400, "temperature is too hot"), RequestRejected, "too hot"),
        (Step(status=422, body='{"detail":"bad field"}'), RequestRejected, "bad field"),
        (Step(status=400, body="plain words"), RequestRejected, "plain words"),
        (Step(status=500, body=""), Overloaded, "failed (500)"),
        (error(400, "API key not valid. Please pass one."), AuthenticationFailed, "OPENAI_API_KEY"),
    ],
)
async def test_a_status_and_its_words_become_one_error(
    asking: Asking, step: Step, kind: type[ProviderError], words: str
) -> None:
    failure = await refused(asking, step)
    assert type(failure) is kind
    assert words in str(failure)
    assert failure.status == step.status


@pytest.mark.parametrize(
    ("step", "sent", "limit"),
    [
        (
            error(
                400,
                "This model's maximum context length is 8192 tokens. However, your messages resulted in "
                "9000 tokens.",
                code="context_length_exceeded",
            ),
            9000,
            8192,
        ),
        (
            Step(
                status=400,
                body={
                    "error": {
                        "type": "exceed_context_size_error",
                        "message": "the request exceeds the available context size",
                        "n_prompt_tokens": 5000,
                        "n_ctx": 4096,
                    }
                },
            ),
            5000,
            4096,
        ),
        (error(413, "too big"), None, None),
    ],
)
async def test_a_full_window_is_told_with_its_numbers(
    asking: Asking, step: Step, sent: int | None, limit: int | None
) -> None:
    failure = await refused(asking, step)
    assert isinstance(failure, ContextTooLong)
    assert (failure.sent, failure.limit) == (sent, limit)


@pytest.mark.parametrize(
    ("headers", "words", "seconds"),
    [
        ({"retry-after": "2"}, "", 2.0),
        ({"retry-after-ms": "1500", "retry-after": "2"}, "", 1.5),
        ({"retry-after": "Mon, 30 Nov 2026 12:00:03 GMT"}, "", 3.0),
        ({"retry-after": "Mon, 30 Nov 2026 11:00:00 GMT"}, "", 0.0),
        ({}, "Please try again in 1.5s", 1.5),
        ({}, "Please try again in 1m2.5s.", 62.5),
        ({}, "try again in 120ms", 0.12),
        ({}, "Please retry after 7 seconds", 7.0),
        ({"retry-after": "soon"}, "", None),
        ({"retry-after": "nan"}, "", None),
        ({}, "try again later", None),
    ],
)
def test_the_wait_that_is_asked_for_is_found(
    headers: dict[str, str], words: str, seconds: float | None
) -> None:
    """D14 (a), (b), (f): seconds, milliseconds, an HTTP date, or only words."""
    assert retry_after(headers, words, NOW) == seconds
