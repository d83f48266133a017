"""Figures that the screen only draws: the parts of a prompt, a turn's time, and what going on will take."""

from decimal import Decimal

from cutaway.harness.details import Access
from cutaway.harness.events import CallFailed, LimitReached, RetryScheduled
from cutaway.harness.ledger.forecast import forecast
from cutaway.harness.ledger.parts import Part, context_parts, last_call, recent_turns
from cutaway.harness.ledger.timeline import timeline
from cutaway.harness.usage import Usage
from tests.tui.widgets.story import Story, block, calls


def test_a_prompt_is_summed_by_origin_in_wire_order() -> None:
    asked = [block("user", "a", 1), block("tool", "b", 2)]
    blocks = [*asked, block("user", "c", 3), block("tool-result", "d", 0)]
    assert context_parts(blocks) == (Part("tool", 1, 2), Part("user", 2, 4), Part("tool-result", 1, 0))
    assert context_parts([]) == ()


def test_the_newest_turns_come_oldest_first() -> None:
    story = Story()
    for number in range(5):
        story.message("go")
        story.turn()
        story.answer("hi", usage=Usage(fresh=number, cache_read=2, cache_write_5m=3, cache_write_1h=4))
    story.turn()  # not answered yet
    found = recent_turns(story.ledger.interactions, 3)
    assert [(turn.fresh, turn.cached, turn.written) for turn in found] == [(2, 2, 7), (3, 2, 7), (4, 2, 7)]
    assert recent_turns([], 3) == ()


def test_the_last_call_counts_also_when_it_failed() -> None:
    story = Story()
    assert last_call(story.ledger.interactions) is None
    story.message("go")
    story.turn()
    story.answer("hi")
    turn = story.turn()
    usage = Usage(fresh=70, cache_read=30, estimated=True)
    story.tell(CallFailed(f"q{turn}", turn, "StreamBroken", "it broke", usage=usage))
    last = last_call(story.ledger.interactions)
    assert last is not None
    assert (last.usage, last.cost, last.hit_rate) == (usage, None, 0.3)


def test_a_person_s_time_is_apart_from_a_tool_s() -> None:
    story = Story()
    story.message("go")
    turn = story.turn()
    (first, second) = calls(("run_in_terminal", "{}"), ("run_in_terminal", "{}"))
    story.answer("", first, second)  # two seconds
    story.ask(first, Access("execute", ("a",)))
    story.passes(4)
    story.decide(first)
    story.start(first)
    story.passes(1)
    story.finish(first, ran_ms=1000)
    story.ask(second, Access("execute", ("b",)))
    story.decide(second, "denied-by-user")
    story.finish(second, "refused")
    spans = [(span.kind, span.start, span.length) for span in timeline(story.ledger.turns[turn])]
    assert spans == [
        ("build", 0, 12),
        ("connect", 12, 80),
        ("first token", 92, 520),
        ("stream", 612, 1400),
        ("you", 2000, 4000),
        ("tool", 6000, 1000),
        ("you", 7000, 4000),
    ]


def test_waits_between_attempts_are_a_part_of_the_turn() -> None:
    story = Story()
    story.message("go")
    turn = story.turn()
    story.tell(RetryScheduled(f"q{turn}", 1, 5, 2.0, "overloaded"))
    story.answer("hi")
    kinds = [(span.kind, span.start) for span in timeline(story.ledger.turns[turn])]
    assert kinds[:3] == [("build", 0), ("retry", 12), ("connect", 2012)]


def test_going_on_is_estimated_from_the_mean_of_the_turns_so_far() -> None:
    usage = Usage(fresh=1_000, output=500)
    known = forecast(LimitReached("l", "i", 10, 15, (), usage, "0.2"))
    assert (known.turns, known.tokens, known.cost) == (5, 750, Decimal("0.1"))
    assert forecast(LimitReached("l", "i", 10, 15, (), usage, None)).cost is None
