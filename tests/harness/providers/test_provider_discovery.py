"""What can be reached is found, and what cannot says what was looked for."""

import re
import socket
from pathlib import Path

import msgspec
import pytest

from cutaway.harness.errors import AuthenticationFailed, ConfigError, ConnectionFailed
from cutaway.harness.messages import AssistantMessage, Reasoning, ToolCall
from cutaway.harness.providers.dialects import CUSTOM, DIALECTS, OPENAI, Dialect, dialect_named
from cutaway.harness.providers.discovery import discover, list_models, resolve_provider
from cutaway.harness.providers.endpoint import endpoint_for
from cutaway.harness.providers.http import HttpProvider
from cutaway.harness.providers.openai_chat import ChatWire
from cutaway.harness.providers.scripted import ScriptedProvider
from tests.harness.providers.kit import HELLO, READ, request
from tests.servers.openai_server import OpenAIServer
from tests.servers.openai_steps import Step

WIRE = ChatWire(CUSTOM)


def at(dialect_name: str, port: int) -> Dialect:
    dialect = dialect_named(dialect_name)
    assert dialect is not None
    return msgspec.structs.replace(dialect, base_url=f"http://127.0.0.1:{port}/v1")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


async def test_keys_and_local_servers_are_found_and_the_rest_says_why_not(
    openai_server: OpenAIServer,
) -> None:
    openai_server.models = ("small", "large")
    dialects = (OPENAI, at("ollama", openai_server.port), at("vllm", free_port()))
    without = await discover({}, dialects, timeout=5.0)
    assert [finding.found for finding in without] == [False, True, False]
    assert without[0].looked_for == "OPENAI_API_KEY"
    assert without[0].reason == "the variable is not set"
    assert without[1].models == ("small", "large")
    assert without[2].reason.startswith("nothing listens there; start it with `vllm serve")
    (key,) = await discover({"OPENAI_API_KEY": "sk-x"}, (OPENAI,))
    assert key.found
    assert "sk-x" not in repr(key)


async def test_a_foreign_server_on_the_port_is_not_taken_for_a_model(openai_server: OpenAIServer) -> None:
    dialect = msgspec.structs.replace(at("llamacpp", openai_server.port), base_url=openai_server.url + "/v9")
    (finding,) = await discover({}, (dialect,), timeout=5.0)
    assert not finding.found
    assert "404" in finding.reason


async def test_a_base_url_needs_no_name_and_no_key(openai_server: OpenAIServer) -> None:
    resolved = await resolve_provider(None, openai_server.url, None, {})
    assert resolved.model == "test-model"
    assert resolved.provider.name == f"127.0.0.1:{openai_server.port}"
    assert await list_models(resolved.provider) == ("test-model",)
    assert "authorization" not in openai_server.seen[0].headers
    await resolved.provider.aclose()


async def test_a_servers_name_leads_back_to_it(openai_server: OpenAIServer) -> None:
    """A resumed session knows its provider by name only."""
    name = (await resolve_provider("openai", openai_server.url, "m", {})).provider.name
    again = await resolve_provider(name, None, "m", {})
    assert again.provider.url == f"{openai_server.url}/chat/completions"


@pytest.mark.parametrize("dialect", [d for d in DIALECTS if d.base_url and not d.local], ids=lambda d: d.name)
async def test_a_missing_key_names_its_variable(dialect: Dialect) -> None:
    with pytest.raises(
        AuthenticationFailed, match=re.escape(f"{dialect.title} needs a key: set {dialect.key_variable}")
    ):
        await resolve_provider(dialect.name, None, None, {})
    resolved = await resolve_provider(dialect.name, None, None, {dialect.key_variable: "k" * 20})
    assert resolved.model == dialect.default_model
    assert resolved.provider.name == dialect.name


async def test_a_key_that_cannot_be_sent_is_refused_without_being_shown() -> None:
    with pytest.raises(AuthenticationFailed, match="OPENAI_API_KEY") as caught:
        await resolve_provider("openai", None, None, {"OPENAI_API_KEY": "sk-\u201csecret\u201d"})
    assert "secret" not in str(caught.value)


