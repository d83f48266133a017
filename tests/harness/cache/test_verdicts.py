"""All fifteen verdicts, each caused by what it tells of; the provider is played, the clock is given."""

from collections.abc import Callable

import pytest

from cutaway.harness.cache.rows import Row
from cutaway.harness.cache.values import WORDS, Verdict, Word
from cutaway.harness.cache.verdict import judge
from cutaway.harness.usage import Price
from tests.harness.cache.cache_kit import PRICE, Play, a_block, begun
from tests.harness.cache.plain_cache import Faults

FIRST = 3660
"""Tokens of a session's first request."""
FIRST_ANEW = "0.012627"
"""USD that writing them anew costs more than reading them: 3.75 and 0.30 a million."""


def going() -> Play:
    """A session after its first answer, with a turn to send."""
    play = begun()
    play.ask()
    play.turn()
    return play


def cold() -> Verdict:
    return begun().verdict()


def hit() -> Verdict:
    return going().verdict()


def below() -> Verdict:
    play = Play("anthropic", "claude-sonnet-4-5", tools=[], system=[a_block("system", "short", 50)])
    play.say(a_block("user", "hello", 30))
    return play.verdict()


def expired() -> Verdict:
    play = going()
    play.now += 301
    return play.verdict()


def other_model() -> Verdict:
    play = going()
    play.model = "claude-opus-4-8"
    return play.verdict()


def other_effort() -> Verdict:
    play = begun(model="claude-opus-4-8")
    play.ask()
    play.turn()
    play.effort = "high"
    return play.verdict()


def other_tools() -> Verdict:
    play = going()
    play.tools = [*play.tools[1:], a_block("tool", "look")]
    return play.verdict()


def other_system() -> Verdict:
    play = going()
    play.system[0] = a_block("system", "system.md of today", 900)
    return play.verdict()


def other_history() -> Verdict:
    play = going()
    play.ask()
    play.turn()
    play.said[2] = a_block("tool-result", "pruned", 3)
    return play.verdict()


def compacted() -> Verdict:
    play = going()
    play.state.compactions += 1
    play.said = [a_block("user", "summary", 700)]
    return play.verdict()


def too_far() -> Verdict:
    play = begun(strategy="newest")
    play.ask()
    play.turn(calls=30)
    return play.verdict()


def racing() -> Verdict:
    play = begun()
    play.ask(begins=play.now + 2)
    return play.verdict()


def stripped() -> Verdict:
    return going().verdict(faults=Faults(strips_marks=True))


def forgotten() -> Verdict:
    return going().verdict(faults=Faults(forgets=True), diagnosis="previous_message_not_found")


def silent() -> Verdict:
    return going().verdict(faults=Faults(tells_nothing=True))


CASES: list[tuple[Word, Callable[[], Verdict], int | None, int, str | None, str]] = [
    ("cold start", cold, None, 0, "0", "first call"),
    ("hit", hit, None, 0, "0", ""),
    ("below minimum", below, None, 0, "0", "80 of 1,024"),
    ("expired", expired, None, FIRST, FIRST_ANEW, "301 s since the last use; it is kept for 300 s"),
    ("model changed", other_model, None, FIRST, FIRST_ANEW, "claude-sonnet-4-5 to claude-opus-4-8"),
    ("settings changed", other_effort, None, FIRST, FIRST_ANEW, "From the default to high"),
    ("tools changed", other_tools, 0, FIRST, FIRST_ANEW, "new: look; gone: read"),
    ("system changed", other_system, 2, FIRST, FIRST_ANEW, "system.md is not as it was"),
    ("history changed", other_history, 6, 500, "0.001725", "Block 7 (tool-result 1.0)"),
    ("compacted", compacted, 4, 700, "0.002415", "was compacted"),
    ("look-back exceeded", too_far, None, FIRST, FIRST_ANEW, "20 blocks"),
    ("parallel race", racing, None, 0, "0", "has not begun"),
    ("marker stripped", stripped, None, FIRST, FIRST_ANEW, "nothing was read or written"),
    ("server side", forgotten, None, FIRST, FIRST_ANEW, "Its own word: previous_message_not_found"),
    ("not reported", silent, None, 0, None, "says nothing"),
]


