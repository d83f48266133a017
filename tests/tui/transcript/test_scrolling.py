"""What is read stays still, the end is followed, and nothing is drawn for nothing."""

import pytest
from textual.geometry import Region

from cutaway.tui.transcript import TranscriptBlock
from tests.tui.transcript.stage import Scene, numbered, stage


async def scroll_to(scene: Scene, row: int) -> None:
    scene.transcript.scroll_to(y=row, animate=False)
    await scene.settle()


def at_end(scene: Scene) -> bool:
    return scene.transcript.scroll_y == scene.transcript.max_scroll_y


async def test_an_empty_transcript_takes_every_key() -> None:
    """Nothing to show is no error, whatever is pressed."""
    async with stage() as scene:
        keys = ("j", "k", "up", "down", "space", "enter", "y", "slash", "n", "N", "home", "end", "pageup")
        await scene.press(*keys)
        assert scene.shown().strip() == ""
        assert scene.transcript.cursor_id is None
        assert scene.transcript.plain_text() == ""
        assert scene.transcript.search("x") == ()
        assert scene.app.copied == scene.app.selected == []


async def test_the_view_stays_while_text_streams() -> None:
    """G08: scrolled up, the view does not move; at the end it follows; the user's own message goes there."""
    async with stage() as scene:
        transcript = scene.transcript
        await scene.add("output", numbered(200))
        await scene.add("answer", id="a")
        assert at_end(scene)
        await scroll_to(scene, int(transcript.scroll_y) - 10)
        where, before = transcript.scroll_y, scene.rows()
        for number in range(50):
            transcript.stream("a", f"chunk {number}\n\n")
            await scene.pilot.pause()
            assert transcript.scroll_y == where
        transcript.append(TranscriptBlock("c", "call", "x", title="read", state="running"))
        await scene.settle()
        transcript.update("c", state="done", text="x\ndetails")
        await scene.settle()
        assert transcript.scroll_y == where
        assert scene.rows()[:-1] == before[:-1]
        assert f"↓ {transcript.new_lines} new lines" in scene.rows()[-1]
        assert transcript.new_lines > 90

        await scene.press("end")
        assert at_end(scene) and transcript.following and transcript.new_lines == 0
        for number in range(10):
            transcript.stream("a", f"later {number}\n\n")
            await scene.settle()
            assert at_end(scene)
        assert "new line" not in scene.shown()

        await scroll_to(scene, 5)
        await scene.add("user", "my own words")
        assert at_end(scene)
        assert "my own words" in scene.shown()


async def test_a_block_that_grows_above_the_view_does_not_move_it() -> None:
    """Output may arrive in a block above what is read."""
    async with stage() as scene:
        await scene.add("output", "first", id="o")
        await scene.add("output", numbered(100))
        await scroll_to(scene, 50)
        before = scene.rows()
        scene.transcript.update("o", text=numbered(30, "more"))
        await scene.settle()
        assert scene.rows()[:-1] == before[:-1]
        assert scene.transcript.scroll_y == 50 + 29


async def test_keys_scroll_by_pages_and_to_the_ends() -> None:
    async with stage() as scene:
        await scene.add("output", numbered(100))
        await scene.press("home")
        assert scene.transcript.scroll_y == 0 and not scene.transcript.following
        await scene.press("pagedown")
        page = scene.transcript.scroll_y
        assert 20 <= page <= 24
        await scene.press("pageup")
        assert scene.transcript.scroll_y == 0
        await scene.press("end")
        assert at_end(scene) and scene.transcript.following


async def test_a_resize_keeps_the_top_row_in_view() -> None:
    """At another width everything wraps anew, but the paragraph that is read stays at the top."""
    async with stage((80, 24)) as scene:
        for number in range(60):
            await_text = f"P{number}. " + "some words that wrap " * 12
            scene.transcript.append(TranscriptBlock(f"b{number}", "answer", await_text))
        await scene.settle()
        await scene.press("home")
        target = next(row for row in range(10**4) if _row_text(scene, row).startswith(" ● P30."))
        await scroll_to(scene, target)
        for width in (50, 120, 33, 80):
            await scene.pilot.resize_terminal(width, 24)
            await scene.settle()
            assert scene.rows()[0].startswith(" ● P30.")


def _row_text(scene: Scene, row: int) -> str:
    spot = scene.transcript._layout.spot(row)
    line = scene.transcript._layout.line(spot) if spot else None
    return f" ● {line.text}" if line else ""


async def test_a_resize_at_the_end_stays_there() -> None:
    async with stage((80, 24)) as scene:
        for number in range(60):
            scene.transcript.append(TranscriptBlock(f"b{number}", "answer", f"{number} " + "word " * 40))
        await scene.settle()
        for width, height in ((40, 24), (100, 10), (100, 40), (30, 12)):
            await scene.pilot.resize_terminal(width, height)
            await scene.settle()
            assert at_end(scene) and scene.transcript.following
            assert "59" in scene.shown()


async def test_scrolling_up_into_what_was_never_drawn_does_not_jump() -> None:
    """Heights above are estimates until they are seen; the rows in view move by what was asked for."""
    async with stage((60, 20)) as scene:
        texts = [f"- x{n}\n" * (n % 7) + "日本語" * n for n in range(300)]
        blocks = [TranscriptBlock(f"b{n}", "answer", text) for n, text in enumerate(texts)]
        scene.transcript.extend(blocks)
        await scene.pilot.pause()
        while scene.transcript.virtual_size.height < 300:
            await scene.pilot.pause()
        for _ in range(10):
            before = scene.rows()
            scene.transcript.scroll_to(y=scene.transcript.scroll_y - 3, animate=False)
            await scene.pilot.pause()
            assert scene.rows()[3:-1] == before[:-4]


