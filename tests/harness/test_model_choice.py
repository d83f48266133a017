"""A model from a name: at the start, and in the middle of a session, whatever API it is reached over."""

from dataclasses import replace
from pathlib import Path

import pytest

from cutaway.harness import events as e
from cutaway.harness.config import Settings
from cutaway.harness.errors import AuthenticationFailed, ConfigError
from cutaway.harness.model_choice import open_model, resolve_model, with_effort
from cutaway.harness.opening import new_session
from cutaway.harness.settings import ModelTable, PriceTable, ProviderTable
from cutaway.harness.usage import LOCAL, Usage
from tests.harness.session_kit import converse, events, opening
from tests.servers.anthropic_server import AnthropicServer
from tests.servers.anthropic_steps import said, text, thinking, tool_use
from tests.servers.openai_server import OpenAIServer
from tests.servers.openai_steps import Step, call
from tests.servers.responses_server import ResponsesServer

KEYS = {"OPENAI_API_KEY": "k" * 20, "ANTHROPIC_API_KEY": "k" * 20}


async def test_a_model_knows_its_price_its_window_and_its_effort() -> None:
    model = await open_model(Settings(effort="max"), KEYS, provider="openai", model="gpt-5.1")
    assert model.window is not None and model.price is not None and model.price.date
    assert model.params.effort == "high"  # the highest that gpt-5.1 has
    unset = await with_effort(model, None, Settings(effort="max"))
    lower = await with_effort(model, "minimal", Settings())
    assert (unset.params.effort, lower.params.effort) == (None, "none")
    assert lower.provider is model.provider


async def test_settings_give_a_local_model_a_window_and_a_price(openai_server: OpenAIServer) -> None:
    table = ModelTable(context_window=4096, price=PriceTable(input=0, output=2))  # type: ignore[arg-type]
    settings = Settings(models={"test-model": table})
    model = await open_model(settings, {}, base_url=openai_server.url)
    assert model.window == 4096 and model.cost(Usage(fresh=5, output=1_000_000)) == "2"
    plain = await open_model(Settings(), {}, base_url=openai_server.url)
    assert plain.price == LOCAL and plain.window is None
    await model.provider.aclose()
    await plain.provider.aclose()


async def test_a_bare_name_stays_at_the_provider_in_use_where_that_has_it() -> None:
    current = await open_model(Settings(), KEYS, provider="openai", model="gpt-5.1")
    other = await resolve_model("gpt-5.2", Settings(), KEYS, current=current)
    assert other.provider is current.provider and other.name == "gpt-5.2"


async def test_a_bare_name_is_found_at_another_provider_and_a_slash_names_one(
    openai_server: OpenAIServer,
) -> None:
    settings = Settings(
        providers={"here": ProviderTable(base_url=openai_server.url, model="test-model", local=False)}
    )
    current = await open_model(settings, KEYS, provider="here")
    claude = await resolve_model("claude-opus-5-5", settings, KEYS, current=current)
    assert (claude.provider.name, claude.name) == ("anthropic", "claude-opus-5-5")
    new = await resolve_model("anthropic/claude-next", settings, KEYS, current=current)
    assert (new.provider.name, new.name, new.price) == ("anthropic", "claude-next", None)
    with pytest.raises(AuthenticationFailed, match="GROQ_API_KEY"):
        await resolve_model("groq/openai/gpt-oss-20b", settings, KEYS, current=current)
    await current.provider.aclose()


async def test_a_wrong_name_gives_near_ones() -> None:
    current = await open_model(Settings(), KEYS, provider="openai", model="gpt-5.1")
    with pytest.raises(ConfigError, match=r"'cluade-opus-5-5'.*Did you mean.*'claude-opus-5-5'.*PROVIDER/"):
        await resolve_model("cluade-opus-5-5", Settings(), KEYS)
    with pytest.raises(ConfigError, match="cutaway models"):
        await resolve_model("  ", Settings(), KEYS, current=current)


async def test_a_server_is_asked_for_a_name_that_the_data_does_not_have(openai_server: OpenAIServer) -> None:
    openai_server.models = ("test-model", "test-large")
    current = await open_model(Settings(), {}, base_url=openai_server.url)
    large = await resolve_model("test-large", Settings(), {}, current=current, effort="low")
    assert large.provider is current.provider and large.params.effort == "low"
    with pytest.raises(ConfigError, match=r"test-larg\b"):
        await resolve_model("test-larg", Settings(), {}, current=current)
    await current.provider.aclose()


async def test_a_session_goes_on_with_a_model_of_another_api(
    tmp_path: Path,
    openai_server: OpenAIServer,
    anthropic_server: AnthropicServer,
    responses_server: ResponsesServer,
) -> None:
    """D12: what one model thought is not sent to another; calls stay paired with their results."""
    (tmp_path / "a.txt").write_text("alpha\n")
    openai_server.play(
        Step(
            thinking="first thought",
            calls=[call("read_file", id="call|1:" + "x" * 70, filePath="a.txt")],
        ),
        Step(text="Chat."),
    )
    anthropic_server.play(
        said(
            thinking("second thought"),
            text("Reading."),
            tool_use("toolu_1", "list_dir", path="."),
            stop="tool_use",
        ),
        Step(text="Messages."),
    )
    responses_server.play(Step(text="Responses."))
    openai_server.play(Step(text="Chat again."))
    settings = Settings(
        providers={
            "chat": ProviderTable(base_url=openai_server.url, dialect="mistral", local=False),
            "messages": ProviderTable(base_url=anthropic_server.url, api="anthropic", local=False),
            "responses": ProviderTable(base_url=responses_server.url, api="responses", local=False),
        }
    )
    anthropic_server.beta = False
    current = await open_model(settings, {}, provider="chat", model="m")
    session = new_session(replace(opening(tmp_path), model=current))
    await converse(session, "look")
    for name in ("messages/claude-opus-4-8", "responses/gpt-5.1", "chat/m"):
        current = await resolve_model(name, settings, {}, current=current)
        session.set_model(current)
        await converse(session, f"now {name}")
    await session.aclose()
    assert [openai_server.faults, anthropic_server.faults, responses_server.faults] == [[], [], []]
    assert events(session, e.AssistantAnswered)[-1].content == "Chat again."
    foreign = anthropic_server.requests[0].body + responses_server.requests[0].body
    assert b"first thought" not in foreign
    assert b"second thought" not in responses_server.requests[0].body + openai_server.requests[-1].body
    ids = [one["id"] for m in openai_server.requests[-1].messages for one in m.get("tool_calls", ())]
    assert [len(id) for id in ids] == [9, 9]
