"""The live list of calls: every state, one line each, and cheap for thousands."""

import time
from datetime import datetime

from cutaway.harness import details as d
from cutaway.harness import events as e
from cutaway.tui.widgets.calls import CallsPane, call_row
from cutaway.tui.widgets.row_view import RowView
from tests.tui.widgets.scenes import busy_story
from tests.tui.widgets.stage import Stage, on_screen
from tests.tui.widgets.story import G01, Story, calls, many_calls


async def test_each_state_is_drawn_with_a_glyph_and_a_word_or_counts() -> None:
    story, _ = busy_story()
    pane = CallsPane(now=lambda: story.now)
    stage = Stage(pane)
    async with stage.run_test(size=(80, 24)) as pilot:
        pane.show(story.ledger)
        await pilot.pause()
        assert [" ".join(line.split()) for line in pane.texts] == [
            "turn 1 12 calls",
            "✓ read nested/calc.py 1–4 0.3s",
            "✓ grep def add 3 hits 0.3s",
            "✓ edit src/calc.py +2 −1 0.3s",
            "✓ tests 12 passed 2 failed 0.3s",
            "✓ run pytest -q && ls -la | tail -5 exit 2 0.3s",
            "⊘ run rm -rf build refused",
            "! made_up_tool_name_l… invalid",
            "■ run sleep 30 interrupted 12s",
            "– read late.py not run",
            "● list . running 1m 15s",
            "? create notes.md asks you",
            "· find **/*.py proposed",
        ]
        assert all(len(line) == 80 for line in pane.texts)


async def test_a_narrow_pane_clips_targets_and_never_counts() -> None:
    story, _ = busy_story()
    pane = CallsPane(now=lambda: story.now)
    stage = Stage(pane)
    async with stage.run_test(size=(38, 24)) as pilot:
        pane.show(story.ledger)
        await pilot.pause()
        words = "\n".join(pane.texts)
        for counts in ("1–4", "3 hits", "+2 −1", "12 passed 2 failed", "exit 2", "running", "asks you"):
            assert counts in words
        assert all(len(line) <= 38 for line in pane.texts)


async def test_foreign_text_in_a_target_or_a_name_is_shown_as_it_is() -> None:
    """G01: file path, command and tool name."""
    import json

    story = Story()
    story.message("go")
    story.turn()
    named = [("read_file", json.dumps({"filePath": text})) for text in G01]
    story.answer("", *calls(*named, *((text, "{}") for text in G01)))
    pane = CallsPane()
    stage = Stage(pane)
    async with stage.run_test(size=(120, 30)) as pilot:
        pane.show(story.ledger)
        await pilot.pause()
        words = on_screen(stage)
        short = [text for text in G01 if len(text) < 30]  # a name has a quarter of the row
        assert [text for text in G01 if text not in words] == []
        assert [text for text in short if words.count(text) < 2] == []


async def test_j_and_k_walk_the_calls_and_enter_opens_one() -> None:
    story, told = busy_story()
    pane = CallsPane(now=lambda: story.now)
    stage = Stage(pane)
    async with stage.run_test(size=(80, 24)) as pilot:
        pane.show(story.ledger)
        pane.focus()
        await pilot.press("j", "j", "j", "k", "enter")
        await pilot.pause()
        chosen = [message.key for message in stage.messages if isinstance(message, RowView.Chosen)]
        assert chosen == [told[1].id]
        assert pane.call_at_cursor() is story.ledger.calls[told[1].id]
        assert any(line.startswith("›✓ grep") for line in on_screen(stage).split("\n"))


async def test_the_newest_call_stays_in_view_until_somebody_looks_back() -> None:
    """G08: the view does not jump while calls arrive."""
    story = Story()
    pane = CallsPane(now=lambda: story.now)
    stage = Stage(pane)
    async with stage.run_test(size=(60, 10)) as pilot:
        _turns(story, 20)
        pane.show(story.ledger)
        await pilot.pause()
        assert pane.is_vertical_scroll_end
        _turns(story, 1)
        pane.show(story.ledger)
        await pilot.pause()
        assert pane.is_vertical_scroll_end
        pane.scroll_to(y=5, animate=False)
        for _ in range(10):
            _turns(story, 1)
            pane.show(story.ledger)
            await pilot.pause()
            assert pane.scroll_y == 5


