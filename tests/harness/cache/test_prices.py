"""What the cache saved, and what an action that breaks the prefix costs once; unknown stays unknown."""

from decimal import Decimal

import pytest

from cutaway.harness import events as e
from cutaway.harness.blocks import Block
from cutaway.harness.cache.prices import Rival, savings
from cutaway.harness.cache.rules import rules_for
from cutaway.harness.cache.store import Outcome
from cutaway.harness.cache.values import CacheTtl, Mark
from cutaway.harness.ledger.cache import SUMMARY_TOKENS, CacheLedger
from cutaway.harness.usage import LOCAL, Price, Usage
from tests.harness.cache.cache_kit import PRICE, a_block, begun

CHEAP = Price(Decimal(1), Decimal("0.1"), Decimal("1.25"), Decimal(2), Decimal(5))
SENT = 10_000
AT = 1000.0


def folded(
    provider: str = "anthropic",
    price: Price | None = PRICE,
    ttl: CacheTtl = "5m",
    model: str = "claude-sonnet-4-5",
) -> CacheLedger:
    """A ledger after one call of 10,000 tokens, all of them written to the cache."""
    blocks = [a_block("system", "s", 4_000), a_block("user", "u", SENT - 4_000)]
    ledger = CacheLedger()
    asked = e.ModelRequested(
        "r1", "t1", "turn", provider, model, "", "", 0, tuple(blocks), "", "", 0, 0, "",
        marks=(Mark(1, ttl),) if provider == "anthropic" else (),
    )  # fmt: skip
    ledger.requested(asked, blocks, AT)
    usage = {"5m": Usage(cache_write_5m=SENT), "1h": Usage(cache_write_1h=SENT)}[ttl]
    usage = usage if provider == "anthropic" else Usage(fresh=SENT)
    ledger.responded(e.ModelResponded("r1", "t1", "turn", "", usage, e.Timings(), None, price, ""))
    return ledger


def usd(text: str) -> Decimal:
    return Decimal(text)


def test_a_call_is_priced_beside_no_cache_and_beside_copilots_marks() -> None:
    usage = Usage(fresh=0, cache_read=9_000, cache_write_5m=1_000, output=100)
    rival = Outcome(read=4_500, write_5m=500)  # in our count, half of the provider's
    found = savings(usage, PRICE, rival)
    assert (found.paid, found.without_cache) == (usd("0.00795"), usd("0.0315"))
    assert found.with_copilot_marks == found.paid
    worse = savings(usage, PRICE, Outcome(read=2_500, write_5m=2_500))
    assert worse.with_copilot_marks == usd("0.02175")


def test_where_no_marks_are_sent_nobodys_would_change_anything() -> None:
    usage = Usage(fresh=1_000, cache_read=9_000)
    found = savings(usage, PRICE, None, automatic=True)
    assert found.with_copilot_marks == found.paid == usd("0.0057")
    assert savings(usage, PRICE, None).with_copilot_marks is None


@pytest.mark.parametrize("price", [None, Price(fresh=Decimal(3))])
def test_an_unknown_price_makes_an_unknown_sum(price: Price | None) -> None:
    ledger = folded(price=price)
    assert (ledger.sums.paid, ledger.sums.saved, ledger.sums.with_copilot_marks) == (None, None, None)
    tags = [ledger.price_of_effort(), ledger.price_of_tools(), ledger.price_of_waiting()]
    tags += [ledger.price_of_compaction(2_000), ledger.price_of_model(PRICE, "anthropic", "claude-opus-4-8")]
    assert [tag.once for tag in tags] == [None] * 5
    assert ledger.price_of_refreshing() is None


def test_what_runs_on_this_machine_costs_nothing_and_that_is_known() -> None:
    assert folded("ollama", LOCAL).price_of_effort().once == 0


@pytest.mark.parametrize(("ttl", "once"), [("5m", "0.0345"), ("1h", "0.057")])
def test_to_break_the_prefix_is_to_write_it_again_instead_of_reading_it(ttl: CacheTtl, once: str) -> None:
    """Written at 1.25 times the price for five minutes, at twice the price for an hour; read at a tenth."""
    ledger = folded(ttl=ttl)
    for tag in (ledger.price_of_tools(), ledger.price_of_waiting()):
        assert (tag.tokens, tag.once) == (SENT, usd(once))
    assert ledger.price_of_refreshing() == usd("0.003")


