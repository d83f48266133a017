"""What the prompt is made of and what each turn sent, in figures that a screen only has to draw."""

from collections.abc import Iterable, Sequence
from typing import get_args

from msgspec import Struct

from cutaway.harness.blocks import Block, Origin
from cutaway.harness.ledger.views import InteractionView
from cutaway.harness.usage import Usage


class Part(Struct, frozen=True):
    """One origin's share of a prompt; `tokens` is our own count, an estimate for most vocabularies."""

    origin: Origin
    blocks: int
    tokens: int


def context_parts(blocks: Iterable[Block]) -> tuple[Part, ...]:
    """Sum a prompt by origin, in wire order of the origins; those without a block are left out."""
    counts: dict[Origin, int] = {}
    tokens: dict[Origin, int] = {}
    for block in blocks:
        counts[block.origin] = counts.get(block.origin, 0) + 1
        tokens[block.origin] = tokens.get(block.origin, 0) + block.tokens
    return tuple(
        Part(origin, counts[origin], tokens[origin]) for origin in get_args(Origin) if origin in counts
    )


class CallSpending(Struct, frozen=True):
    """What one model call used and cost (USD text, None when unknown)."""

    usage: Usage
    cost: str | None

    @property
    def hit_rate(self) -> float | None:
        """Share of the sent tokens that the provider read from its cache."""
        return self.usage.cache_read / self.usage.input if self.usage.input else None


def last_call(interactions: Sequence[InteractionView]) -> CallSpending | None:
    """The newest model call of the loop that ended, answered or not."""
    for interaction in reversed(interactions):
        for turn in reversed(interaction.turns):
            for ended in (turn.response, turn.failure):
                if ended is not None:
                    return CallSpending(ended.usage, ended.cost)
    return None


class TurnTokens(Struct, frozen=True):
    """What one turn sent, in the provider's own numbers."""

    number: int
    fresh: int
    cached: int
    written: int
    estimated: bool = False

    @property
    def total(self) -> int:
        return self.fresh + self.cached + self.written


def recent_turns(interactions: Sequence[InteractionView], count: int) -> tuple[TurnTokens, ...]:
    """The newest `count` turns that were answered, oldest first; costs no more than those."""
    found: list[TurnTokens] = []
    for interaction in reversed(interactions):
        for turn in reversed(interaction.turns):
            if len(found) >= count:
                return tuple(reversed(found))
            if turn.response is not None:
                usage = turn.response.usage
                written = usage.cache_write_5m + usage.cache_write_1h
                found.append(TurnTokens(turn.number, usage.fresh, usage.cache_read, written, usage.estimated))
    return tuple(reversed(found))
