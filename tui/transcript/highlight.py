"""Colours for code, by role: Pygments is imported with the first fence, and each lexer is made once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutaway.tui.transcript.ink import Ink, Run, add_run, run

if TYPE_CHECKING:
    from pygments.lexer import Lexer  # type: ignore[import-untyped]
    from pygments.token import _TokenType  # type: ignore[import-untyped]

PLAIN = Ink("code")

_ROLES = (
    ("Comment", Ink("code-comment")),
    ("Keyword.Constant", Ink("code-number")),
    ("Keyword.Type", Ink("code-type")),
    ("Keyword", Ink("code-keyword")),
    ("Literal.String.Doc", Ink("code-comment")),
    ("Literal.String", Ink("code-string")),
    ("Literal.Number", Ink("code-number")),
    ("Operator.Word", Ink("code-keyword")),
    ("Name.Function", Ink("code-function")),
    ("Name.Decorator", Ink("code-function")),
    ("Name.Class", Ink("code-type")),
    ("Name.Exception", Ink("code-type")),
    ("Name.Builtin", Ink("code-builtin")),
    ("Name.Tag", Ink("code-keyword")),
    ("Name.Attribute", Ink("code-function")),
    ("Generic.Inserted", Ink("diff-added")),
    ("Generic.Deleted", Ink("diff-removed")),
    ("Generic.Heading", Ink("code-keyword")),
    ("Generic.Subheading", Ink("code-function")),
)


class Highlighter:
    """Turns code into runs, one list a line; a language that is not known gives plain runs."""

    def __init__(self) -> None:
        self._lexers: dict[str, Lexer | None] = {}
        self._inks: dict[_TokenType, Ink] = {}
        self._lines: dict[tuple[str, str], list[Run]] = {}

    def lines(self, code: str, language: str) -> list[list[Run]]:
        """Colour code as a whole, so that strings and comments over several lines come out right."""
        lexer = self._lexer(language)
        if lexer is None or not code:
            return [[run(line, PLAIN)] if line else [] for line in code.split("\n")]
        result: list[list[Run]] = [[]]
        for token, text in lexer.get_tokens(code):
            ink = self._inks.get(token) or self._ink(token)
            first, *others = text.split("\n")
            if first:
                add_run(
                    result[-1], first, ink if not first.isspace() or not result[-1] else result[-1][-1].ink
                )
            for part in others:
                result.append([run(part, ink)] if part else [])
        return result

    def separate_lines(self, code: str, language: str) -> list[list[Run]]:
        """Colour each line alone, as an open fence needs it; lines seen lately cost nothing."""
        result = []
        for line in code.split("\n"):
            key = (language, line)
            if (runs := self._lines.get(key)) is None:
                if len(self._lines) > 2_000:
                    self._lines.clear()
                runs = self._lines[key] = self.lines(line, language)[0]
            result.append(runs)
        return result

    def _lexer(self, language: str) -> Lexer | None:
        if language not in self._lexers:
            self._lexers[language] = _find_lexer(language)
        return self._lexers[language]

    def _ink(self, token: _TokenType) -> Ink:
        name = str(token).removeprefix("Token.")
        ink = next((ink for prefix, ink in _ROLES if name.startswith(prefix)), PLAIN)
        self._inks[token] = ink
        return ink


def _find_lexer(language: str) -> Lexer | None:
    if not language or language in ("text", "plain", "txt"):
        return None
    from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]
    from pygments.util import ClassNotFound  # type: ignore[import-untyped]

    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
