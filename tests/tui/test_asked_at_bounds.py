"""What the screen asks when a bound is met, each bound met for real, and what an answer by key does."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from cutaway.harness import events as e
from cutaway.harness.providers.scripted import ScriptedCall, Step
from cutaway.harness.usage import Price, Usage
from cutaway.tui.app import CutawayApp
from tests.tui.kit import NARROW, WIDE, Opener, app_for, finished, opened, reply, said, screen_text, until

MILLION = Decimal(1_000_000)
DOLLAR_A_TOKEN = Price(MILLION, MILLION, MILLION, MILLION, MILLION)
DONE = Step(text="All is done.")
SIZES = pytest.mark.parametrize("size", [NARROW, WIDE])


def looks(count: int, tokens: int = 10) -> list[Step]:
    """Turns that each look at another folder and use `tokens`."""
    return [
        Step(calls=(ScriptedCall("list_dir", {"path": f"d{number}"}),), usage=Usage(fresh=tokens))
        for number in range(count)
    ]


def reads(root: Path, count: int) -> list[Step]:
    """Turns that fill the prompt."""
    steps = []
    for number in range(count):
        (root / f"file{number}.txt").write_text(f"line of {number}\n" * 200)
        steps.append(Step(calls=(ScriptedCall("read_file", {"filePath": f"file{number}.txt"}),)))
    return steps


async def asked(pilot: Pilot[None], app: CutawayApp) -> str:
    """Send a message and wait for the question; the screen as it then is."""
    await opened(pilot, app)
    await pilot.press(*"go", "enter")
    await until(pilot, lambda: app.main.dock.current is not None)
    await until(pilot, lambda: app.main.dock.current is not None and app.main.dock.current.has_focus)
    return screen_text(app)


def decided(opener: Opener) -> list[e.LimitDecided]:
    return [r.event for r in opener.session.records if isinstance(r.event, e.LimitDecided)]


def why(opener: Opener) -> e.EndReason:
    (ended,) = [r.event for r in opener.session.records if isinstance(r.event, e.InteractionEnded)]
    return ended.reason


def budget(root: Path, steps: list[Step], **most: str) -> Opener:
    budgets: dict[Any, Decimal] = {kind: Decimal(text) for kind, text in most.items()}
    return Opener(root, steps, mode="interactive", price=DOLLAR_A_TOKEN, budgets=budgets)


@SIZES
async def test_a_budget_of_money_is_raised_by_key(tmp_path: Path, size: tuple[int, int]) -> None:
    opener = budget(tmp_path, [*looks(3), DONE], cost="20")
    app = app_for(opener)
    async with app.run_test(size=size) as pilot:
        shown = await asked(pilot, app)
        for part in (
            "Go on beyond the budget?",
            "$20.00 of $20.00 used",
            "spent so far",
            "to $30.00",
            "$10.00 more, ≈1 turn at this pace",
            "c continue to $30.00",
            "n to another budget",
            "s stop",
        ):
            assert part in shown
        assert "autopilot" not in shown
        await reply(pilot, app, "c")
        await until(pilot, lambda: app.main.dock.current is not None)
        await reply(pilot, app, "s")
        await finished(pilot, app)
        assert [each.new_most for each in decided(opener)] == ["30.00", ""]
        words = said(app)
        assert "Budget: goes on to $30.00, decided by you." in words
        assert "Budget: stopped there, decided by you." in words
        assert "Stopped at the budget" in words
        assert why(opener) == "budget"


async def test_another_budget_is_typed_and_checked(tmp_path: Path) -> None:
    """What is no number above the amount used is refused, and the line stays open."""
    opener = budget(tmp_path, [*looks(3), DONE], tokens="15")
    app = app_for(opener)
    async with app.run_test(size=NARROW) as pilot:
        shown = await asked(pilot, app)
        assert "20 of 15 tokens used" in shown
        assert "n to another budget" in shown
        question = app.main.dock.current
        assert question is not None
        await until(pilot, lambda: not question.deaf)
        await pilot.press("n")
        for wrong in ("20", "2x", "25.5", "1e9", "-40", ""):
            await pilot.press("ctrl+u", *wrong, "enter")
            await pilot.pause()
            assert not question.answered
            assert "type a whole number above 20 tokens" in screen_text(app)
        await pilot.press("ctrl+u", *"1,000", "enter")
        await finished(pilot, app)
        assert [each.new_most for each in decided(opener)] == ["1000"]
        assert "Budget: goes on to 1,000 tokens, decided by you." in said(app)


async def test_a_budget_of_minutes_names_them(tmp_path: Path) -> None:
    held = Step(calls=(ScriptedCall("list_dir", {"path": "."}),), delay=1.0)
    opener = budget(tmp_path, [held, DONE], minutes="2")
    app = app_for(opener)
    async with app.run_test(size=NARROW) as pilot:
        await opened(pilot, app)
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: app.main.ledger.step == "call")
        opener.clock.seconds += 150
        opener.clock.gate.set()
        await until(pilot, lambda: app.main.dock.current is not None)
        await until(pilot, lambda: "Go on beyond the time?" in screen_text(app))
        assert "2.5 of 2.0 minutes used" in screen_text(app)
        assert "1 call waits" in screen_text(app)
        await reply(pilot, app, "c")
        await finished(pilot, app)
        assert "Budget: goes on to 3.0 minutes, decided by you." in said(app)


@SIZES
async def test_a_loop_shows_what_is_repeated_and_how_often(tmp_path: Path, size: tuple[int, int]) -> None:
    again = Step(calls=(ScriptedCall("list_dir", {"path": "src"}),))
    opener = Opener(tmp_path, [again] * 12, mode="interactive")
    app = app_for(opener)
    async with app.run_test(size=size) as pilot:
        shown = await asked(pilot, app)
        for part in (
            "Go on without progress?",
            "5 times the same",
            "made 5 times in a row, each time with the same results",
            "list  src",
            "the model, after 3 times",
            "c go on",
            "s stop",
        ):
            assert part in shown
        await reply(pilot, app, "c")
        await until(pilot, lambda: app.main.dock.current is not None)
        assert "injected · it repeats itself" in said(app)
        await reply(pilot, app, "s")
        await finished(pilot, app)
        assert "Loop: goes on, decided by you." in said(app)
        assert "Stopped: no progress" in said(app)
        assert why(opener) == "loop"


async def test_a_circle_of_two_turns_shows_both(tmp_path: Path) -> None:
    one, two = (Step(calls=(ScriptedCall("list_dir", {"path": path}),)) for path in ("one", "two"))
    app = app_for(Opener(tmp_path, [one, two] * 6, mode="interactive"))
    async with app.run_test(size=NARROW) as pilot:
        shown = await asked(pilot, app)
        assert "list  one" in shown
        assert "list  two" in shown
        await reply(pilot, app, "ctrl+c")
        await finished(pilot, app)


COMPACTED = {"c": ["continue"], "n": ["skip"], "ctrl+c": ["skip"], "a": ["autopilot"], "s": ["stop"]}


@pytest.mark.parametrize("key", COMPACTED)
async def test_each_key_of_a_context_that_is_nearly_full(tmp_path: Path, key: str) -> None:
    steps = [*reads(tmp_path, 4), Step(text="A summary."), *[DONE] * 3]
    opener = Opener(tmp_path, steps, mode="interactive", window=6_000, price=DOLLAR_A_TOKEN)
    app = app_for(opener)
    async with app.run_test(size=NARROW) as pilot:
        shown = await asked(pilot, app)
        for part in (
            "Compact the conversation?",
            "of the 6,000 tokens of the model's window",
            "your own words are kept",
            "can be undone",
            "c compact now",
            "n not now",
            "a always, without asking",
            "s stop",
        ):
            assert part in " ".join(shown.split())
        await reply(pilot, app, key)
        while app.main.ledger.busy:
            await pilot.pause()
            if app.main.dock.current is not None:
                await reply(pilot, app, "s")
        await finished(pilot, app)
        choices = [each.choice for each in decided(opener)]
        assert choices[:1] == COMPACTED[key]
        if key in ("c", "a"):
            assert "compacted" in said(app)
        if key == "a":
            assert choices == ["autopilot"]
            assert "compacts without asking from here" in said(app)
        if key == "s":
            assert "Stopped: the context is full" in said(app)