async def test_an_unknown_provider_lists_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"no provider 'opnai'.*'openai'.*openai, anthropic.*scripted"):
        await resolve_provider("opnai", None, None, {})


async def test_a_local_server_that_is_off_says_so() -> None:
    with pytest.raises(ConnectionFailed, match="ollama serve"):
        await resolve_provider("ollama", f"http://127.0.0.1:{free_port()}", None, {})


async def test_a_server_without_models_asks_for_a_name(openai_server: OpenAIServer) -> None:
    openai_server.models = ()
    with pytest.raises(ConfigError, match="--model"):
        await resolve_provider(None, openai_server.url, None, {})


async def test_a_script_is_resolved_from_its_path_or_the_variable(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_text('{"steps":[{"text":"hi"}],"model":"demo"}')
    for base_url, environment in ((str(path), {}), (None, {"CUTAWAY_SCRIPT": str(path)})):
        resolved = await resolve_provider("scripted", base_url, None, environment, count=len)
        assert isinstance(resolved.provider, ScriptedProvider)
        assert resolved.model == "demo"
    with pytest.raises(ConfigError, match="CUTAWAY_SCRIPT"):
        await resolve_provider("scripted", None, None, {}, count=len)


@pytest.mark.parametrize(
    ("base", "chat"),
    [
        ("https://example.org", "https://example.org/v1/chat/completions"),
        ("example.org/", "https://example.org/v1/chat/completions"),
        ("localhost:8080", "http://localhost:8080/v1/chat/completions"),
        ("https://example.org/api", "https://example.org/api/v1/chat/completions"),
        ("https://example.org/v1beta/openai/", "https://example.org/v1beta/openai/chat/completions"),
        ("https://example.org/api/paas/v4", "https://example.org/api/paas/v4/chat/completions"),
        ("http://[::1]:9/v1/chat/completions/", "http://[::1]:9/v1/chat/completions"),
        ("https://example.org/v1?api-version=2", "https://example.org/v1/chat/completions?api-version=2"),
    ],
)
def test_addresses_are_worked_out(base: str, chat: str) -> None:
    assert endpoint_for(CUSTOM, WIRE, base).url == chat


@pytest.mark.parametrize("base", ["", "ftp://x", "http://", "http://a b", "http://u:pw@x:99999"])
def test_an_address_that_cannot_be_used_is_refused(base: str) -> None:
    with pytest.raises(ConfigError, match="needs the form") as caught:
        endpoint_for(CUSTOM, WIRE, base)
    assert "pw" not in str(caught.value)


def test_secrets_in_an_address_are_not_shown() -> None:
    shown = endpoint_for(
        CUSTOM, WIRE, "https://user:secret@example.org/v1?api_key=hidden&api-version=2"
    ).shown
    assert shown == "https://example.org/v1/chat/completions?api_key=***&api-version=2"


async def test_thinking_of_one_server_is_not_sent_to_another(openai_server: OpenAIServer) -> None:
    """D12: the same dialect and model on another port is another provider."""
    with OpenAIServer() as other:
        here, there = (
            HttpProvider(endpoint_for(CUSTOM, WIRE, server.url), WIRE) for server in (openai_server, other)
        )
        thought = Reasoning("t", "reasoning_content", here.endpoint.identity, "test-model")
        answer = AssistantMessage("", (ToolCall("a", READ.name, "{}"),), (thought,))
        asked = request(HELLO, answer)
        assert b"reasoning_content" in here.encode(asked)
        assert b"reasoning_content" not in there.encode(asked)


async def test_the_environments_proxy_is_not_asked_for_this_machine(
    openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{free_port()}")
    monkeypatch.setenv("ALL_PROXY", f"http://127.0.0.1:{free_port()}")
    openai_server.play(Step(text="ok"))
    resolved = await resolve_provider(None, openai_server.url, None, {})
    assert resolved.model == "test-model"
    await resolved.provider.aclose()
