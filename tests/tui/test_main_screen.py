"""The screen as a user drives it: keys in, words out, over a real session."""

from functools import partial
from pathlib import Path

import pytest
from textual import events

from cutaway.harness import events as e
from cutaway.harness.providers.scripted import ScriptedCall, Step
from cutaway.harness.session import Session
from cutaway.tui.app import CutawayApp
from tests.tui.kit import (
    HELD,
    NARROW,
    WIDE,
    Opener,
    app_for,
    approve,
    finished,
    opened,
    said,
    screen_text,
    until,
)


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_a_message_goes_out_and_the_answer_comes_in(tmp_path: Path, size: tuple[int, int]) -> None:
    opener = Opener(tmp_path, [Step(text="the answer is 42")])
    app = app_for(opener)
    async with app.run_test(size=size) as pilot:
        await opened(pilot, app)
        assert "all keys" in screen_text(app)
        await pilot.press(*"why", "enter")
        await finished(pilot, app)
        shown = screen_text(app)
        assert "why" in shown
        assert "the answer is 42" in shown
        assert "simulated" in shown
        assert "all keys" not in shown


async def test_text_typed_before_the_session_is_open_is_kept_and_sent(tmp_path: Path) -> None:
    """Enter is never lost: what was sent early is shown as waiting, and goes out in order."""
    opener = Opener(tmp_path, [Step(text="one"), Step(text="two")], mode="interactive")
    opener.ready.clear()
    app = app_for(opener)
    async with app.run_test(size=NARROW) as pilot:
        await pilot.press(*"first", "enter", *"second", "enter", *"third")
        assert "◷ first" in screen_text(app)
        assert "goes out as soon as the session is open" in screen_text(app)
        opener.ready.set()
        await finished(pilot, app, 2)
        sent = [r.event.content for r in opener.session.records if isinstance(r.event, e.UserMessageSent)]
        assert sent == ["first", "second"]
        assert app.main.prompt.text == "third"


async def test_an_early_message_can_be_taken_back(tmp_path: Path) -> None:
    opener = Opener(tmp_path)
    opener.ready.clear()
    app = app_for(opener)
    async with app.run_test(size=NARROW) as pilot:
        await pilot.press(*"oops", "enter", "up")
        assert app.main.prompt.text == "oops"
        assert not app.main.lane.display


async def test_earlier_messages_come_back_with_a_resumed_session(tmp_path: Path) -> None:
    opener = Opener(tmp_path, [Step(text="one")])
    app = app_for(opener)
    async with app.run_test(size=NARROW) as pilot:
        await opened(pilot, app)
        opener.session.send("said long ago")
        await finished(pilot, app)

        async def again() -> Session:
            return opener.session

        later = CutawayApp(again, root=tmp_path)
        async with later.run_test(size=NARROW) as second:
            await opened(second, later)
            await until(second, lambda: "said long ago" in said(later))
            assert said(later) == said(app)
            await second.press("up")
            assert later.main.prompt.text == "said long ago"


async def test_esc_interrupts_and_the_conversation_says_so(tmp_path: Path) -> None:
    opener = Opener(tmp_path, [HELD])
    app = app_for(opener)
    async with app.run_test(size=NARROW) as pilot:
        await opened(pilot, app)
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: "esc stops" in screen_text(app))
        await pilot.press("escape")
        await finished(pilot, app)
        assert "Interrupted" in screen_text(app)
        assert not opener.session.busy


async def test_messages_queue_while_it_works_and_can_be_taken_back(tmp_path: Path) -> None:
    opener = Opener(tmp_path, [HELD, Step(text="second answer")], mode="interactive")
    app = app_for(opener)
    async with app.run_test(size=NARROW) as pilot:
        await opened(pilot, app)
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: opener.session.busy)
        await pilot.press(*"later", "enter")
        await until(pilot, lambda: "◷ later" in screen_text(app))
        await pilot.press("up")
        await until(pilot, lambda: not app.main.lane.display)
        assert app.main.prompt.text == "later"
        await pilot.press("enter")
        opener.clock.gate.set()
        await finished(pilot, app, 2)
        assert "second answer" in said(app)


