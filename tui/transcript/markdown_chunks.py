"""Where a growing Markdown text may be cut without changing what it means.

A cut is made at a blank line outside fences, between the top-level items of a list, and at a fence's ends.
Link reference definitions would reach across cuts; they are not resolved but shown as the text they are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from cutaway.tui.transcript.chunks import Chunk, cut_long
from cutaway.tui.transcript.safe_text import visible

CODE_LINES = 150
"""Lines of one fence after which code is frozen at the next line that begins at the margin (at twice as many
lines, anywhere): colouring starts afresh there, so that a fence of any length costs the same a line."""
TEXT_LINES = 120
"""Lines after which a paragraph, a quote or a table is cut at the next line."""
ITEM_LINES = 500
"""Lines after which one list item is cut, which loses its indentation."""

_FENCE = re.compile(r"( {0,3})(?:(`{3,})([^`]*)|(~{3,})(.*))$")
_ITEM = re.compile(r"( {0,3})([-*+]|(\d{1,9})([.)]))( {1,4}(?=\S)| (?= )|$)")
_TABLE_RULE = re.compile(r" {0,3}\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$")


@dataclass(frozen=True, slots=True)
class _Fence:
    mark: str
    indent: int
    language: str

    def closed_by(self, line: str) -> bool:
        """Tell whether a line ends the fence."""
        bare = line.strip(" \t")
        return (
            len(bare) >= len(self.mark)
            and set(bare) == {self.mark[0]}
            and len(line) - len(line.lstrip(" ")) < 4
        )


class MarkdownSplitter:
    """Cuts Markdown into chunks that can be parsed alone."""

    def __init__(self) -> None:
        self.frozen: list[Chunk] = []
        self._partial = ""
        self._lines: list[str] = []
        self._blanks = 0
        self._join = "\n"
        self._item: re.Match[str] | None = None
        self._ordinal: int | None = None
        self._header = ""
        self._fence: _Fence | None = None
        self._opens = True
        self._batches: list[Chunk] = []
        self._batched = 0
        self._closed_text: Chunk | None = None

    def feed(self, text: str) -> None:
        *complete, self._partial = (self._partial + text).split("\n")
        for line in complete:
            self._take(line)
        *pieces, self._partial = cut_long(self._partial)
        for piece in pieces:
            self._take_cut(piece)

    def close(self) -> None:
        if self._partial:
            self._take(self._partial)
            self._partial = ""
        if self._fence is not None:
            self._end_fence()
        elif self._lines:
            self._freeze_text()

    def _take(self, raw: str) -> None:
        *pieces, last = cut_long(raw)
        for piece in pieces:
            self._take_cut(piece)
        self._line(visible(last.removesuffix("\r")))

    def _take_cut(self, piece: str) -> None:
        self._line(visible(piece))
        if self._fence is not None:
            self._freeze_code()
        elif self._lines:
            self._freeze_text()
        self._join = ""

    # one complete line

    def _line(self, line: str) -> None:
        self._closed_text = None
        if self._fence is not None:
            self._code_line(self._fence, line)
        elif not line.strip():
            self._blanks += 1
        else:
            if self._lines and self._breaks_before(line):
                self._freeze_text()
            if (fence := self._opening_fence(line)) is not None:
                self._begin_fence(fence)
            else:
                self._text_line(line)

    def _text_line(self, line: str) -> None:
        if not self._lines:
            self._begin_text(line)
        else:
            self._lines.extend([""] * self._blanks)
        self._blanks = 0
        self._lines.append(line)
        limit = ITEM_LINES if self._item else TEXT_LINES
        if len(self._lines) >= limit:
            header = self._table_header()
            self._freeze_text()
            self._header = header

    def _begin_text(self, line: str) -> None:
        self._take_gap()
        previous, self._item = self._item, _ITEM.match(line)
        self._ordinal = _next_ordinal(previous, self._item, self._ordinal)
        if self._header and "|" not in line:
            self._header = ""

    def _take_gap(self) -> None:
        if self._blanks and self.frozen:
            self._join = "\n\n"
            self._header = ""
        self._blanks = 0

    def _breaks_before(self, line: str) -> bool:
        """Tell whether a line that is not blank begins a chunk of its own."""
        indent = len(line) - len(line.lstrip(" \t"))
        item = _ITEM.match(line)
        if self._item is not None:
            if item is not None and indent <= 1:
                return True
            return self._blanks > 0 and indent == 0
        if self._blanks:
            return not (_is_indented_code(line) and _is_indented_code(self._lines[0]))
        return item is not None and indent <= 1 and bool(item[5]) and item[3] in (None, "1")

    def _table_header(self) -> str:
        if self._header:
            return self._header
        if len(self._lines) > 2 and "|" in self._lines[0] and _TABLE_RULE.match(self._lines[1]):
            return "\n".join(self._lines[:2])
        return ""

    def _freeze_text(self) -> None:
        self.frozen.append(self._text_chunk(self._lines))
        self._lines = []
        self._join = "\n"
        self._header = ""

    def _text_chunk(self, lines: list[str], *, open: bool = False) -> Chunk:
        text = "\n".join(lines)
        return Chunk("markdown", text, self._join, ordinal=self._ordinal, header=self._header, open=open)

    # fences

    def _opening_fence(self, line: str) -> _Fence | None:
        match = _FENCE.match(line)
        if match is None:
            return None
        indent = len(match[1])
        if self._lines and self._item is not None and indent >= self._item.end():
            return None
        words = (match[3] or match[5] or "").strip().strip("{}").lstrip(".").split()
        return _Fence(match[2] or match[4], indent, words[0].lower() if words else "")

    def _begin_fence(self, fence: _Fence) -> None:
        if self._lines:
            self._freeze_text()
        self._take_gap()
        self._header, self._item, self._ordinal = "", None, None
        self._fence, self._opens = fence, True

    def _code_line(self, fence: _Fence, line: str) -> None:
        if fence.closed_by(line):
            self._end_fence()
            return
        at_margin = line[:1].isalnum() or line[:1] in ("@", "<", "#")
        if len(self._lines) >= (CODE_LINES if at_margin else 2 * CODE_LINES):
            self._freeze_code()
        content = line
        for _ in range(fence.indent):
            content = content.removeprefix(" ")
        self._lines.append(content)

    def _end_fence(self) -> None:
        if self._lines or self._opens:
            self._freeze_code()
        self._fence, self._join = None, "\n"

    def _freeze_code(self) -> None:
        self._batches, self._batched = [], 0
        self.frozen.append(self._code_chunk(self._lines, self._join))
        self._lines = []
        self._join, self._opens = "\n", False

    def _code_chunk(self, lines: list[str], join: str, *, open: bool = False) -> Chunk:
        language = self._fence.language if self._fence else ""
        opens = self._opens and not self._batches
        return Chunk("code", "\n".join(lines), join, language, opens, open=open)

    # the open end

    def tail(self) -> list[Chunk]:
        partial = visible(self._partial.removesuffix("\r"))
        return self._code_tail(partial) if self._fence is not None else self._text_tail(partial)

    def _text_tail(self, partial: str) -> list[Chunk]:
        blank = not partial.strip()
        if not self._lines:
            join = "\n\n" if self._blanks and self.frozen else self._join
            return [] if blank else [Chunk("markdown", partial, join, header=self._header, open=True)]
        if not blank and not (self._blanks and self._breaks_before(partial)):
            return [self._text_chunk([*self._lines, *[""] * self._blanks, partial], open=True)]
        if self._closed_text is None:
            self._closed_text = self._text_chunk(self._lines, open=True)
        if blank:
            return [self._closed_text]
        ordinal = _next_ordinal(self._item, _ITEM.match(partial), self._ordinal)
        return [self._closed_text, Chunk("markdown", partial, "\n\n", ordinal=ordinal, open=True)]

    def _code_tail(self, partial: str) -> list[Chunk]:
        fence = self._fence
        if fence is not None and partial and set(partial.strip()) == {fence.mark[0]}:
            partial = ""
        fresh = self._lines[self._batched :]
        if fresh or (self._opens and not self._batches and not partial):
            join = "\n" if self._batches else self._join
            self._batches.append(self._code_chunk(fresh, join, open=True))
            self._batched = len(self._lines)
        if not partial:
            return list(self._batches)
        join = "\n" if self._batches else self._join
        return [*self._batches, self._code_chunk([partial], join, open=True)]


def _is_indented_code(line: str) -> bool:
    return line.startswith(("    ", "\t"))


def _next_ordinal(
    previous: re.Match[str] | None, item: re.Match[str] | None, ordinal: int | None
) -> int | None:
    """Give an item of a numbered list the number after the one before, as a list parsed whole would."""
    if item is None or item[3] is None:
        return None
    if previous is not None and previous[3] is not None and previous[4] == item[4] and ordinal is not None:
        return ordinal + 1
    return int(item[3])