def test_another_effort_costs_what_it_is_a_part_of() -> None:
    """Everything on newer models; on those that think by budget, the messages: 6,000 tokens of 10,000."""
    assert folded(model="claude-opus-4-8").price_of_effort().once == usd("0.0345")
    tag = folded().price_of_effort()
    assert (tag.tokens, tag.once) == (6_000, usd("0.0207"))


def test_another_model_is_written_at_its_own_price() -> None:
    ledger = folded()
    assert ledger.price_of_model(CHEAP, "anthropic", "claude-haiku-4-5").once == usd("0.0095")
    assert ledger.price_of_model(CHEAP, "openai", "gpt-4.1").once == usd("0.007")  # no fee for writing


def test_when_the_prefix_has_expired_nothing_is_lost_any_more() -> None:
    ledger = folded()
    assert ledger.price_of_tools(AT + 299).once == usd("0.0345")
    assert ledger.price_of_tools(AT + 300).once == 0
    assert ledger.price_of_model(CHEAP, "anthropic", "claude-haiku-4-5", AT + 300).once == usd("-0.025")


def test_what_is_left_of_the_prefix_s_life_is_counted_and_what_was_never_cached_is_not_over() -> None:
    ledger = folded()
    assert (ledger.left(AT), ledger.left(AT + 299), ledger.left(AT + 300)) == (300, 1, None)
    assert [ledger.expired(AT + late) for late in (0, 299, 300)] == [False, False, True]
    assert folded(ttl="1h").left(AT + 300) == 3_300
    assert ledger.certain
    for nothing in (CacheLedger(), folded("nobody-knows")):
        assert nothing.left(AT) is None and not nothing.expired(AT + 9_999)
    assert not folded("nobody-knows").certain


def test_a_compaction_reads_all_writes_a_summary_and_begins_anew() -> None:
    summary = Decimal(15) * SUMMARY_TOKENS / 1_000_000
    anew = 2_000 * (usd("3.75") - usd("0.3")) / 1_000_000
    ledger = folded()
    assert ledger.price_of_compaction(2_000).once == summary + anew + usd("0.003")
    assert ledger.price_of_compaction(2_000, AT + 300).once == summary + anew + usd("0.0375")


def test_other_instructions_cost_all_that_stands_behind_the_last_mark_before_them() -> None:
    assert folded().price_of_reloading().once == usd("0.0345")
    assert folded().price_of_reloading(AT + 300).once == 0
    assert folded(price=None).price_of_reloading().once is None


def test_a_compaction_between_two_tasks_leaves_tools_system_text_and_a_summary() -> None:
    ledger = folded()
    assert ledger.price_of_compaction() == ledger.price_of_compaction(4_000 + SUMMARY_TOKENS)
    assert CacheLedger().price_of_compaction().tokens == 0


def test_copilots_marks_are_played_over_the_same_session() -> None:
    """It expires for both at the same moment."""
    play, rival = begun(strategy="copilot"), Rival(rules_for("anthropic", "claude-sonnet-4-5"))
    for wait in (0, 10, 200, 400, 10):
        play.now += wait
        expected, served = play.ask()
        outcome = rival.ask(play.row, "5m", play.now)
        assert (outcome.read, outcome.write_5m) == (expected.read, served.usage.cache_write_5m)
        play.turn(3)


def test_the_prefix_lives_from_its_last_use() -> None:
    ledger = folded()
    assert ledger.state.expires_at(AT + 10) == AT + 300
    blocks: list[Block] = list(ledger.state.last.row.blocks) if ledger.state.last else []
    asked = e.ModelRequested(
        "r2", "", "keep-alive", "anthropic", "claude-sonnet-4-5", "", "", 2, (), "", "", 0, 0, "",
        marks=(Mark(1),),
    )  # fmt: skip
    ledger.requested(asked, blocks, AT + 250)
    answered = e.ModelResponded(
        "r2", "", "keep-alive", "", Usage(cache_read=SENT), e.Timings(), None, PRICE, ""
    )
    ledger.responded(answered)
    assert ledger.state.expires_at(AT + 310) == AT + 550
    assert ledger.state.expires_at(AT + 550) is None
