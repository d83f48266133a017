"""Another model for a running session, among what can be reached."""

from pathlib import Path

import pytest

from cutaway.harness import events as e
from cutaway.harness.config import Settings
from cutaway.harness.errors import HarnessError
from cutaway.harness.model_switch import ModelOffer, ModelSwitch
from cutaway.harness.providers.scripted import ScriptedProvider
from tests.harness.session_kit import converse, events, say, start

KEYS = {"ANTHROPIC_API_KEY": "k", "OPENAI_API_KEY": "k"}


async def test_offers_are_those_of_the_providers_whose_key_is_set_with_price_and_family() -> None:
    offers = await ModelSwitch(Settings(), KEYS).offers()
    families = {offer.provider: offer.family for offer in offers}
    assert families["anthropic"] == "anthropic" and families["openai"].startswith("openai")
    sonnet = next(offer for offer in offers if offer.model == "claude-sonnet-4-5")
    assert sonnet.price is not None and sonnet.window


async def test_a_session_goes_on_with_another_provider_and_keeps_its_effort(tmp_path: Path) -> None:
    session = start(tmp_path, [say("one")])
    await converse(session, "go")
    session.set_effort("low")
    switch = ModelSwitch(Settings(), KEYS)
    await switch.change(session, ModelOffer("anthropic", "claude-opus-4-8", "anthropic"))
    changed = events(session, e.ModelChanged)[-1]
    assert (changed.provider, changed.new_model) == ("anthropic", "claude-opus-4-8")
    assert session.model.params.effort == "low"
    assert "high" in await switch.efforts(session)
    await session.aclose()


async def test_where_a_key_is_missing_nothing_has_changed(tmp_path: Path) -> None:
    session = start(tmp_path, [say("one")])
    with pytest.raises(HarnessError, match="ANTHROPIC_API_KEY"):
        await ModelSwitch(Settings(), {}).change(session, ModelOffer("anthropic", "claude-x", "anthropic"))
    assert isinstance(session.model.provider, ScriptedProvider)
    await session.aclose()
