"""A prompt as a row of blocks in wire order, with what a cache has to know of it: hashes and sums."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

from cutaway.harness.blocks import Block
from cutaway.harness.cache.rules import CacheRules, Section, rules_for

_ORDER: dict[Section, int] = {"tools": 0, "system": 1, "messages": 2}


class Key(NamedTuple):
    """What a prefix belongs to besides its bytes: another model shares nothing, another effort not all."""

    provider: str
    model: str
    settings: str


class Row:
    """A request's blocks. `ends[i]` are the tokens and `parts[i]` the content blocks up to and with block i.

    `chain[i]` names the whole prefix that ends there, of one process and one key only. `rules` are those
    of the key's provider and model when none are given.
    """

    __slots__ = ("blocks", "chain", "ends", "key", "parts")

    def __init__(self, key: Key, blocks: Sequence[Block], rules: CacheRules | None = None) -> None:
        self.key = key
        self.blocks = tuple(blocks)  # the list that was given goes on growing
        self.ends = list(accumulate(block.tokens for block in blocks))
        self.parts = list(accumulate(block.parts for block in blocks))
        settled = (rules or rules_for(key.provider, key.model)).settings_from
        self.chain = _chain(key, blocks, settled)

    @property
    def tokens(self) -> int:
        return self.ends[-1] if self.ends else 0

    def tokens_from(self, section: Section) -> int:
        """Tokens of a section and of all behind it."""
        first = bisect_left(self.blocks, _ORDER[section], key=lambda block: _ORDER[section_of(block)])
        return self.tokens - (self.ends[first - 1] if first else 0)

    def section(self, index: int) -> Section:
        return section_of(self.blocks[index])


def section_of(block: Block) -> Section:
    """Where a block stands on the wire."""
    match block.origin:
        case "tool":
            return "tools"
        case "system" | "instructions" | "workspace":
            return "system"
        case _:
            return "messages"


def _chain(key: Key, blocks: Iterable[Block], settings_from: Section) -> list[int]:
    """Name all prefixes; the settings count from the section on that they change."""
    found, so_far, open = [], hash((key.provider, key.model)), True
    for block in blocks:
        if open and _ORDER[section_of(block)] >= _ORDER[settings_from]:
            so_far, open = hash((so_far, key.settings)), False
        so_far = hash((so_far, block.origin, block.digest))
        found.append(so_far)
    return found


def first_difference(one: Sequence[Block], other: Sequence[Block]) -> int | None:
    """The first block of `one` that `other` has not at its place; None when `other` begins with `one`."""
    for index, block in enumerate(one):
        if index >= len(other) or (block.origin, block.digest) != (other[index].origin, other[index].digest):
            return index
    return None
