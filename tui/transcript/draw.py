"""How each kind of block looks: a glyph in the margin, a head line, a body; never colour alone."""

from __future__ import annotations

from typing import NamedTuple

from rich.cells import cell_len

from cutaway.tui.transcript.blocks import BlockKind, CallState, TranscriptBlock
from cutaway.tui.transcript.chunks import Chunk, PlainSplitter, Splitter
from cutaway.tui.transcript.highlight import Highlighter
from cutaway.tui.transcript.ink import BOLD, ITALIC, Drawn, Ink, Line, Span, decoration, expand_tabs, run
from cutaway.tui.transcript.markdown import Markdown
from cutaway.tui.transcript.markdown_chunks import MarkdownSplitter
from cutaway.tui.transcript.safe_text import count_of, one_line, visible
from cutaway.tui.transcript.wrap import cut, wrap

MARGIN = 3
"""Cells left of every row: the cursor's bar, the glyph, a blank."""
PADDING = 1
"""Cells right of every row."""

_STATE_GLYPHS: dict[CallState, str] = {
    "proposed": "○",
    "asking": "?",
    "queued": "◌",
    "running": "◐",
    "done": "✓",
    "failed": "✗",
    "refused": "⊘",
    "cancelled": "■",
}
_BODY: dict[BlockKind, Ink] = {
    "user": Ink("user"),
    "thinking": Ink("thinking", ITALIC),
    "call": Ink("dim"),
    "note": Ink("note"),
    "error": Ink("text"),
    "warning": Ink("text"),
    "info": Ink("text"),
    "output": Ink("output"),
}
_HEADED: frozenset[BlockKind] = frozenset({"thinking", "call", "note", "turn"})


class Margin(NamedTuple):
    """The glyph beside a block's first row, the one beside its other rows, and their role."""

    first: str
    rest: str
    role: str


_MARGINS: dict[BlockKind, Margin] = {
    "user": Margin("›", " ", "user-glyph"),
    "answer": Margin("●", " ", "answer-glyph"),
    "thinking": Margin("∴", " ", "thinking"),
    "note": Margin("┊", "┊", "note"),
    "turn": Margin(" ", " ", "turn"),
    "error": Margin("✗", "│", "error"),
    "warning": Margin("!", "│", "warning"),
    "info": Margin("i", " ", "info"),
    "diff": Margin("±", " ", "dim"),
    "output": Margin("└", " ", "dim"),
}


def margin_of(block: TranscriptBlock) -> Margin:
    """Give the glyphs that stand beside a block."""
    if block.kind == "call":
        state = block.state or "done"
        return Margin(_STATE_GLYPHS[state], " ", f"call-{state}")
    return _MARGINS[block.kind]


def gap_before(previous: TranscriptBlock | None, block: TranscriptBlock) -> int:
    """Say how many blank rows stand before a block: none between calls, nor between a call and its output."""
    if previous is None:
        return 0
    belongs = block.kind in ("call", "output", "diff") and previous.kind in ("call", "output", "diff")
    notes = block.kind == previous.kind == "note" and block.collapsed and previous.collapsed
    return 0 if belongs or notes else 1


def splitter_for(kind: BlockKind) -> Splitter:
    """Give what cuts a block's text into chunks."""
    return MarkdownSplitter() if kind == "answer" else PlainSplitter()


def head_of(block: TranscriptBlock) -> Chunk | None:
    """Give the head line of a block, if it has one; a folded block is its head alone."""
    if block.collapsed or block.title or block.meta or block.kind in _HEADED:
        return Chunk("head", "", "")
    return None


def body_text(block: TranscriptBlock) -> str:
    """Give the part of a block's text that its head does not show."""
    if block.kind == "turn":
        return ""
    if block.kind == "call":
        return block.text.partition("\n")[2]
    return block.text


class Draughtsman:
    """Draws chunks of blocks; holds what is costly to make."""

    def __init__(self) -> None:
        self._markdown = Markdown(Highlighter())

    def draw(self, block: TranscriptBlock, chunk: Chunk, width: int) -> Drawn:
        """Draw a chunk of a block as rows of at most `width` cells."""
        match chunk.kind:
            case "head":
                return _turn_rule(block, width) if block.kind == "turn" else _head(block, width)
            case "plain":
                return _diff(chunk, width) if block.kind == "diff" else _plain(block, chunk, width)
            case _:
                return self._markdown.draw(chunk, width)


