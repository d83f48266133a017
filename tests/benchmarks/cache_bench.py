"""What the cache costs and saves: `python -m tests.benchmarks.cache_bench`.

First the money: a session of 60 turns in three interactions, played against simulated providers, beside the
cheapest that is possible. Then the time: marks, prediction and bookkeeping of each of 500 turns.
"""

from __future__ import annotations

import sys
import time

from cutaway.harness.cache.breakpoints import place
from cutaway.harness.cache.prices import Rival
from cutaway.harness.cache.rows import Key, Row
from cutaway.harness.cache.rules import rules_for
from cutaway.harness.cache.state import CacheState
from cutaway.harness.cache.values import Mark
from tests.benchmarks.kit import Bar, print_table, share
from tests.harness.cache.cache_kit import PRICE, a_block
from tests.harness.cache.long_session import long_session, turns

TURNS, LONG = 60, 500
CLAUDE = ("anthropic", "claude-sonnet-4-5")
MOST_MS = 30.0


def money() -> list[Bar]:
    """The bill of the session, with our marks and with Copilot's, and what automatic caches read."""
    bars = []
    for strategy, limit in (("stable", 1.05), ("copilot", None)):
        one = long_session(*CLAUDE, strategy, TURNS)  # type: ignore[arg-type]
        name = f"Anthropic, {strategy}: paid / cheapest possible"
        bars.append(Bar(name, [one.ratio], "×", limit, digits=3))
        bars.append(Bar(f"Anthropic, {strategy}: USD for the input", [float(one.paid)], "$", None, digits=3))
    bare = float(long_session(*CLAUDE, count=TURNS).without_cache)
    bars.append(Bar("Anthropic, without a cache: USD for the input", [bare], "$", None, digits=3))
    for model in ("gpt-4.1", "gpt-5.6"):
        unread = (1 - long_session("openai", model, count=TURNS).share) * 100
        bars.append(Bar(f"OpenAI, {model}: readable but not read", [unread], "%", 3.0, digits=2))
    return bars


def times() -> list[float]:
    """Milliseconds of each turn: all that the cache adds to building a request and taking its answer in."""
    state, marks, key = CacheState(), tuple[Mark, ...](), Key(*CLAUDE, "")
    rival = Rival(rules_for(*CLAUDE))
    blocks = [a_block("tool", n, 350) for n in range(17)] + [
        a_block("system", "s", 900),
        a_block("user", "u"),
    ]
    found = []
    for number, more in enumerate(turns(LONG)):
        blocks += more
        began = time.perf_counter()
        row = Row(key, blocks)
        previous = state.last.row if state.last else None
        marks = tuple(place("stable", row, "5m", previous, marks))
        expected = state.predict(row, marks, number * 20.0, PRICE)
        again = Row(key, blocks)  # the ledger's own
        state.requested(str(number), again, marks, number * 20.0)
        rival.ask(again, "5m", number * 20.0)
        state.answered(str(number), expected.usage, expected.input)
        found.append((time.perf_counter() - began) * 1000)
    return found


def main() -> int:
    """Print both; the count of figures over their bar."""
    over = print_table(f"A session of {TURNS} turns in three interactions, simulated providers", money())
    spent = times()
    bars = [
        Bar(f"turn {LONG}: marks, prediction, bookkeeping", spent[-7:], "ms", MOST_MS, digits=1),
        Bar("the slowest of 99 in 100 turns", [share(spent, 0.99)], "ms", MOST_MS, digits=1),
    ]
    sys.stdout.write("\n")
    return over + print_table(f"A session of {LONG} turns", bars)


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