async def test_ctrl_s_steers_into_the_running_work(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a\n")
    read = Step(calls=(ScriptedCall("read_file", {"filePath": "a.txt"}),), delay=1.0)
    opener = Opener(tmp_path, [read, Step(text="seen")])
    app = app_for(opener)
    async with app.run_test(size=NARROW) as pilot:
        await opened(pilot, app)
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: opener.session.busy)
        await pilot.press(*"mind b", "ctrl+s")
        await until(pilot, lambda: app.main.ledger.pending)
        opener.clock.gate.set()
        await finished(pilot, app)
        assert "mind b" in said(app)
        assert "sent while it ran" in said(app)


async def test_ctrl_c_clears_then_interrupts_then_hints_then_quits(tmp_path: Path) -> None:
    """G13 a, b, d, e: a text is cleared into the history, work is stopped, and only twice quits."""
    opener = Opener(tmp_path, [HELD])
    app = app_for(opener)
    async with app.run_test(size=NARROW) as pilot:
        await opened(pilot, app)
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: opener.session.busy)
        await pilot.press(*"half", "ctrl+c")
        assert app.main.prompt.text == ""
        assert opener.session.busy
        await pilot.press("ctrl+c")
        await finished(pilot, app)
        assert app.is_running
        await pilot.press("up")
        assert app.main.prompt.text == "half"
        await pilot.press("ctrl+c", "ctrl+c")
        assert "ctrl+c again quits" in screen_text(app)
        await pilot.press("ctrl+c")
        await until(pilot, lambda: app._exit)
    assert app.return_code == 0
    assert opener.session._closed


async def test_ctrl_c_refuses_an_open_question(tmp_path: Path) -> None:
    """G13 f."""
    write = Step(calls=(ScriptedCall("create_file", {"filePath": "x.txt", "content": "x"}),))
    opener = Opener(tmp_path, [write, Step(text="then not")], mode="interactive")
    app = app_for(opener)
    async with app.run_test(size=NARROW) as pilot:
        await opened(pilot, app)
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: app.main.dock.current is not None)
        await pilot.press("ctrl+c")
        await finished(pilot, app)
        assert not (tmp_path / "x.txt").exists()
        assert app.main.dock.current is None
        assert "refused" in said(app)


async def test_a_question_is_answered_and_the_edit_is_shown(tmp_path: Path) -> None:
    write = Step(calls=(ScriptedCall("create_file", {"filePath": "x.txt", "content": "hello\n"}),))
    opener = Opener(tmp_path, [write, Step(text="made it")], mode="interactive")
    app = app_for(opener)
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, app)
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: app.main.dock.current is not None)
        await approve(pilot, app)
        await finished(pilot, app)
        assert (tmp_path / "x.txt").read_text() == "hello\n"
        assert "+hello" in said(app)


async def test_a_question_can_be_answered_on_a_tiny_screen(tmp_path: Path) -> None:
    write = Step(calls=(ScriptedCall("create_file", {"filePath": "x.txt", "content": "hello\n" * 30}),))
    app = app_for(Opener(tmp_path, [write, Step(text="made it")], mode="interactive"))
    async with app.run_test(size=(40, 10)) as pilot:
        await opened(pilot, app)
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: app.main.dock.current is not None)
        await until(pilot, lambda: "y yes, once" in screen_text(app))
        shown = screen_text(app)
        assert "x.txt" in shown
        assert "Say what" in shown
        assert "interactive" in shown.splitlines()[-1]
        await approve(pilot, app)
        await finished(pilot, app)
        assert (tmp_path / "x.txt").exists()


async def test_shift_tab_walks_through_the_modes(tmp_path: Path) -> None:
    app = app_for(Opener(tmp_path, mode="plan"))
    async with app.run_test(size=NARROW) as pilot:
        await opened(pilot, app)
        for mode in ("interactive", "accept-edits", "autopilot", "plan"):
            await pilot.press("shift+tab")
            start = f" {mode} "
            await until(pilot, partial(_status_begins, app, start))
            assert app.main.ledger.mode == mode


def _status_begins(app: CutawayApp, start: str) -> bool:
    return screen_text(app).splitlines()[-1].startswith(start)


async def test_narrow_panes_are_tabs(tmp_path: Path) -> None:
    app = app_for(Opener(tmp_path))
    async with app.run_test(size=NARROW) as pilot:
        await opened(pilot, app)
        panes = app.main.panes
        assert not panes.calls.region and not panes.meter.region
        await pilot.press("2")
        assert panes.calls.region and not panes.transcript.region
        await pilot.press("f4")
        assert panes.meter.region and panes.meter.has_focus
        await pilot.press("1")
        assert panes.transcript.region and panes.transcript.has_focus
        await pilot.press("alt+2")
        assert panes.calls.has_focus


