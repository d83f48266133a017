"""What one folder holds."""

import asyncio
import os
from functools import cache
from pathlib import Path
from typing import Annotated, ClassVar

from msgspec import Meta, Struct

from cutaway.tools.arguments import input_schema
from cutaway.tools.base import Access, ToolContext, ToolOutput, ToolSpec, WorkspaceFacts
from cutaway.tools.details import DirectoryListing
from cutaway.tools.errors import ToolError
from cutaway.tools.find_file import find_file, unreadable
from cutaway.tools.paths import Workspace, printable

MOST_ENTRIES = 500


class ListArguments(Struct, frozen=True, rename="camel"):
    """Which folder."""

    path: Annotated[str, Meta(description='Folder, absolute or relative to the workspace; "." is its root.')]


@cache
def _spec() -> ToolSpec:
    return ToolSpec(
        name="list_dir",
        display_name="List folder",
        model_description=(
            "List one folder, one level deep, sorted by name, hidden and ignored names included. Folders end "
            f"in /, links show where they lead (->). At most {MOST_ENTRIES} names; the rest is counted. "
            "Use file_search to find files in a whole tree. A wrong path is answered with similar names."
        ),
        input_schema=input_schema(ListArguments),
        reference_name="folder",
        tags=("files", "read"),
    )


class ListDir:
    """`list_dir`."""

    arguments: ClassVar[type[ListArguments]] = ListArguments

    @property
    def spec(self) -> ToolSpec:
        return _spec()

    def available(self, facts: WorkspaceFacts) -> bool:
        return True

    def access(self, arguments: ListArguments) -> Access:
        return Access("read", (arguments.path,))

    async def preview(self, arguments: ListArguments, context: ToolContext) -> None:
        """Only look whether there is a folder, so that nobody is asked about one that is not there."""
        await asyncio.to_thread(_find_folder, context.workspace, arguments.path)

    async def run(self, arguments: ListArguments, context: ToolContext) -> ToolOutput:
        return await asyncio.to_thread(_list, context.workspace, arguments.path)


def _find_folder(workspace: Workspace, given: str) -> Path:
    path = workspace.resolve(given)
    if os.path.isdir(path):  # noqa: PTH112 (Path.is_dir raises for a name that is too long)
        return path
    found = find_file(workspace, given)  # says what is missing, with similar names
    raise ToolError(f"{workspace.display(found)} is a file, not a folder. read_file shows what it holds.")


def _list(workspace: Workspace, given: str) -> ToolOutput:
    path = _find_folder(workspace, given)
    shown = workspace.display(path)
    try:
        with os.scandir(path) as entries:
            found = [(entry.name, entry.is_symlink(), _is_folder(entry)) for entry in entries]
    except OSError as error:
        raise unreadable(shown, error) from error
    found.sort()
    names = tuple(_name(path, *entry) for entry in found[:MOST_ENTRIES])
    detail = DirectoryListing(shown, names, len(found))
    if not found:
        return ToolOutput(f"{shown} is an empty folder.", detail=detail)
    text = "\n".join(names)
    if len(found) > len(names):
        text += (
            f"\n({len(found) - len(names)} more; {len(found)} in all. file_search finds names by pattern.)"
        )
    return ToolOutput(text, detail=detail)


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads back to itself
        return False


def _name(folder: Path, name: str, is_link: bool, is_folder: bool) -> str:
    shown = printable(name) + ("/" if is_folder else "")
    if not is_link:
        return shown
    try:
        return f"{shown} -> {printable(str((folder / name).readlink()))}"
    except OSError:
        return f"{shown} -> ?"
