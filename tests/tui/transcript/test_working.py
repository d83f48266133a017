"""The cursor, folding, search, copying, and what does not depend on colour."""

import pytest
from textual.geometry import Offset, Region
from textual.selection import Selection

from cutaway.tui.transcript import CallState, SearchHit, TranscriptBlock
from cutaway.tui.transcript.words import key_of
from tests.tui.transcript.stage import Scene, numbered, stage


async def conversation(scene: Scene) -> None:
    await scene.add("user", "why?", id="u")
    await scene.add("thinking", numbered(12, "thought"), id="t")
    await scene.add("call", "src/x.py\n12 lines", id="c", title="read")
    await scene.add("answer", "Because **of** this.\n\n" + numbered(20, "- reason"), id="a")
    await scene.add("turn", id="r", title="turn 1 · 1.2k in")


def barred(scene: Scene) -> list[str]:
    return [row[3:] for row in scene.rows() if row.startswith("▌")]


async def test_the_cursor_walks_the_blocks_and_brings_them_into_view() -> None:
    async with stage() as scene:
        await conversation(scene)
        await scene.press("k")
        assert scene.transcript.cursor_id == "r"
        await scene.press("k", "up", "k", "k")
        assert scene.transcript.cursor_id == "u"
        assert scene.transcript.scroll_y == 0
        assert barred(scene) == ["why?"]
        await scene.press("k", "j", "down")
        assert scene.transcript.cursor_id == "c"
        assert barred(scene) == ["read  src/x.py", "12 lines"]
        assert scene.app.cursors == ["r", "a", "c", "t", "u", "t", "c"]


async def test_a_block_taller_than_the_view_is_shown_from_its_head() -> None:
    async with stage((60, 12)) as scene:
        await conversation(scene)
        await scene.press("home", "j", "j", "j", "j")
        assert scene.transcript.cursor_id == "a"
        assert "Because of this." in "\n".join(scene.rows()[:2])


async def test_folding_keeps_the_head_where_it_is() -> None:
    """Folded, a block is its head with the first line and how much is hidden; the rest moves up."""
    async with stage() as scene:
        await conversation(scene)
        await scene.press("home", "j", "j", "space")
        where = next(i for i, row in enumerate(scene.rows()) if "thinking" in row)
        assert barred(scene) == ["▸ thinking  thought 0  11 more lines"]
        await scene.press("space")
        assert barred(scene)[0] == "thinking" and len(barred(scene)) == 13
        assert "thinking" in scene.rows()[where]
        scene.transcript.fold("a", True)
        await scene.settle()
        assert any("▸ Because **of** this." in row for row in scene.rows())
        assert scene.transcript.block("a").collapsed


async def test_a_folded_block_takes_what_streams() -> None:
    async with stage() as scene:
        scene.transcript.append(TranscriptBlock("t", "thinking", "first", collapsed=True))
        for number in range(12):
            scene.transcript.stream("t", f"\nmore {number}")
        await scene.settle()
        assert scene.shown().strip() == "∴ ▸ thinking  first  12 more lines"
        scene.transcript.finish("t")
        scene.transcript.fold("t")
        await scene.settle()
        assert "first\n   more 0" in scene.shown()
        assert "more 11" in scene.shown()


async def test_enter_selects_and_slash_asks() -> None:
    async with stage() as scene:
        await conversation(scene)
        await scene.press("enter", "k", "enter", "k", "enter", "slash")
        assert scene.app.selected == ["r", "a"]
        assert scene.app.searches == 1


async def test_copying_gives_the_source() -> None:
    """G10: not the cells of the screen, but the text: no wraps, no borders, tabs and blank lines kept."""
    source = "long " * 60 + "\n\n```\n\t" + "x" * 120 + "\n```\n\n\nend\t."
    async with stage() as scene:
        await scene.add("answer", source, id="a")
        await scene.press("k", "y")
        scene.transcript.append(TranscriptBlock("s", "answer"))
        scene.transcript.stream("s", "half ")
        scene.transcript.move_cursor("s")
        await scene.pilot.press("y")
        scene.transcript.stream("s", "done")
        await scene.press("y")
        assert scene.app.copied == [source, "half ", "half done"]


