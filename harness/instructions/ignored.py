"""Folders that git ignores, for the search of sub-folders: bounded, since a repository wrote the rules.

The rules of `cutaway.tools.ignore` are regular expressions, and a hostile pattern could hold up a start.
"""

from fnmatch import fnmatchcase
from pathlib import Path

from msgspec import Struct

from cutaway.harness.instructions.reading import FileText, Place, locate, read_text
from cutaway.harness.instructions.scope import fits

IGNORE_FILE = ".gitignore"

MOST_RULES = 500
"""Rules that are in force at once; more would make the search slow."""


class FolderRule(Struct, frozen=True):
    """One line of a `.gitignore` that lies in `folder`; a `pattern` with `/` starts there."""

    folder: Path
    pattern: str
    negated: bool


def folder_rules(folder: Path) -> tuple[FolderRule, ...]:
    """Read the rules of one folder; what is not a readable text file holds none."""
    place = locate(folder / IGNORE_FILE)
    read = read_text(place) if isinstance(place, Place) else place
    if not isinstance(read, FileText):
        return ()
    lines = read.text.split("\n")
    whole = [line.strip() for line in (lines[:-1] if read.cut else lines)]
    return tuple(dict.fromkeys(_rule(folder, line) for line in whole if line.strip("/!") and line[0] != "#"))


def _rule(folder: Path, line: str) -> FolderRule:
    pattern = line.removeprefix("!").rstrip("/")
    return FolderRule(folder, f"/{pattern.lstrip('/')}" if "/" in pattern else pattern, line[0] == "!")


def ignores(rules: tuple[FolderRule, ...], path: Path) -> bool:
    """Tell whether the last rule that fits a folder leaves it out; those above it were asked before."""
    name = path.name
    return next((not rule.negated for rule in reversed(rules) if _fits(rule, path, name)), False)


def _fits(rule: FolderRule, path: Path, name: str) -> bool:
    pattern = rule.pattern
    if pattern[0] != "/":
        return fnmatchcase(name, pattern)
    if "/" not in pattern[1:]:
        return fnmatchcase(name, pattern[1:]) and path.parent == rule.folder
    return fits(pattern, path.relative_to(rule.folder).as_posix())
