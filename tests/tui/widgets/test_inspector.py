"""The inspector on a ledger that was folded from records."""

import json
import shutil
import time
from pathlib import Path

import pytest

from cutaway.harness import events as e
from cutaway.harness.eventlog.blobs import Blobs
from cutaway.harness.usage import Usage
from cutaway.tui.inspector.wire import readable
from cutaway.tui.screens.inspector import InspectorScreen
from tests.tui.widgets.scenes import busy_story
from tests.tui.widgets.stage import Stage, on_screen
from tests.tui.widgets.story import G01, Story, block

WIDE = (160, 48)
SMALL = (80, 24)


async def opened(stage: Stage, story: Story, turn_id: str = "") -> InspectorScreen:
    screen = InspectorScreen(story.ledger, story, turn_id)
    await stage.push_screen(screen)
    return screen


@pytest.mark.parametrize("size", [WIDE, SMALL])
async def test_each_tab_shows_its_side_of_the_turn(size: tuple[int, int]) -> None:
    story, _ = busy_story()
    story.end_turn("it asked for tools, and their results go back")
    expected = {
        "1": ["7 blocks", "AGENTS.md", "cache breakpoint", "+ ", "3.7k"],
        "2": ["this log holds no prediction for the turn"],
        "3": ["POST https://example.invalid/v1/chat/completions", "exact bytes", '"content":"a\\nb [/]"'],
        "4": ["as received", "data: {}"],
        "5": ["✓ read_file", "rule: reads inside the workspace", '"filePath"', "bytes"],
        "6": ["build the prompt", "12ms", "to the first token", "waiting for you", "8.0s"],
        "7": [
            "it asked for tools, and their results go back",
            "│ I will look at calc.py first.",
            "why these calls",
        ],
    }
    stage = Stage()
    async with stage.run_test(size=size) as pilot:
        await opened(stage, story)
        for key, parts in expected.items():
            await pilot.press(key)
            await pilot.pause()
            screen = on_screen(stage)
            assert [part for part in parts if part not in screen] == []


async def test_a_call_without_the_model_s_words_has_no_reason() -> None:
    story = Story()
    story.message("go")
    story.turn()
    story.answer("", *busy_story()[1][:1])
    stage = Stage()
    async with stage.run_test(size=SMALL) as pilot:
        await opened(stage, story)
        await pilot.press("7")
        await pilot.pause()
        assert "no reason given" in on_screen(stage)


async def test_brackets_step_through_turns_and_escape_closes() -> None:
    story = Story()
    story.message("first [bold")
    for number in range(3):
        story.turn(block("user", f"message {number}", 10))
        story.answer(f"answer {number}")
        story.end_turn(f"why {number}")
    stage = Stage()
    async with stage.run_test(size=WIDE) as pilot:
        screen = await opened(stage, story)
        await pilot.press("7")
        seen = []
        back, on = "left_square_bracket", "right_square_bracket"
        for key in (back, back, back, on):
            await pilot.press(key)
            await pilot.pause()
            seen.append(on_screen(stage).count("why 0") + 2 * on_screen(stage).count("why 1"))
        assert seen == [2, 1, 1, 2]
        assert "❯ first [bold" in on_screen(stage)
        await pilot.press("escape")
        await pilot.pause()
        assert stage.screen is not screen


async def test_new_and_kept_blocks_are_told_apart() -> None:
    story = Story()
    story.message("go")
    story.turn(block("system", "identity", 500), block("user", "one", 10))
    story.answer("hi")
    story.turn(block("assistant", "hi", 5), block("user", "two", 11))
    stage = Stage()
    async with stage.run_test(size=WIDE) as pilot:
        await opened(stage, story)
        await pilot.pause()
        rows = [line.split("│")[-1].split() for line in on_screen(stage).split("\n")]
        marks = {row[-1]: row[0] for row in rows if row and row[0] in "+="}
        assert (marks["identity"], marks["one"], marks["hi"], marks["two"]) == ("=", "=", "+", "+")
        assert "2 kept from the last request, 2 new" in on_screen(stage)


