"""The cache's part of the fold: what each call was expected to read, what it did, and what that saved."""

from dataclasses import dataclass, field
from decimal import Decimal

from cutaway.harness import events as e
from cutaway.harness.blocks import Block
from cutaway.harness.cache.prices import PriceTag, Rate, Rival, Savings, refresh, savings, tag
from cutaway.harness.cache.rows import Key, Row
from cutaway.harness.cache.rules import CacheRules, Section, rules_for
from cutaway.harness.cache.state import CacheState
from cutaway.harness.cache.store import Outcome
from cutaway.harness.cache.values import CacheTtl, Verdict
from cutaway.harness.usage import Price


@dataclass(slots=True)
class SavedSums:
    """Money of all priced calls; None as soon as one call cannot be priced that way."""

    paid: Decimal | None = Decimal(0)
    without_cache: Decimal | None = Decimal(0)
    with_copilot_marks: Decimal | None = Decimal(0)

    def add(self, one: Savings) -> None:
        self.paid = _plus(self.paid, one.paid)
        self.without_cache = _plus(self.without_cache, one.without_cache)
        self.with_copilot_marks = _plus(self.with_copilot_marks, one.with_copilot_marks)

    @property
    def saved(self) -> Decimal | None:
        """What the cache has saved; negative where writing it cost more than was read."""
        return None if self.paid is None or self.without_cache is None else self.without_cache - self.paid