async def test_thousands_of_blocks_cost_what_is_in_view() -> None:
    """A long session opens with the rows in view; the rest follows when idle, and scrolling draws little."""
    async with stage() as scene:
        layout = scene.transcript._layout
        scene.transcript.extend(
            TranscriptBlock(f"b{n}", "call", f"file{n}.py", title="read", meta="0.1 s") for n in range(5_000)
        )
        assert layout.draws == 0
        await scene.until(lambda: scene.transcript.scroll_y > 0)
        assert layout.draws < 1_000
        await scene.settle()
        drawn = layout.draws
        assert 5_000 <= drawn <= 5_000 + 24
        assert "file4999.py" in scene.shown()
        scene.transcript.append(TranscriptBlock("last", "info", "done"))
        await scene.settle()
        assert layout.draws == drawn + 1
        await scene.press("home")
        assert layout.draws <= drawn + 1 + 24
        assert scene.rows()[0] == " ✓ read  file0.py  0.1 s"


async def test_rows_without_a_border_are_painted_once() -> None:
    """Scrolling by a row hands over the rows that are kept as they are; a border costs that, nothing else."""
    async with stage() as scene:
        await scene.add("output", numbered(100))
        region = Region(0, 0, *scene.transcript.size)
        before = scene.transcript.render_lines(region)
        await scroll_to(scene, int(scene.transcript.scroll_y) - 1)
        after = scene.transcript.render_lines(region)
        assert [a is b for a, b in zip(after[1:-1], before[:-2], strict=True)] == [True] * 22
        scene.transcript.styles.border = ("round", "red")
        await scene.settle()
        assert scene.rows()[0].startswith("╭") and "│   line" in scene.rows()[1]


async def test_idle_means_nothing_is_drawn() -> None:
    """G06: without a change no timer runs and no row is asked for, whatever the history holds."""
    async with stage() as scene:
        for number in range(100):
            scene.transcript.append(TranscriptBlock(f"b{number}", "answer", "text **b** `c`"))
        scene.transcript.append(TranscriptBlock("r", "call", "x", title="bash", state="running"))
        await scene.settle()
        assert scene.transcript.settled
        assert list(scene.transcript._timers) == []


async def test_a_delta_costs_no_drawing_until_it_is_painted() -> None:
    """A thousand deltas at once are one paint."""
    async with stage() as scene:
        await scene.add("answer", id="a")
        layout = scene.transcript._layout
        before = layout.draws
        for _ in range(1_000):
            scene.transcript.stream("a", "word ")
        assert layout.draws == before
        await scene.settle()
        assert layout.draws - before <= 3


@pytest.mark.parametrize("block", ["one", "two", "three"])
async def test_a_removed_block_leaves_no_hole(block: str) -> None:
    async with stage() as scene:
        for name in ("one", "two", "three"):
            await scene.add("info", name, id=name)
        scene.transcript.remove_block(block)
        await scene.settle()
        left = [name for name in ("one", "two", "three") if name != block]
        assert scene.shown().split() == ["i", left[0], "i", left[1]]
        assert scene.transcript.block_ids == left
        with pytest.raises(KeyError):
            scene.transcript.update(block, text="x")


async def test_clearing_starts_anew() -> None:
    async with stage() as scene:
        await scene.add("output", numbered(100))
        await scroll_to(scene, 3)
        scene.transcript.clear()
        await scene.settle()
        assert scene.shown().strip() == "" and scene.transcript.following
        await scene.add("info", "again", id="output0")
        assert scene.rows()[0] == " i again"


async def test_an_id_is_used_once() -> None:
    async with stage() as scene:
        await scene.add("info", "x", id="a")
        with pytest.raises(ValueError, match="'a'"):
            scene.transcript.append(TranscriptBlock("a", "info"))


async def test_what_is_added_before_the_screen_is_shown_once_it_is() -> None:
    """Blocks may come before the widget is mounted and again while it is hidden."""
    async with stage() as scene:
        scene.transcript.display = False
        await scene.pilot.pause()
        scene.transcript.append(TranscriptBlock("a", "info", "hidden at first"))
        await scene.settle()
        scene.transcript.display = True
        await scene.settle()
        assert "hidden at first" in scene.shown()


async def test_every_row_is_as_wide_as_the_view() -> None:
    """Wide characters, tables and code never spill over the edge, at any width."""
    text = (
        "日本語 👩‍👩‍👧 " * 20
        + "\n\n```\n\t日本語"
        + "x" * 90
        + "\n```\n\n|日本|b|\n|-|-|\n|"
        + "語" * 60
        + "|c|\n"
    )
    async with stage((80, 40)) as scene:
        await scene.add("answer", text)
        await scene.add("user", text)
        for width in (80, 41, 26):
            await scene.pilot.resize_terminal(width, 40)
            await scene.settle()
            strips = scene.transcript.render_lines(Region(0, 0, *scene.transcript.outer_size))
            assert {strip.cell_length for strip in strips} == {strips[0].cell_length}
            assert sum(len(s.text) for s in strips) > 0
