"""However an answer arrives, it is cut and drawn as if it had come at once."""

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cutaway.tui.transcript import TranscriptBlock
from cutaway.tui.transcript.chunks import LONG_LINE, Chunk, PlainSplitter, Splitter
from cutaway.tui.transcript.highlight import Highlighter
from cutaway.tui.transcript.layout import Layout, Placed
from cutaway.tui.transcript.markdown import Markdown
from cutaway.tui.transcript.markdown_chunks import CODE_LINES, TEXT_LINES, MarkdownSplitter
from tests.tui.transcript.stage import numbered, stage

LINES = st.sampled_from(
    [
        "", "", "", "# Head", "Title", "===", "---", "plain *text* and `code`", "more **bold", "- item",
        "- other", "  - nested", "  goes on", "1. one", "1. again", "2) two", "10. ten", "> quote",
        "> - in quote", "```python", "```", "~~~", "    indented", "\ttabbed", "def f(): pass", '"""doc',
        "| a | b |", "|---|:-:|", "| 1 | 2 |", "日本語のテキスト", "👩‍👩‍👧 family", "   ```sh", "   ls",
        "<div>", "[x]: http://a", "[x](http://b)", "* * *", "`" * 5, "a\x1b[2Jb", "crlf\r", "\\[x\\]",
    ]
)  # fmt: skip
TEXTS = st.lists(LINES, max_size=30).map("\n".join)


def pieces(text: str, cuts: Sequence[int]) -> list[str]:
    edges = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    return [text[low:high] for low, high in pairwise(edges)]


def cut(splitter: Splitter, parts: Sequence[str], *, look: bool = False) -> list[Chunk]:
    for part in parts:
        splitter.feed(part)
        if look:
            splitter.tail()
    splitter.close()
    return splitter.frozen


def facts(chunks: Sequence[Chunk]) -> list[tuple[object, ...]]:
    return [(c.kind, c.text, c.join, c.language, c.opens, c.ordinal, c.header, c.open) for c in chunks]


def rows(layout: Layout, placed: Placed) -> list[str]:
    start = layout.start(placed)
    layout.measure(start, 10**6)
    spots = [layout.spot(row) for row in range(start, start + placed.height)]
    lines = [layout.line(spot) for spot in spots if spot is not None]
    return [repr(line.spans) if line else "" for line in lines]


@settings(max_examples=300, deadline=None)
@given(TEXTS, st.lists(st.integers(0, 400), max_size=12))
def test_the_cuts_depend_on_the_text_alone(text: str, cuts: list[int]) -> None:
    """The same Markdown gives the same chunks, whatever the deltas, and whether or not it is looked at."""
    for make in (MarkdownSplitter, PlainSplitter):
        whole = facts(cut(make(), [text]))
        assert facts(cut(make(), pieces(text, cuts), look=True)) == whole
        assert facts(cut(make(), list(text))) == whole


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.lists(st.integers(0, 400), max_size=6), st.integers(20, 100))
def test_a_streamed_answer_looks_like_one_that_came_at_once(text: str, cuts: list[int], width: int) -> None:
    """Rows, styles and words are the same after the end, and the text is the source."""
    streamed, whole = Layout(), Layout()
    for layout in (streamed, whole):
        layout.set_width(width)
    one = whole.append(TranscriptBlock("a", "answer", text))
    other = streamed.append(TranscriptBlock("a", "answer"), open=True)
    for part in pieces(text, cuts):
        streamed.stream(other, part)
        streamed.sync(other)
        streamed.measure(0, streamed.height)
    streamed.sync(other, end=True)
    assert rows(streamed, other) == rows(whole, one)
    assert other.block.text == text


DOCUMENTS = (
    "# A\n\npara one\ngoes on\n\npara two\n\n## B\n- a\n- b\n\n  more b\n\n- c\n\nend",
    "1. one\n2. two\n   - deep\n     - deeper\n3. three\n\n4. four\n\ntext\n\n1. anew",
    "> quote\n> more\n\n> other\n\n```py\na = 1\n\nb = 2\n```\nafter\n\n    code\n\n    more\n",
    "| a | b |\n|---|---|\n| 1 | 2 |\n\ntext **bold** `x`\n\n---\n\nSetext\n======\n\n~~~\ncode\n~~~",
    "- ```sh\n  ls\n\n  pwd\n  ```\n- [ ] task\n- [x] done\n\n1) a\n2) b",
)


@pytest.mark.parametrize("text", DOCUMENTS)
def test_chunks_drawn_apart_look_like_the_whole(text: str) -> None:
    """Cutting at blank lines, between items and at fences changes nothing that is seen."""
    markdown = Markdown(Highlighter())
    whole = [line.text.rstrip() for line in markdown.draw(Chunk("markdown", text), 60).lines]
    apart: list[str] = []
    for number, chunk in enumerate(cut(MarkdownSplitter(), [text])):
        if number and chunk.join == "\n\n":
            apart.append("")
        apart.extend(line.text.rstrip() for line in markdown.draw(chunk, 60).lines)
    assert apart == whole


