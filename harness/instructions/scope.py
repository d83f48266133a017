"""Which files an instruction file applies to, in time that no pattern of a repository can blow up."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import lru_cache

from cutaway.tools.globs import expand_braces

EVERYTHING = frozenset({"*", "**", "**/*", "/**"})
"""Patterns that mean every file, as Copilot reads them."""


def applies_always(globs: Sequence[str]) -> bool:
    """Tell whether one of the patterns is for every file, so that the text belongs to the stable part."""
    return any(glob in EVERYTHING for glob in globs)


def applies_to(globs: Sequence[str], path: str) -> bool:
    """Tell whether a path with `/`, relative to where the patterns start, fits one of them.

    As in Copilot, a pattern that does not start with `/` fits at any depth.
    """
    return any(fits(one, path) for glob in globs for one in _expanded(glob))


def alternatives(globs: Sequence[str]) -> int:
    """How many patterns without braces these are."""
    return sum(len(_expanded(glob)) for glob in globs)


@lru_cache(maxsize=4096)
def _expanded(glob: str) -> tuple[str, ...]:
    return tuple(expand_braces(glob))


def fits(glob: str, path: str) -> bool:
    """Tell whether a path fits one pattern, in which braces stand for themselves."""
    anchored = glob.startswith(("/", "**/"))
    text = glob.removeprefix("./").lstrip("/")
    if text.endswith("/"):
        text += "**"
    wanted = text.split("/") if anchored else ["**", *text.split("/")]
    if wanted[-1] != "**" and not _names(wanted[-1], path.rpartition("/")[2]):
        return False  # most patterns end here, before any folder is looked at
    reached = _past_any_depth(wanted, {0})
    for name in path.split("/"):
        step = {at for at in reached if at < len(wanted) and wanted[at] == "**"}
        step |= {at + 1 for at in reached if at < len(wanted) and _names(wanted[at], name)}
        reached = _past_any_depth(wanted, step)
    return len(wanted) in reached


def _names(wanted: str, name: str) -> bool:
    """Brackets are read both ways, since folders such as `[id]` are common."""
    return wanted == name or fnmatchcase(name, wanted)


def _past_any_depth(wanted: Sequence[str], places: set[int]) -> set[int]:
    """`**` stands for no folder too."""
    found = set(places)
    for at in range(len(wanted)):
        if at in found and wanted[at] == "**":
            found.add(at + 1)
    return found
