"""A prompt cache played by its rules: what a request would read and write, and what it leaves behind.

Both the predictions and the simulated providers of the demo and the tests use it.
"""

from collections.abc import Sequence

from msgspec import Struct

from cutaway.harness.cache.rows import Row
from cutaway.harness.cache.rules import CacheRules
from cutaway.harness.cache.values import Mark

_MOST_ENTRIES = 20_000
"""Entries that are kept before those that are over are thrown out."""


class Outcome(Struct, frozen=True):
    """Tokens of one request by kind; they add up to its input. `reached` is the last block that was read."""

    read: int = 0
    write_5m: int = 0
    write_1h: int = 0
    fresh: int = 0
    reached: int = -1


class PrefixStore:
    """The entries of one provider's cache; times are seconds of any one clock."""

    def __init__(self, rules: CacheRules) -> None:
        self.rules = rules
        self._until: dict[int, float] = {}
        self._life: dict[int, int] = {}

    def look(self, row: Row, marks: Sequence[Mark], now: float) -> Outcome:
        """What a request would read and write now; changes nothing."""
        match self.rules.kind:
            case "marks":
                return self._by_marks(row, marks, now)
            case "prefix":
                return self._by_prefix(row, now)
            case "none" | "unknown":
                return Outcome(fresh=row.tokens)

    def keep(self, row: Row, marks: Sequence[Mark], now: float) -> None:
        """Take a request in: entries begin, and those that were read live on."""
        reached = self.look(row, marks, now).reached
        if reached >= 0:
            entry = row.chain[reached]
            self._until[entry] = now + self._life[entry]
        for at, life in self._kept(row, marks):
            entry = row.chain[at]
            self._life[entry] = max(life, self._life.get(entry, 0)) if self.living(entry, now) else life
            self._until[entry] = now + self._life[entry]
        if len(self._until) > _MOST_ENTRIES:
            self._throw_out(now)

    def living(self, entry: int, now: float) -> bool:
        return self._until.get(entry, 0.0) > now

    def until(self, row: Row, now: float) -> float | None:
        """When the longest prefix of this row that lives now will be over; None when none lives."""
        ends = (self._until[entry] for entry in reversed(row.chain) if self.living(entry, now))
        return next(ends, None)

    def ever_had(self, row: Row) -> bool:
        """Whether any prefix of this row was kept at some time, living or over."""
        return any(entry in self._until for entry in row.chain)

    def correct(self, row: Row, read: int) -> None:
        """Give up what of this row stands behind the first `read` tokens: the server has it no longer."""
        for end, entry in zip(row.ends, row.chain, strict=True):
            if end > read:
                self._until.pop(entry, None)

    def forget(self) -> None:
        """Lose everything, as a server may at any time."""
        self._until.clear()

    def _kept(self, row: Row, marks: Sequence[Mark]) -> list[tuple[int, int]]:
        """The blocks at which entries begin, and how long each lives."""
        rules = self.rules
        if rules.kind == "marks":
            return [(mark.block, rules.life(mark.ttl)) for mark in self._that_count(row, marks)]
        if rules.kind == "prefix":
            first = len(row.chain) - 1 if rules.ends else 0
            return [(at, rules.life("5m")) for at in range(max(0, first), len(row.chain))]
        return []

    def _that_count(self, row: Row, marks: Sequence[Mark]) -> list[Mark]:
        return [mark for mark in marks if row.ends[mark.block] >= self.rules.minimum]

    def _by_marks(self, row: Row, marks: Sequence[Mark], now: float) -> Outcome:
        counting = self._that_count(row, marks)
        reached = max((self._behind(row, mark.block, now) for mark in counting), default=-1)
        done = read = row.ends[reached] if reached >= 0 else 0
        written = {"5m": 0, "1h": 0}
        for mark in counting:
            if row.ends[mark.block] > done:
                written[mark.ttl] += row.ends[mark.block] - done
                done = row.ends[mark.block]
        return Outcome(read, written["5m"], written["1h"], row.tokens - done, reached)

    def _behind(self, row: Row, at: int, now: float) -> int:
        """The nearest entry at or before a mark, as far back as the provider looks; -1 for none."""
        bound = self.rules.look_back
        for index in range(at, -1, -1):
            if bound and row.parts[at] - row.parts[index] > bound:
                break
            if self.living(row.chain[index], now):
                return index
        return -1

    def _by_prefix(self, row: Row, now: float) -> Outcome:
        rules = self.rules
        backwards = range(len(row.chain) - 1, -1, -1)
        reached = next((at for at in backwards if self.living(row.chain[at], now)), -1)
        read = row.ends[reached] // rules.step * rules.step if reached >= 0 else 0
        if read < rules.minimum:
            read, reached = 0, -1
        writable = row.tokens if row.tokens >= rules.minimum else 0
        written = max(0, writable - read) if rules.writes else 0
        return Outcome(read, written, 0, row.tokens - read - written, reached)

    def _throw_out(self, now: float) -> None:
        over = [entry for entry, until in self._until.items() if until <= now]
        for entry in over:
            del self._until[entry], self._life[entry]
