"""The meter's rows on the cache: the last word, what was saved, and a clock that costs next to nothing."""

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

from cutaway.harness.ledger import Ledger
from cutaway.harness.opening import new_session
from cutaway.harness.usage import Price, Usage
from cutaway.tui import format as figures
from cutaway.tui.widgets.meter import Meter
from cutaway.tui.widgets.meter_rows import cache_rows
from tests.harness.session_kit import converse, opening, say
from tests.tui.widgets.stage import FakeClock, Stage, on_screen, until
from tests.tui.widgets.story import START, Story, block

PRICE = Price(Decimal(3), Decimal("0.3"), Decimal("3.75"), Decimal(6), Decimal(15))


async def counted_down(root: Path, *, price: Price | None = PRICE) -> tuple[Ledger, float]:
    """A session whose provider caches for 300 s, and the moment of its last request in Unix seconds."""
    given = opening(root, [say("one"), say("two")], cache="anthropic", model="claude-sonnet-4-5")
    session = new_session(replace(given, model=replace(given.model, price=price)))
    await converse(session, "go", "more")
    ledger = Ledger()
    for record in session.records:
        ledger.fold(record)
    await session.aclose()
    assert ledger.cache.state.last is not None
    return ledger, ledger.cache.state.last.at


def last_rows(ledger: Ledger, now: float) -> list[str]:
    return [line.text for line in cache_rows(ledger, now, 45)]


async def test_what_is_left_of_the_cache_is_counted_down_in_its_place(tmp_path: Path) -> None:
    ledger, at = await counted_down(tmp_path)
    rows = [last_rows(ledger, at + late)[0] for late in (0, 48, 299.5, 301)]
    assert [line.split()[1:] for line in rows] == [
        ["hit", "cache", "5:00"],
        ["hit", "cache", "4:12"],
        ["hit", "cache", "0:01"],
        ["hit", "cache", "expired"],
    ]
    assert {len(line) for line in rows} == {45}


async def test_what_it_costs_to_go_on_is_said_once_the_cache_is_over(tmp_path: Path) -> None:
    ledger, at = await counted_down(tmp_path)
    assert (
        last_rows(ledger, at)[1].split()[0] in ("saved", "lost")
        and "going on" not in last_rows(ledger, at)[1]
    )
    cost = ledger.cache.price_of_waiting().once
    assert cost and f"going on: {figures.money(cost, estimated=True)} once" in last_rows(ledger, at + 301)[1]
    ledger, at = await counted_down(tmp_path, price=None)
    assert last_rows(ledger, at + 301)[1].endswith("going on: unknown")
    assert "price unknown" in last_rows(ledger, at + 301)[1]


def test_where_no_cache_is_known_nothing_is_counted_and_before_the_first_call_nothing_is_claimed() -> None:
    assert [line.split() for line in last_rows(Ledger(), 0.0)] == [
        ["verdict", "–"],
        ["saved", "–"],
    ]


def test_a_life_that_is_only_guessed_at_is_marked() -> None:
    story = Story()
    story.message("go")
    story.turn(block("user", "long", 9_000), provider="gemini", model="gemini-2.5-pro")
    story.answer("hi", usage=Usage(fresh=9_000))
    assert "cache  ≈5:00" in last_rows(story.ledger, START.timestamp())[0]


async def test_the_clock_paints_its_own_row_and_stands_still_once_it_is_over(tmp_path: Path) -> None:
    ledger, at = await counted_down(tmp_path)
    clock = FakeClock()
    meter = Meter(now=lambda: datetime.fromtimestamp(at + clock.seconds, UTC))
    stage = Stage(meter)
    async with stage.run_test(size=(50, 30)) as pilot:
        meter.show(ledger, meter._now())
        await pilot.pause()
        clock.seconds = 48
        meter._tick()
        changed = {region.height for region in meter._dirty_regions}
        assert max(changed) == 1
        await pilot.pause()
        assert "cache   4:12" in on_screen(stage)
        meter.display = False
        await until(pilot, lambda: not running(meter))
        meter.display = True
        await until(pilot, lambda: running(meter))
        clock.seconds = 301
        meter._tick()
        assert not running(meter)
        await pilot.pause()
        assert "cache expired" in on_screen(stage)


def running(meter: Meter) -> bool:
    return meter._ticker is not None and meter._ticker._active.is_set()
