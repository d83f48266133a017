"""Draws one chunk of Markdown: tokens of markdown-it become rows of spans, and the plain words beside them.

Blank rows are where the source has blank lines, so that chunks drawn apart look as if drawn together. Raw
HTML is text. Nothing is fetched, nothing is a link that acts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cutaway.tui.transcript.chunks import Chunk
from cutaway.tui.transcript.highlight import Highlighter
from cutaway.tui.transcript.ink import (
    BOLD,
    ITALIC,
    UNDERLINE,
    Drawn,
    Ink,
    Line,
    Run,
    Span,
    decoration,
    expand_tabs,
    run,
)
from cutaway.tui.transcript.inline import InlineInk
from cutaway.tui.transcript.table import Cell, draw_table
from cutaway.tui.transcript.wrap import wrap

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

TEXT = Ink("text")
_HEADINGS = {
    "h1": Ink("heading", BOLD | UNDERLINE),
    "h2": Ink("heading", BOLD),
    "h3": Ink("heading-minor", BOLD),
}
_BULLETS = ("•", "◦", "▪")
_MINIMUM = 16
"""Cells that text keeps however deep it is nested; what is deeper overlaps the margin."""


class Markdown:
    """Parses and draws; holds the parser and the lexers, which are made with the first use."""

    def __init__(self, highlighter: Highlighter) -> None:
        self._highlighter = highlighter
        self._parser: MarkdownIt | None = None

    def draw(self, chunk: Chunk, width: int) -> Drawn:
        """Draw a chunk at a width in cells; equal chunks at equal widths are drawn equally."""
        page = Page(width, self._highlighter)
        if chunk.kind == "code":
            page.code(chunk.text, chunk.language, opens=chunk.opens, separate=chunk.open)
            return page.drawn()
        text = f"{chunk.header}\n{chunk.text}" if chunk.header else chunk.text
        _Walk(page, chunk).all(self._parse(text))
        return page.drawn()

    def _parse(self, text: str) -> list[Token]:
        if self._parser is None:
            from markdown_it import MarkdownIt

            parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
            self._parser = parser.disable(["reference", "text_join"])
        return self._parser.parse(text)


@dataclass(slots=True)
class _Container:
    """A quote or a list item that is open: what stands left of its rows."""

    first: str
    rest: str
    role: str
    plain: str = ""
    used: bool = False


@dataclass(slots=True)
class Page:
    """Rows and plain words as they grow."""

    width: int
    highlighter: Highlighter
    containers: list[_Container] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    length: int = 0

    def drawn(self) -> Drawn:
        """What was drawn, without the line end that the last row would have."""
        return Drawn(tuple(self.lines), "".join(self.parts).removesuffix("\n"))

    def say(self, text: str) -> int:
        """Append to the plain words, and tell where the text begins there."""
        at = self.length
        self.parts.append(text)
        self.length += len(text)
        return at

    def blank(self) -> None:
        """Draw a blank row, with the bars of the quotes that it stands in."""
        rest = tuple(decoration(item.rest, item.role) for item in self.containers if item.used)
        self.lines.append(Line(rest, self.say("\n")))

    def prefixes(self) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
        """Give what stands left of the next row and of the rows after it; an item's marker is shown once."""
        first, rest = [], []
        for item in self.containers:
            if item.used or not item.plain:
                first.append(decoration(item.rest if item.used else item.first, item.role))
            else:
                at = self.say(item.plain)
                first.append(Span(item.first, Ink(item.role), at, len(item.plain)))
            item.used = True
            rest.append(decoration(item.rest, item.role))
        return tuple(first), tuple(rest)

    def text(self, logical: Sequence[Sequence[Run]]) -> None:
        """Draw logical lines, wrapped at words."""
        for runs in logical:
            first, rest = self.prefixes()
            runs = expand_tabs(runs)
            at = self._say_runs(runs)
            self.lines.extend(wrap(runs, self._room(rest), at, first, rest))

    def code(self, code: str, language: str, *, opens: bool, separate: bool = False) -> None:
        """Draw code with a bar at its left; long lines go on in the next row, but are copied as one."""
        if opens and language:
            first, _ = self.prefixes()
            self.lines.append(Line((*first, decoration(f"┌ {language}", "code-label")), self.length))
        if not code and opens and language:
            return
        colour = self.highlighter.separate_lines if separate else self.highlighter.lines
        bar = decoration("│ ", "code-label")
        for source, runs in zip(code.split("\n"), colour(code, language), strict=True):
            first, rest = self.prefixes()
            at = self.say(source + "\n")
            rows = wrap(
                expand_tabs(runs), self._room(rest), at, (*first, bar), (*rest, bar), words=False, fill="code"
            )
            self.lines.extend(rows)

    def rule(self) -> None:
        """Draw a thematic break."""
        first, rest = self.prefixes()
        room = max(1, self.width - sum(len(span.text) for span in rest))
        at = self.say("---\n")
        self.lines.append(Line((*first, decoration("─" * room, "rule")), at))

    def table(self, rows: list[list[Cell]], *, header: bool) -> None:
        """Draw a table fitted to the width."""
        first, rest = self.prefixes()
        room = max(_MINIMUM, self.width - sum(len(span.text) for span in rest))
        table = draw_table(rows, room, self.length, header=header)
        self.say(table.plain + "\n")
        for index, line in enumerate(table.lines):
            prefix = rest if index else first
            self.lines.append(Line((*prefix, *line.spans), line.at, line.fill))

    def _say_runs(self, runs: Sequence[Run]) -> int:
        return self.say("".join(item.text if item.size == len(item.text) else "\t" for item in runs) + "\n")

    def _room(self, rest: Sequence[Span]) -> int:
        return max(self.width, sum(len(span.text) for span in rest) + _MINIMUM)


