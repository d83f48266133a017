"""Where a search starts, from the pattern that the model gave."""

import os
from pathlib import Path

from msgspec import Struct

from cutaway.tools.errors import ToolError
from cutaway.tools.globs import Glob, expand_braces, is_wild, split_base
from cutaway.tools.paths import Workspace
from cutaway.tools.python_search import PythonSearch
from cutaway.tools.ripgrep import Ripgrep, find_ripgrep
from cutaway.tools.search import Searcher


class Scope(Struct, frozen=True):
    """A folder or file to search, and the glob below it ('' for all of it).

    `anywhere` tells that a glob without a slash matches at any depth.
    """

    root: Path
    pattern: str = ""
    anywhere: bool = False

    def holds(self, path: Path, glob: Glob | None) -> bool:
        """Tell whether a found path is wanted and none of git's own."""
        relative = path.relative_to(self.root)
        return ".git" not in relative.parts and (glob is None or glob.matches(relative.as_posix()))

    def glob(self, *, ignore_case: bool = False) -> Glob | None:
        """Compile the pattern; paths below `root` are compared with it."""
        if not self.pattern:
            return None
        return Glob(self.pattern, anywhere=self.anywhere, ignore_case=ignore_case)

    @property
    def names(self) -> tuple[str, ...]:
        """Globs of file names that every match has, for a first, coarse selection; empty when unknown."""
        last = self.pattern.rpartition("/")[2]
        if not last.strip("*") or set(last) & set(":\\"):
            return ()
        plain = expand_braces(last)
        literal = ["".join(f"[{char}]" if char in "[]" else char for char in name) for name in plain]
        return tuple(dict.fromkeys((*plain, *literal)))


def touched(pattern: str) -> str:
    """Name what a search with this pattern may read: the path itself, or the folder before a wildcard."""
    if not pattern.strip():
        return "."
    return (split_base(pattern)[0] or ".") if is_wild(pattern) else pattern


def scope_of(workspace: Workspace, pattern: str, *, one_file: bool) -> Scope:
    """Find where a pattern starts; with `one_file`, the name of a file that exists means that file alone.

    Raises ToolError for a folder that is not there.
    """
    if os.sep != "/":
        pattern = pattern.replace(os.sep, "/")
    pattern = pattern.strip()
    if pattern in ("", ".", "./", "**", "**/*"):
        return Scope(_folder(workspace, "."))
    exact = workspace.resolve(pattern)
    base, rest = split_base(pattern)
    if os.path.lexists(exact) and _stays_in(workspace, exact, base, wild=is_wild(pattern)):
        if exact.is_dir():
            return Scope(exact)
        if one_file:
            return Scope(exact)
    if ".." in rest.split("/"):
        raise ToolError(f"{pattern}: `..` cannot follow a wildcard. Start the pattern in the folder itself.")
    if not is_wild(pattern) and not os.path.lexists(exact) and exact.is_relative_to(workspace.root):
        name = exact.relative_to(workspace.root).as_posix()  # models often leave the first folders out
        return Scope(_folder(workspace, "."), f"**/{name}")
    return Scope(_folder(workspace, base or "."), rest, anywhere=not base and "/" not in rest)


def _stays_in(workspace: Workspace, exact: Path, base: str, *, wild: bool) -> bool:
    """Tell whether a path leads to where the permission was asked for: a link must not widen it."""
    return not wild or workspace.real(exact).is_relative_to(workspace.real(workspace.resolve(base or ".")))


def _folder(workspace: Workspace, given: str) -> Path:
    path = workspace.resolve(given)
    if path.is_dir():
        return path
    raise ToolError(
        f"There is no folder {workspace.display(path)} to search in. "
        "Give a pattern relative to the workspace; list_dir shows what is there."
    )


def refuse_git_folder(workspace: Workspace, root: Path) -> None:
    """Raise ToolError when a search starts in git's own folder, which no search shows."""
    if root.is_relative_to(workspace.root) and ".git" in root.relative_to(workspace.root).parts:
        raise ToolError(
            f"{workspace.display(root)} belongs to git and is not searched. "
            "Ask git itself (git log, git show, git config --get), or read_file for one file."
        )


def default_searcher() -> Searcher:
    """Take ripgrep where it is found, else plain Python."""
    program = find_ripgrep()
    return PythonSearch() if program is None else Ripgrep(program)