@dataclass(slots=True)
class CacheLedger:
    """The state of the provider's cache after all records that were folded; times are Unix seconds."""

    state: CacheState = field(default_factory=CacheState)
    sums: SavedSums = field(default_factory=SavedSums)
    last_verdict: Verdict | None = None
    price: Price | None = None
    _rivals: dict[str, Rival] = field(default_factory=dict)
    _played: dict[str, Outcome] = field(default_factory=dict)
    _expected: dict[str, int] = field(default_factory=dict)

    def requested(self, event: e.ModelRequested, blocks: list[Block], at: float) -> None:
        """Take in a request of which `blocks` are the whole row."""
        key, at = key_of(event), event.sent_at or at
        row = Row(key, blocks, before=self.state.last.row if self.state.last else None)
        self.state.requested(event.request_id, row, event.marks, at, aside=event.purpose != "turn")
        rules = rules_for(key.provider, key.model)
        if rules.kind == "marks":
            rival = self._rivals.setdefault(rules.name, Rival(rules))
            ttl = event.marks[-1].ttl if event.marks else "5m"
            self._played[event.request_id] = rival.ask(row, ttl, at)
        if event.prediction is not None:
            self._expected[event.request_id] = event.prediction.input

    def responded(self, event: e.ModelResponded) -> Savings:
        """Take in an answer; what that call cost in three ways."""
        expected = self._expected.pop(event.request_id, 0)
        self.state.answered(event.request_id, event.usage, expected, reported=event.cache_reported)
        rival = self._played.pop(event.request_id, None)
        automatic = rival is None and self._rules().kind in ("prefix", "none")
        found = savings(event.usage, event.price, rival, automatic=automatic)
        self.sums.add(found)
        self.price = event.price
        if event.verdict is not None:
            self.last_verdict = event.verdict
        return found

    def failed(self, event: e.CallFailed) -> None:
        """A call without an answer may have been worked on all the same, and is then in the cache."""
        self._expected.pop(event.request_id, None)
        self._played.pop(event.request_id, None)
        self.state.answered(event.request_id, event.usage if event.usage.input else None)

    def compacted(self) -> None:
        self.state.compactions += 1

    def left(self, now: float) -> float | None:
        """Seconds until the prefix is gone if nobody uses it; None when nothing of it is cached or known."""
        until = self.state.expires_at(now)
        return None if until is None else until - now

    def expired(self, now: float) -> bool:
        """Whether the prefix was cached and is so no longer."""
        return self.state.last is not None and self.left(now) is None and self.state.had_last

    @property
    def certain(self) -> bool:
        """Whether the provider's rules, and so what is left, are known and not guessed at."""
        return self._rules().certain

    def price_of_model(
        self, then: Price | None, provider: str, model: str, now: float | None = None
    ) -> PriceTag:
        """What it costs once to send everything to another model.

        `now` is in Unix seconds and tells whether the cache has expired, so that nothing is lost any more;
        None takes it for warm.
        """
        rate = Rate(then, rules_for(provider, model), self._ttl())
        return tag("model", self._tokens(), self._rate(), rate, warm=self._warm(now))

    def price_of_effort(self, now: float | None = None) -> PriceTag:
        """What it costs once to send everything that another effort makes another prefix of."""
        tokens = self._tokens(self._rules().settings_from)
        return tag("effort", tokens, self._rate(), self._rate(), warm=self._warm(now))

    def price_of_tools(self, now: float | None = None) -> PriceTag:
        """What it costs once to send everything with other tools; they stand before all else."""
        return tag("tools", self._tokens(), self._rate(), self._rate(), warm=self._warm(now))

    def price_of_reloading(self, now: float | None = None) -> PriceTag:
        """What it costs once to send everything with other instructions.

        Tools stand before them; where a cache is marked no mark stands in between, and they are lost too.
        """
        since: Section = "tools" if self._rules().kind == "marks" else "system"
        return tag("instructions", self._tokens(since), self._rate(), self._rate(), warm=self._warm(now))

    def price_of_waiting(self) -> PriceTag:
        """What it costs once to go on after the prefix has expired, more than to go on before."""
        return tag("wait", self._tokens(), self._rate(), self._rate())

    def price_of_compaction(self, after: int | None = None, now: float | None = None) -> PriceTag:
        """What it costs once to summarise (all is read, a summary comes out) and to send `after` tokens.

        None takes a summary in the place of the whole conversation, behind tools and system text.
        """
        if after is None:
            said = self._tokens("messages")
            after = self._tokens() - said + min(said, SUMMARY_TOKENS)
        price = self.price
        first = tag("compaction", after, self._rate(), self._rate())
        tokens = self._tokens()
        reading = refresh(tokens, price) if self._warm(now) else self._rate().new(tokens)
        output = None if price is None or price.output is None else price.output * SUMMARY_TOKENS / 1_000_000
        parts = [first.once, reading, output]
        known = [part for part in parts if part is not None]
        return PriceTag("compaction", after, sum(known, Decimal(0)) if len(known) == len(parts) else None)

    def price_of_refreshing(self) -> Decimal | None:
        """What it costs to read the prefix once more only to keep it, less the few tokens around it."""
        return refresh(self._tokens(), self.price)

    def _tokens(self, since: Section = "tools") -> int:
        """The last prompt, or of it the section `since` and all behind it, in the provider's tokens."""
        last = self.state.last
        if last is None:
            return 0
        return round(last.row.tokens_from(since) * self.state.ratio(last.row.key.model))

    def _rate(self) -> Rate:
        return Rate(self.price, self._rules(), self._ttl())

    def _ttl(self) -> CacheTtl:
        last = self.state.last
        return last.marks[-1].ttl if last is not None and last.marks else "5m"

    def _warm(self, now: float | None) -> bool:
        return now is None or self.state.expires_at(now) is not None

    def _rules(self) -> CacheRules:
        last = self.state.last
        return rules_for("", "") if last is None else self.state.rules(last.row.key)


SUMMARY_TOKENS = 1_500
"""Tokens that a summary is expected to have: an estimate, shown as one."""


def key_of(event: e.ModelRequested) -> Key:
    return Key(event.family or event.provider, event.model, event.settings)


def _plus(one: Decimal | None, other: Decimal | None) -> Decimal | None:
    return None if one is None or other is None else one + other
