"""The three panes: what each keeps when the screen is short and a question stands below."""

from pathlib import Path

import pytest

from cutaway.harness.providers.scripted import ScriptedCall, Step
from tests.tui.kit import WIDE, Opener, app_for, opened, screen_text, until

EDIT = {"filePath": "new.py", "content": "\n".join(f"line = {number}" for number in range(40))}


@pytest.mark.parametrize("size", [WIDE, (110, 30), (120, 40)])
async def test_an_open_question_leaves_the_calls_eight_rows(tmp_path: Path, size: tuple[int, int]) -> None:
    """The meter drops what is least needed, and has it all again when the question is gone."""
    step = Step(text="x", calls=(ScriptedCall("create_file", EDIT),))
    app = app_for(Opener(tmp_path, [step, Step(text="done")], mode="interactive"))
    async with app.run_test(size=size) as pilot:
        await opened(pilot, app)
        await pilot.pause()
        before = app.main.panes.meter.texts
        await pilot.press("g", "o", "enter")
        await until(pilot, lambda: app.main.dock.current is not None)
        await pilot.pause()
        panes = app.main.panes
        await until(pilot, lambda: panes.calls.size.height >= min(8, panes.size.height - 6))
        await until(pilot, lambda: "waiting for you" in screen_text(app))
        assert " context" in screen_text(app)
        await until(pilot, lambda: len(panes.meter.texts) <= panes.meter.size.height)
        await pilot.press("ctrl+c")
        await until(pilot, lambda: app.main.dock.current is None and not app.main.ledger.busy)
        await until(pilot, lambda: len(panes.meter.texts) == len(before))
