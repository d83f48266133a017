"""What a search of files and their text is asked and answers, whoever carries it out."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Protocol

from msgspec import Struct

TIME_LIMIT = 20.0
"""Seconds after which a search stops and gives what it has."""

HINT_TIME = 3.0
"""Seconds that may be spent on finding out why a search found nothing."""

LINE_SHOWN = 300
"""Characters of a matching line that are shown; a longer one is cut around the match."""

_BEFORE = 100
"""Characters shown before a match in a cut line."""

FILE_SIZE = 100 << 20
"""Bytes; larger files are not searched."""

MOST_COUNTED = 20_000
"""Matching lines, of one file or of a whole search, after which counting stops."""


class Hit(Struct, frozen=True):
    """One matching line, 1-based; `cut` tells that `text` is only a part of it."""

    line: int
    text: str
    cut: bool = False


class FileHits(Struct, frozen=True):
    """The matches in one file: the first few, and how many lines match in all."""

    path: Path
    hits: tuple[Hit, ...]
    count: int


class TextQuery(Struct, frozen=True):
    """What to look for, and where; `names` are globs of file names that can narrow the search early.

    `most` bounds the hits that are kept of one file.
    """

    pattern: str
    root: Path
    is_regexp: bool = False
    ignore_case: bool = False
    with_ignored: bool = False
    names: tuple[str, ...] = ()
    most: int = 100


class SearchFailed(Exception):
    """The search could not start: the message is that of the program that would have searched."""


class Searcher(Protocol):
    """Walks a tree, hidden files included; leaves out `.git`, links and, if not asked for, ignored files."""

    def files(self, root: Path, *, with_ignored: bool = False) -> AsyncGenerator[list[Path], None]:
        """Yield the files below `root` in batches, as absolute paths, in no certain order."""
        ...

    def matches(self, query: TextQuery) -> AsyncGenerator[FileHits, None]:
        """Yield the files that match, in the order of their paths. Raises SearchFailed."""
        ...


def excerpt(line: bytes, start: int, end: int) -> tuple[str, bool]:
    """Cut a line around a match given in bytes; the second value tells whether it was cut."""
    before = line[:start].decode("utf-8", "replace")
    match = line[start:end].decode("utf-8", "replace")
    after = line[end:].decode("utf-8", "replace").rstrip("\r\n")
    if len(before) + len(match) + len(after) <= LINE_SHOWN:
        return (before + match + after).rstrip("\r\n"), False
    head = before[-_BEFORE:] if len(before) > _BEFORE else before
    kept = match[: LINE_SHOWN - len(head)]
    rest = LINE_SHOWN - len(head) - len(kept)
    tail = after[:rest]
    left = "…" if len(head) < len(before) else ""
    right = "…" if len(kept) < len(match) or len(tail) < len(after) else ""
    return f"{left}{head}{kept}{tail}{right}", True