def test_only_the_open_end_is_drawn_again() -> None:
    """The work for a long answer grows with its length, not with its square."""
    layout = Layout()
    placed = layout.append(TranscriptBlock("a", "answer"), open=True)
    for number in range(300):
        layout.stream(placed, f"paragraph {number} with *words*\n\n")
        layout.sync(placed)
        layout.measure(0, layout.height)
    assert layout.draws < 300 * 3


def test_an_open_fence_is_drawn_line_by_line_and_frozen_in_parts() -> None:
    """A fence of any length costs the same a line; its parts are one block of code for the reader."""
    splitter = MarkdownSplitter()
    splitter.feed("```python\n")
    seen = 0
    for number in range(CODE_LINES * 3):
        splitter.feed(f"def f{number}():\n    return {number}\n")
        seen = max(seen, max(chunk.text.count("\n") for chunk in splitter.tail()))
    assert seen <= 2
    splitter.feed("```\nend")
    splitter.close()
    codes = [chunk for chunk in splitter.frozen if chunk.kind == "code"]
    assert len(codes) > 2
    assert [chunk.opens for chunk in codes] == [True] + [False] * (len(codes) - 1)
    assert all(chunk.text.startswith("def ") for chunk in codes)
    assert "\n".join(chunk.text for chunk in codes).count("\n") == CODE_LINES * 6 - 1


def test_a_table_without_end_keeps_its_columns_after_a_cut() -> None:
    """Rows after a cut are still rows of the table, and the header is not shown twice."""
    table = "| name | value |\n|---|---|\n" + "\n".join(f"| n{i} | {i} |" for i in range(TEXT_LINES + 20))
    layout = Layout()
    placed = layout.append(TranscriptBlock("a", "answer", table))
    assert len(placed.sections) == 2
    words = layout.plain(placed, 0) + "\n" + layout.plain(placed, 1)
    assert words.count("name | value") == 1
    assert f"n{TEXT_LINES + 19} | {TEXT_LINES + 19}" in words


async def test_a_line_without_end_is_copied_whole() -> None:
    """A line of 200,000 characters is cut for drawing only: its words have no line end in them."""
    text = "word " * (200_000 // 5)
    async with stage() as scene:
        for kind in ("answer", "output"):
            await scene.add(kind, text, id=kind)
        assert len(text) > LONG_LINE
        assert scene.transcript.plain_text().replace("\n\n", "|").count("\n") == 0
        assert scene.transcript.plain_text().startswith("word word ")


async def test_what_streams_is_shown_before_its_line_ends() -> None:
    """The open line, the open fence and the open list item are on the screen at once."""
    async with stage() as scene:
        scene.transcript.append(TranscriptBlock("a", "answer"))
        for delta, shown in (
            ("Hello wor", "Hello wor"),
            ("ld\n\n- first\n- sec", "• sec"),
            ("ond\n\n```python\ndef f", "│ def f"),
            ("():\n    pass\n``", "│     pass"),
        ):
            scene.transcript.stream("a", delta)
            await scene.settle()
            assert shown in scene.shown()
        assert "``" not in scene.shown()


async def test_a_block_that_came_with_text_goes_on_in_its_last_line() -> None:
    """A block may begin with some text, and may go on after it was said to be finished."""
    async with stage() as scene:
        await scene.add("answer", "one **t", id="a")
        scene.transcript.stream("a", "wo** thr")
        scene.transcript.finish("a")
        scene.transcript.stream("a", "ee\n\nfour")
        scene.transcript.finish("a")
        await scene.settle()
        assert [row[3:] for row in scene.rows()[:3]] == ["one two three", "", "four"]
        assert scene.transcript.block("a").text == "one **two** three\n\nfour"


async def test_what_streams_into_a_call_is_its_details() -> None:
    async with stage() as scene:
        scene.transcript.append(TranscriptBlock("c", "call", "ls", title="run"))
        for delta in (" -l", "\none", "\ntwo"):
            scene.transcript.stream("c", delta)
        await scene.settle()
        assert scene.rows()[:3] == [" ✓ run  ls -l", "   one", "   two"]


async def test_thinking_streams_as_plain_text() -> None:
    """What is not Markdown is shown as it is, while it grows too."""
    async with stage((80, 40)) as scene:
        scene.transcript.append(TranscriptBlock("t", "thinking"))
        text = numbered(200, "*thought*")
        for start in range(0, len(text), 50):
            scene.transcript.stream("t", text[start : start + 50])
        scene.transcript.finish("t")
        await scene.settle()
        assert scene.rows()[-1].endswith("*thought* 199")
        assert scene.transcript.block("t").text == text
