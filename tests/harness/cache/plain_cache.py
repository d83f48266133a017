"""A provider's cache written a second time, plainly, to hold the predictions against.

It shares nothing with the product's own cache but the rules and the blocks: whole prefixes are kept, each is
compared with the request, and everything is looked at anew each time. It also knows what only a server knows:
from when on an entry can be read, and what it does wrong.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

from cutaway.harness.blocks import Block
from cutaway.harness.cache.rows import Key
from cutaway.harness.cache.rules import CacheRules
from cutaway.harness.cache.values import Mark
from cutaway.harness.usage import Usage


@dataclass(frozen=True, slots=True)
class Faults:
    """What goes wrong on the way: marks taken out, silence about the cache, misses without a reason."""

    strips_marks: bool = False
    tells_nothing: bool = False
    forgets: bool = False


@dataclass(frozen=True, slots=True)
class Served:
    """What the provider says of one request; `reported` tells whether it says anything about its cache."""

    usage: Usage
    reported: bool


@dataclass(slots=True)
class Entry:
    """A prefix of `blocks` blocks that can be read from `readable` on and `life` seconds after `used`."""

    blocks: int
    life: int
    used: float
    readable: float


@dataclass(slots=True)
class PlainCache:
    """One provider's cache; times are seconds of any one clock and are given in rising order."""

    rules: CacheRules
    entries: dict[bytes, Entry] = field(default_factory=dict)

    def ask(
        self,
        key: Key,
        blocks: Sequence[Block],
        marks: Sequence[Mark] = (),
        *,
        at: float,
        begins: float | None = None,
        output: int = 0,
        faults: Faults = Faults(),
    ) -> Served:
        """Serve a request that was sent at `at` and whose answer begins at `begins`; None is at once."""
        if faults.forgets:
            self.entries.clear()
        marks = () if faults.strips_marks else self._counting(blocks, marks)
        names = prefixes(key, blocks, late=self.rules.settings_from == "messages")
        readable = {
            entry.blocks
            for name, entry in self.entries.items()
            if entry.readable <= at < entry.used + entry.life and names.get(entry.blocks) == name
        }
        hit = self._hit(blocks, marks, readable)
        usage = self._bill(blocks, marks, hit, output)
        for count, life in self._kept(blocks, marks, hit, names).items():
            old = self.entries.get(names[count])
            alive = old is not None and at < old.used + old.life
            since = old.readable if alive and old else at if begins is None else begins
            lives = max(life, old.life) if alive and old else life
            self.entries[names[count]] = Entry(count, lives, at, since)
        if faults.tells_nothing:
            return Served(Usage(fresh=usage.input, output=output), reported=False)
        return Served(usage, reported=True)

    def _counting(self, blocks: Sequence[Block], marks: Sequence[Mark]) -> list[Mark]:
        """The marks behind which enough stands; the same rule that makes a short prompt never cached."""
        if self.rules.kind != "marks":
            return []
        return [mark for mark in marks if tokens(blocks, mark.block + 1) >= self.rules.minimum]

    def _hit(self, blocks: Sequence[Block], marks: Sequence[Mark], readable: set[int]) -> int:
        """How many blocks are read."""
        if self.rules.kind == "prefix":
            long_enough = [n for n in readable if self._stepped(tokens(blocks, n)) >= self.rules.minimum]
            return max(long_enough, default=0)
        found = [
            count
            for count in readable
            for mark in marks
            if count <= mark.block + 1
            and sum(block.parts for block in blocks[count : mark.block + 1]) <= self.rules.look_back
        ]
        return max(found, default=0)

    def _bill(self, blocks: Sequence[Block], marks: Sequence[Mark], hit: int, output: int) -> Usage:
        """Read up to the hit, write up to the last long-lived mark and then the last; the rest is fresh."""
        total = tokens(blocks, len(blocks))
        if self.rules.kind == "prefix":
            read = self._stepped(tokens(blocks, hit))
            written = total - read if self.rules.writes and total >= self.rules.minimum else 0
            return Usage(total - read - written, read, written, 0, output)
        read = tokens(blocks, hit)
        last = max((tokens(blocks, mark.block + 1) for mark in marks), default=0)
        long = max((tokens(blocks, mark.block + 1) for mark in marks if mark.ttl == "1h"), default=0)
        written_long = max(0, long - read)
        written = max(0, last - read)
        return Usage(total - read - written, read, written - written_long, written_long, output)

    def _kept(
        self, blocks: Sequence[Block], marks: Sequence[Mark], hit: int, names: dict[int, bytes]
    ) -> dict[int, int]:
        """The prefixes that live on from now, with their lives in seconds: those read and those written."""
        if self.rules.kind == "prefix":
            return {n: self.rules.life_5m for n in names if n in (len(blocks), hit) or not self.rules.ends}
        lives = {"5m": self.rules.life_5m, "1h": self.rules.life_1h}
        kept = {mark.block + 1: lives[mark.ttl] for mark in marks}
        if hit and hit not in kept:
            kept[hit] = self.entries[names[hit]].life
        return kept

    def _stepped(self, count: int) -> int:
        return count // self.rules.step * self.rules.step


def tokens(blocks: Sequence[Block], count: int) -> int:
    """Tokens of the first `count` blocks."""
    return sum(block.tokens for block in blocks[:count])


def prefixes(key: Key, blocks: Sequence[Block], *, late: bool) -> dict[int, bytes]:
    """Name every prefix by how many blocks it has; `late` settings count from the messages on."""
    name, found = f"{key.provider} {key.model}".encode(), {}
    for count, block in enumerate(blocks, 1):
        before = block.origin in ("tool", "system", "instructions", "workspace")
        settings = "" if late and before else key.settings
        name = hashlib.sha256(name + f"{block.origin} {block.digest} {settings}".encode()).digest()
        found[count] = name
    return found
