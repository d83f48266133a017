"""Predictions against a cache that was written a second time: equal to the token, for every set of rules."""

from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cutaway.harness.blocks import Block
from cutaway.harness.cache.rows import Row
from cutaway.harness.cache.rules import CacheRules, known_rules
from cutaway.harness.cache.values import CacheTtl
from cutaway.harness.usage import Usage
from tests.harness.cache.cache_kit import NAMES, Placing, Play, a_block, begun, numbers, of
from tests.harness.cache.plain_cache import Faults


@st.composite
def steps(draw: st.DrawFn) -> list[tuple[str, int]]:
    kind = st.sampled_from(
        (
            *["turn", "wide turn"] * 2,
            "message",
            "wait",
            "tool",
            "model",
            "effort",
            "mode",
            "cut",
            "aside",
            "life",
        )
    )
    return draw(st.lists(st.tuples(kind, st.integers(0, 900)), min_size=2, max_size=14))


def do(play: Play, what: str, size: int, number: int) -> None:
    """Let one thing happen to a session."""
    match what:
        case "turn" | "wide turn":
            calls = 7 + size % 6 if what == "wide turn" else 1 + size % 3
            results = [a_block("tool-result", f"{number}.{n}", (size * n) % 700) for n in range(calls)]
            play.say(a_block("assistant", number, size, parts=calls + size % 2, calls=calls), *results)
        case "message":
            play.say(a_block("assistant", number, size), a_block("user", number, 20))
        case "mode":
            play.say(a_block("note", f"mode {number}", 20, parts=0), a_block("user", number, size))
        case "wait":
            play.now += size
        case "tool":
            play.tools.append(a_block("tool", f"late {number}", size))
        case "model":
            play.model = play.model if size % 2 else f"{play.model}-{size % 3}"
        case "life":
            play.ttl = "1h" if play.ttl == "5m" else "5m"
        case "effort":
            play.effort = ("", "low", "high")[size % 3]
        case "cut":
            del play.said[size % (len(play.said) + 1) :]
            play.say(a_block("user", f"summary {number}", size))
        case "aside":
            play.ask(Row(play.row.key, [a_block("system", f"title {number}", 1200), a_block("user", number)]))


@pytest.mark.parametrize("rules", known_rules(), ids=lambda rules: rules.name)
@given(
    steps=steps(),
    strategy=st.sampled_from(get_args(Placing)),
    ttl=st.sampled_from(["5m", "1h"]),
)
@settings(deadline=None, max_examples=40)
def test_what_is_predicted_is_what_happens(
    rules: CacheRules, steps: list[tuple[str, int]], strategy: Placing, ttl: CacheTtl
) -> None:
    """Messages, wide turns, waits, late tools, other models and efforts, cut histories, side calls."""
    provider, model = NAMES[rules.name]
    play = Play(provider, model, strategy, ttl)
    assert play.rules == rules
    play.say(a_block("user", "first", 1500))
    expected, served = play.ask()
    assert numbers(expected) == of(served)
    for number, (what, size) in enumerate(steps):
        play.now += 1 + size % 7
        do(play, what, size, number)
        expected, served = play.ask()
        assert numbers(expected) == of(served), (number, what, size)


@pytest.mark.parametrize(("calls", "read"), [(9, True), (10, True), (11, False)])
def test_an_entry_is_found_twenty_blocks_before_a_mark(calls: int, read: bool) -> None:
    """Each call and each result is a block of its own on the wire."""
    play = begun(strategy="newest")
    first, _ = play.ask()
    play.turn(calls)
    expected, served = play.ask()
    assert numbers(expected) == of(served)
    assert (served.usage.cache_read == first.input) is read


def test_the_count_of_tokens_is_set_right_by_what_the_provider_reports() -> None:
    """A provider that counts a fifth more than we do: after its first answer we know."""
    play = begun()
    row = play.row
    for n, reported in enumerate((Usage(cache_write_5m=row.tokens * 6 // 5), None)):
        expected = play.state.predict(row, (), play.now, None)
        play.state.requested(str(n), row, (), play.now)
        play.state.answered(str(n), reported, expected.input)
    assert play.state.ratio(play.model) == pytest.approx(1.2)
    assert play.state.error == pytest.approx(1 / 6)
    assert play.state.predict(row, (), play.now, None).input == row.tokens * 6 // 5


def test_what_the_provider_counted_once_is_known_to_the_token() -> None:
    """A provider that counts our tools thrice: what was sent before is expected as it was counted."""
    play = begun()
    row = play.row
    dear = sum(block.tokens for block in play.tools) * 2 + row.tokens
    play.state.requested("1", row, play.marks(row), play.now)
    play.state.answered("1", Usage(cache_write_5m=dear))
    play.turn()
    expected = play.state.predict(play.row, play.marks(play.row), play.now, None)
    assert (expected.read, expected.fresh) == (dear, 0)
    assert expected.write_5m == round(500 * dear / row.tokens)


def test_what_the_provider_has_lost_is_not_expected_again() -> None:
    """It lost everything, so that a conversation that goes back to its first message finds nothing."""
    play = begun(strategy="newest")
    play.ask()
    play.turn()
    play.ask(faults=Faults(forgets=True))
    del play.said[1:]
    expected, served = play.ask()
    assert numbers(expected) == of(served)
    assert expected.read == 0


def test_a_list_of_blocks_that_goes_on_growing_does_not_change_what_was_sent() -> None:
    """The ledger keeps one list for all turns."""
    play, blocks = begun(), list[Block]()
    blocks += play.row.blocks
    play.state.requested("1", Row(play.row.key, blocks), play.marks(play.row), play.now)
    play.state.answered("1", Usage(cache_write_5m=play.row.tokens))
    blocks += [a_block("assistant", "a"), a_block("user", "b")]
    play.turn()
    assert play.state.predict(play.row, play.marks(play.row), play.now, None).cause == "hit"
