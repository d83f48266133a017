"""Text from models, tools and files is shown as it is, and does nothing."""

from textual.geometry import Region

from cutaway.tui.transcript import BlockKind, TranscriptBlock, one_line, visible
from tests.tui.transcript.stage import stage

MARKUP = (
    "use A[/login]",
    "yield [/]",
    "[0] hi",
    "[[self v] do:[self m]]",
    '{"b": [true, false]}',
    "[red]x[/red]",
    "[link=file:///etc/passwd]x[/link]",
    "[bold",
    "C:\\[x]\\",
)
KINDS: tuple[BlockKind, ...] = (
    "user",
    "answer",
    "thinking",
    "note",
    "error",
    "warning",
    "info",
    "diff",
    "output",
)
SEQUENCES = (
    "\x1b]52;c;aGk=\x07",
    "\x1b]0;title\x07",
    "\x1b[2J",
    "\x9b31m",
    "a\rb",
    "\x08\x08",
    "\u202eevil\u202c",
    "\u2066x\u2069",
    "\u200bhidden",
    "\U000e0041",
    "\ud800",
    "\x7f",
    "\u2028",
)


async def test_brackets_are_shown_exactly() -> None:
    """G01: square brackets are text in every kind of block: no style, link, action or exception."""
    async with stage((80, 40)) as scene:
        for kind in KINDS:
            scene.transcript.clear()
            for number, text in enumerate(MARKUP):
                scene.transcript.append(TranscriptBlock(f"b{number}", kind, text))
            await scene.settle()
            rows = [row[3:] for row in scene.rows()]
            assert [text for text in MARKUP if text not in rows] == [], kind


async def test_brackets_in_the_facts_of_a_call_are_shown_exactly() -> None:
    """G01: a tool's name, its target, its facts and its details are text too."""
    async with stage((80, 60)) as scene:
        for number, text in enumerate(MARKUP):
            scene.transcript.append(TranscriptBlock(f"n{number}", "call", title=text))
            scene.transcript.append(TranscriptBlock(f"t{number}", "call", f"{text}\n{text}", meta=text))
        await scene.settle()
        assert all(scene.shown().count(text) >= 4 for text in MARKUP)


async def test_brackets_in_a_turn_rule_and_a_folded_head_are_shown_exactly() -> None:
    """G01: also on the rule that ends a turn, and in the first line of a folded block."""
    async with stage((80, 60)) as scene:
        for number, text in enumerate(MARKUP):
            scene.transcript.append(TranscriptBlock(f"t{number}", "turn", title=text))
            scene.transcript.append(TranscriptBlock(f"f{number}", "answer", f"{text}\nmore", collapsed=True))
        await scene.settle()
        assert all(scene.shown().count(text) >= 2 for text in MARKUP)


async def test_no_control_sequence_reaches_the_terminal() -> None:
    """Control characters, C1, bidirectional and invisible marks and surrogates are shown as escapes."""
    kinds: tuple[BlockKind, ...] = (*KINDS, "call", "turn")
    async with stage((80, 60)) as scene:
        for kind in kinds:
            scene.transcript.clear()
            for number, sequence in enumerate(SEQUENCES):
                text, folded = f"<{sequence}>", number % 2 == 1
                block = TranscriptBlock(f"b{number}", kind, text, title=text, meta=text, collapsed=folded)
                scene.transcript.append(block)
            scene.transcript.search("<")
            await scene.settle()
            shown = "".join(strip.text for strip in scene.transcript.render_lines(Region(0, 0, 80, 60)))
            assert visible(shown) == shown
            assert "\\x1b" in shown


async def test_entities_and_streamed_pieces_cannot_smuggle_control_characters() -> None:
    """A Markdown entity is decoded after the text was made safe, and a sequence may come in two deltas."""
    async with stage() as scene:
        scene.transcript.append(TranscriptBlock("a", "answer"))
        for delta in ("&#x202e;x &#x200b; ", "\x1b", "]52;c;aGk=", "\x07 `&#27;`"):
            scene.transcript.stream("a", delta)
        scene.transcript.finish("a")
        await scene.settle()
        assert visible(scene.shown()) == scene.shown()
        assert "\\u202ex \\u200b \\x1b]52;c;aGk=\\x07" in scene.shown()


async def test_links_do_not_act() -> None:
    """A link shows its address, and no strip carries a link or an action."""
    async with stage() as scene:
        await scene.add("answer", "[here](https://evil.example/x) <https://b.example> ![pic](c.png)")
        strips = scene.transcript.render_lines(Region(0, 0, 80, 24))
        styles = [segment.style for strip in strips for segment in strip if segment.style is not None]
        assert all(style.link is None and "@click" not in style.meta for style in styles)
        assert "here (https://evil.example/x) https://b.example [image: pic] (c.png)" in scene.shown()


def test_escapes_are_those_of_python() -> None:
    """The reader can tell which character it was; tabs and plain line ends stay."""
    assert visible("a\x1b\u202e\U000e0041\t\r\n") == "a\\x1b\\u202e\\U000e0041\t\n"
    assert one_line("a\nb\tc") == "a⏎b c"


def test_joined_emoji_and_accents_stay() -> None:
    """What is harmless stays: joiners, variation selectors, combining marks, right-to-left text."""
    text = "👩‍👩‍👧 ❤️ e\u0301 שלום مرحبا"
    assert visible(text) == text
