"""The meter: honest figures at a fixed size."""

from datetime import timedelta

import pytest

from cutaway.harness import events as e
from cutaway.harness.ledger import Ledger
from cutaway.harness.ledger.views import LoopStep
from cutaway.harness.usage import Usage
from cutaway.tui.widgets.meter import Meter
from cutaway.tui.widgets.meter_rows import meter_rows, shares
from tests.tui.widgets.scenes import busy_story
from tests.tui.widgets.stage import Stage, on_screen
from tests.tui.widgets.story import START, Story, block, calls


def lines(ledger: Ledger, width: int = 46, window: int | None = None, seconds: float = 0) -> list[str]:
    return [
        row.text.rstrip() for row in meter_rows(ledger, START + timedelta(seconds=seconds), width, window)
    ]


def words(ledger: Ledger, window: int | None = None) -> str:
    return "\n".join(" ".join(line.split()) for line in lines(ledger, window=window))


def test_the_context_is_shown_by_its_parts_against_the_window() -> None:
    story, _ = busy_story()
    shown = words(story.ledger, window=10_000)
    assert "context ≈3.7k of 10.0k 38 %" in shown
    for part in ("tools 1.6k", "system 1.2k", "instructions 600", "workspace 300", "notes 20", "you 40"):
        assert part in shown
    bar = lines(story.ledger, window=10_000)[4].strip()
    assert len(bar) == 45
    assert bar.count("·") == 28


def test_a_window_that_is_not_known_is_said_to_be_unknown() -> None:
    story, _ = busy_story()
    assert "context ≈3.7k window unknown" in words(story.ledger)
    assert "%" not in lines(story.ledger)[3]


def test_tokens_stand_in_disjoint_kinds_for_the_last_turn_and_the_session() -> None:
    story, _ = busy_story()
    story.turn(block("user", "more", 10))
    story.answer("", usage=Usage(fresh=100, cache_read=900, output=50, estimated=True))
    shown = words(story.ledger)
    assert "tokens fresh read write output" in shown
    assert "last turn ≈100 ≈900 0 ≈50" in shown
    assert "session ≈900 ≈28.9k ≈1.9k ≈360" in shown
    assert "last turn 90 % ≈$0.0020" in shown
    assert "session 91 % ≈$0.0040" in shown


def test_an_unknown_price_is_never_a_zero() -> None:
    story = Story()
    story.message("go")
    story.turn()
    story.answer("hi", cost=None)
    assert words(story.ledger).count("price unknown") == 3
    assert "saved price unknown" in words(story.ledger)
    assert "$" not in words(story.ledger)
    story.turn()
    story.answer("hi", cost="0.01")
    assert "≥$0.010, 1 unpriced" in words(story.ledger)


def test_figures_of_a_script_are_labelled_simulated() -> None:
    story = Story()
    story.message("go")
    story.turn()
    story.answer("hi")
    assert "simulated" not in words(story.ledger)
    story.turn()
    story.answer("hi", simulated=True)
    assert "cache hits cost simulated" in words(story.ledger)


def test_before_the_first_turn_nothing_is_claimed() -> None:
    shown = words(Story().ledger)
    assert "idle" in shown
    assert "nothing spent" in shown
    assert "last turn – – – –" in shown
    assert "$" not in shown


@pytest.mark.parametrize(
    ("step", "lit", "state"),
    [
        ("idle", "", ""),
        ("build", "[build]", ""),
        ("call", "[call]", ""),
        ("tools?", "[tools?]", ""),
        ("execute", "[execute]", ""),
        ("asking", "[execute]", "waiting for you"),
        ("limit", "[tools?]", "limit reached"),
    ],
)
def test_the_step_of_the_loop_is_lit_in_its_place(step: LoopStep, lit: str, state: str) -> None:
    story, _ = busy_story()
    story.ledger.step = step
    first, second = lines(story.ledger)[:2]
    assert "".join(part for part in first if part not in "[] ") == "build→call→tools?→execute"
    assert (lit in first) and ("[" in first) is bool(lit)
    assert second.startswith(" turn 1 of 25")
    assert second.endswith(state)
    assert first.index("execute") == 31


