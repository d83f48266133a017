"""A scripted session of three interactions, and what its input costs with the marks of a strategy."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from cutaway.harness.blocks import Block
from cutaway.harness.usage import MILLION, Usage, cost_of
from tests.harness.cache.cache_kit import PRICE, Placing, Play, a_block, begun

WIDE = 14
"""Calls in one answer, once an interaction: more blocks than a provider looks back. The user speaks then."""


@dataclass(frozen=True, slots=True)
class Bill:
    """The input of all calls: what was paid, and what the cheapest would have been, in USD.

    `readable` tokens had been sent before, in the request that came before; `read` of them were read.
    """

    paid: Decimal
    cheapest: Decimal
    without_cache: Decimal
    readable: int
    read: int
    most_marks: int

    @property
    def ratio(self) -> float:
        return float(self.paid / self.cheapest)

    @property
    def share(self) -> float:
        return self.read / self.readable


def turns(count: int) -> Iterator[list[Block]]:
    """What each request has more than the one before; the first has the user's first message."""
    yield []
    for n in range(1, count):
        name, size = f"turn {n}", 80 + n * 37 % 400
        if n % (count // 3) == 0:  # an answer, and the next interaction
            note = a_block("note", f"date {n}", 15, parts=0)
            yield [a_block("assistant", name, size), note, a_block("user", name, 120)]
            continue
        wide = n % (count // 3) == 10
        calls = WIDE if wide else 1 + n % 3
        sizes = (60 + (n * 131 + k * 977) % 1800 for k in range(calls))
        results = [a_block("tool-result", f"{name}.{k}", tokens) for k, tokens in enumerate(sizes)]
        steer = [a_block("user", f"{name} steer", 40)] if wide else []
        yield [a_block("assistant", name, size, parts=calls + 1, calls=calls), *results, *steer]


def bill(play: Play, count: int = 60) -> Bill:
    """Send a session of so many turns, some seconds apart."""
    paid = cheapest = bare = Decimal(0)
    before = readable = read = most = 0
    for more in turns(count):
        play.say(*more)
        play.now += 20
        most = max(most, len(play.marks(play.row)))
        _, served = play.ask()
        usage, total = served.usage, play.row.tokens
        writes = play.rules.kind == "marks"
        best = Usage(0, before, total - before) if writes else Usage(total - before, before)
        paid += cost_of(usage, PRICE) or 0
        cheapest += cost_of(best, PRICE) or 0
        bare += total * (PRICE.fresh or 0) / MILLION
        readable, read, before = readable + before, read + usage.cache_read, total
    return Bill(paid, cheapest, bare, readable, read, most)


def long_session(provider: str, model: str, strategy: Placing = "stable", count: int = 60) -> Bill:
    """Play it at a provider, with a first prompt of the size that ours has."""
    play = begun(provider, model, strategy)
    play.tools = [a_block("tool", f"tool {n}", 350) for n in range(17)]
    return bill(play, count)
