"""What the cache saves, and what an action would cost that breaks the prefix; USD, None where unknown."""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from msgspec import Struct

from cutaway.harness.cache.breakpoints import CopilotView
from cutaway.harness.cache.rows import Row
from cutaway.harness.cache.rules import CacheRules
from cutaway.harness.cache.store import Outcome, PrefixStore
from cutaway.harness.cache.values import CacheTtl, Mark
from cutaway.harness.usage import MILLION, Price, Usage, cost_of

Action = Literal["model", "effort", "tools", "instructions", "compaction", "wait"]
"""What breaks the prefix; `wait` is to go on after it has expired."""


class Savings(Struct, frozen=True, rename="camel"):
    """Of one call: what it cost beside what it would have cost in other ways."""

    paid: Decimal | None = None
    without_cache: Decimal | None = None
    with_copilot_marks: Decimal | None = None


class PriceTag(Struct, frozen=True, rename="camel"):
    """What an action costs once, more than going on without it would, and the tokens that are paid anew."""

    action: Action
    tokens: int
    once: Decimal | None


@dataclass(slots=True)
class Rival:
    """Plays the same requests with Copilot's marks, so that its strategy can be measured beside ours."""

    rules: CacheRules
    _store: PrefixStore = field(init=False)
    _view: CopilotView = field(default_factory=CopilotView)

    def __post_init__(self) -> None:
        self._store = PrefixStore(self.rules)

    def ask(self, row: Row, ttl: CacheTtl, at: float) -> Outcome:
        """What this request would have read and written; it is in that cache from then on."""
        marks = [Mark(at, ttl) for at in self._view.marks(row)] if self.rules.kind == "marks" else []
        outcome = self._store.look(row, marks, at)
        self._store.keep(row, marks, at)
        return outcome


def savings(usage: Usage, price: Price | None, rival: Outcome | None, *, automatic: bool = False) -> Savings:
    """Price one call three ways; `rival` is what Copilot's marks would have read, in our own token counts.

    Where the cache is `automatic` no marks are sent, and nobody's would change anything.
    """
    paid = cost_of(usage, price)
    bare = cost_of(Usage(fresh=usage.input, output=usage.output), price)
    if rival is None:
        return Savings(paid, bare, paid if automatic else None)
    ours = rival.read + rival.write_5m + rival.write_1h + rival.fresh
    scale = usage.input / ours if ours else 1.0
    read, short, long = (round(n * scale) for n in (rival.read, rival.write_5m, rival.write_1h))
    theirs = Usage(max(0, usage.input - read - short - long), read, short, long, usage.output)
    return Savings(paid, bare, cost_of(theirs, price))


class Rate(Struct, frozen=True):
    """What sending as new costs at one place: the price, and whether the cache there is written for money."""

    price: Price | None
    rules: CacheRules
    ttl: CacheTtl = "5m"

    def new(self, tokens: int) -> Decimal | None:
        """Send tokens that the provider has not; where it wants to be written, they are written."""
        if self.price is None:
            return None
        price = self.price.at(tokens)
        if self.rules.kind != "marks" and not self.rules.writes:
            return _sum(tokens, price.fresh)
        return _sum(tokens, price.cache_write_1h if self.ttl == "1h" else price.cache_write_5m)


def tag(action: Action, tokens: int, now: Rate, then: Rate, *, warm: bool = True) -> PriceTag:
    """Price an action after which `tokens` are sent as new at the rate `then`.

    Without it they would be read at the rate `now`, or sent as new too when the cache is no longer `warm`.
    """
    once = then.new(tokens)
    stay = refresh(tokens, now.price) if warm else now.new(tokens)
    return PriceTag(action, tokens, None if once is None or stay is None else once - stay)


def refresh(tokens: int, price: Price | None) -> Decimal | None:
    """What it costs to read the prefix once only to keep it alive."""
    return _sum(tokens, None if price is None else price.at(tokens).cache_read)


def _sum(tokens: int, rate: Decimal | None) -> Decimal | None:
    return None if rate is None else tokens * rate / MILLION
