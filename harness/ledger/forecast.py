"""What going on will take, from what the turns so far took."""

from decimal import Decimal

from msgspec import Struct

from cutaway.harness.events import LimitReached


class Forecast(Struct, frozen=True):
    """An estimate: tokens sent and received, and USD (None when a price is unknown)."""

    turns: int
    tokens: int
    cost: Decimal | None


def forecast(event: LimitReached) -> Forecast:
    """Estimate the turns from this limit to the next, each as dear as the mean of those before."""
    turns = max(event.next_limit - event.limit, 0)
    used = max(event.limit, 1)
    tokens = (event.usage.input + event.usage.output) * turns // used
    cost = None if event.cost is None else Decimal(event.cost) * turns / used
    return Forecast(turns, tokens, cost)
