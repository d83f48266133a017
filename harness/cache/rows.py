"""A prompt as a row of blocks in wire order, with what a cache has to know of it: hashes and sums."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

from cutaway.harness.blocks import Block, same_objects
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

    def __init__(
        self,
        key: Key,
        blocks: Sequence[Block],
        rules: CacheRules | None = None,
        before: "Row | None" = None,
    ) -> None:
        """Work out the sums; of `before`, a row that this one may begin with, only what is new costs."""
        self.key = key
        self.blocks = tuple(blocks)  # the list that was given goes on growing
        same = 0
        if before is not None and before.key == key:
            same = same_objects(before.blocks, self.blocks)
        self.ends: list[int] = before.ends[:same] if before else []
        self.parts: list[int] = before.parts[:same] if before else []
        self.chain: list[int] = before.chain[:same] if before else []
        new = self.blocks[same:]
        self.ends += _sums(self.ends, (block.tokens for block in new))
        self.parts += _sums(self.parts, (block.parts for block in new))
        settled = (rules or rules_for(key.provider, key.model)).settings_from
        self.chain += _chain(key, self.blocks, settled, self.chain)

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


def _sums(before: Sequence[int], more: Iterable[int]) -> list[int]:
    """Go on with running sums."""
    return list(accumulate(more, initial=before[-1] if before else 0))[1:]


def _chain(key: Key, blocks: Sequence[Block], settings_from: Section, known: Sequence[int]) -> list[int]:
    """Name the prefixes behind the known ones; the settings count from the section on that they change."""
    found: list[int] = []
    so_far, open = hash((key.provider, key.model)), True
    if known:
        so_far = known[-1]
        open = _ORDER[section_of(blocks[len(known) - 1])] < _ORDER[settings_from]
    for block in blocks[len(known) :]:
        if open and _ORDER[section_of(block)] >= _ORDER[settings_from]:
            so_far, open = hash((so_far, key.settings)), False
        so_far = hash((so_far, block.origin, block.digest))
        found.append(so_far)
    return found


def first_difference(one: Sequence[Block], other: Sequence[Block]) -> int | None:
    """The first block of `one` that `other` has not at its place; None when `other` begins with `one`."""
    for index in range(same_objects(one, other), len(one)):
        block = one[index]
        if index >= len(other) or (block.origin, block.digest) != (other[index].origin, other[index].digest):
            return index
    return None