async def test_digits_are_text_in_a_wide_screen_and_after_other_text(tmp_path: Path) -> None:
    app = app_for(Opener(tmp_path))
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, app)
        await pilot.press(*"2 dogs")
        assert app.main.prompt.text == "2 dogs"


async def test_tab_goes_round_the_panes(tmp_path: Path) -> None:
    app = app_for(Opener(tmp_path))
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, app)
        main = app.main
        ring = [main.panes.transcript, main.panes.calls, main.panes.meter, main.prompt]
        for widget in ring:
            await pilot.press("tab")
            assert app.focused is widget


async def test_a_letter_typed_at_a_pane_belongs_to_the_prompt(tmp_path: Path) -> None:
    app = app_for(Opener(tmp_path))
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, app)
        await pilot.press("tab", *"we", "enter")
        await finished(pilot, app)
        assert "we" in said(app)


async def test_a_paste_reaches_the_prompt_from_anywhere(tmp_path: Path) -> None:
    """G04: posted to the app while a pane has the focus."""
    app = app_for(Opener(tmp_path))
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, app)
        await pilot.press("tab")
        app.post_message(events.Paste("pasted\ttext"))
        await until(pilot, lambda: app.main.prompt.text)
        assert app.main.prompt.text == "pasted\ttext"
        assert app.main.prompt.has_focus


async def test_new_text_below_what_is_read_is_marked(tmp_path: Path) -> None:
    """G08: the view stays where it is, a mark says what came, and the end is one key away."""
    opener = Opener(
        tmp_path, [Step(text="one  \n" * 100), Step(text="two  \n" * 50, delay=1.0)], mode="interactive"
    )
    app = app_for(opener)
    async with app.run_test(size=NARROW) as pilot:
        await opened(pilot, app)
        await pilot.press(*"go", "enter")
        await finished(pilot, app)
        await pilot.press(*"on", "enter")
        await until(pilot, lambda: app.main.ledger.step == "call" and app.main.transcript.following)
        await pilot.press("pageup")
        at = app.main.transcript.scroll_y
        opener.clock.gate.set()
        await finished(pilot, app, 2)
        await until(pilot, lambda: "new lines" in screen_text(app))
        assert app.main.transcript.scroll_y == at
        await pilot.press("ctrl+end")
        await until(pilot, lambda: "new line" not in screen_text(app))


@pytest.mark.parametrize("size", [(40, 10), (20, 6), (1, 1), (300, 90)])
async def test_any_size_and_any_change_of_size(tmp_path: Path, size: tuple[int, int]) -> None:
    opener = Opener(tmp_path, [Step(text="word " * 300)])
    app = app_for(opener)
    async with app.run_test(size=size) as pilot:
        await opened(pilot, app)
        await pilot.press(*"go", "enter")
        await finished(pilot, app)
        for width, height in (WIDE, size, NARROW):
            await pilot.resize_terminal(width, height)
            await pilot.pause()
        assert "word word" in screen_text(app)
        assert app.main.prompt.region.height >= 1


async def test_always_on_a_tiny_screen_shows_its_rule_before_it_counts(tmp_path: Path) -> None:
    """No rule is added that was not in sight: the first `a` brings it there, the second one answers."""
    made = ScriptedCall("create_file", {"filePath": "a.txt", "content": "1\n2\n3\n"})
    app = app_for(Opener(tmp_path, [Step(calls=(made,)), Step(text="Done.")], mode="interactive"))
    async with app.run_test(size=(40, 10)) as pilot:
        await opened(pilot, app)
        app.main.outgoing.send("go")
        await until(pilot, lambda: app.main.dock.current is not None)
        question = app.main.dock.current
        assert question is not None
        await until(pilot, lambda: question.has_focus and not question.deaf)
        await pilot.press("a")
        await pilot.pause()
        assert not question.answered and "create_file(a.txt)" in screen_text(app)
        await pilot.press("a")
        await finished(pilot, app)
        assert (tmp_path / "a.txt").read_text() == "1\n2\n3\n"