async def test_a_request_of_two_megabytes_opens_at_once_and_scrolls() -> None:
    story = Story()
    story.message("go")
    text = "words and more words [/] \u65e5\u672c " * 70_000
    body = json.dumps({"messages": [{"role": "user", "content": text}]}, ensure_ascii=False).encode()
    assert len(body) > 2_000_000
    story.turn(block("user", "big", 500_000), body=body)
    stage = Stage()
    async with stage.run_test(size=WIDE) as pilot:
        screen = await opened(stage, story)
        await pilot.pause()
        start = time.process_time()
        screen.action_open_tab(3)
        stage.screen._compositor.render_strips()
        assert time.process_time() - start < 1.0
        await pilot.pause()
        assert "words and more words [/] 日本 words" in on_screen(stage)
        page = screen._page
        page.scroll_end(animate=False)
        await pilot.pause()
        assert '"}]}' in on_screen(stage)
        shown = "".join(page.texts[page.texts.index("") + 1 :])
        assert shown.encode() == body


async def test_p_shows_the_request_made_readable() -> None:
    story, _ = busy_story()
    stage = Stage()
    async with stage.run_test(size=WIDE) as pilot:
        await opened(stage, story)
        await pilot.press("3", "p")
        await pilot.pause()
        assert "made readable" in on_screen(stage)
        assert '      "role": "user",' in on_screen(stage)


def test_readable_text_keeps_every_character_and_breaks_at_its_line_feeds() -> None:
    lines = readable(json.dumps({"a": "one\ntwo\\n three"}))
    assert lines == ["{", '  "a": "one\\n', '    two\\\\n three"', "}"]
    assert readable("no json [/]") == ["no json [/]"]


async def test_foreign_text_is_shown_as_it_is_on_each_tab() -> None:
    """G01: labels, bodies, responses, words of the model, reasons and errors."""
    story = Story()
    everything = "\n".join(G01)
    story.message(everything)
    story.turn(*(block("note", text, 5) for text in G01), body=everything.encode())
    story.answer(everything, raw=everything)
    story.end_turn(everything)
    stage = Stage()
    async with stage.run_test(size=WIDE) as pilot:
        await opened(stage, story)
        for key in "1347":
            await pilot.press(key)
            await pilot.pause()
            assert [text for text in G01 if text not in on_screen(stage)] == []


async def test_a_failed_call_says_what_failed_and_shows_no_response() -> None:
    story = Story()
    story.message("go")
    turn = story.turn(block("user", "m", 10))
    usage = Usage(fresh=10, estimated=True)
    story.tell(e.CallFailed(f"q{turn}", turn, "RateLimited", "429: wait [/]", 429, usage))
    stage = Stage()
    async with stage.run_test(size=SMALL) as pilot:
        await opened(stage, story)
        await pilot.press("4")
        await pilot.pause()
        assert "failed: 429 RateLimited" in on_screen(stage)
        assert "429: wait [/]" in on_screen(stage)


async def test_a_response_that_lies_on_the_disk_is_shown_exactly_or_said_to_be_lost(tmp_path: Path) -> None:
    text = "data: {}\n" * 5000 + "data: [DONE]\n"
    blobs = Blobs(tmp_path / "blobs")
    blobs.put(text)
    stored = blobs.reference(text)
    assert stored is not None
    story = Story()
    story.message("go")
    story.turn(block("user", "m", 10))
    story.answer("done", raw=stored)
    stage = Stage()
    async with stage.run_test(size=SMALL) as pilot:
        await opened(stage, story)
        await pilot.press("4", "end")
        await pilot.pause()
        assert "data: [DONE]" in on_screen(stage)
        shutil.rmtree(tmp_path / "blobs")
        await pilot.press("p", "home")
        await pilot.pause()
        assert f"This text is lost: blob {stored.digest[:12]}" in on_screen(stage)


async def test_an_empty_session_has_a_plain_word() -> None:
    stage = Stage()
    async with stage.run_test(size=SMALL) as pilot:
        await opened(stage, Story())
        for key in "1234567":
            await pilot.press(key)
            await pilot.pause()
        assert "no turn yet" in on_screen(stage)


async def test_a_turn_that_goes_on_is_drawn_anew() -> None:
    story = Story()
    stage = Stage()
    async with stage.run_test(size=SMALL) as pilot:
        screen = await opened(stage, story)
        story.message("go")
        story.turn(block("user", "m", 10))
        screen.look()
        await pilot.pause()
        assert "turn 1 of 25" in on_screen(stage)
        await pilot.press("7")
        story.answer("done")
        story.end_turn("it answered without a tool call")
        screen.look()
        await pilot.pause()
        assert "it answered without a tool call" in on_screen(stage)
        before = screen._page._source
        screen.look()
        assert screen._page._source is before
