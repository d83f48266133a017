"""What is said of the cache in the log: marks, predictions and verdicts, as pure values."""

from typing import Literal, get_args

from msgspec import Struct

from cutaway.harness.usage import Usage

CacheTtl = Literal["5m", "1h"]
Word = Literal[
    "cold start",
    "hit",
    "below minimum",
    "expired",
    "model changed",
    "settings changed",
    "tools changed",
    "system changed",
    "history changed",
    "compacted",
    "look-back exceeded",
    "parallel race",
    "marker stripped",
    "server side",
    "not reported",
]
WORDS: tuple[Word, ...] = get_args(Word)


class Mark(Struct, frozen=True, rename="camel"):
    """A cache breakpoint: after the block at index `block` of the row."""

    block: int
    ttl: CacheTtl = "5m"


class Prediction(Struct, frozen=True, rename="camel"):
    """What a request is expected to read, write and pay, said before it is sent; tokens and USD text.

    `cause` explains why it is not all read that was sent before: 'hit' when it is. `lost` are the tokens that
    would be read but for that cause. `block` is the first block that differs, `certain` is false where the
    provider's rules are only guessed at. `counted` tells that what was sent before is in the provider's own
    count, so that only what is new is an estimate.
    """

    read: int = 0
    write_5m: int = 0
    write_1h: int = 0
    fresh: int = 0
    cost: str | None = None
    cause: Word = "cold start"
    detail: str = ""
    block: int | None = None
    certain: bool = True
    lost: int = 0
    counted: bool = False

    @property
    def input(self) -> int:
        return self.read + self.write_5m + self.write_1h + self.fresh

    @property
    def usage(self) -> Usage:
        """The same as a usage without an output, to be priced."""
        return Usage(self.fresh, self.read, self.write_5m, self.write_1h)


class Verdict(Struct, frozen=True, rename="camel"):
    """What the cache did: `missed` tokens had been sent before and were not read; `cost` is their USD text.

    `block` is the first block of the request that was not as it had been sent before. `cost` is what these
    tokens cost more than if they had been read, None where a price is not known.
    """

    word: Word
    detail: str = ""
    block: int | None = None
    missed: int = 0
    cost: str | None = "0"
