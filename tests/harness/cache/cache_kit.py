"""A session of one client with one provider, played against a cache that was written a second time."""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal

from cutaway.harness.blocks import Block, Origin, text_digest
from cutaway.harness.cache.breakpoints import place
from cutaway.harness.cache.rows import Key, Row
from cutaway.harness.cache.rules import CacheRules
from cutaway.harness.cache.state import CacheState
from cutaway.harness.cache.values import CacheTtl, Mark, Prediction, Verdict
from cutaway.harness.cache.verdict import judge
from cutaway.harness.usage import Price
from tests.harness.cache.plain_cache import Faults, PlainCache, Served

PRICE = Price(Decimal(3), Decimal("0.3"), Decimal("3.75"), Decimal(6), Decimal(15))
"""USD per million tokens; those of a Sonnet."""
NONE = Faults()
NAMES = {
    "Anthropic": ("anthropic", "claude-sonnet-4-6"),
    "Anthropic, thinking by budget": ("anthropic", "claude-sonnet-4-5"),
    "Anthropic, 4096 tokens at least, thinking by budget": ("anthropic", "claude-haiku-4-5"),
    "Anthropic, 2048 tokens at least": ("anthropic", "claude-3-5-haiku"),
    "Anthropic, 4096 tokens at least": ("anthropic", "claude-opus-4-5"),
    "Anthropic, 512 tokens at least": ("anthropic", "claude-opus-5"),
    "OpenAI": ("openai", "gpt-4.1"),
    "OpenAI from 5.6 on": ("openai-responses", "gpt-5.6"),
    "DeepSeek": ("deepseek", "deepseek-flash"),
    "Gemini 2.5": ("gemini", "gemini-2.5-pro"),
    "OpenRouter, models that want marks": ("openrouter", "anthropic/claude-sonnet-5-5"),
    "Gemini": ("gemini", "gemini-3.8-flash"),
    "OpenRouter": ("openrouter", "z-ai/glm"),
    "a server on this machine": ("llamacpp", "local"),
    "the script's own simulation": ("scripted", "scripted"),
}
"""A provider and a model for each set of rules."""


Placing = Literal["stable", "copilot", "newest"]
"""`newest` marks nothing but the newest block, so that it depends on how far the provider looks back."""


def a_block(origin: Origin, name: object, tokens: int = 500, parts: int = 1, calls: int = 0) -> Block:
    return Block(origin, str(name), text_digest(f"{origin} {name}"), tokens, parts=parts, calls=calls)


@dataclass(slots=True)
class Play:
    """A session of one client with one provider: what is predicted, and what the provider then says."""

    provider: str
    model: str
    strategy: Placing = "stable"
    ttl: CacheTtl = "5m"
    effort: str = ""
    now: float = 1000.0
    tools: list[Block] = field(default_factory=lambda: [a_block("tool", "read", 700), a_block("tool", "run")])
    system: list[Block] = field(
        default_factory=lambda: [a_block("system", "system.md", 900), a_block("workspace", "w", 60)]
    )
    said: list[Block] = field(default_factory=list)
    state: CacheState = field(default_factory=CacheState)
    caches: dict[str, PlainCache] = field(default_factory=dict)
    asked: int = 0

    @property
    def row(self) -> Row:
        return Row(Key(self.provider, self.model, self.effort), [*self.tools, *self.system, *self.said])

    @property
    def rules(self) -> CacheRules:
        return self.state.rules(self.row.key)

    def marks(self, row: Row) -> tuple[Mark, ...]:
        if self.rules.kind != "marks":
            return ()
        if self.strategy == "newest":
            return (Mark(max(at for at, block in enumerate(row.blocks) if block.tokens), self.ttl),)
        last = self.state.last
        known = last if last is not None and last.row.key == row.key else None
        previous, before = (known.row, known.marks) if known else (None, ())
        return tuple(place(self.strategy, row, self.ttl, previous, before))

    def ask(
        self, row: Row | None = None, *, faults: Faults = NONE, begins: float | None = None
    ) -> tuple[Prediction, Served]:
        """Send what has been said, or the row of a side call; the answer is there at once, or later."""
        aside, row = row is not None, row or self.row
        marks = self.marks(row)
        expected = self.state.predict(row, marks, self.now, PRICE)
        cache = self.caches.setdefault(self.provider, PlainCache(self.rules))
        cache.rules = self.rules
        served = cache.ask(row.key, row.blocks, marks, at=self.now, begins=begins, faults=faults)
        self.asked += 1
        self.state.requested(str(self.asked), row, marks, self.now, aside=aside)
        if begins is None:
            self.state.answered(str(self.asked), served.usage, expected.input, reported=served.reported)
        return expected, served

    def verdict(self, row: Row | None = None, *, diagnosis: str = "", **more: Any) -> Verdict:
        """Send, and judge what came of it."""
        expected, served = self.ask(row, **more)
        return judge(
            expected,
            served.usage,
            reported=served.reported,
            price=PRICE,
            diagnosis=diagnosis,
            marked=self.rules.kind == "marks",
        )

    def turn(self, calls: int = 1, tokens: int = 200) -> None:
        """Let the model ask for some tools, and add their results."""
        name = len(self.said)
        results = [a_block("tool-result", f"{name}.{n}", tokens) for n in range(calls)]
        self.say(a_block("assistant", name, 300, parts=calls, calls=calls), *results)

    def say(self, *blocks: Block) -> None:
        self.said += blocks


def begun(
    provider: str = "anthropic", model: str = "claude-sonnet-4-5", strategy: Placing = "stable"
) -> Play:
    """A session with its first message, long enough to be cached; not sent yet."""
    play = Play(provider, model, strategy)
    play.say(a_block("user", "first", 1500))
    return play


def numbers(expected: Prediction) -> tuple[int, int, int, int]:
    return expected.fresh, expected.read, expected.write_5m, expected.write_1h


def of(served: Served) -> tuple[int, int, int, int]:
    usage = served.usage
    return usage.fresh, usage.cache_read, usage.cache_write_5m, usage.cache_write_1h
