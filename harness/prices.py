"""From the price data's form to ours: tiers kept, what is derived said, what cannot be refused."""

from decimal import Decimal
from typing import TYPE_CHECKING

from cutaway.harness.usage import Price, PriceTier

if TYPE_CHECKING:
    from genai_prices.types import ModelPrice, TieredPrices

KINDS = {
    "fresh": "input",
    "cache_read": "cache_read",
    "cache_write_5m": "cache_write",
    "cache_write_1h": "cache_write_1h",
    "output": "output",
}
"""Our kinds, and what the data calls them (with `_mtok` behind)."""
WRITE_5M, WRITE_1H = Decimal("1.25"), Decimal(2)
"""What Anthropic takes for a cache write, in input prices; platform.claude.com "Prompt caching", 2026-11."""


class BadPrice(ValueError):
    """A price that cannot be meant: below zero, or no number."""


def price_of(prices: "ModelPrice", model: str, source: str, date: str) -> Price | None:
    """Make a price of an entry; None when it says nothing of tokens. Raises BadPrice.

    Anthropic's cache writes follow from its input price; where the data lacks one it is derived, and
    the source says so.
    """
    rates = {kind: getattr(prices, f"{name}_mtok", None) for kind, name in KINDS.items()}
    if rates["fresh"] is None and rates["output"] is None:
        return None
    starts = sorted({tier.start for rate in rates.values() for tier in getattr(rate, "tiers", ())})
    derives = "claude" in model.lower()
    base, derived = _rates(rates, None, derives=derives)
    tiers = [PriceTier(start, **_rates(rates, start, derives=derives)[0]) for start in starts]
    said = f"{source}; derived from the input price: {', '.join(derived)}" if derived else source
    return Price(**base, source=said, date=date, tiers=tuple(tiers))


def _rates(
    rates: "dict[str, Decimal | TieredPrices | None]",
    above: int | None,
    *,
    derives: bool,
) -> tuple[dict[str, Decimal | None], list[str]]:
    """Read the rates of the tier that begins there (None for the first), and say which are derived."""
    found = {kind: _rate(rate, above) for kind, rate in rates.items()}
    for kind, rate in found.items():
        if rate is not None and not (rate.is_finite() and rate >= 0):
            raise BadPrice(f"{KINDS[kind]} is {rate}")
    derived = []
    if derives and found["fresh"] is not None:
        for kind, factor, name in (
            ("cache_write_5m", WRITE_5M, "cache write 5 m"),
            ("cache_write_1h", WRITE_1H, "cache write 1 h"),
        ):
            if found[kind] is None:
                found[kind] = found["fresh"] * factor
                derived.append(name)
    return found, derived


def _rate(rate: "Decimal | TieredPrices | None", above: int | None) -> Decimal | None:
    if rate is None or isinstance(rate, Decimal):
        return rate
    steps = (tier.price for tier in reversed(rate.tiers) if above is not None and tier.start <= above)
    return next(steps, rate.base)
