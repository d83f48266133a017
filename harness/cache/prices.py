"""What the cache saves, and what an action would cost that breaks the prefix; USD, None where unknown."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from msgspec import Struct

from cutaway.harness.cache.breakpoints import place
from cutaway.harness.cache.rows import Row
from cutaway.harness.cache.rules import CacheRules
from cutaway.harness.cache.store import Outcome, PrefixStore
from cutaway.harness.cache.values import CacheTtl, Mark
from cutaway.harness.usage import MILLION, Price, Usage, cost_of

Action = Literal["model", "effort", "tools", "compaction", "wait"]
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

    def __post_init__(self) -> None:
        self._store = PrefixStore(self.rules)

    def ask(self, row: Row, ttl: CacheTtl, at: float) -> Outcome:
        """What this request would have read and written; it is in that cache from then on."""
        marks: Sequence[Mark] = place("copilot", row, ttl, None, ()) if self.rules.kind == "marks" else ()
        outcome = self._store.look(row, marks, at)
        self._store.keep(row, marks, at)
        return outcome


def savings(usage: Usage, price: Price | None, rival: Outcome | None) -> Savings:
    """Price one call three ways; `rival` is what Copilot's marks would have read, in our own token counts."""
    paid = cost_of(usage, price)
    bare = cost_of(Usage(fresh=usage.input, output=usage.output), price)
    if rival is None:
        return Savings(paid, bare, None)
    ours = rival.read + rival.write_5m + rival.write_1h + rival.fresh
    scale = usage.input / ours if ours else 1.0
    read, short, long = (round(n * scale) for n in (rival.read, rival.write_5m, rival.write_1h))
    theirs = Usage(max(0, usage.input - read - short - long), read, short, long, usage.output)
    return Savings(paid, bare, cost_of(theirs, price))


def tag(action: Action, tokens: int, now: Price | None, then: Price | None, rules: CacheRules) -> PriceTag:
    """Price an action after which `tokens` are sent as new, with the price `then`; before they were read.

    Where the cache wants to be written, writing is what sending as new costs.
    """
    once = _sum(tokens, None if then is None else _new_rate(then.at(tokens), rules))
    stay = _sum(tokens, None if now is None else now.at(tokens).cache_read)
    return PriceTag(action, tokens, None if once is None or stay is None else once - stay)


def refresh(tokens: int, price: Price | None) -> Decimal | None:
    """What it costs to read the prefix once only to keep it alive."""
    return _sum(tokens, None if price is None else price.at(tokens).cache_read)


def _new_rate(price: Price, rules: CacheRules) -> Decimal | None:
    return price.cache_write_5m if rules.kind == "marks" or rules.writes else price.fresh


def _sum(tokens: int, rate: Decimal | None) -> Decimal | None:
    return None if rate is None else tokens * rate / MILLION
