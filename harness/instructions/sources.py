"""Where instruction files may lie, in the order in which they are sent."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from msgspec import Struct

from cutaway.harness.instructions.ignored import IGNORE_FILE, MOST_RULES, FolderRule, folder_rules, ignores
from cutaway.harness.places import config_dir
from cutaway.harness.workspace import git_folder
from cutaway.tools.paths import printable

AGENTS = "AGENTS.md"
COPILOT = ".github/copilot-instructions.md"
CLAUDE = "CLAUDE.md"
OWN_NAMES = (AGENTS, "instructions.md")
"""Of the user's own files in the config folder."""

OF_OTHER_PROGRAMS = (".copilot/copilot-instructions.md", ".claude/CLAUDE.md")
"""In the home folder; told of and not used, since they were written for another program's ways."""

MATCHED_FOLDER = ".github/instructions"
MATCHED_ENDING = ".instructions.md"

MOST_MATCHED = 500
"""Files of `.github/instructions` that are read, by name; each is read again when it may apply."""

MOST_FOLDERS = 2000
"""Folders that are searched for nested AGENTS.md (0.07 s, measured with 30 rules of ignored names); what is
deeper is found when it is used."""

MOST_NESTED = 200

SourceKind = Literal["user", "foreign", "whole", "claude", "matched", "nested"]


class Source(Struct, frozen=True):
    """A name under which a file lies; `base` is the folder that its patterns, or its reach, start in."""

    kind: SourceKind
    path: Path
    base: Path
    via: str = ""
    """The file that imports this one, as it is shown."""


class TooMany(Struct, frozen=True):
    """A folder that holds more instruction files than are read."""

    folder: Path
    reason: str


def sources(root: Path, nested: Iterable[Path]) -> Iterator[Source | TooMany]:
    """List what is there for a workspace with links resolved; `nested` are AGENTS.md of sub-folders."""
    top = git_folder(root) or root
    whole = [Source("user", config_dir() / name, config_dir()) for name in OWN_NAMES]
    whole += [Source("foreign", home() / name, home()) for name in OF_OTHER_PROGRAMS]
    whole += [Source("whole", folder / AGENTS, folder) for folder in chain(top, root)]
    bases = tuple(dict.fromkeys((top, root)))
    whole += [Source("whole", base / COPILOT, base) for base in bases]
    yield from (source for source in whole if os.path.lexists(source.path))
    for base in bases:
        yield from _matched(base)
    yield from (Source("nested", path, path.parent) for path in nested)
    for folder in chain(top, root):
        if os.path.lexists(folder / CLAUDE):
            yield Source("claude", folder / CLAUDE, folder)


def own_file() -> Path:
    """Where the user's own instructions for every project lie."""
    return config_dir() / AGENTS


def home() -> Path:
    """The user's home folder; `~` itself, which holds nothing, where there is none."""
    return Path(os.path.expanduser("~"))  # noqa: PTH111 - the method raises where there is no home


def chain(top: Path, folder: Path) -> list[Path]:
    """The folders from `top` down to `folder`, which lies in it."""
    between = [folder, *folder.parents]
    return list(reversed(between[: between.index(top) + 1]))


def _matched(base: Path) -> Iterator[Source | TooMany]:
    top = base / MATCHED_FOLDER
    if os.path.lexists(top) and not Path(os.path.realpath(top)).is_relative_to(base):
        yield TooMany(top, "is a link that leaves the workspace")
        return
    failed: list[OSError] = []
    found: list[Path] = []
    for number, (folder, folders, names) in enumerate(os.walk(top, onerror=failed.append)):
        folders.sort()
        found += [Path(folder, name) for name in names if name.endswith(MATCHED_ENDING)]
        if number == MOST_FOLDERS:
            break
    found.sort()
    yield from (Source("matched", path, base) for path in found[:MOST_MATCHED])
    if len(found) > MOST_MATCHED:
        said = f"holds {len(found)} instruction files: only the first {MOST_MATCHED} by name are read"
        yield TooMany(top, said)
    for error in failed:
        if not isinstance(error, FileNotFoundError):
            yield TooMany(Path(error.filename or top), f"cannot be read: {error.strerror}")


def nested_below(root: Path) -> list[Path]:
    """Find AGENTS.md in sub-folders, the nearest first; hidden and ignored folders are left out."""
    found: list[Path] = []
    level: list[tuple[Path, tuple[FolderRule, ...]]] = [(root, ())]
    searched = 0
    while level and searched < MOST_FOLDERS and len(found) < MOST_NESTED:
        below: list[tuple[Path, tuple[FolderRule, ...]]] = []
        for folder, above in level[: MOST_FOLDERS - searched]:
            searched += 1
            folders, names = _look_into(folder)
            rules = (*above, *folder_rules(folder))[:MOST_RULES] if IGNORE_FILE in names else above
            if AGENTS in names and folder != root:
                found.append(folder / AGENTS)
            below += [(path, rules) for path in folders if not ignores(rules, path)]
        level = below
    return found[:MOST_NESTED]


_FOREIGN = frozenset({"node_modules", "vendor", "venv", "site-packages", "__pycache__"})
"""Folders that hold the code of others, whose instructions are for those who work on that code."""


def _look_into(folder: Path) -> tuple[list[Path], set[str]]:
    """The sub-folders worth a look, by name, and the names of all that the folder holds."""
    try:
        with os.scandir(folder) as entries:
            listed = {entry.name: entry.is_dir(follow_symlinks=False) for entry in entries}
    except OSError:
        return [], set()
    return [folder / name for name in sorted(listed) if listed[name] and _is_own(name)], set(listed)


def _is_own(name: str) -> bool:
    return not name.startswith(".") and name not in _FOREIGN


def nested_above(root: Path, path: Path) -> Iterator[Path]:
    """AGENTS.md in the folders between the workspace and a file in it, the outermost first."""
    folders = list(path.relative_to(root).parts[:-1])
    for depth in range(1, len(folders) + 1):
        if all(_is_own(name) for name in folders[:depth]):
            candidate = root.joinpath(*folders[:depth], AGENTS)
            if os.path.lexists(candidate):
                yield candidate


def shown(root: Path, path: Path) -> str:
    """Name a file for the user and the model: from the workspace, else from the home folder."""
    if path.is_relative_to(root):
        return printable(path.relative_to(root).as_posix())
    if path.is_relative_to(git_folder(root) or root):
        return printable(Path(os.path.relpath(path, root)).as_posix())
    at_home = path.is_relative_to(home())
    return printable(f"~/{path.relative_to(home()).as_posix()}" if at_home else str(path))
