"""Styled text without a style: spans name a role, so a change of theme costs no new layout."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

BOLD = 1
ITALIC = 2
STRIKE = 4
UNDERLINE = 8


class Ink(NamedTuple):
    """A role of the theme (a component class of the widget) and attributes that hold without colours too."""

    role: str
    attributes: int = 0

    def plus(self, attributes: int) -> Ink:
        """Add attributes, as emphasis inside a heading does."""
        return Ink(self.role, self.attributes | attributes) if attributes else self


class Run(NamedTuple):
    """A stretch of a line before it is wrapped."""

    text: str
    ink: Ink
    size: int
    """Characters of the plain text behind it: a tab shows as several cells but is one character."""


class Span(NamedTuple):
    """A stretch of a line on the screen."""

    text: str
    ink: Ink
    at: int
    """Where the text stands in the section's plain text; -1 for decoration, which is not copied."""
    size: int


class Line(NamedTuple):
    """One row of the screen, without its padding."""

    spans: tuple[Span, ...]
    at: int
    """Where the row begins in the plain text."""
    fill: str = ""
    """The role whose background fills the row to its end."""

    @property
    def text(self) -> str:
        """What the row shows."""
        return "".join(span.text for span in self.spans)


class Drawn(NamedTuple):
    """A section of a block at one width: its rows, and its words without wraps and decoration."""

    lines: tuple[Line, ...]
    plain: str


def run(text: str, ink: Ink) -> Run:
    """Make a run whose cells are its characters."""
    return Run(text, ink, len(text))


def decoration(text: str, role: str) -> Span:
    """Make a span that is seen but never copied or found."""
    return Span(text, Ink(role), -1, 0)


def add_run(runs: list[Run], text: str, ink: Ink) -> None:
    """Append text to a line, joined to what is before if that looks the same: few stretches paint faster."""
    if runs and runs[-1].ink == ink:
        runs[-1] = run(runs[-1].text + text, ink)
    else:
        runs.append(run(text, ink))


def expand_tabs(runs: Iterable[Run], stop: int = 4) -> list[Run]:
    """Show tabs as spaces up to the next stop while they stay one character of the plain text."""
    from rich.cells import cell_len

    result: list[Run] = []
    column = 0
    for item in runs:
        if "\t" not in item.text:
            result.append(item)
            column += cell_len(item.text)
            continue
        for index, part in enumerate(item.text.split("\t")):
            if index:
                spaces = stop - column % stop
                result.append(Run(" " * spaces, item.ink, 1))
                column += spaces
            if part:
                result.append(run(part, item.ink))
                column += cell_len(part)
    return result
