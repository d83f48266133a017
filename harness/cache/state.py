"""What is known of the provider's cache: a fold over requests and answers, live or from the log."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from cutaway.harness.blocks import Block
from cutaway.harness.cache.rows import Key, Row, first_difference
from cutaway.harness.cache.rules import CacheRules, rules_for
from cutaway.harness.cache.store import Outcome, PrefixStore
from cutaway.harness.cache.values import Mark, Prediction, Word
from cutaway.harness.usage import Price, Usage, cost_of

NOT_LOST: tuple[Word, ...] = ("hit", "cold start", "below minimum")
"""Causes for which nothing was there to be read."""
_RECENT = 8
"""Calls over which our count of tokens is set right by the provider's."""
_LONGEST_WAIT = 600.0
"""Seconds after which a request without an answer counts as dead: its process was killed."""
_TELLING = 500
"""Tokens of a request from which on its count tells of the vocabulary: in a shorter one the provider's own
words around it weigh more."""
CLOSE = 0.9
"""The part of what was expected from which on it counts as read: vocabularies differ."""
RACE = "The same was sent a moment before, and its answer has not begun."


@dataclass(slots=True)
class Sent:
    """A request on its way, or the last one that was; an `aside` is no part of the conversation."""

    row: Row
    marks: tuple[Mark, ...]
    at: float
    compactions: int
    outcome: Outcome
    aside: bool
    counted: int = 0
    """Tokens of its input as the provider counted them; 0 when it did not tell."""