def _plain(block: TranscriptBlock, chunk: Chunk, width: int) -> Drawn:
    ink = _BODY.get(block.kind, Ink("text"))
    fill = "user" if block.kind == "user" else ""
    lines: list[Line] = []
    at = 0
    for source in chunk.text.split("\n"):
        lines.extend(wrap(expand_tabs([run(source, ink)]), width, at, fill=fill))
        at += len(source) + 1
    return Drawn(tuple(lines), chunk.text)


def _diff(chunk: Chunk, width: int) -> Drawn:
    lines: list[Line] = []
    at = 0
    for source in chunk.text.split("\n"):
        role = _diff_role(source)
        rest = (decoration("  ", role),)
        fill = role if role in ("diff-added", "diff-removed") else ""
        lines.extend(
            wrap(expand_tabs([run(source, Ink(role))]), width, at, rest=rest, words=False, fill=fill)
        )
        at += len(source) + 1
    return Drawn(tuple(lines), chunk.text)


def _diff_role(line: str) -> str:
    if line.startswith(("+++ ", "--- ", "@@")):
        return "diff-hunk"
    return {"+": "diff-added", "-": "diff-removed"}.get(line[:1], "diff-context")


def _turn_rule(block: TranscriptBlock, width: int) -> Drawn:
    facts = " · ".join(one_line(part) for part in (block.title, block.meta) if part)
    shown = cut(facts, max(1, width - 5))
    at_left = decoration("── ", "turn-rule")
    room = width - cell_len(shown) - 4
    at_right = decoration(" " + "─" * room, "turn-rule") if room > 0 else decoration("", "turn-rule")
    return Drawn((Line((at_left, Span(shown, Ink("turn"), 0, len(shown)), at_right), 0),), facts)


def _head(block: TranscriptBlock, width: int) -> Drawn:
    name, words, meta, hidden = _head_words(block)
    fold = "▸ " if block.collapsed else ""
    used = len(fold) + cell_len(name) + (2 if name and words else 0)
    counted = " · ".join(part for part in (meta, hidden) if part)
    if block.kind != "note" or used + cell_len(words) + cell_len(counted) + 2 <= width:
        meta = counted  # the words of a note say more than how many lines follow them
    meta = cut(meta, max(1, width // 2))
    room = width - used - (cell_len(meta) + 2 if meta else 0)
    words = cut(words, max(1, room)) if words else ""
    spans: list[Span] = [decoration(fold, "meta")] if fold else []
    at = 0
    beside = Ink("target") if block.kind == "call" else _BODY.get(block.kind, Ink("text"))
    for text, ink in ((name, _title_ink(block)), (words, beside), (meta, Ink("meta"))):
        if text:
            if at:
                spans.append(decoration("  ", "text"))
                at += 1
            spans.append(Span(text, ink, at, len(text)))
            at += len(text)
    plain = " ".join(text for text in (name, words, meta) if text)
    fill = "user" if block.kind == "user" else ""
    return Drawn((Line(tuple(spans), 0, fill),), plain)


def _head_words(block: TranscriptBlock) -> tuple[str, str, str, str]:
    """Give the title, the words beside it, the facts at the end, and how much is folded away."""
    title, meta = one_line(block.title), one_line(block.meta)
    if block.kind == "call":
        return title, one_line(block.text.partition("\n")[0]), meta, ""
    if block.kind == "thinking":
        title = title or "thinking"
    if block.kind == "note":
        title = title or "injected"
    if not block.collapsed:
        return title, "", meta, ""
    first, _, more = block.text.strip("\n").partition("\n")
    hidden = count_of(more.count("\n") + 1, "more line") if more else ""
    return title, visible(first).replace("\t", " ").strip(), meta, hidden


def _title_ink(block: TranscriptBlock) -> Ink:
    match block.kind:
        case "thinking":
            return Ink("thinking", ITALIC)
        case "note":
            return Ink("note", BOLD)
        case "error" | "warning" | "info":
            return Ink(block.kind, BOLD)
        case _:
            return Ink("title", BOLD)
