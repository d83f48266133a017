"""A key that means nothing now says so; nothing from outside hides on the status line."""

import unicodedata
from pathlib import Path

import pytest

from cutaway.harness.providers.scripted import Step
from cutaway.tui import format as fmt
from cutaway.tui.transcript.safe_text import visible
from cutaway.tui.widgets.status import Status
from tests.tui.kit import HELD, NARROW, Opener, app_for, finished, opened, screen_text, until
from tests.tui.widgets.stage import Stage, on_screen

NOTHING_TO_DO = {
    "ctrl+r": "no retry is waiting",
    "ctrl+g": "no question is open",
    "alt+up": "no message is waiting",
    "alt+c": "no answer has come yet",
    "ctrl+f": "nothing was said yet",
    "ctrl+o": "thinking is unfolded",
}


@pytest.mark.parametrize("key", NOTHING_TO_DO)
async def test_a_key_that_means_nothing_now_says_why(tmp_path: Path, key: str) -> None:
    app = app_for(Opener(tmp_path))
    async with app.run_test(size=NARROW) as pilot:
        await opened(pilot, app)
        await pilot.press(key)
        await until(pilot, lambda: NOTHING_TO_DO[key] in screen_text(app))


async def test_send_now_sends_when_nothing_runs(tmp_path: Path) -> None:
    app = app_for(Opener(tmp_path, [Step(text="heard")]))
    async with app.run_test(size=NARROW) as pilot:
        await opened(pilot, app)
        await pilot.press(*"now", "ctrl+s")
        await finished(pilot, app)
        assert "heard" in screen_text(app)


async def test_the_palette_has_only_what_means_something_now(tmp_path: Path) -> None:
    app = app_for(Opener(tmp_path, [HELD]))
    async with app.run_test(size=(100, 40)) as pilot:
        await opened(pilot, app)
        await pilot.press("ctrl+p")
        await until(pilot, lambda: "Next theme" in screen_text(app))
        assert "Retry now" not in screen_text(app)
        assert "Answer the question" not in screen_text(app)


@pytest.mark.parametrize("hidden", ["\u034f", "\u115f", "\u3164", "\uffa0", "\U0001d173", "\U000e0100"])
def test_what_looks_like_nothing_is_shown(hidden: str) -> None:
    """Text can be smuggled past a reader in characters that no font draws."""
    assert hidden not in visible(f"rm{hidden} -rf")
    assert f"{ord(hidden):x}" in visible(hidden)


def test_emoji_stay_as_they_are() -> None:
    family = "👩\u200d👩\u200d👧 ❤\ufe0f 🏳\ufe0f\u200d🌈"
    assert visible(family) == family


async def test_a_branch_and_a_folder_cannot_turn_the_status_line_around() -> None:
    """git allows names with bidirectional marks, of any length and width."""
    status = Status()
    app = Stage(status)
    async with app.run_test(size=(100, 5)) as pilot:
        status.place(root="/w/" + "漢" * 80, session="s" * 12, branch="\u202emain" + "x" * 200)
        await pilot.pause()
        shown = on_screen(app)
        assert not any(unicodedata.category(char) == "Cf" for char in shown)
        assert "\\u202emain" in shown
        assert "漢" in shown


def test_a_folder_is_measured_in_cells() -> None:
    assert fmt.folder("/w/" + "漢" * 30, 12) == "…" + "漢" * 5
