"""The program around the screen: first paint, opening, welcome, palette, themes, keys, and the end."""

import subprocess
import sys
from pathlib import Path

import pytest
from textual.command import CommandPalette
from textual.pilot import Pilot
from textual.widgets import OptionList

from cutaway.harness import events as e
from cutaway.harness.errors import AuthenticationFailed, HarnessError
from cutaway.harness.providers.discovery import Finding
from cutaway.harness.providers.scripted import Step
from cutaway.tui.app import CutawayApp
from cutaway.tui.live_session import LiveSession, NoModelFound
from cutaway.tui.screens.failed import FailedScreen
from cutaway.tui.screens.help import HelpScreen
from cutaway.tui.screens.inspector import InspectorScreen
from cutaway.tui.screens.welcome import WelcomeScreen
from tests.tui.kit import NARROW, WIDE, Opener, app_for, finished, opened, said, screen_text, until

ROOT = Path(__file__).parent.parent.parent
FINDINGS = (
    Finding(
        "openai", "OpenAI", "OPENAI_API_KEY", False, "the variable is not set", "https://api.openai.com/v1"
    ),
    Finding("ollama", "Ollama", "a server at http://localhost:11434/v1", False, "nothing listens there", ""),
)


class Failing:
    """An opener that fails as often as it has errors, and then opens."""

    def __init__(self, opener: Opener, *errors: HarnessError | NoModelFound) -> None:
        self.opener, self.errors = opener, list(errors)

    async def __call__(self) -> LiveSession:
        if self.errors:
            raise self.errors.pop(0)
        return await self.opener()


def test_the_first_paint_brings_nothing_heavy() -> None:
    """What only later screens, answers or requests need is not imported at start."""
    code = (
        "import sys, cutaway.tui.app; "
        "print([m for m in ('pygments', 'markdown_it', 'httpx', 'tiktoken', 'git', 'genai_prices', "
        "'watchfiles', 'jiter') if m in sys.modules])"
    )
    environment = {"PYTHONPATH": str(ROOT / ".src")}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("size", [NARROW, WIDE, (40, 10)])
async def test_without_a_model_a_newcomer_is_told_what_to_do(tmp_path: Path, size: tuple[int, int]) -> None:
    opener = Opener(tmp_path)
    app = CutawayApp(Failing(opener, NoModelFound(FINDINGS)), root=tmp_path, demo_opener=opener)
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: isinstance(app.screen, WelcomeScreen))
        await pilot.pause()
        if size != (40, 10):
            shown = screen_text(app)
            for words in (
                "OPENAI_API_KEY",
                "export OPENAI_API_KEY=sk-",
                "ollama serve",
                "start the demo",
                "quit",
            ):
                assert words in shown
        await pilot.press("d")
        await opened(pilot, app)
        assert app.screen is app.main


async def test_the_welcome_screen_looks_again_and_quits(tmp_path: Path) -> None:
    app = CutawayApp(Failing(Opener(tmp_path), *[NoModelFound(FINDINGS)] * 2), root=tmp_path)
    async with app.run_test(size=NARROW) as pilot:
        await until(pilot, lambda: isinstance(app.screen, WelcomeScreen))
        first = app.screen
        assert "start the demo" not in screen_text(app)
        await pilot.press("d", "r")
        await until(pilot, lambda: isinstance(app.screen, WelcomeScreen) and app.screen is not first)
        await pilot.press("q")
    assert app.return_code == 0


async def test_a_failure_to_open_is_readable_and_can_be_tried_again(tmp_path: Path) -> None:
    message = "The key in [OPENAI_API_KEY] was refused.\nSet another one."
    opener = Opener(tmp_path, [Step(text="at last")])
    app = CutawayApp(Failing(opener, AuthenticationFailed(message, provider="openai")), root=tmp_path)
    async with app.run_test(size=NARROW) as pilot:
        await until(pilot, lambda: isinstance(app.screen, FailedScreen))
        await pilot.pause()
        for line in message.splitlines():
            assert line in screen_text(app)
        app.main.outgoing.send("typed before")
        await pilot.press("r")
        await finished(pilot, app)
        assert "typed before" in said(app)
        assert "at last" in said(app)


