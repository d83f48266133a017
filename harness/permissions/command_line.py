"""A command line taken apart: its simple commands, what joins them, and what they redirect."""

from pathlib import PurePosixPath
from typing import Literal

from msgspec import Struct

UNKNOWN = "\0"
"""Stands in a word for text that only the running shell knows (a command line cannot hold a NUL)."""

HARMLESS_FILES = frozenset(
    {"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/fd/1", "/dev/fd/2"}
)


class Word(Struct, frozen=True):
    """One word with its quotes removed; `expands` tells that bash would replace some of it by names."""

    text: str
    expands: bool = False

    @property
    def known(self) -> bool:
        """Tell whether the text is all there is to know."""
        return UNKNOWN not in self.text


RedirectKind = Literal["write", "read", "text", "copy"]


class Redirect(Struct, frozen=True):
    """Where output goes or input comes from; "text" is a here-string or heredoc, "copy" a descriptor."""

    kind: RedirectKind
    target: Word

    @property
    def harmless(self) -> bool:
        """Tell whether no file is touched."""
        return self.kind in ("text", "copy") or self.target.text in HARMLESS_FILES


class Part(Struct, frozen=True):
    """One simple command; `joined` is what stands before it ('' for the first)."""

    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...] = ()
    joined: str = ""

    @property
    def program(self) -> str:
        """The name of the program as a judge compares it: no folder, no case; '' when not known."""
        return program_of(self.words[0]) if self.words else ""

    @property
    def piped(self) -> bool:
        """Tell whether it reads what the command before it writes."""
        return self.joined in ("|", "|&")

    @property
    def inputs(self) -> tuple[Redirect, ...]:
        """What it reads besides its arguments."""
        return tuple(item for item in self.redirects if item.kind in ("read", "text"))

    @property
    def arguments(self) -> tuple[str, ...]:
        """The words after the program, as text."""
        return tuple(word.text for word in self.words[1:])


class CommandLine(Struct, frozen=True):
    """All simple commands of a line, those inside loops and substitutions too.

    `obstacle` says why the line is not plain ('' when it is): only a plain line can be covered by a
    rule. `broken` tells that it could not be read at all, so that nothing is known of it.
    """

    text: str
    parts: tuple[Part, ...]
    obstacle: str = ""
    broken: bool = False
    loops: bool = False


def program_of(word: Word) -> str:
    """Name a program without folder, case and `.exe`; '' when only the running shell knows it."""
    if word.text == ".":
        return "."
    name = PurePosixPath(word.text.replace("\\", "/")).name.casefold().removesuffix(".exe")
    return "" if UNKNOWN in name or not name else name


def redirect_kind(operator: str, target: str) -> RedirectKind:
    """Tell what a redirect operator does to its target."""
    if operator == "<<<":
        return "text"
    if operator in (">&", "<&") and (target == "-" or target.rstrip("-").isdecimal()):
        return "copy"
    return "read" if operator == "<" else "write"
