"""Windows and prices: dated, sourced, and unknown where nobody knows."""

import re
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest

from cutaway.harness.catalog import ModelFacts, data_date, lookup
from cutaway.harness.usage import Usage, cost_of


def test_a_known_model_has_a_window_and_a_dated_price() -> None:
    facts = lookup("openai", "gpt-5.1")
    assert facts.context_window is not None
    assert facts.price is not None
    assert facts.price.fresh is not None and facts.price.cache_read is not None
    assert Decimal(0) < facts.price.cache_read < facts.price.fresh
    assert facts.price.source.startswith("genai-prices ")
    assert facts.price.date == data_date()
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", data_date())


def test_the_source_says_how_far_a_price_with_steps_holds() -> None:
    price = lookup("openai", "gpt-5.4").price
    assert price is not None
    assert re.search(r"up to [\d,]+ input tokens$", price.source)


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
