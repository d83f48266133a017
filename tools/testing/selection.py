"""Which tests are wanted: whole files, exact ids, and parts of names."""

from collections.abc import Sequence
from dataclasses import dataclass

from cutaway.tools.errors import ToolError
from cutaway.tools.paths import Workspace


@dataclass(frozen=True, slots=True)
class Selection:
    """`files` are relative to the workspace root; `ids` are `file::name`, as pytest writes them."""

    files: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.files or self.ids or self.names)


def select(workspace: Workspace, files: Sequence[str], names: Sequence[str]) -> Selection:
    """Sort out what the model named; a file must exist in the workspace (ToolError)."""
    whole: list[str] = []
    ids: list[str] = []
    for given in [*files, *(name for name in names if "::" in name)]:
        file, separator, inner = given.partition("::")
        path = _existing(workspace, file)
        (ids if separator else whole).append(f"{path}{separator}{inner}")
    parts = tuple(name for name in names if "::" not in name and name.strip())
    return Selection(tuple(whole), tuple(ids), parts)


def _existing(workspace: Workspace, file: str) -> str:
    path = workspace.resolve(file)
    shown = workspace.display(path)
    if not workspace.contains(path):
        raise ToolError(f"{shown} is outside the workspace, so its tests cannot be run here.")
    if not path.exists():
        raise ToolError(f"There is no file {shown}. Find it with file_search, or leave files out.")
    if not path.is_relative_to(workspace.root):  # a link from elsewhere into the workspace
        return str(path)
    relative = path.relative_to(workspace.root).as_posix()
    return f"./{relative}" if relative.startswith("-") else relative
