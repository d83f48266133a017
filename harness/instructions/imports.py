"""The `@path` lines of a CLAUDE.md, which bring other files of the workspace in."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

IMPORT_ENDINGS = (".md", ".mdc", ".txt")
"""Only prose is sent without being asked for; code and settings the model reads with its tools."""

IMPORT_DEPTH = 5
"""Files between a CLAUDE.md and what it brings in, as in Claude Code."""

MOST_IMPORTS = 50
"""Names that one file may import; each is looked at with every message."""

_OPEN = frozenset({".github", ".claude", ".cursor"})
"""Hidden folders in which projects keep prose for people and models."""

_CODE = re.compile(r"^ {0,3}(```+|~~~+).*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)|`[^`\n]+`", re.DOTALL | re.MULTILINE)
_NAMED = re.compile(r"(?:^|(?<=\s))@([^\s@]+)", re.MULTILINE)


def imports_of(text: str, folder: Path, inside: Path) -> Iterator[Path]:
    """Name the files that a text imports, relative to its folder; code is passed over.

    Most words with `@` (a decorator, a package, a person) name no file and are no imports. Outside of
    `inside` nothing is looked for on the disk: there the name alone tells.
    """
    found = (match[1].rstrip(".,;:!?)'\"") for match in _NAMED.finditer(_CODE.sub(" ", text)))
    for name in list(dict.fromkeys(found))[:MOST_IMPORTS]:
        path = Path(os.path.normpath(folder / os.path.expanduser(name)))  # noqa: PTH111 - never raises
        if path.is_relative_to(inside):
            if os.path.isfile(path):  # noqa: PTH113 - the method raises for some names
                yield path
        elif path.suffix.lower() in IMPORT_ENDINGS:
            yield path


def why_not_imported(path: Path, inside: Path) -> str:
    """Why a file is not brought in, '' when it is; hidden folders and other kinds of files are not."""
    if not path.is_relative_to(inside):
        return "lies outside of the workspace, where @ lines are not followed"
    hidden = [part for part in path.relative_to(inside).parts if part.startswith(".")]
    if any(part not in _OPEN for part in hidden):
        return "is hidden, and @ lines do not bring in what is hidden"
    if path.suffix.lower() not in IMPORT_ENDINGS:
        return f"is not brought in by an @ line: only {', '.join(IMPORT_ENDINGS)} are"
    return ""
