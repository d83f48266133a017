"""Follow `cd` through a command line, since a relative path means another file after it."""

import os
from pathlib import Path

from cutaway.harness.permissions.command_line import CommandLine, Part

Folders = tuple[Path, ...] | None
"""All the folders a command may run in (a `cd` may fail); None when only the running shell knows."""

_MOST = 16
"""Folders that are followed at once; a line with more is not worth following."""


def track(line: CommandLine, start: Folders) -> list[Folders]:
    """Tell, for each part of the line, in which folders it may run.

    After `cd x &&` the `cd` has worked; after any other separator it may have failed, and in a pipe,
    behind `||` or in a subshell it may not have lasted, so the folder before it stays possible too.
    """
    found: list[Folders] = []
    now, possible = start, start
    moves = any(part.program in ("cd", "pushd", "popd") for part in line.parts)
    if line.loops and moves:
        return [None for _ in line.parts]
    for part in line.parts:
        if part.joined != "&&":
            now = possible
        found.append(now)
        if part.program in ("cd", "pushd"):
            now = _moved(part, now)
            possible = None if now is None or possible is None else tuple(dict.fromkeys((*possible, *now)))
            if possible is not None and len(possible) > _MOST:
                now = possible = None
            if line.obstacle or part.joined in ("||", "|", "|&"):
                now = possible
    return found


def _moved(part: Part, folders: Folders) -> Folders:
    words = [word for word in part.words[1:] if word.text in ("", "-") or not word.text.startswith("-")]
    if not words:
        return (Path.home(),)
    target = words[0]
    if (
        folders is None
        or len(words) > 1
        or target.text in ("", "-")
        or not target.known
        or _globs(target.text)
    ):
        return None
    path = Path(target.text)
    if target.expands and target.text.startswith("~"):
        try:
            path = path.expanduser()
        except RuntimeError:
            return None
    return tuple(Path(os.path.normpath(folder / path)) for folder in folders)


def _globs(text: str) -> bool:
    return any(char in text for char in "*?[")
