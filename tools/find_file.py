"""From a path as the model gives it to an open regular file, or to words that help it on."""

import difflib
import json
import os
import re
import stat
import unicodedata
from contextlib import suppress
from io import BufferedReader
from pathlib import Path

from cutaway.tools.errors import ToolError
from cutaway.tools.paths import Workspace, printable

NAMES_LOOKED_AT = 5000
"""Names of one folder that are compared with a wrong one."""


def find_file(workspace: Workspace, given: str) -> Path:
    """Resolve `given` to a regular file that exists (through links).

    Raises ToolError that says what is there instead; for a missing file it lists similar names,
    unless the folder lies outside the workspace. A similar name is never opened by itself.
    """
    path = workspace.resolve(given)
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError) as error:
        raise ToolError(_missing(workspace, path)) from error
    except OSError as error:
        raise unreadable(workspace.display(path), error) from error
    require_regular(mode, workspace.display(path))
    return path


def open_file(path: Path, shown: str) -> BufferedReader:
    """Open a regular file for reading bytes; never blocks on a FIFO or a device (ToolError)."""
    flags = os.O_RDONLY
    for name in ("O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY"):
        flags |= getattr(os, name, 0)
    try:
        require_regular(path.stat().st_mode, shown)
        descriptor = os.open(path, flags)
    except OSError as error:
        raise unreadable(shown, error) from error
    stream = os.fdopen(descriptor, "rb")
    try:
        require_regular(os.fstat(descriptor).st_mode, shown)
    except ToolError:
        stream.close()
        raise
    return stream


def require_regular(mode: int, shown: str) -> None:
    """Raise ToolError unless `mode` (of a stat result) is that of a regular file."""
    if stat.S_ISREG(mode):
        return
    if stat.S_ISDIR(mode):
        raise ToolError(f"{shown} is a folder, not a file. list_dir shows what it holds.")
    kinds = {stat.S_IFIFO: "a FIFO", stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device"}
    kind = kinds.get(stat.S_IFMT(mode), "a device")
    raise ToolError(f"{shown} is {kind}, not a regular file; it is neither read nor written here.")


def unreadable(shown: str, error: OSError) -> ToolError:
    """Put an operating system's refusal to read into words for the model."""
    if isinstance(error, PermissionError):
        return ToolError(f"No permission to read {shown}. Ask the user to grant it, or go on without it.")
    reason = error.strerror or type(error).__name__
    return ToolError(f"{shown} cannot be read: {reason}. Check the path, or go on without it.")


def _missing(workspace: Workspace, path: Path) -> str:
    shown = workspace.display(path)
    folder, name = path.parent, path.name
    while not os.path.lexists(folder) and folder != folder.parent:
        folder, name = folder.parent, folder.name
    missing = folder / name
    if missing == path and path.is_symlink():
        return f"{shown} is a link to {printable(str(path.readlink()))}, which does not exist."
    if missing == path:
        said = f"There is no file {shown}."
    else:
        said = f"There is no file {shown}: {workspace.display(missing)} does not exist."
    if not folder.is_dir():
        return f"There is no file {shown}: {workspace.display(folder)} is not a folder."
    if not workspace.contains(folder):
        return f"{said} Check the path."
    return f"{said} {_similar(folder, name)}"


def _similar(folder: Path, name: str) -> str:
    names: list[str] = []
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            names.append(entry.name + ("/" if entry.is_dir() else ""))
            if len(names) == NAMES_LOOKED_AT:
                break
    folded = _folded(name)
    same = sorted(other for other in names if _folded(other.removesuffix("/")) == folded)
    if same:
        return (
            "Names there that differ from it only in invisible characters, kinds of space, accents' "
            f"encoding or case: {', '.join(map(_spelled, same[:5]))}. Call again with the exact name."
        )
    near = difflib.get_close_matches(name, names, n=5, cutoff=0.6)
    if near:
        return f"Similar names there: {', '.join(map(_spelled, near))}."
    return "No name there is similar; file_search finds files by name."


def _folded(name: str) -> str:
    plain = unicodedata.normalize("NFKC", name)
    visible = "".join(char for char in plain if unicodedata.category(char) != "Cf")
    return re.sub(r"\s+", " ", visible).strip().casefold()


def _spelled(name: str) -> str:
    """Write a name as it is and, where it cannot be copied by sight, as JSON spells it."""
    shown = "".join(char if _kept(char) else printable(char) for char in name)
    return f'"{shown}"' if name.isascii() and shown == name else f'"{shown}" (in JSON: {json.dumps(name)})'


def _kept(char: str) -> bool:
    return char.isprintable() or unicodedata.category(char) == "Zs"