@pytest.mark.parametrize(
    ("word", "cause", "block", "missed", "cost", "said"), CASES, ids=[case[0] for case in CASES]
)
def test_what_happened_is_told_in_a_word(
    word: Word, cause: Callable[[], Verdict], block: int | None, missed: int, cost: str | None, said: str
) -> None:
    """With the first block that differs, and what was lost in tokens and money."""
    verdict = cause()
    assert (verdict.word, verdict.block, verdict.missed, verdict.cost) == (word, block, missed, cost)
    assert said in verdict.detail


def test_there_is_a_case_for_every_word() -> None:
    assert tuple(case[0] for case in CASES) == WORDS


def test_a_side_call_does_not_make_the_next_turn_a_miss() -> None:
    """A title is asked for with a prompt of its own, and the conversation goes on from its cache."""
    play = going()
    title = Row(play.row.key, [a_block("system", "title", 1200), a_block("user", "words")])
    assert play.verdict(title).word == "cold start"
    assert play.verdict().word == "hit"


def test_a_side_call_that_is_on_its_way_is_no_race() -> None:
    play = begun()
    play.ask(Row(play.row.key, [a_block("system", "title", 1200)]), begins=play.now + 2)
    assert play.verdict().word == "cold start"


def test_what_lived_longer_than_it_had_to_is_a_hit() -> None:
    """OpenAI promises five minutes and often keeps an hour."""
    play = begun("openai", "gpt-4.1")
    play.ask()
    play.turn()
    for entry in play.caches["openai"].entries.values():
        entry.life = 3600
    play.now += 1000
    verdict = play.verdict()
    assert (verdict.word, verdict.missed) == ("hit", 0)
    assert "keeps it longer" in verdict.detail


def test_after_marks_were_lost_nothing_is_expected_of_them() -> None:
    """The next request finds what was written before, and says why it is not more."""
    play = going()
    play.verdict(faults=Faults(strips_marks=True))
    play.turn()
    expected, served = play.ask()
    assert expected.read == served.usage.cache_read == FIRST
    assert expected.cause == "marker stripped"


def test_after_a_miss_the_cache_is_as_the_provider_says() -> None:
    play = going()
    assert play.verdict(faults=Faults(forgets=True)).word == "server side"
    play.turn()
    assert play.verdict().word == "hit"


def test_an_unknown_price_is_told_as_unknown() -> None:
    play = going()
    play.now += 400
    expected, served = play.ask()
    for price in (None, Price(fresh=PRICE.fresh)):
        verdict = judge(expected, served.usage, reported=True, price=price, diagnosis="", marked=True)
        assert (verdict.word, verdict.missed, verdict.cost) == ("expired", FIRST, None)


def test_of_an_unknown_provider_nothing_is_claimed() -> None:
    play = begun("somebody", "something")
    expected, _ = play.ask()
    assert (expected.certain, expected.read, expected.cost) == (False, 0, "0.01098")
    play.turn()
    assert play.verdict().word == "not reported"


def test_a_request_whose_process_was_killed_is_no_race_for_ever() -> None:
    play = begun()
    play.ask(begins=play.now + 2)
    play.now += 700
    assert play.verdict().word == "cold start"


def test_a_short_prompt_without_a_sign_of_marks_may_just_be_too_short() -> None:
    """The table of minimums keeps changing."""
    for tokens, said in ((100, "caches longer prompts only"), (2000, "takes them out.")):
        play = begun()
        play.ask()
        play.turn(tokens=tokens)
        assert said in play.verdict(faults=Faults(strips_marks=True)).detail


def test_where_models_think_by_budget_another_effort_keeps_what_stands_before_the_messages() -> None:
    """The API's own table: how to think is part of the messages; tools and system stay cached."""
    play = going()
    play.effort = "high"
    expected, served = play.ask()
    assert expected.read == served.usage.cache_read == FIRST - 1500
    assert (expected.cause, expected.lost) == ("settings changed", 1500)