@dataclass(slots=True)
class CacheState:
    """Predicts what a request will read, from the rules and from what was sent; times are Unix seconds.

    `requested` and `answered` are called for every model call in the order of the log, so that a resumed
    session expects what the one before would have. `last` is the newest request of the conversation.
    """

    last: Sent | None = None
    compactions: int = 0
    _stores: dict[str, PrefixStore] = field(default_factory=dict)
    _flying: dict[str, Sent] = field(default_factory=dict)
    _counts: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    _errors: list[float] = field(default_factory=list)

    def rules(self, key: Key) -> CacheRules:
        return rules_for(key.provider, key.model)

    def ratio(self, model: str) -> float:
        """The provider's tokens for one of ours, as its last answers had it; 1.0 before the first."""
        recent = self._counts.get(model, [])
        ours = sum(counted for counted, _ in recent)
        return sum(reported for _, reported in recent) / ours if ours else 1.0

    @property
    def error(self) -> float | None:
        """Mean distance of predicted from reported input, as a share; None before the first answer."""
        return sum(self._errors) / len(self._errors) if self._errors else None

    def predict(self, row: Row, marks: Sequence[Mark], now: float, price: Price | None) -> Prediction:
        """Say what this request would read, write and pay if it was sent now; changes nothing."""
        rules = self.rules(row.key)
        outcome = self._store(rules).look(row, marks, now)
        cause, detail, block = self._cause(row, rules, outcome, now)
        lost = 0 if cause in NOT_LOST else max(0, min(self._due(rules), row.tokens) - outcome.read)
        known, ours = self._counted_before(row)
        usage = self._in_their_count(row, outcome, known, ours)
        cost = cost_of(usage, price)
        return Prediction(
            usage.cache_read,
            usage.cache_write_5m,
            usage.cache_write_1h,
            usage.fresh,
            None if cost is None else format(cost.normalize(), "f"),
            cause,
            detail,
            block,
            rules.certain,
            round(lost * self.ratio(row.key.model)),
            known > 0,
        )

    def _counted_before(self, row: Row) -> tuple[int, int]:
        """Tokens of the last request, as the provider and as we count them, where this one begins as it did.

        Zeros where it does not, or where the provider did not tell.
        """
        last = self.last
        if last is not None and last.counted and 0 < len(last.row.chain) <= len(row.chain):
            end = len(last.row.chain) - 1
            if row.chain[end] == last.row.chain[end]:
                return last.counted, last.row.tokens
        return 0, 0

    def _in_their_count(self, row: Row, outcome: Outcome, known: int, ours: int) -> Usage:
        """Tell an outcome in the provider's tokens.

        What the last request had is `known` to the token where this one begins as it did; the rest is set
        right by the ratio of the last answers.
        """
        ratio = self.ratio(row.key.model)

        def theirs(tokens: int) -> int:
            if tokens >= ours:
                return known + round((tokens - ours) * ratio)
            return round(tokens * known / ours)

        read = theirs(outcome.read)
        long = theirs(outcome.read + outcome.write_1h)
        short = theirs(outcome.read + outcome.write_1h + outcome.write_5m)
        return Usage(theirs(row.tokens) - short, read, short - long, long - read)

    def requested(
        self, request_id: str, row: Row, marks: Sequence[Mark], at: float, *, aside: bool = False
    ) -> None:
        """A request was sent; it is in the cache only once its answer has begun."""
        for id in [id for id, sent in self._flying.items() if at - sent.at > _LONGEST_WAIT]:
            del self._flying[id]
        outcome = self._store(self.rules(row.key)).look(row, marks, at)
        self._flying[request_id] = Sent(row, tuple(marks), at, self.compactions, outcome, aside)

    def answered(
        self, request_id: str, usage: Usage | None, predicted: int = 0, *, reported: bool = True
    ) -> None:
        """A call has ended; `usage` None tells that nothing of it was processed.

        `reported` tells that the usage says something about the cache: what it did not read or did not
        write is then not expected to be there.
        """
        sent = self._flying.pop(request_id, None)
        if sent is None or usage is None:
            return
        self._keep(sent, usage if reported and not usage.estimated else None)
        if not sent.aside and (self.last is None or sent.at >= self.last.at):
            self.last = sent
        if not usage.estimated and usage.input:
            sent.counted = usage.input
            if sent.row.tokens >= _TELLING:
                recent = self._counts.setdefault(sent.row.key.model, [])
                recent.append((sent.row.tokens, usage.input))
                del recent[:-_RECENT]
            if predicted:
                self._errors.append(abs(predicted - usage.input) / usage.input)

    def _keep(self, sent: Sent, usage: Usage | None) -> None:
        """Take a request into the cache that we keep in mind, as far as the provider's numbers agree."""
        rules = self.rules(sent.row.key)
        store = self._store(rules)
        if usage is not None and usage.input:
            if rules.kind == "marks" and usage.fresh == usage.input:
                return  # the marks did not arrive, so nothing is learnt of what is there
            read = round(usage.cache_read / usage.input * sent.row.tokens)
            if read < sent.outcome.read * CLOSE:
                store.correct(sent.row, read)
        store.keep(sent.row, sent.marks, sent.at)

    def expires_at(self, now: float) -> float | None:
        """When the prefix of the last request will be gone; None when nothing of it is cached."""
        if self.last is None:
            return None
        return self._store(self.rules(self.last.row.key)).until(self.last.row, now)

    @property
    def had_last(self) -> bool:
        """Whether anything of the last request was ever cached, be it over or not."""
        last = self.last
        return last is not None and self._store(self.rules(last.row.key)).ever_had(last.row)

    def _store(self, rules: CacheRules) -> PrefixStore:
        if rules.name not in self._stores:
            self._stores[rules.name] = PrefixStore(rules)
        return self._stores[rules.name]

    def _due(self, rules: CacheRules) -> int:
        """Tokens of the request before that would be read now, if nothing had changed or expired."""
        if self.last is None or rules.kind in ("none", "unknown"):
            return 0
        row, marks = self.last.row, self.last.marks
        at = len(row.blocks) - 1
        if rules.kind == "marks":
            at = marks[-1].block if marks else -1
        due = row.ends[at] // rules.step * rules.step if at >= 0 else 0
        return due if due >= rules.minimum else 0

    def _racing(self, row: Row, now: float) -> bool:
        """Whether a request that begins as this one is on its way."""
        return any(
            flying.row.chain[:1] == row.chain[:1] and now - flying.at <= _LONGEST_WAIT
            for flying in self._flying.values()
        )

    def _cause(
        self, row: Row, rules: CacheRules, outcome: Outcome, now: float
    ) -> tuple[Word, str, int | None]:
        """Why not all that was sent before will be read."""
        before = self.last
        if row.tokens < rules.minimum:
            return "below minimum", f"{row.tokens:,} of {rules.minimum:,} tokens.", None
        if before is None:
            if self._racing(row, now):
                return "parallel race", RACE, None
            return "cold start", "The first call: nothing of it is cached yet.", None
        if not _akin(before.row, row):
            return "cold start", "Nothing like it was sent before.", None
        if changed := _changed_key(before.row.key, row.key):
            return (*changed, None)
        if (differs := first_difference(before.row.blocks, row.blocks)) is not None:
            return self._changed_block(before, row, differs)
        return self._same_prefix(before, row, rules, outcome, now)

    def _same_prefix(
        self, before: Sent, row: Row, rules: CacheRules, outcome: Outcome, now: float
    ) -> tuple[Word, str, int | None]:
        """All that was sent before is sent again: it is read, unless it was never kept or is gone."""
        at = before.marks[-1].block if rules.kind == "marks" and before.marks else len(before.row.blocks) - 1
        due = self._due(rules)
        if rules.kind in ("none", "unknown") or outcome.read >= due > 0:
            return "hit", "", None
        if self._racing(row, now):
            return "parallel race", RACE, None
        if not due:
            short = before.row.ends[at]
            return "below minimum", f"The request before had {short:,} of {rules.minimum:,} tokens.", None
        if not self._store(rules).living(row.chain[at], now):
            life = rules.life(before.marks[-1].ttl if before.marks else "5m")
            if now - before.at < life:
                return "marker stripped", "What was marked on the request before was not kept.", None
            return "expired", f"{now - before.at:,.0f} s since the last use; it is kept for {life:,} s.", None
        return "look-back exceeded", f"No mark within {rules.look_back} blocks of what is cached.", None

    def _changed_block(self, before: Sent, row: Row, differs: int) -> tuple[Word, str, int | None]:
        """Name what is not as it was: the first block that differs, and where it stands."""
        if self.compactions != before.compactions:
            return "compacted", "The conversation was compacted.", differs
        old = before.row.blocks[differs]
        new = row.blocks[differs] if differs < len(row.blocks) else None
        match before.row.section(differs):
            case "tools":
                return "tools changed", _changed_tools(before.row.blocks, row.blocks), differs
            case "system":
                if new is not None and new.origin == "tool":
                    return "tools changed", _changed_tools(before.row.blocks, row.blocks), differs
                return "system changed", f"{old.label} is not as it was.", differs
            case "messages":
                if new is not None and new.origin == "tool":
                    return "tools changed", _changed_tools(before.row.blocks, row.blocks), differs
                return (
                    "history changed",
                    f"Block {differs + 1} ({old.origin} {old.label}) is not as it was.",
                    differs,
                )


def _akin(one: Row, other: Row) -> bool:
    """Whether two requests have anything in common, at any place."""
    if one.blocks[:1] == other.blocks[:1]:
        return True
    return not {block.digest for block in one.blocks}.isdisjoint(block.digest for block in other.blocks)


def _changed_key(before: Key, now: Key) -> tuple[Word, str] | None:
    if (before.provider, before.model) != (now.provider, now.model):
        return "model changed", f"From {before.model} to {now.model}: another model shares no cache."
    if before.settings != now.settings:
        return (
            "settings changed",
            f"From {before.settings or 'the default'} to {now.settings or 'the default'}.",
        )
    return None


def _changed_tools(before: Sequence[Block], now: Sequence[Block]) -> str:
    """Say which tools came, went or read otherwise."""
    old = {block.label: block.digest for block in before if block.origin == "tool"}
    new = {block.label: block.digest for block in now if block.origin == "tool"}
    came = [name for name in new if name not in old]
    went = [name for name in old if name not in new]
    other = [name for name in new if name in old and new[name] != old[name]]
    said = [
        f"{what}: {', '.join(names)}"
        for what, names in (("new", came), ("gone", went), ("changed", other))
        if names
    ]
    return "; ".join(said) + "." if said else "Their order is another."
