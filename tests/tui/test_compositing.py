"""What is left out of a paint is what nobody would have seen."""

import copy
from pathlib import Path

import pytest
from textual._compositor import Compositor

from cutaway.harness.providers.scripted import Step
from tests.tui.kit import NARROW, WIDE, Opener, app_for, finished, opened

LONG = "\n\n".join(f"Paragraph {number} of an answer that is longer than the screen." for number in range(80))


@pytest.mark.parametrize("size", [NARROW, WIDE, (40, 10)])
@pytest.mark.parametrize("keys", [(), ("?",), ("ctrl+p",)], ids=["main", "help", "palette"])
async def test_the_screen_is_that_of_textual(
    tmp_path: Path, size: tuple[int, int], keys: tuple[str, ...]
) -> None:
    app = app_for(Opener(tmp_path, [Step(text=LONG)]))
    async with app.run_test(size=size) as pilot:
        await opened(pilot, app)
        await pilot.press(*"go", "enter")
        await finished(pilot, app)
        await pilot.press(*keys)
        await pilot.pause()
        ours = app.main._compositor
        theirs = copy.copy(ours)
        theirs.__class__ = Compositor
        assert ours.render_strips() == theirs.render_strips()