class _Walk:
    """One pass over the tokens of a chunk."""

    def __init__(self, page: Page, chunk: Chunk) -> None:
        self._page = page
        self._chunk = chunk
        self._ended: int | None = None
        self._numbers: list[int | None] = []
        self._heading = ""

    def all(self, tokens: list[Token]) -> None:
        stream = iter(tokens)
        for token in stream:
            self._token(token, stream)

    def _token(self, token: Token, stream: Iterator[Token]) -> None:
        match token.type:
            case "inline":
                ink = _HEADINGS.get(self._heading, Ink("heading-minor", BOLD | ITALIC))
                self._leaf(token)
                self._page.text(InlineInk(ink if self._heading else TEXT).lines(token.children or []))
            case "heading_open":
                self._heading = token.tag
            case "heading_close":
                self._heading = ""
            case "fence" | "code_block":
                self._leaf(token)
                language = (token.info.split() or [""])[0].lower()
                self._page.code(
                    token.content.removesuffix("\n"), language, opens=True, separate=self._chunk.open
                )
            case "hr":
                self._leaf(token)
                self._page.rule()
            case "table_open":
                self._leaf(token)
                self._page.table(_table_rows(stream), header=not self._chunk.header)
            case _:
                self._container(token)

    def _container(self, token: Token) -> None:
        containers = self._page.containers
        match token.type:
            case "blockquote_open":
                containers.append(_Container("▎ ", "▎ ", "quote-bar"))
            case "blockquote_close" | "list_item_close":
                if not containers[-1].used and token.type == "list_item_close":
                    self._page.text([[]])
                containers.pop()
            case "bullet_list_open":
                self._numbers.append(None)
            case "ordered_list_open":
                start = token.attrGet("start")
                carried = self._chunk.ordinal if not self._numbers else None
                self._numbers.append(carried if carried is not None else 1 if start is None else int(start))
            case "bullet_list_close" | "ordered_list_close":
                self._numbers.pop()
            case "list_item_open":
                containers.append(self._item(token))
            case _:
                pass

    def _item(self, token: Token) -> _Container:
        depth = len(self._numbers) - 1
        number = self._numbers[-1]
        indent = "  " * depth
        if number is None:
            return _Container(f"{_BULLETS[depth % 3]} ", "  ", "list-marker", f"{indent}- ")
        self._numbers[-1] = number + 1
        marker = f"{number}{token.markup} "
        return _Container(marker, " " * len(marker), "list-marker", indent + marker)

    def _leaf(self, token: Token) -> None:
        """Keep a blank row where the source has one between two leaves."""
        start, end = token.map or (0, 0)
        if self._ended is not None and start > self._ended:
            self._page.blank()
        self._ended = end


def _table_rows(stream: Iterator[Token]) -> list[list[Cell]]:
    rows: list[list[Cell]] = []
    align = "left"
    header = False
    for token in stream:
        match token.type:
            case "table_close":
                break
            case "tr_open":
                rows.append([])
            case "th_open" | "td_open":
                header = token.type == "th_open"
                align = str(token.attrGet("style") or "").removeprefix("text-align:") or "left"
            case "inline":
                ink = Ink("table-header", BOLD) if header else TEXT
                runs = [item for line in InlineInk(ink).lines(token.children or []) for item in line]
                rows[-1].append(
                    Cell(tuple(run(item.text.replace("\t", " "), item.ink) for item in runs), align)
                )
            case _:
                pass
    return rows
