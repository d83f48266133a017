"""The detail of a call, kind by kind, and re-running tests from the keyboard."""

from collections.abc import Sequence

import pytest

from cutaway.harness import details as d
from cutaway.tui.screens.call import CallScreen
from cutaway.tui.widgets.call_detail import CallDetail
from cutaway.tui.widgets.detail import detail_rows
from tests.tui.widgets.scenes import COMMAND, EDIT, HITS, READ, busy_story
from tests.tui.widgets.stage import Stage, on_screen, until
from tests.tui.widgets.story import G01, Story, calls


def words(detail: d.Detail) -> list[str]:
    return [row.text.rstrip() for row in detail_rows(detail)]


def test_an_edit_shows_its_rung_counts_and_both_line_numbers() -> None:
    assert words(EDIT) == [
        "src/calc.py  +2 −1  matched but for indentation",
        "",
        "1 1   def add(a, b):",
        "2   -     return a - b",
        "  2 +     return a + b",
        "  3 +     # [/] done",
        "3 4",
    ]


def test_a_new_file_and_a_change_of_bytes_only_say_so() -> None:
    new = d.FileEdit("a.py", "", "x", (d.Hunk(0, 1, ("+one",)),), 1, 0, created=True)
    assert words(new)[0] == "a.py  +1 −0  new file"
    bare = d.FileEdit("a.py", "x", "y", (), 0, 0, note="only the final newline changes")
    assert words(bare) == ["a.py  +0 −0", "note  only the final newline changes", "no line changes"]


def test_a_read_shows_path_range_and_numbered_text_in_tones() -> None:
    rows = detail_rows(READ)
    assert rows[0].text == "src/calc.py  lines 1–4 of 30"
    assert [row.text for row in rows[2:5]] == [
        "1  def add(a, b):",
        "2      # comment",
        "3      return a - b  # 12",
    ]
    tones = {piece.text.strip(): piece.tone for row in rows for piece in row.pieces}
    assert (tones["def"], tones["add"], tones["# comment"]) == ("keyword", "name", "comment")


def test_a_command_shows_all_of_its_lines_and_its_end_in_neutral_words() -> None:
    run = d.CommandRun("make \\\n  all", "/w", None, "SIGTERM", True, 61, "", 0, "/spill/1", (41, 42))
    assert words(run) == [
        "$ make \\",
        "    all",
        "in /w  timed out  1m 01s",
        "still running in its group: 41, 42",
        "",
        "no output",
        "",
        "0 bytes in all, in /spill/1",
    ]
    assert words(COMMAND)[3:] == [r"out\x1b[31m put", "line2"]


def test_hits_stand_under_their_file() -> None:
    assert words(HITS) == [
        "def add  3 hits in 2 files",
        "",
        "a.py  2",
        "   3  def add(a):",
        "  13  def add2(a):",
        "",
        "b.py  1",
        "  3  [red]x[/red]",
    ]


@pytest.mark.parametrize(
    ("detail", "parts"),
    [
        (d.FilesFound("*.py", ("a.py",), 3), ["*.py  3 files", "  a.py", "  and 2 more"]),
        (d.DirectoryListing("src", ("sub/", "a.py"), 2), ["src  2 entries", "  sub/", "  a.py"]),
        (d.TaskCompleted("done\nreally"), ["✓ the model says that the task is done", "  done", "  really"]),
        (d.SearchHits("x", (), 0), ["x  0 hits in 0 files", "no line matches"]),
        (d.FileRead("e.txt", "", 0, 0, 0, "", whole=True), ["e.txt  empty file"]),
    ],
)
def test_the_small_kinds(detail: d.Detail, parts: Sequence[str]) -> None:
    assert [line for line in words(detail) if line] == parts


def test_foreign_text_in_each_detail_is_shown_as_it_is() -> None:
    """G01: tool output, file path, diff line, error message of a test."""
    for text in G01:
        details: list[d.Detail] = [
            d.FileEdit(text, "", "", (d.Hunk(1, 1, ("+" + text,)),), 1, 0),
            d.FileRead(text + ".py", "", 1, 1, 1, text),
            d.CommandRun(text, text, 0, None, False, 1, text, 1),
            d.SearchHits(text, (d.SearchHit(text, 1, text),), 1),
            d.FilesFound(text, (text,), 1),
            d.DirectoryListing(text, (text,), 1),
            d.TaskCompleted(text),
        ]
        for detail in details:
            assert sum(text in line for line in words(detail)) >= 1
        failure = d.TestRun(
            "pytest", text, "finished", 0, 1, 0, 0, 1, (d.TestFailure(text, text, text, 1, text),)
        )
        opened = [row.text for row in detail_rows(failure, {"failure:0"})]
        assert sum(text in line for line in opened) == 5


