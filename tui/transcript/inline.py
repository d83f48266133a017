"""Inline Markdown becomes runs: emphasis, code, and links whose address can be read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cutaway.tui.transcript.ink import BOLD, ITALIC, STRIKE, UNDERLINE, Ink, Run, add_run
from cutaway.tui.transcript.safe_text import visible

if TYPE_CHECKING:
    from markdown_it.token import Token

_ATTRIBUTES = {"strong": BOLD, "em": ITALIC, "s": STRIKE, "link": UNDERLINE}
_ESCAPED_FOR_MARKDOWN = frozenset("*_`#~>|-+.!<&")
"""A backslash before these is taken as Markdown; before anything else it is text (`C:\\[x]\\`, `\\(x\\)`)."""


class InlineInk:
    """Walks the children of an inline token; one is made for each inline token."""

    def __init__(self, base: Ink) -> None:
        self._base = base
        self._nesting: list[str] = []
        self._addresses: list[tuple[str, int]] = []
        self._lines: list[list[Run]] = [[]]

    def lines(self, children: Sequence[Token]) -> list[list[Run]]:
        """Give the logical lines of the text, split at hard breaks."""
        for token in children:
            self._token(token)
        return self._lines

    def _token(self, token: Token) -> None:
        match token.type:
            case "text" | "html_inline":
                self._add(token.content)
            case "text_special":
                keep = token.info == "escape" and token.content not in _ESCAPED_FOR_MARKDOWN
                self._add(token.markup if keep else token.content)
            case "softbreak":
                self._add(" ")
            case "hardbreak":
                self._lines.append([])
            case "code_inline":
                self._add(token.content, Ink("code-inline"))
            case "image":
                self._add("[image: ")
                self.lines(token.children or [])
                self._add("]")
                self._add(f" ({token.attrGet('src')})", Ink("link-address"))
            case "link_open":
                self._nesting.append("link")
                self._addresses.append((str(token.attrGet("href") or ""), self._length()))
            case "link_close":
                self._close_link()
            case other:
                self._nest(other)

    def _nest(self, kind: str) -> None:
        name, _, end = kind.rpartition("_")
        if end == "open" and name in _ATTRIBUTES:
            self._nesting.append(name)
        elif end == "close" and name in self._nesting:
            self._nesting.remove(name)

    def _close_link(self) -> None:
        self._nesting.remove("link")
        address, start = self._addresses.pop()
        shown = "".join(item.text for item in self._lines[-1])[start:]
        if address and address not in (shown, f"mailto:{shown}"):
            self._add(f" ({address})", Ink("link-address"))

    def _length(self) -> int:
        return sum(len(item.text) for item in self._lines[-1])

    def _add(self, text: str, ink: Ink | None = None) -> None:
        attributes = 0
        for name in self._nesting:
            attributes |= _ATTRIBUTES[name]
        base = ink or (Ink("link", self._base.attributes) if "link" in self._nesting else self._base)
        if ink is not None and ink.role == "link-address":
            attributes &= ~UNDERLINE
        text = visible(text).replace("\n", " ")
        if text:
            add_run(self._lines[-1], text, base.plus(attributes))