async def palette(pilot: Pilot[None], app: CutawayApp) -> list[str]:
    await pilot.press("ctrl+p")
    await until(pilot, lambda: isinstance(app.screen, CommandPalette))
    options = app.screen.query_one(OptionList)
    await until(pilot, lambda: options.option_count > 5)
    return [str(options.get_option_at_index(n).prompt).split("\n")[0] for n in range(options.option_count)]


async def test_the_palette_offers_what_applies(tmp_path: Path) -> None:
    opener = Opener(tmp_path, [Step(text="hello")])
    app = app_for(opener)
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, app)
        titles = await palette(pilot, app)
        for title in ("Next mode", "Mode: plan", "Theme: paper", "Keys", "Quit", "Meter"):
            assert title in titles
        for title in ("Inspect the turn", "Retry now", "Copy the last answer", "Send after the tools"):
            assert title not in titles
        await pilot.press("escape", *"hi", "enter")
        await finished(pilot, app)
        titles = await palette(pilot, app)
        assert "Inspect the turn" in titles
        assert "Copy the last answer" in titles


async def test_the_palette_runs_what_is_chosen(tmp_path: Path) -> None:
    app = app_for(Opener(tmp_path))
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, app)
        await palette(pilot, app)
        await pilot.press(*"mode: plan")
        await until(pilot, lambda: app.screen.query_one(OptionList).option_count == 1)
        await pilot.press("enter")
        await until(pilot, lambda: app.main.ledger.mode == "plan")


async def test_the_key_sheet_names_every_key(tmp_path: Path) -> None:
    app = app_for(Opener(tmp_path), keys={"view.inspector": "f9"})
    async with app.run_test(size=(120, 60)) as pilot:
        await opened(pilot, app)
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        await pilot.pause()
        shown = screen_text(app)
        for words in ("shift+tab", "f9", "Inspect the turn", "ctrl+q", "page up"):
            assert words in shown
        assert "f5" not in shown
        await pilot.press("escape")
        assert app.screen is app.main


async def test_a_users_key_works_and_a_clash_is_said(tmp_path: Path) -> None:
    app = app_for(
        Opener(tmp_path, [Step(text="hi")]),
        keys={"view.inspector": "f9", "app.quitt": "f8", "view.meter": "f3"},
    )
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, app)
        said_now = [notification.message for notification in app._notifications]
        assert any("app.quitt" in message and "app.quit" in message for message in said_now)
        assert any("f3" in message and "view.calls" in message for message in said_now)
        await pilot.press(*"go", "enter")
        await finished(pilot, app)
        await pilot.press("f9")
        await until(pilot, lambda: isinstance(app.screen, InspectorScreen))


async def test_a_broken_theme_falls_back_and_is_named(tmp_path: Path) -> None:
    themes = tmp_path / "themes"
    themes.mkdir()
    (themes / "mine.toml").write_text('name = "mine"\n[colors]\nbackground = "[red]"\n')
    app = app_for(Opener(tmp_path), theme="mine", theme_folder=themes)
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, app)
        assert app.theme == "midnight"
        said_now = [notification.message for notification in app._notifications]
        assert any("mine.toml" in message for message in said_now)


