"""Providers that are reached each at its own address, with its own headers, over its own API."""

import dataclasses
from typing import ClassVar

import pytest

from cutaway.harness.errors import AuthenticationFailed, ConfigError, ProviderError
from cutaway.harness.providers.base import Completed, Provider
from cutaway.harness.providers.custom import dialects_with
from cutaway.harness.providers.discovery import discover, resolve_provider
from cutaway.harness.providers.http import HttpProvider
from cutaway.harness.providers.listing import ListedModel, read_listing
from cutaway.harness.settings import ProviderTable
from tests.harness.providers.kit import drain, request
from tests.servers.anthropic_server import AnthropicServer
from tests.servers.openai_server import OpenAIServer
from tests.servers.openai_steps import Step
from tests.servers.responses_server import ResponsesServer

KEY = "k-0123456789abcdef"


@dataclasses.dataclass(slots=True)
class AzureServer(OpenAIServer):
    """A resource with one deployment."""

    path: ClassVar[str] = "/openai/deployments/my%20gpt/chat/completions?api-version=2024-10-21"


async def ask(provider: Provider) -> str:
    asked = request()
    last = (await drain(provider.stream(asked, provider.encode(asked))))[-1]
    assert isinstance(provider, HttpProvider) and isinstance(last, Completed)
    await provider.aclose()
    return last.message.text


async def test_anthropic_is_asked_with_its_key_and_a_gateway_with_its_token(
    anthropic_server: AnthropicServer,
) -> None:
    url = anthropic_server.url
    anthropic_server.beta = False
    for environment, header, sent in (
        ({"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": url}, "x-api-key", KEY),
        ({"ANTHROPIC_AUTH_TOKEN": KEY, "ANTHROPIC_BASE_URL": url}, "authorization", f"Bearer {KEY}"),
    ):
        anthropic_server.play(Step(text="hi"))
        resolved = await resolve_provider("anthropic", None, "claude-sonnet-5-5", environment)
        assert await ask(resolved.provider) == "hi"
        assert anthropic_server.requests[-1].headers[header] == sent
    own = await resolve_provider("anthropic", None, None, {"ANTHROPIC_API_KEY": KEY})
    assert own.provider.url == "https://api.anthropic.com/v1/messages"
    assert (own.provider.name, own.model) == ("anthropic", "claude-sonnet-5-5")


async def test_an_address_that_a_log_kept_leads_back_to_its_api(anthropic_server: AnthropicServer) -> None:
    """A resumed session knows a server of the user's own by its address only."""
    anthropic_server.play(Step(text="hi"))
    address = f"{anthropic_server.url}/v1/messages"
    resolved = await resolve_provider(None, address, "m", {"ANTHROPIC_API_KEY": KEY})
    assert resolved.provider.url == address and await ask(resolved.provider) == "hi"


async def test_openai_speaks_chat_unless_responses_are_asked_for() -> None:
    environment = {"OPENAI_API_KEY": KEY}
    usual = await resolve_provider(None, None, None, environment)
    responses = await resolve_provider("openai-responses", None, None, environment)
    assert usual.provider.url == "https://api.openai.com/v1/chat/completions"
    assert responses.provider.url == "https://api.openai.com/v1/responses"
    gemini = await resolve_provider("gemini", None, "gemini-3.8-flash", {"GEMINI_API_KEY": KEY})
    assert gemini.provider.url.endswith("googleapis.com/v1beta/openai/chat/completions")


async def test_azure_is_reached_at_its_deployment_with_its_own_header() -> None:
    with AzureServer() as server:
        server.play(Step(text="hi"))
        environment = {
            "AZURE_OPENAI_API_KEY": KEY,
            "AZURE_OPENAI_ENDPOINT": f"http://127.0.0.1:{server.port}/",
        }
        resolved = await resolve_provider("azure", None, "my gpt", environment)
        assert resolved.provider.name == "azure" and await ask(resolved.provider) == "hi"
        (seen,) = server.requests
        assert seen.headers["api-key"] == KEY and "authorization" not in seen.headers
        with pytest.raises(ConfigError, match="Name your deployment"):
            await resolve_provider("azure", None, None, environment)


