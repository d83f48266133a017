"""Read command lines that hold plain words only, by bash's own quoting rules and nothing else.

This is the second reader beside the grammar: a rule may cover a line only when both take it apart in
the same way, because a fault in one parser would otherwise let a command through.
"""

import re
from dataclasses import dataclass, field

from msgspec import Struct

from cutaway.harness.permissions.command_line import Part, Redirect, Word, redirect_kind

_BLANKS = " \t"
_ENDS_WORD = frozenset(" \t\n;&|<>()")
_SEPARATOR = re.compile(r"&&|\|\||;;&?|;&|\|&|[;&|\n]")
_REDIRECT = re.compile(r"(?:\d*(?:<<<|<<-?|<>|<&|<\(|<|>>|>\||>&|>\(|>)|&>>|&>)")
_PLAIN_SEPARATORS = frozenset({"&&", "||", ";", "|", "&", "\n"})
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\[[^\]]*\])?\+?=")
_KEYWORDS = frozenset(
    (
        "if",
        "then",
        "else",
        "elif",
        "fi",
        "do",
        "done",
        "case",
        "esac",
        "while",
        "until",
        "for",
        "in",
        "function",
        "select",
        "time",
        "coproc",
        "!",
        "{",
        "}",
        "[[",
        "]]",
    )
)


class NotPlain(Exception):
    """What a plain line cannot hold; the message names it."""


class PlainReading(Struct, frozen=True):
    """The parts of a plain line, and what the grammar must agree with: where words lie (byte offsets
    in UTF-8) and which separators stand between commands, line ends left out."""

    parts: tuple[Part, ...]
    spans: tuple[tuple[int, int], ...]
    separators: tuple[str, ...]


def read_plain(source: bytes) -> PlainReading:
    """Take a line apart; raises NotPlain as soon as it holds anything else than plain words."""
    return _Reader(source.decode("latin-1")).read()  # one character a byte: offsets are byte offsets


@dataclass(slots=True)
class _Reader:
    text: str
    at: int = 0
    parts: list[Part] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)
    separators: list[str] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)
    redirects: list[Redirect] = field(default_factory=list)
    joined: str = ""

    def read(self) -> PlainReading:
        while self._skip_blanks():
            if found := _REDIRECT.match(self.text, self.at):
                self._redirect(found[0])
            elif found := _SEPARATOR.match(self.text, self.at):
                self._separate(found[0])
            else:
                self._command_word()
        self._finish("")
        return PlainReading(tuple(self.parts), tuple(self.spans), tuple(self.separators))

    def _skip_blanks(self) -> bool:
        while self.at < len(self.text) and self.text[self.at] in _BLANKS:
            self.at += 1
        return self.at < len(self.text)

    def _separate(self, separator: str) -> None:
        if separator not in _PLAIN_SEPARATORS:
            raise NotPlain(f"`{separator}`")
        self.at += len(separator)
        if separator != "\n":
            self.separators.append(separator)
            if not self.words and not self.redirects:
                raise NotPlain(f"`{separator}` without a command before it")
        elif not self.words and not self.redirects:
            return  # an empty line, or a line end after `&&` or `|`
        self._finish(separator)

    def _finish(self, separator: str) -> None:
        if self.words or self.redirects:
            self.parts.append(Part(tuple(self.words), tuple(self.redirects), self.joined))
        self.words, self.redirects, self.joined = [], [], ";" if separator == "\n" else separator

    def _redirect(self, found: str) -> None:
        operator = found.lstrip("0123456789")
        if operator in ("<<", "<<-"):
            raise NotPlain("a heredoc")
        if operator in ("<(", ">("):
            raise NotPlain("a process substitution")
        self.at += len(found)
        if operator in (">&", "<&") and self.text[self.at : self.at + 1] == "-":
            self.at += 1  # closes a descriptor
            return
        self._skip_blanks()
        word = self._word()
        self.redirects.append(Redirect(redirect_kind(operator, word.text), word))

    def _command_word(self) -> None:
        start = self.at
        word = self._word()
        raw = self.text[start : self.at]
        if not self.words:
            if _ASSIGNMENT.match(raw):
                raise NotPlain("a variable assignment")
            if raw in _KEYWORDS:
                raise NotPlain(f"the shell keyword `{raw}`")
        self.words.append(word)

    def _word(self) -> Word:
        start, text, expands = self.at, [], False
        while self.at < len(self.text) and (char := self.text[self.at]) not in _ENDS_WORD:
            self.at += 1
            if char == "\\":
                text.append(self._escaped())
            elif char == "'":
                text.append(self._single_quoted())
            elif char == '"':
                text.append(self._double_quoted())
            else:
                self._refuse(char, first=self.at - 1 == start)
                expands = expands or char in "*?[~"
                text.append(char)
        if self.at == start:
            what = self.text[start : start + 1]
            raise NotPlain("a subshell or function" if what in ("(", ")") else "a redirect without a target")
        self.spans.append((start, self.at))
        return Word(_as_text("".join(text)), expands)

    def _refuse(self, char: str, *, first: bool) -> None:
        if char in "$`":
            raise NotPlain("an expansion or substitution")
        if char == "#" and first:
            raise NotPlain("a comment")
        if char == "{" and not self._stands_for_a_name():
            raise NotPlain("braces")

    def _stands_for_a_name(self) -> bool:
        """Tell whether this is the word `{}`, which find and xargs replace and bash leaves alone."""
        before, after = self.text[self.at - 2 : self.at - 1], self.text[self.at + 1 : self.at + 2]
        return (
            self.text.startswith("}", self.at)
            and (not before or before in _ENDS_WORD)
            and (not after or after in _ENDS_WORD)
        )

    def _escaped(self) -> str:
        char = self.text[self.at : self.at + 1]
        if not char or char == "\n":
            raise NotPlain("a line continuation")
        self.at += 1
        return char

    def _single_quoted(self) -> str:
        end = self.text.find("'", self.at)
        if end < 0:
            raise NotPlain("a quote that is not closed")
        inner, self.at = self.text[self.at : end], end + 1
        return inner

    def _double_quoted(self) -> str:
        text: list[str] = []
        while self.at < len(self.text):
            char = self.text[self.at]
            self.at += 1
            if char == '"':
                return "".join(text)
            if char in "$`":
                raise NotPlain("an expansion or substitution")
            if char == "\\":
                follower = self._escaped()
                char = follower if follower in '$`"\\' else "\\" + follower
            text.append(char)
        raise NotPlain("a quote that is not closed")


def _as_text(latin: str) -> str:
    return latin.encode("latin-1").decode()
