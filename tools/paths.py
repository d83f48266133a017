"""Paths as models write them, resolved against one workspace."""

import os
from dataclasses import dataclass
from pathlib import Path

from cutaway.tools.errors import ToolError


def printable(text: str) -> str:
    """Show a name that is not valid text (or would act on a terminal) without losing which it was."""
    return "".join(char if char.isprintable() else _escaped(char) for char in text)


def _escaped(char: str) -> str:
    return char.encode("unicode_escape", "surrogatepass").decode()


@dataclass(frozen=True, slots=True)
class Workspace:
    """The folder that a session works in; `root` is absolute with links resolved."""

    root: Path

    @classmethod
    def at(cls, folder: str | os.PathLike[str]) -> "Workspace":
        """Take `folder` (which need not exist any more) as the root."""
        return cls(Path(os.path.realpath(folder)))

    def resolve(self, path: str) -> Path:
        """Turn a given path, absolute or relative to the root, into a normal absolute one.

        Dots are folded but links are not followed, so that messages name what was asked for; use
        `real` before judging where a path leads. Raises ToolError for an empty path or a NUL.
        """
        if not path.strip():
            raise ToolError("The path is empty. Give a path relative to the workspace, or an absolute one.")
        if "\0" in path:
            raise ToolError("The path holds a NUL character. Give the path without it.")
        try:
            os.fsencode(path)
            expanded = Path(path).expanduser()
        except UnicodeEncodeError as error:
            raise ToolError("The path holds half of a character. Give the path as it is listed.") from error
        except RuntimeError:  # "~" begins the name of a file, not that of a user
            expanded = Path(path)
        return Path(os.path.normpath(self.root / expanded))

    def real(self, path: Path) -> Path:
        """Follow every link that exists, so that containment can be judged."""
        return Path(os.path.realpath(path))

    def contains(self, path: Path) -> bool:
        """Tell whether the path, links followed, lies in the workspace (compared by components)."""
        return self.real(path).is_relative_to(self.root)

    def display(self, path: Path) -> str:
        """Name a path shortly: relative where it lies below the root, printable always."""
        try:
            shown = path.relative_to(self.root)
        except ValueError:
            shown = path
        return printable(str(shown))
