"""`.gitignore` rules, for the walk that replaces ripgrep where there is none."""

import re
from pathlib import Path

from msgspec import Struct

from cutaway.tools.globs import translate

_FILES = (".gitignore", ".ignore", ".rgignore")


class IgnoreRule(Struct, frozen=True):
    """One line of an ignore file; `folder` is where that file lies."""

    folder: Path
    test: re.Pattern[str]
    negated: bool
    only_folders: bool


def rules_in(folder: Path) -> tuple[IgnoreRule, ...]:
    """Read the ignore files of one folder; what cannot be read holds no rules."""
    rules: list[IgnoreRule] = []
    for name in _FILES:
        try:
            text = (folder / name).read_text("utf-8", "replace")
        except OSError:
            continue
        rules += [rule for line in text.split("\n") if (rule := _rule(folder, line)) is not None]
    return tuple(rules)


def _rule(folder: Path, line: str) -> IgnoreRule | None:
    line = line.rstrip("\r")
    if not line.endswith("\\ "):
        line = line.rstrip(" ")
    negated = line.startswith("!")
    pattern = line[1:] if negated else line
    if not pattern or pattern.startswith("#"):
        return None
    only_folders = pattern.endswith("/")
    pattern = pattern.rstrip("/")
    pattern = pattern[1:] if pattern.startswith("/") else pattern if "/" in pattern else f"**/{pattern}"
    if not pattern:
        return None
    return IgnoreRule(folder, re.compile(translate(pattern, sets=True), re.DOTALL), negated, only_folders)


def is_ignored(path: Path, rules: tuple[IgnoreRule, ...], *, folder: bool) -> bool:
    """Tell whether the last rule that matches a path leaves it out."""
    for rule in reversed(rules):
        if rule.only_folders and not folder:
            continue
        if rule.test.fullmatch(path.relative_to(rule.folder).as_posix()):
            return not rule.negated
    return False


def rules_above(folder: Path) -> tuple[IgnoreRule, ...]:
    """Gather the rules that hold in a folder from the folders above it, up to its repository's root."""
    chain: list[Path] = []
    here = folder
    while not (here / ".git").exists() and here != here.parent:
        here = here.parent
        chain.append(here)
    return tuple(rule for above in reversed(chain) for rule in rules_in(above))
