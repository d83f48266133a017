"""What is typed arrives whole, wherever the focus was and whatever opens meanwhile."""

from pathlib import Path

from textual import events
from textual.pilot import Pilot

from cutaway.harness.providers.scripted import ScriptedCall, Step
from cutaway.tui.app import CutawayApp
from tests.tui.kit import WIDE, Opener, app_for, finished, opened, said, until

WRITE = Step(text="x", calls=(ScriptedCall("create_file", {"filePath": "n.txt", "content": "1\n"}),))


def burst(app: CutawayApp, *keys: str) -> None:
    """Keys that are all there before any of them is handled, as a fast typist's are on a busy machine."""
    for key in keys:
        app.post_message(events.Key(key, key if len(key) == 1 else None))


async def asked(pilot: Pilot[None], app: CutawayApp) -> None:
    """Wait for a question that has taken the focus and hears."""
    await until(pilot, lambda: app.main.dock.current is not None and app.main.dock.current.has_focus)
    question = app.main.dock.current
    assert question is not None
    await until(pilot, lambda: not question.deaf)


async def test_a_word_begun_in_a_pane_goes_to_the_prompt_whole(tmp_path: Path) -> None:
    """Its later letters would copy, walk and search there, and its enter would be lost."""
    app = app_for(Opener(tmp_path, [Step(text="one"), Step(text="two")]))
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, app)
        await pilot.press("g", "o", "enter")
        await finished(pilot, app)
        for pane in ("f2", "f3", "f4"):
            await pilot.press(pane)
            burst(app, "w", "h", "y", "j", "n", "k", "i")
            await until(pilot, lambda: app.main.prompt.text == "whyjnki")
            await pilot.press("ctrl+c")
        await pilot.press("f2")
        burst(app, *"why", "enter")
        await finished(pilot, app, 2)
        assert app.main.prompt.text == ""
        assert "why" in said(app)


async def test_the_y_of_a_sentence_does_not_approve(tmp_path: Path) -> None:
    """A question that took the focus gives it back at the first letter that is no answer."""
    app = app_for(Opener(tmp_path, [WRITE, Step(text="done")], mode="interactive"))
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, app)
        await pilot.press("g", "o", "enter")
        await asked(pilot, app)
        burst(app, *"why a new")
        await until(pilot, lambda: app.main.prompt.text == "why a new")
        assert app.main.dock.current is not None
        assert not (tmp_path / "n.txt").exists()
        await pilot.press("ctrl+g", "y")
        await finished(pilot, app)
        assert (tmp_path / "n.txt").read_text() == "1\n"
        assert app.main.prompt.text == "why a new"


async def test_a_hint_goes_by_itself(tmp_path: Path) -> None:
    """It stands in the place of what happens, which must be seen again."""
    app = app_for(Opener(tmp_path))
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, app)
        app.main.status.say("cleared", seconds=0.01)
        await until(pilot, lambda: app.main.status.hint == "")
