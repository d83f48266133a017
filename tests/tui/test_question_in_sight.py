"""A question of any size, on a screen of any size: its keys stay, and its end is seen before a yes counts."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from cutaway.harness import events as e
from cutaway.harness.providers.scripted import ScriptedCall, Step
from cutaway.tui.app import CutawayApp
from cutaway.tui.widgets.ask import Ask
from tests.tui.kit import Opener, app_for, finished, opened, screen_text, until

LONG = "echo " + "word " * 400 + "; rm -rf build"
PADDED = "echo ok " + " " * 3000 + "; rm -rf build"
SIZES = [(40, 10), (60, 15), (80, 24), (109, 30), (110, 30), (132, 42), (160, 48)]


def words(app: CutawayApp) -> str:
    """The words on the screen, as if no line had been broken."""
    shown = screen_text(app)
    for edge in "█┃│▇▆▅▄▃▂▁":
        shown = shown.replace(edge, " ")
    return " ".join(shown.split())


@asynccontextmanager
async def asked(
    folder: Path, size: tuple[int, int], *calls: ScriptedCall
) -> AsyncIterator[tuple[Pilot[None], CutawayApp, Ask]]:
    """A question on the screen that hears."""
    opener = Opener(folder, [Step(text="now", calls=calls), Step(text="done")], mode="interactive")
    app = app_for(opener)
    async with app.run_test(size=size) as pilot:
        await opened(pilot, app)
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: app.main.dock.current is not None and app.main.dock.current.has_focus)
        question = app.main.dock.current
        assert question is not None
        await pilot.pause()
        yield pilot, app, question


def command(line: str) -> ScriptedCall:
    return ScriptedCall("run_in_terminal", {"command": line})


@pytest.mark.parametrize("size", SIZES)
async def test_the_keys_that_answer_are_in_sight_whatever_is_asked(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    """A long command made its reason and its rule so long that the keys below them were off the screen."""
    async with asked(tmp_path, size, command(LONG)) as (pilot, app, question):
        app.main.prompt.text = "half\na\nthought\nof\nmany\nlines"
        app.main.outgoing.send("and one that waits")

        async def all_there(*needed: str) -> None:
            await pilot.pause()
            for each in needed:
                assert each in words(app)
            assert app.main.status.region.bottom == size[1]

        await all_there("y yes, once", "n no, and say why", "a always this session", "e edit the rule")
        await pilot.press("f")
        await all_there("y yes, once", "n no, and say why")
        await pilot.press("n", *"because")
        await all_there("why not?", "because")
        await pilot.press("escape")
        await pilot.resize_terminal(70, 18)
        await until(pilot, lambda: app.main.size.width == 70)
        size = (70, 18)
        await all_there("y yes, once", "n no, and say why")
        assert question.region.bottom <= app.main.prompt.region.y


@pytest.mark.parametrize("line", [LONG, PADDED, "echo ok\n" * 120 + "rm -rf build"])
async def test_a_yes_counts_only_after_the_end_of_a_command_was_in_sight(tmp_path: Path, line: str) -> None:
    """The end of a long command is what may do harm, and what does not fit on the screen."""
    async with asked(tmp_path, (80, 24), command(line)) as (pilot, app, question):
        assert "rm -rf build" not in words(app).partition("Run this command?")[2]
        await pilot.press("y")
        await until(pilot, lambda: "this is the end of it" in screen_text(app))
        assert app.main.dock.current is question
        assert "rm -rf build" in words(app).partition("Run this command?")[2]
        await pilot.press("y")
        await until(pilot, lambda: app.main.dock.current is None)


async def test_a_command_that_was_scrolled_to_its_end_needs_one_yes(tmp_path: Path) -> None:
    async with asked(tmp_path, (80, 24), command("echo ok\n" * 12 + "echo end")) as (pilot, app, question):
        await pilot.press("space", "space")
        await until(pilot, lambda: "echo end" in screen_text(app))
        await pilot.press("y")
        await until(pilot, lambda: app.main.dock.current is not question)


async def test_the_rule_of_always_is_edited_before_it_is_added(tmp_path: Path) -> None:
    async with asked(tmp_path, (100, 30), command("echo one"), command("echo two")) as (pilot, app, question):
        await pilot.press("e")
        await until(
            pilot, lambda: "adds the rule" in words(app) and "run_in_terminal(echo one)" in words(app)
        )
        await pilot.press("ctrl+a", "ctrl+k", *"read_file", "enter")
        await until(pilot, lambda: "there is no tool `read_file`" in words(app))
        assert app.main.dock.current is question
        await pilot.press("ctrl+a", "ctrl+k", *"run_in_terminal(echo *)", "enter")
        await finished(pilot, app)
        session = app.session
        assert session is not None
        answers = [r.event for r in session.records if isinstance(r.event, e.PermissionCompleted)]
        assert [(each.kind, each.rule) for each in answers] == [
            ("approved-for-session", "run_in_terminal(echo *)")
        ]


async def test_a_limit_of_thousands_of_digits_is_refused_and_not_fatal(tmp_path: Path) -> None:
    read = Step(calls=(ScriptedCall("list_dir", {"path": "."}),))
    opener = Opener(tmp_path, [read, read, Step(text="done")], mode="interactive", limit=1)
    app = app_for(opener)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: app.main.dock.current is not None and app.main.dock.current.has_focus)
        await pilot.press("n", "ctrl+a", "ctrl+k")
        app.focused.insert_text_at_cursor("9" * 5000)  # type: ignore[union-attr]
        await pilot.press("enter")
        await until(pilot, lambda: "is no limit to go on to" in words(app))
        await pilot.press("escape", "s")
        await finished(pilot, app)


async def test_a_question_that_comes_behind_another_page_is_told_there(tmp_path: Path) -> None:
    """Else the work stands still, and nothing on the open page says for whom it waits."""
    opener = Opener(tmp_path, [Step(delay=1.0, calls=(command("echo one"),))], mode="interactive")
    app = app_for(opener)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await opened(pilot, app)
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: app.main.ledger.turns)
        await pilot.press("f5")
        await until(pilot, lambda: "Anatomy" in screen_text(app))
        opener.clock.gate.set()
        await until(pilot, lambda: "A question waits" in screen_text(app))
        question = app.main.dock.current
        assert question is not None
        question.wake()
        assert question.deaf  # nobody has seen it yet
        assert not question.has_focus
        await pilot.press("escape")
        await until(pilot, lambda: app.main.dock.current is not None and app.main.dock.current.has_focus)