async def test_a_theme_is_shown_as_it_is_saved(tmp_path: Path) -> None:
    themes = tmp_path / "themes"
    themes.mkdir()
    file = themes / "mine.toml"
    text = (ROOT / "themes" / "midnight.toml").read_text().replace('"midnight"', '"mine"')
    file.write_text(text)
    app = app_for(Opener(tmp_path), theme="mine", theme_folder=themes)
    async with app.run_test(size=NARROW) as pilot:
        await opened(pilot, app)
        await until(pilot, lambda: any(worker.name == "watch_themes" for worker in app.workers))
        red = text.replace("#12151c", "#330000")

        def saved_and_shown() -> bool:
            file.write_text(red)  # again and again: the watch begins in a thread that says nothing
            return app.screen.styles.background.r > 40

        await until(pilot, saved_and_shown)
        file.write_text("broken")
        await until(pilot, lambda: any("mine.toml" in each.message for each in app._notifications))
        assert app.screen.styles.background.r > 40


async def test_ctrl_t_goes_through_the_themes(tmp_path: Path) -> None:
    app = app_for(Opener(tmp_path, [Step(text="# hi\n\n`code`\n")]))
    async with app.run_test(size=NARROW) as pilot:
        await opened(pilot, app)
        await pilot.press(*"go", "enter")
        await finished(pilot, app)
        seen = set()
        for _ in range(4):
            await pilot.press("ctrl+t")
            seen.add(app.theme)
            assert "code" in screen_text(app)
        assert seen == {"midnight", "paper", "contrast", "ansi"}


async def test_quitting_closes_the_session(tmp_path: Path) -> None:
    opener = Opener(tmp_path, [Step(text="x", delay=9)])
    app = app_for(opener)
    async with app.run_test(size=NARROW) as pilot:
        await opened(pilot, app)
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: opener.session.busy)
        await pilot.press("ctrl+q")
    assert opener.session._closed
    ended = [r.event for r in opener.session.records if isinstance(r.event, e.InteractionEnded)]
    assert [event.reason for event in ended] == ["interrupted"]


@pytest.mark.parametrize("opens", ["f5", "ctrl+p", "f1"])
async def test_ctrl_c_leaves_what_lies_over_the_conversation(tmp_path: Path, opens: str) -> None:
    """G13: it stops nothing that cannot be seen; then it does what it does everywhere, and twice quits."""
    app = app_for(Opener(tmp_path, [Step(text="done")]))
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, app)
        await pilot.press(*"go", "enter")
        await finished(pilot, app)
        await pilot.press(opens)
        await until(pilot, lambda: app.screen is not app.main)
        await pilot.press("ctrl+c")
        await until(pilot, lambda: app.screen is app.main)
        assert not app._exit
        await pilot.press("ctrl+c", "ctrl+c")
        assert app._exit


async def test_an_exception_in_a_widget_leaves_one_readable_message(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """G13: the error is told in three lines without local values, and the session is saved."""
    opener = Opener(tmp_path, [Step(text="done")])
    app = app_for(opener)
    with pytest.raises(ZeroDivisionError):
        async with app.run_test(size=NARROW) as pilot:
            await opened(pilot, app)
            await pilot.press(*"go", "enter")
            await finished(pilot, app)
            app.main.prompt.call_next(lambda: 1 / 0)
            await until(pilot, lambda: app._exception)
    printed = capsys.readouterr().err
    assert "ZeroDivisionError: division by zero" in printed
    assert f"cutaway resume {opener.session.id}" in printed
    assert len(printed.splitlines()) < 6
    assert opener.session._closed


async def test_without_colour_no_colour_is_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """G12: with NO_COLOR every theme is drawn in the terminal's own two colours."""
    monkeypatch.setenv("NO_COLOR", "1")
    app = app_for(Opener(tmp_path, [Step(text="**hi** `x`")]))
    async with app.run_test(size=NARROW) as pilot:
        await opened(pilot, app)
        await pilot.press(*"go", "enter")
        await finished(pilot, app)
        for _ in range(4):
            styles = [segment.style for strip in app.screen._compositor.render_strips() for segment in strip]
            filtered = {
                style.color.is_default for style in styles if style is not None and style.color is not None
            }
            assert filtered <= {True}
            await pilot.press("ctrl+t")