def test_a_retry_is_counted_down() -> None:
    story = Story()
    story.message("go")
    turn = story.turn()
    story.tell(e.RetryScheduled(f"q{turn}", 1, 5, 8.0, "overloaded", 529))
    assert lines(story.ledger, seconds=0)[1].endswith("retry 2 of 5 in 8s")
    assert lines(story.ledger, seconds=5.2)[1].endswith("retry 2 of 5 in 3s")
    assert lines(story.ledger, seconds=9)[1].endswith("retry 2 of 5 now")
    assert "[call]" in lines(story.ledger)[0]


def test_each_turn_has_a_bar_of_what_was_read_written_and_fresh() -> None:
    story = Story()
    story.message("go")
    mixed = Usage(fresh=1_000, cache_read=1_000, cache_write_5m=1_000)
    for usage in (Usage(fresh=3_000), mixed, Usage(fresh=10)):
        story.turn()
        story.answer("hi", usage=usage)
    assert lines(story.ledger)[-4:] == [" turns   █ read ▓ written ░ fresh", " ░ ░", " ░ ▓", " ░ █ ░"]


def test_shares_add_up_to_the_cells() -> None:
    assert shares([1, 1, 1], 10, 3) == [4, 3, 3]
    assert shares([5, 0], 10, 20) == [2, 0]
    assert shares([0, 0], 10, 0) == [0, 0]


@pytest.mark.parametrize("size", [(80, 36), (46, 36), (40, 36)])
async def test_the_meter_keeps_its_size_and_cuts_no_figure(size: tuple[int, int]) -> None:
    story, _ = busy_story()
    meter = Meter()
    stage = Stage(meter)
    async with stage.run_test(size=size) as pilot:
        before = meter.size, meter.virtual_size
        meter.show(story.ledger, story.now)
        await pilot.pause()
        assert (meter.size, meter.virtual_size) == before
        screen = on_screen(stage)
        figures = ("1.6k", "28.0k", "310", "$0.0020", "91 %", "window unknown", "waiting for you")
        assert [figure for figure in figures if figure not in screen] == []


async def test_nothing_is_painted_while_nothing_changes() -> None:
    """G06: the meter has no timer of its own but for a countdown."""
    story, told = busy_story()
    meter = Meter(now=lambda: story.now)
    stage = Stage(meter)
    async with stage.run_test(size=(50, 24)) as pilot:
        meter.show(story.ledger, story.now)
        await pilot.pause()
        ticker = meter._ticker
        assert ticker is not None and ticker._active.is_set()
        story.passes(301)
        meter.show(story.ledger, story.now)
        assert not ticker._active.is_set()
        drawn = meter._laid_out
        story.passes(10)
        meter.show(story.ledger, story.now)
        assert meter._laid_out is drawn
        turn = story.ledger.turn
        assert turn is not None
        story.tell(e.RetryScheduled(f"q{turn.id}", 1, 5, 8.0, "overloaded"))
        meter.show(story.ledger, story.now)
        assert ticker._active.is_set()
        assert calls(("a", "{}"))[0].id in {call.id for call in told}


@pytest.mark.parametrize(
    ("height", "gone"),
    [
        (23, ()),
        (22, ("turns",)),
        (17, ("turns", "█ tools 1.6k")),
        (13, ("turns", "█ tools 1.6k", "")),
        (11, ("turns", "█ tools 1.6k", "", "cache hits cost")),
        (8, ("turns", "█ tools 1.6k", "", "cache hits cost", "verdict")),
        (6, ("turns", "█ tools 1.6k", "", "cache hits cost", "verdict", "tokens fresh")),
    ],
)
def test_where_rows_are_short_the_least_needed_go(height: int, gone: tuple[str, ...]) -> None:
    story, _ = busy_story()
    rows = [" ".join(row.text.split()) for row in meter_rows(story.ledger, story.now, 46, None, height)]
    assert len(rows) <= height
    always = ("build → call", "turn 1 of 25", "context ≈3.7k")
    words = (*always, "tokens fresh", "verdict", "cache hits cost", "", "█ tools 1.6k", "turns")
    found = [word for word in words if any(row.startswith(word) if word else row == "" for row in rows)]
    assert set(words) - set(found) == set(gone)