async def test_azures_newer_address_needs_no_version() -> None:
    environment = {"AZURE_OPENAI_API_KEY": KEY, "AZURE_OPENAI_ENDPOINT": "https://me.example/openai/v1"}
    resolved = await resolve_provider("azure", None, "m", environment)
    assert resolved.provider.url == "https://me.example/openai/v1/chat/completions"


async def test_what_is_missing_is_named() -> None:
    with pytest.raises(AuthenticationFailed, match="AZURE_OPENAI_ENDPOINT"):
        await resolve_provider("azure", None, "m", {"AZURE_OPENAI_API_KEY": KEY})
    findings = {one.provider: one for one in await discover({"AZURE_OPENAI_API_KEY": KEY}, timeout=0.01)}
    assert findings["azure"].reason == "AZURE_OPENAI_ENDPOINT is not set"
    assert findings["anthropic"].reason == "the variable is not set"


async def test_a_provider_of_the_settings_gets_its_headers_from_the_environment(
    responses_server: ResponsesServer,
) -> None:
    table = ProviderTable(
        api="responses",
        base_url=responses_server.url,
        key_variable="MY_KEY",
        headers={"X-Team": "team $TEAM", "X-Plain": "yes"},
        model="gpt-5.1",
    )
    dialects = dialects_with({"mine": table})
    with pytest.raises(AuthenticationFailed, match=r"X-Team.*TEAM"):
        await resolve_provider("mine", None, None, {"MY_KEY": KEY}, dialects=dialects)
    environment = {"MY_KEY": KEY, "TEAM": "blue-1234"}
    responses_server.play(Step(text="hi"))
    resolved = await resolve_provider("mine", None, None, environment, dialects=dialects)
    assert (resolved.provider.name, resolved.model) == ("mine", "gpt-5.1")
    assert await ask(resolved.provider) == "hi"
    seen = responses_server.requests[0]
    assert seen.headers["x-team"] == "team blue-1234" and seen.headers["x-plain"] == "yes"
    assert seen.headers["authorization"] == f"Bearer {KEY}"


async def test_a_header_from_the_environment_is_not_shown_in_a_failure(openai_server: OpenAIServer) -> None:
    table = ProviderTable(base_url=openai_server.url, headers={"X-Auth": "$TEAM"}, model="m")
    resolved = await resolve_provider(
        "mine", None, None, {"TEAM": "blue-secret-1"}, dialects=dialects_with({"mine": table})
    )
    openai_server.play(Step(status=400, body={"error": {"message": "bad header blue-secret-1"}}))
    with pytest.raises(ProviderError) as caught:
        await ask(resolved.provider)
    assert "blue-secret-1" not in str(caught.value)
    await resolved.provider.aclose()


async def test_ollama_is_looked_for_where_its_variable_says(openai_server: OpenAIServer) -> None:
    environment = {"OLLAMA_HOST": f"0.0.0.0:{openai_server.port}"}
    found = next(one for one in await discover(environment, timeout=2.0) if one.provider == "ollama")
    assert found.found and found.models == ("test-model",)
    resolved = await resolve_provider(None, None, "test-model", environment)
    assert resolved.provider.name == "ollama"
    await resolved.provider.aclose()


def test_what_servers_tell_of_their_models_is_read_under_each_name() -> None:
    listing = read_listing(
        """{"data": [
        {"id": "a", "max_input_tokens": 9, "max_tokens": 3,
         "capabilities": {"image_input": {"supported": true}, "thinking": {"supported": false}}},
        {"id": "b", "context_length": 8, "top_provider": {"max_completion_tokens": 2},
         "supported_parameters": ["tools"], "architecture": {"input_modalities": ["text"]}},
        {"id": "c", "max_context_length": 7, "capabilities": {"function_calling": true, "vision": false}},
        {"id": "models/d", "context_window": true}, {"name": 3}, "e"]}"""
    )
    assert listing == (
        ListedModel("a", 9, 3, vision=True, reasoning=False),
        ListedModel("b", 8, 2, tools=True, vision=False, reasoning=False),
        ListedModel("c", 7, tools=True, vision=False),
        ListedModel("d"),
    )