async def test_a_mouse_selection_is_words_without_wraps() -> None:
    """G10: dragging over wrapped rows, over blocks and over the end of the text gives the words."""
    paragraph = "some words that wrap " * 10
    async with stage() as scene:
        await scene.add("user", "ask", id="u")
        await scene.add("answer", f"{paragraph}\n\n```\n\tcode\n```", id="a")
        await scene.pilot.mouse_down(offset=Offset(8, 2))
        await scene.pilot.hover(offset=Offset(8, 3))
        await scene.pilot.mouse_up(offset=Offset(8, 3))
        await scene.settle()
        text = scene.app.screen.get_selected_text() or ""
        assert "\n" not in text and text in paragraph and 70 < len(text) < 90
        await scene.pilot.mouse_down(offset=Offset(0, 0))
        await scene.pilot.hover(offset=Offset(60, 20))
        await scene.pilot.mouse_up(offset=Offset(60, 20))
        await scene.settle()
        assert scene.app.screen.get_selected_text() == f"ask\n\n{paragraph}\n\n```\n\tcode\n```"


async def test_a_selection_survives_a_resize() -> None:
    """A selection is a place in the text, not on the screen."""
    async with stage() as scene:
        await scene.add("answer", "word " * 50 + "\n\nlast words", id="a")
        placed = scene.transcript._layout.get("a")
        selection = Selection(Offset(5, key_of(placed, 0)), Offset(4, key_of(placed, 1)))
        before = scene.transcript.get_selection(selection)
        assert before == ("word " * 48 + "word\n\nlast", "\n")
        await scene.pilot.resize_terminal(30, 20)
        await scene.settle()
        assert scene.transcript.get_selection(selection) == before


async def test_search_marks_and_walks_the_hits() -> None:
    async with stage((60, 12)) as scene:
        await conversation(scene)
        hits = scene.transcript.search("reason 1")
        assert [hit.block_id for hit in hits] == ["a"] * 11
        first = scene.transcript.next_hit()
        await scene.settle()
        assert first == hits[0] and "reason 1" in scene.shown()
        assert scene.transcript.cursor_id == "a"
        last = scene.transcript.previous_hit()
        await scene.settle()
        assert last == hits[-1] and "reason 19" in scene.shown()
        await scene.press("n")
        assert scene.transcript.search("nothing of it") == ()
        assert scene.transcript.next_hit() is None


async def test_search_finds_words_across_emphasis_and_wraps() -> None:
    """What is searched is what is read: words, not Markdown; small letters find capitals."""
    async with stage((30, 12)) as scene:
        await scene.add("answer", "The **Quick** brown fox jumps over the lazy dog.", id="a")
        assert len(scene.transcript.search("quick brown fox jumps over")) == 1
        assert len(scene.transcript.search("Quick")) == 1
        assert len(scene.transcript.search("QUICK")) == 0
        assert scene.transcript.search("[q") == ()


async def test_search_opens_what_is_folded() -> None:
    async with stage() as scene:
        await scene.add("user", "x", id="u")
        scene.transcript.append(TranscriptBlock("t", "thinking", "a\nb\nneedle here", collapsed=True))
        await scene.settle()
        assert [hit.block_id for hit in scene.transcript.search("needle")] == ["t"]
        assert isinstance(scene.transcript.next_hit(), SearchHit)
        await scene.settle()
        assert "needle here" in scene.shown()
        assert not scene.transcript.block("t").collapsed


