"""What is known of a model without asking anybody: its window and its dated price.

The data is the one that the package genai-prices carries; nothing is fetched. Unknown is None,
never 0.
"""

import re
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import TYPE_CHECKING

from msgspec import Struct

from cutaway.harness.providers.dialects import SCRIPTED, dialect_named
from cutaway.harness.providers.endpoint import is_loopback
from cutaway.harness.usage import Price

if TYPE_CHECKING:
    from genai_prices.types import ModelPrice, TieredPrices

_CHECKED = re.compile(r"(?:verified|checked|as of)(?: on)? (20\d\d-\d\d-\d\d)")


class ModelFacts(Struct, frozen=True):
    """Windows in tokens and a price, None where unknown; `local` models cost no money per token."""

    context_window: int | None = None
    max_output: int | None = None
    price: Price | None = None
    local: bool = False


def lookup(provider: str, model: str) -> ModelFacts:
    """Find what is known of a model at a provider, by the names that `Provider.name` and a request use.

    The first call imports the data (about a third of a second): call it off the start-up path.
    """
    if is_local(provider):
        return ModelFacts(local=True)
    from genai_prices.data_snapshot import get_snapshot

    try:
        _, found = get_snapshot().find_provider_model(model, None, provider, None)
    except LookupError:
        return ModelFacts()
    prices = found.get_prices(datetime.now(UTC))
    return ModelFacts(context_window=found.context_window, price=_price(prices))


def is_local(provider: str) -> bool:
    """Tell whether a provider, by its name, runs on this machine or is a script."""
    if provider == SCRIPTED.name:
        return True
    dialect = dialect_named(provider)
    if dialect is not None:
        return dialect.local
    return is_loopback(re.sub(r":\d+$", "", provider).strip("[]"))


def _price(prices: "ModelPrice") -> Price | None:
    def rate(name: str) -> "Decimal | TieredPrices | None":
        return getattr(prices, f"{name}_mtok", None)

    fresh, output = rate("input"), rate("output")
    if fresh is None and output is None:
        return None
    starts = [tier.start for tier in getattr(fresh, "tiers", ())]
    tiers = f", up to {min(starts):,} input tokens" if starts else ""
    return Price(
        fresh=_base(fresh),
        cache_read=_base(rate("cache_read")),
        cache_write_5m=_base(rate("cache_write")),
        cache_write_1h=_base(rate("cache_write_1h")),
        output=_base(output),
        source=f"genai-prices {version('genai-prices')}{tiers}",
        date=data_date(),
    )


def _base(rate: "Decimal | TieredPrices | None") -> Decimal | None:
    """Take the rate of short prompts; the source says where it ends."""
    return rate if rate is None or isinstance(rate, Decimal) else rate.base


@cache
def data_date() -> str:
    """Give the newest day on which the data says that prices were checked ('' when it says none).

    The package carries no date of its own, so this is the one statement about its age in it.
    """
    try:
        text = (files("genai_prices") / "data.py").read_text(encoding="utf-8")
    except OSError:
        return ""
    today = datetime.now(UTC).date().isoformat()
    return max((day for day in _CHECKED.findall(text) if day <= today), default="")