def _turns(story: Story, number: int) -> None:
    story.message("go")
    for _ in range(number):
        turn = story.turn()
        call = calls(("read_file", '{"filePath": "a.py"}'))[0]
        named = type(call)(f"{turn}-{call.id}", call.name, call.arguments)
        story.answer("", named)
        story.run(named)
        story.end_turn()


async def test_five_thousand_calls_cost_no_more_than_a_screenful() -> None:
    story = Story()
    story.message("go")
    story.turn()
    story.answer("", *many_calls(5_000))
    story.end_turn()
    _turns(story, 1)
    pane = CallsPane(now=lambda: story.now)
    stage = Stage(pane)
    async with stage.run_test(size=(60, 24)) as pilot:
        pane.show(story.ledger)
        await pilot.pause()
        assert len(pane.children) == 0
        start = time.process_time()
        for _ in range(100):
            pane.show(story.ledger)
            stage.screen._compositor.render_strips()
        assert time.process_time() - start < 2.0  # 20 ms for a batch and its paint, on a busy machine
        pane.focus()
        await pilot.press("g", "j")
        assert pane.cursor == "m1"
        assert pane.scroll_y == 0


async def test_only_a_running_call_keeps_a_timer_alive() -> None:
    """G06: idle means that nothing is painted."""
    story = Story()
    story.message("go")
    story.turn()
    call = calls(("list_dir", '{"path": "."}'))[0]
    story.answer("", call)
    pane = CallsPane(now=lambda: story.now)
    stage = Stage(pane)
    async with stage.run_test(size=(60, 10)) as pilot:
        ticker = pane._ticker
        assert ticker is not None
        pane.show(story.ledger)
        assert not ticker._active.is_set()
        story.start(call)
        pane.show(story.ledger)
        assert ticker._active.is_set()
        story.passes(65)
        await pilot.pause()
        assert pane.texts[-1].endswith("running 1m 05s")
        story.finish(call, "interrupted")
        pane.show(story.ledger)
        assert not ticker._active.is_set()


def test_waiting_for_a_person_is_not_counted_as_running() -> None:
    story = Story()
    story.message("go")
    story.turn()
    call = calls(("run_in_terminal", '{"command": "make"}'))[0]
    story.answer("", call)
    story.ask(call, d.Access("execute", ("make",)))
    story.passes(30)
    story.decide(call)
    story.start(call, "you, once")
    story.finish(call, "done", d.CommandRun("make", "/w", 0, None, False, 0.3, "", 0), ran_ms=300)
    line = call_row(story.ledger.calls[call.id], 60, story.now).text
    assert line.endswith("exit 0   0.3s")


def test_a_command_that_was_killed_says_so_in_neutral_words() -> None:
    ends = {
        "signal SIGKILL": d.CommandRun("x", "/w", None, "SIGKILL", False, 1, "", 0),
        "timed out": d.CommandRun("x", "/w", None, "SIGTERM", True, 1, "", 0),
        "exit 3": d.CommandRun("x", "/w", 3, None, False, 1, "", 0),
    }
    for words, run in ends.items():
        assert words in _row_of(run, "failed")


def test_a_test_run_without_counts_says_how_it_ended() -> None:
    run = d.TestRun("pytest", "pytest", "collection-error", None, None, None, None, 1.0)
    assert "collection error" in _row_of(run, "failed")


def _row_of(detail: d.Detail, outcome: e.CallOutcome) -> str:
    story = Story()
    story.message("go")
    story.turn()
    call = calls(("run_in_terminal", '{"command": "x"}'))[0]
    story.answer("", call)
    story.run(call, detail, outcome)
    return call_row(story.ledger.calls[call.id], 80, datetime.now(story.now.tzinfo)).text