@pytest.mark.parametrize(
    ("state", "glyph"),
    [("proposed", "○"), ("asking", "?"), ("queued", "◌"), ("running", "◐"), ("done", "✓"), ("failed", "✗"),
     ("refused", "⊘"), ("cancelled", "■")],
)  # fmt: skip
async def test_each_state_of_a_call_has_its_glyph(state: CallState, glyph: str) -> None:
    async with stage() as scene:
        block = TranscriptBlock("c", "call", "src/x.py\nfound 2", title="grep", meta="0.1 s")
        scene.transcript.append(block)
        await scene.settle()
        scene.transcript.update("c", state=state, meta="0.2 s")
        await scene.settle()
        assert scene.rows()[:2] == [f" {glyph} grep  src/x.py  0.2 s", "   found 2"]


async def test_a_long_target_is_cut_and_its_facts_stay() -> None:
    async with stage((40, 10)) as scene:
        scene.transcript.append(TranscriptBlock("c", "call", "very/" * 20, title="read", meta="0.1 s"))
        await scene.settle()
        assert scene.rows()[0].endswith("…  0.1 s") and len(scene.rows()[0]) <= 40


async def test_kinds_differ_without_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    """G12: with NO_COLOR each kind has its own sign, a diff its + and -, and nothing is coloured."""
    monkeypatch.setenv("NO_COLOR", "1")
    async with stage((60, 30)) as scene:
        await scene.add("user", "u")
        await scene.add("answer", "a `c`\n```py\ndef f(): 1\n```")
        await scene.add("thinking", "t")
        await scene.add("note", "n", title="prompt")
        await scene.add("error", "e")
        await scene.add("warning", "w")
        await scene.add("info", "i")
        await scene.add("diff", "@@ -1 +1 @@\n-old\n+new\n same", title="x.py")
        rows = scene.rows()
        assert len({row[1] for row in rows if row[1:2].strip()}) >= 8
        assert "   -old" in rows and "   +new" in rows
        assert any("┊ prompt" in row for row in rows)
        strips = scene.transcript.render_lines(Region(0, 0, 60, 30))
        styles = [segment.style for strip in strips for segment in strip if segment.style is not None]
        colours = {colour.triplet for style in styles for colour in (style.color, style.bgcolor) if colour}
        assert all(colour is None or len(set(colour)) == 1 for colour in colours)


async def test_a_turn_is_a_rule_across_the_view() -> None:
    async with stage((50, 10)) as scene:
        await scene.add("turn", title="turn 3 · 84 out · $0.0012")
        row = scene.rows()[0]
        assert row.startswith("   ── turn 3 · 84 out · $0.0012 ───") and len(row) >= 46


async def test_a_change_of_theme_draws_nothing_anew() -> None:
    """Colours are looked up when a row is painted; the layout knows roles only."""
    async with stage() as scene:
        await conversation(scene)
        draws, before = scene.transcript._layout.draws, scene.app.export_screenshot()
        scene.app.theme = "textual-light"
        await scene.settle()
        assert scene.app.export_screenshot() != before
        assert scene.transcript._layout.draws == draws


async def test_the_head_of_a_folded_block_says_its_first_words_as_they_stream() -> None:
    """Live and resumed alike; blank lines before the first word do not hide it."""
    async with stage() as scene:
        scene.transcript.append(TranscriptBlock("t", "thinking", "", collapsed=True))
        scene.transcript.stream("t", "\n\nTwo things ")
        await scene.settle()
        assert scene.shown().strip() == "∴ ▸ thinking  Two things"
        scene.transcript.stream("t", "to find out.\nOne")
        scene.transcript.finish("t")
        await scene.settle()
        assert scene.shown().strip() == "∴ ▸ thinking  Two things to find out.  1 more line"
        whole = scene.transcript.source("t")
        scene.transcript.append(TranscriptBlock("r", "thinking", whole, collapsed=True))
        await scene.settle()
        live, _, resumed = scene.shown().strip().splitlines()
        assert live.strip() == resumed.strip()
