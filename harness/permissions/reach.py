"""Which files the words of a command may mean, links followed."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from cutaway.harness.permissions.command_line import HARMLESS_FILES, UNKNOWN, Part, Redirect, Word
from cutaway.harness.permissions.folders import Folders
from cutaway.harness.permissions.options import PATTERN_TAKERS, PRINTERS, WRITERS
from cutaway.harness.permissions.wrappers import Seen
from cutaway.tools.paths import Workspace

_ATTACHED = re.compile(r"(?<![:/\w])(?:~|/|\.\./)")
_LONGEST_PATH = 4096


class Place(Struct, frozen=True):
    """A path that a command names: as given, made absolute, and where it really leads."""

    given: str
    path: Path
    real: Path

    def inside(self, workspace: Workspace) -> bool:
        """Tell whether what the name leads to lies in the workspace."""
        return self.real.is_relative_to(workspace.root)

    def shown(self, workspace: Workspace) -> str:
        """Name the real target, and the given name where it hides that."""
        real, named = workspace.display(self.real), workspace.display(self.path)
        return real if named == real else f"{named} (really {real})"


def place_of(word: Word, folder: Path) -> Place:
    """Resolve one word as bash and the kernel would, in one folder; globs end the path before them."""
    text = word.text
    cut = min((text.find(mark) for mark in _marks(word) if mark in text), default=-1)
    if cut >= 0:
        text = text[:cut].rpartition("/")[0] + "/" if "/" in text[:cut] else "."
    if word.expands and text.startswith("~"):
        text = _home_of(text)
    joined = folder / text
    return Place(
        word.text.replace(UNKNOWN, "…"), Path(os.path.normpath(joined)), Path(os.path.realpath(joined))
    )


def _marks(word: Word) -> str:
    return UNKNOWN + ("*?[" if word.expands else "")


def _home_of(text: str) -> str:
    try:
        return str(Path(text).expanduser())
    except RuntimeError:
        return text


def redirect_places(redirect: Redirect, folders: Folders) -> list[Place] | None:
    """Resolve a redirect's target in every folder that may be meant; None when it cannot be known."""
    word = redirect.target
    if not word.known or (word.expands and any(mark in word.text for mark in "*?[")):
        return None
    if folders is None:
        return [place_of(word, Path("/"))] if word.text.startswith(("/", "~")) else None
    return [place_of(word, folder) for folder in folders]


def named_places(seen: Seen) -> Iterator[Place]:
    """Yield what the arguments of a command may name, the program itself left out.

    Words count as paths when they are absolute, start at home, climb with `..`, or exist.
    """
    part = seen.part
    if part.program in PRINTERS:
        return
    folders = seen.folders or ()
    for word in part.words[1:]:
        for candidate in _candidates(word):
            absolute = candidate.text.startswith("/") or (
                candidate.expands and candidate.text.startswith("~")
            )
            for folder in folders or ((Path("/"),) if absolute else ()):
                place = place_of(candidate, folder)
                if _counts(part, candidate, absolute, place):
                    yield place


def _candidates(word: Word) -> Iterator[Word]:
    """Yield the word, and the path that may be attached to it as in `--out=/x` or `-I/x`."""
    text = word.text
    if not text or len(text) > _LONGEST_PATH or text in HARMLESS_FILES or "://" in text or "\n" in text:
        return
    if not text.startswith("-"):
        yield word
    if (value := text.partition("=")[2]) and value not in HARMLESS_FILES:
        yield Word(value, word.expands)
    elif text.startswith("-") and (found := _ATTACHED.search(text.lstrip("-"))) is None:
        if len(text) > 2 and "/" in text:
            yield Word(text[2:], word.expands)
    elif text.startswith("-") and found:
        yield Word(text.lstrip("-")[found.start() :], word.expands)


def _counts(part: Part, word: Word, absolute: bool, place: Place) -> bool:
    exists = os.path.lexists(place.path)
    if part.program in PATTERN_TAKERS:  # where a word may be a pattern, only what exists is a path
        return exists
    return absolute or ".." in Path(word.text).parts or exists or part.program in WRITERS


def outside(seen: Seen, workspace: Workspace) -> Place | None:
    """Find the first place outside the workspace that a command's arguments name."""
    return next((place for place in named_places(seen) if not place.inside(workspace)), None)
