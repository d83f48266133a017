"""A prompt as a row of blocks in wire order, with what a cache has to know of it: hashes and sums."""

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Literal, NamedTuple

from cutaway.harness.blocks import Block

Section = Literal["tools", "system", "messages"]


class Key(NamedTuple):
    """What a prefix belongs to besides its bytes: another model or effort shares nothing."""

    provider: str
    model: str
    settings: str


class Row:
    """A request's blocks. `ends[i]` are the tokens and `parts[i]` the content blocks up to and with block i.

    `chain[i]` names the whole prefix that ends there, of one process and one key only.
    """

    __slots__ = ("blocks", "chain", "ends", "key", "parts")

    def __init__(self, key: Key, blocks: Sequence[Block]) -> None:
        self.key = key
        self.blocks = tuple(blocks)  # the list that was given goes on growing
        self.ends = list(accumulate(block.tokens for block in blocks))
        self.parts = list(accumulate(block.parts for block in blocks))
        self.chain = _chain(key, blocks)

    @property
    def tokens(self) -> int:
        return self.ends[-1] if self.ends else 0

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


def _chain(key: Key, blocks: Iterable[Block]) -> list[int]:
    found, so_far = [], hash(key)
    for block in blocks:
        so_far = hash((so_far, block.origin, block.digest))
        found.append(so_far)
    return found


def first_difference(one: Sequence[Block], other: Sequence[Block]) -> int | None:
    """The first block of `one` that `other` has not at its place; None when `other` begins with `one`."""
    for index, block in enumerate(one):
        if index >= len(other) or (block.origin, block.digest) != (other[index].origin, other[index].digest):
            return index
    return None
