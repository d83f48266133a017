"""Windows and prices: dated, sourced, and unknown where nobody knows."""

import re
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest

from cutaway.harness.catalog import ModelFacts, data_date, lookup
from cutaway.harness.model_limits import limits_of
from cutaway.harness.prices import BadPrice, price_of
from cutaway.harness.providers.efforts import nearest_effort
from cutaway.harness.settings import ModelTable, PriceTable
from cutaway.harness.usage import Price, Usage, cost_of


def test_a_known_model_has_a_window_and_a_dated_price() -> None:
    facts = lookup("openai", "gpt-5.1")
    assert facts.context_window is not None
    assert facts.price is not None
    assert facts.price.fresh is not None and facts.price.cache_read is not None
    assert Decimal(0) < facts.price.cache_read < facts.price.fresh
    assert facts.price.source.startswith("genai-prices ")
    assert facts.price.date == data_date()
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", data_date())


def test_a_call_is_priced_with_the_tier_that_its_prompt_falls_in() -> None:
    price = lookup("openai", "gpt-5.4").price
    assert price is not None and price.fresh is not None
    (tier,) = price.tiers
    assert tier.fresh is not None and tier.fresh > price.fresh
    million = Decimal(1_000_000)
    assert cost_of(Usage(fresh=tier.above), price) == tier.above * price.fresh / million
    assert cost_of(Usage(fresh=tier.above + 1), price) == (tier.above + 1) * tier.fresh / million
    cached = cost_of(Usage(cache_read=tier.above, fresh=1), price)
    assert cached is not None and tier.cache_read is not None
    assert cached == (tier.above * tier.cache_read + tier.fresh) / million
    assert price.at(tier.above + 1).source.endswith(f"above {tier.above:,} input tokens")


def test_a_derived_price_says_so_and_a_bad_one_is_refused() -> None:
    """Anthropic's write of an hour is twice the input price, in every tier."""
    from genai_prices.types import ModelPrice, Tier, TieredPrices

    data = ModelPrice(
        input_mtok=TieredPrices(base=Decimal(3), tiers=[Tier(start=200_000, price=Decimal(6))]),
        cache_write_mtok=Decimal("3.75"),
        output_mtok=Decimal(15),
    )
    price = price_of(data, "claude-x", "data 1", "2026-11-01")
    assert price is not None
    assert (price.cache_write_5m, price.cache_write_1h, price.cache_read) == (
        Decimal("3.75"),
        Decimal(6),
        None,
    )
    assert price.source == "data 1; derived from the input price: cache write 1 h"
    assert price.tiers[0].cache_write_1h == Decimal(12)
    plain = price_of(data, "other-x", "data 1", "")
    assert plain is not None and plain.cache_write_1h is None
    for wrong in (Decimal(-1), Decimal("nan")):
        with pytest.raises(BadPrice, match="output"):
            price_of(ModelPrice(input_mtok=Decimal(1), output_mtok=wrong), "m", "data 1", "")


def test_settings_come_before_the_data_and_are_named_as_the_source() -> None:
    models = {
        "gpt-5.1": ModelTable(price=PriceTable(output=Decimal(7)), capabilities=("tools",)),
        "openai/gpt-5.1": ModelTable(context_window=1000),
    }
    facts, known = lookup("openai", "gpt-5.1", models), lookup("openai", "gpt-5.1")
    assert facts.price is not None and known.price is not None
    assert (facts.price.output, facts.price.fresh) == (Decimal(7), known.price.fresh)
    assert facts.price.source == f"config.toml, the rest {known.price.source}"
    assert (facts.context_window, facts.tools, facts.vision) == (1000, True, False)
    mine = lookup("mine", "m", {"m": ModelTable(price=PriceTable(input=Decimal(0)))})
    assert mine.price == Price(fresh=Decimal(0), source="config.toml")


@pytest.mark.parametrize(
    ("model", "output", "top"),
    [
        ("claude-opus-5-5", 128_000, "max"),
        ("anthropic/claude-sonnet-4.5", 64_000, None),
        ("claude-opus-4-20250514", 32_000, None),
        ("gpt-5.1-2025-11-13", 128_000, "high"),
        ("gpt-5.6-sol", 128_000, "max"),
        ("gpt-5.9", None, None),
        ("gpt-4o-audio-preview", None, None),
        ("claude-opus-4-9", None, None),
    ],
)
def test_what_a_family_can_do_is_known_by_its_name(model: str, output: int | None, top: str | None) -> None:
    limits = limits_of(model)
    assert limits.max_output == output
    assert (limits.efforts[-1] if limits.efforts else None) == top


def test_another_level_of_effort_becomes_the_nearest_below() -> None:
    known = ("low", "medium", "high")
    assert [nearest_effort(asked, known) for asked in ("max", "medium", "none")] == ["high", "medium", "low"]
    assert nearest_effort("max", ()) == "max"


def test_both_kinds_of_cache_writes_have_their_price() -> None:
    price = lookup("anthropic", "claude-sonnet-4-5").price
    assert price is not None
    assert price.cache_write_5m is not None and price.cache_write_1h is not None
    assert price.cache_write_1h > price.cache_write_5m


@pytest.mark.parametrize("provider", ["openai", "example.org", "example.org:8080", "nobody"])
def test_unknown_is_unknown_and_never_free(provider: str) -> None:
    facts = lookup(provider, "no-such-model")
    assert facts == ModelFacts()
    assert cost_of(Usage(fresh=1), facts.price) is None


@pytest.mark.parametrize(
    "provider", ["ollama", "llamacpp", "127.0.0.1:8080", "localhost", "[::1]:1", "scripted"]
)
def test_what_runs_here_is_local_and_has_no_price(provider: str) -> None:
    assert lookup(provider, "gpt-5.1") == ModelFacts(local=True)


def test_importing_the_catalog_imports_no_prices_and_no_http() -> None:
    code = (
        "import sys, cutaway.harness.catalog, cutaway.harness.providers.discovery; "
        "print([m for m in ('genai_prices', 'httpx', 'pydantic') if m in sys.modules])"
    )
    root = Path(__file__).parents[2]
    environment = {"PYTHONPATH": str(root / ".src")}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
