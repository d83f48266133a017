"""The inspector's *Cache* tab over real sessions, whose provider plays a prompt cache."""

import dataclasses
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from cutaway.harness.cache.simulator import Faults
from cutaway.harness.ledger import Ledger
from cutaway.harness.opening import Opening, new_session
from cutaway.harness.providers.base import Request
from cutaway.harness.providers.scripted import ScriptedProvider, Step
from cutaway.harness.session import Session
from cutaway.harness.usage import Price
from cutaway.tui.screens.inspector import InspectorScreen
from tests.harness.session_kit import converse, opening, say
from tests.tui.widgets.stage import Stage, on_screen

WIDE, SMALL = (160, 48), (80, 24)
PRICE = Price(Decimal(3), Decimal("0.3"), Decimal("3.75"), Decimal(6), Decimal(15))


def cached(root: Path, *, price: Price | None = PRICE, title: bool = False) -> tuple[Session, Opening]:
    def choose(request: Request, number: int) -> Step:
        return say(f"answer {number}") if request.tools else say("Mend the parser")

    given = opening(root, choose=choose, cache="anthropic", model="claude-sonnet-4-5")
    model = dataclasses.replace(given.model, price=price)
    given = dataclasses.replace(given, model=model, title=title)
    return new_session(given), given


def faults(given: Opening) -> Faults:
    provider = given.model.provider
    assert isinstance(provider, ScriptedProvider)
    return provider.cache.faults


@asynccontextmanager
async def inspecting(session: Session, size: tuple[int, int]) -> AsyncIterator[Pilot[Any]]:
    """The newest turn's Cache tab."""
    ledger = Ledger()
    for record in session.records:
        ledger.fold(record)
    stage = Stage()
    async with stage.run_test(size=size) as pilot:
        await stage.push_screen(InspectorScreen(ledger, session))
        await pilot.press("2")
        await pilot.pause()
        yield pilot
    await session.aclose()


def words(pilot: Pilot[Any]) -> str:
    """The page at the right, in single spaces."""
    return "\n".join(" ".join(line.partition("│")[2].split()) for line in on_screen(pilot.app).split("\n"))


@pytest.mark.parametrize("size", [WIDE, SMALL])
async def test_expected_stands_beside_measured_for_a_hit(tmp_path: Path, size: tuple[int, int]) -> None:
    session, _ = cached(tmp_path)
    await converse(session, "go", "more")
    async with inspecting(session, size) as pilot:
        shown = words(pilot)
        assert "\nhit\n" in shown and "tokens expected measured off by" in shown
        (read,) = [line for line in shown.split("\n") if line.startswith("read ")]
        _, expected, measured, off = read.split()
        assert expected == measured != "0" and off == "0"
        assert "written 1h" not in shown and "first block that differs" not in shown
        assert "money this call session" in shown and "paid $" in shown


@pytest.mark.parametrize("size", [WIDE, SMALL])
async def test_all_tabs_stand_on_one_line(tmp_path: Path, size: tuple[int, int]) -> None:
    session, _ = cached(tmp_path)
    await converse(session, "go")
    async with inspecting(session, size) as pilot:
        for at, tab in enumerate(("Anatomy", "Cache", "Request", "Response", "Tools", "Time", "Why"), 1):
            await pilot.press(str(at))
            await pilot.pause()
            (line,) = [line for line in words(pilot).split("\n") if "1 Anatomy" in line]
            assert f"[{at} {tab}]" in line and "7 Why" in line


async def test_the_first_block_that_differs_is_shown_as_it_was_and_is(tmp_path: Path) -> None:
    rules = tmp_path / "AGENTS.md"
    rules.write_text("Be [/] kind.\nUse tabs.\n")
    session, _ = cached(tmp_path)
    await converse(session, "go")
    rules.write_text("Be [/] kind.\nUse spaces.\n")
    assert session.reload_instructions()
    await converse(session, "more")
    async with inspecting(session, SMALL) as pilot:
        shown = words(pilot)
        assert "system changed\n" in shown
        assert "instructions AGENTS.md" in shown
        assert "Be [/] kind.\n- Use tabs.\n+ Use spaces." in shown


@pytest.mark.parametrize(
    ("fault", "word"),
    [("lose_all", "server side"), ("strip_marks", "marker stripped"), ("silent", "not reported")],
)
async def test_what_the_provider_did_is_named(tmp_path: Path, fault: str, word: str) -> None:
    session, given = cached(tmp_path)
    await converse(session, "go")
    setattr(faults(given), fault, True)
    await converse(session, "more")
    async with inspecting(session, WIDE) as pilot:
        shown = words(pilot)
        assert f"\n{word}\n" in shown
        assert ("were not read that had been sent before: $" in shown) is (fault != "silent")
        listed = [line.partition("│")[0] for line in on_screen(pilot.app).split("\n")]
        assert any(word in line for line in listed)


async def test_a_narrow_list_marks_what_nobody_wanted(tmp_path: Path) -> None:
    session, given = cached(tmp_path)
    await converse(session, "go")
    faults(given).lose_all = True
    await converse(session, "more")
    async with inspecting(session, SMALL) as pilot:
        turns = [line.partition("│")[0] for line in on_screen(pilot.app).split("\n") if "turn 1 " in line[:9]]
        assert [("!" in line) for line in turns] == [False, True]


async def test_an_unknown_price_is_said_and_no_money_is_claimed(tmp_path: Path) -> None:
    session, given = cached(tmp_path, price=None)
    await converse(session, "go")
    faults(given).lose_all = True
    await converse(session, "more")
    async with inspecting(session, SMALL) as pilot:
        assert "price unknown" in words(pilot) and "$" not in words(pilot)


async def test_a_side_call_opens_like_a_turn(tmp_path: Path) -> None:
    session, _ = cached(tmp_path, title=True)
    await converse(session, "go")
    async with inspecting(session, WIDE) as pilot:
        await pilot.press("right_square_bracket")
        await pilot.pause()
        assert "side call: title" in words(pilot) and "below minimum" in words(pilot)
        for key, part in (
            ("1", "blocks"),
            ("3", '"role":"user"'),
            ("4", "Mend the parser"),
            ("7", "no turn"),
        ):
            await pilot.press(key)
            await pilot.pause()
            assert part in words(pilot)
        await pilot.press("left_square_bracket")
        await pilot.pause()
        assert "turn 1 of 25" in words(pilot)
