"""Text from models, tools and files is data: none of it may act on the terminal or hide from the reader."""

from __future__ import annotations

import re

# C0 but tab and newline, DEL and C1; soft hyphen and the invisible marks, joiners apart (emoji need U+200D);
# line and paragraph separators; bidirectional embeddings, overrides and isolates; lone surrogates, which no
# terminal encoding can write; fillers that look like nothing; interlinear, musical and tag characters and
# the selectors of rare glyph variants, in which text can hide (emoji need the first sixteen, which stay).
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ud800-\udfff\ufff9-\ufffb\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def visible(text: str) -> str:
    """Show what would act or be invisible as a Python escape; CRLF becomes a line end, tabs stay."""
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    return _UNSAFE.sub(_escape, text)


def one_line(text: str) -> str:
    """Bring safe text onto a single line, for titles and paths, without losing that there were line ends."""
    return visible(text).replace("\n", "⏎").replace("\t", " ")


def count_of(number: int, noun: str) -> str:
    """Say a count with its noun in the right number."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