async def test_failing_tests_are_walked_and_opened() -> None:
    story, told = busy_story()
    detail = CallDetail()
    stage = Stage(detail)
    async with stage.run_test(size=(80, 24)) as pilot:
        detail.show(story.ledger.calls[told[3].id])
        detail.focus()
        await pilot.pause()
        assert "12 passed 2 failed 1 skipped" in on_screen(stage)
        assert "tests/test_calc.py:12" not in on_screen(stage)
        await pilot.press("j", "enter")
        await pilot.pause()
        assert "tests/test_calc.py:12" in on_screen(stage)
        assert "> assert add(1, 1) == 2" in on_screen(stage)
        await pilot.press("j", "enter")
        await pilot.pause()
        assert "tests/test_b.py:3" in on_screen(stage)
        assert "boom [bold" in on_screen(stage)
        await pilot.press("k", "enter")
        await pilot.pause()
        assert "tests/test_calc.py:12" not in on_screen(stage)


async def test_r_asks_for_a_re_run_of_tests_only_and_shows_it_beside_what_the_model_saw() -> None:
    story, told = busy_story()
    detail = CallDetail()
    stage = Stage(detail)
    async with stage.run_test(size=(80, 40)) as pilot:
        detail.focus()
        detail.show(story.ledger.calls[told[0].id])
        await pilot.press("r")
        detail.show(story.ledger.calls[told[3].id])
        await pilot.press("r")
        await pilot.pause()
        asked = [message.call_id for message in stage.messages if isinstance(message, CallDetail.RerunTests)]
        assert asked == [told[3].id]
        again = d.TestRun("pytest", "python -m pytest -q", "finished", 14, 0, 0, 1, 2.0)
        story.finish(told[3], "done", again, by_user=True)
        detail.show(story.ledger.calls[told[3].id])
        await pilot.pause()
        lines = on_screen(stage).split("\n")
        own = next(at for at, line in enumerate(lines) if "your re-run" in line)
        seen = next(at for at, line in enumerate(lines) if "what the model saw" in line)
        assert own < seen
        assert "14 passed" in "".join(lines[own:seen])
        assert "12 passed 2 failed" in "".join(lines[seen:])


async def test_a_refused_call_shows_who_decided_what_was_said_and_the_raw_arguments() -> None:
    story, told = busy_story()
    detail = CallDetail()
    stage = Stage(detail)
    async with stage.run_test(size=(80, 24)) as pilot:
        detail.show(story.ledger.calls[told[5].id])
        await pilot.pause()
        screen = on_screen(stage)
        for part in (
            "decided by you",
            "not that folder [/]",
            "waited for you 4.0s",
            '"command": "rm -rf build"',
        ):
            assert part in screen
        detail.show(story.ledger.calls[told[6].id])
        await pilot.pause()
        assert "not valid JSON" in on_screen(stage)
        assert "{bad" in on_screen(stage)


async def test_live_output_is_followed_until_somebody_scrolls_up() -> None:
    """G08: the tail follows; a reader who looked back is left alone."""
    story = Story()
    story.message("go")
    story.turn()
    call = calls(("run_in_terminal", '{"command": "make"}'))[0]
    story.answer("", call)
    story.start(call)
    stage = Stage()
    async with stage.run_test(size=(80, 12)) as pilot:
        screen = CallScreen(story.ledger, call.id)
        await stage.push_screen(screen)
        for at in range(30):
            story.progress(call, d.OutputChunk(f"line {at}\n"))
        screen.look()
        await until(pilot, lambda: screen._detail.show_vertical_scrollbar)
        assert "line 29" in on_screen(stage)
        screen._detail.scroll_to(y=2, animate=False)
        story.progress(call, d.OutputChunk("line 30\n"))
        screen.look()
        await pilot.pause()
        assert screen._detail.scroll_y == 2
        await pilot.press("escape")
        await until(pilot, lambda: stage.screen is not screen)


async def test_sixteen_colours_leave_diffs_and_the_cursor_legible() -> None:
    """A tint of a terminal's own colour would be the colour itself: text on its own ground."""
    story, told = busy_story()
    detail = CallDetail()
    stage = Stage(detail)
    async with stage.run_test(size=(80, 24)) as pilot:
        stage.theme = "ansi-dark"
        detail.show(story.ledger.calls[told[2].id])
        await pilot.pause()
        painted = [segment for y in range(20) for segment in detail.render_line(y) if segment.text.strip()]
        assert any(segment.text.startswith("+ ") for segment in painted)
        for segment in painted:
            assert segment.style is not None and segment.style.bgcolor is not None
            assert segment.style.bgcolor.is_default
        detail.show(story.ledger.calls[told[3].id])
        detail.focus()
        await pilot.press("j")
        cursor = next(segment for y in range(20) for segment in detail.render_line(y) if segment.text == "›")
        assert cursor.style is not None and cursor.style.reverse
