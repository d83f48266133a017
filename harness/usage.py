"""Tokens and money in disjoint kinds, so that sums are true for every provider."""

from decimal import Decimal

from msgspec import Struct, structs

MILLION = Decimal(1_000_000)


class Usage(Struct, frozen=True, rename="camel"):
    """Tokens of one model call; the kinds do not overlap, except that reasoning is part of output.

    `estimated` marks counts that are ours because the provider reported none.
    """

    fresh: int = 0
    cache_read: int = 0
    cache_write_5m: int = 0
    cache_write_1h: int = 0
    output: int = 0
    reasoning: int = 0
    estimated: bool = False

    @property
    def input(self) -> int:
        """All tokens that were sent."""
        return self.fresh + self.cache_read + self.cache_write_5m + self.cache_write_1h

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.fresh + other.fresh,
            self.cache_read + other.cache_read,
            self.cache_write_5m + other.cache_write_5m,
            self.cache_write_1h + other.cache_write_1h,
            self.output + other.output,
            self.reasoning + other.reasoning,
            self.estimated or other.estimated,
        )


class PriceTier(Struct, frozen=True, rename="camel"):
    """The rates of a call whose prompt has more than `above` tokens; they hold for all of its tokens."""

    above: int
    fresh: Decimal | None = None
    cache_read: Decimal | None = None
    cache_write_5m: Decimal | None = None
    cache_write_1h: Decimal | None = None
    output: Decimal | None = None


class Price(Struct, frozen=True, rename="camel"):
    """Currency units (USD) per million tokens of each kind; None is unknown, never free.

    `source` names where the numbers come from, `date` when they were published there. `tiers` rise by
    the length of the prompt; the rates here are those below the first.
    """

    fresh: Decimal | None = None
    cache_read: Decimal | None = None
    cache_write_5m: Decimal | None = None
    cache_write_1h: Decimal | None = None
    output: Decimal | None = None
    source: str = ""
    date: str = ""
    tiers: tuple[PriceTier, ...] = ()

    def at(self, prompt: int) -> "Price":
        """Give the rates for a prompt of so many tokens, cached ones included, as a price without tiers."""
        tier = next((one for one in reversed(self.tiers) if prompt > one.above), None)
        if tier is None:
            return structs.replace(self, tiers=()) if self.tiers else self
        return Price(
            tier.fresh,
            tier.cache_read,
            tier.cache_write_5m,
            tier.cache_write_1h,
            tier.output,
            f"{self.source}, above {tier.above:,} input tokens",
            self.date,
        )


LOCAL = Price(Decimal(0), Decimal(0), Decimal(0), Decimal(0), Decimal(0), source="runs on this machine")
"""A model on the user's own machine costs no money per token."""


def cost_of(usage: Usage, price: Price | None) -> Decimal | None:
    """Price one call in USD, by the tier of its prompt; None when a kind that was used has no known price."""
    if price is None:
        return None
    price = price.at(usage.input)
    pairs = (
        (usage.fresh, price.fresh),
        (usage.cache_read, price.cache_read),
        (usage.cache_write_5m, price.cache_write_5m),
        (usage.cache_write_1h, price.cache_write_1h),
        (usage.output, price.output),
    )
    total = Decimal(0)
    for tokens, rate in pairs:
        if tokens:
            if rate is None:
                return None
            total += tokens * rate / MILLION
    return total
