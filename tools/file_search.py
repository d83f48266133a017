"""Find files by name."""

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from functools import cache
from pathlib import Path
from typing import Annotated, ClassVar

from msgspec import Meta, Struct

from cutaway.tools.arguments import input_schema
from cutaway.tools.base import Access, ToolContext, ToolOutput, ToolSpec, WorkspaceFacts
from cutaway.tools.details import FilesFound
from cutaway.tools.errors import ToolError
from cutaway.tools.globs import is_wild
from cutaway.tools.paths import Workspace
from cutaway.tools.search import HINT_TIME, TIME_LIMIT, Searcher, SearchFailed
from cutaway.tools.search_scope import Scope, default_searcher, refuse_git_folder, scope_of, touched

DEFAULT_RESULTS = 100
MOST_RESULTS = 1000

_MOST_KEPT = 200_000
"""Paths that are sorted; a search that finds more needs a narrower pattern."""


class FileSearchArguments(Struct, frozen=True, rename="camel"):
    """Which files."""

    query: Annotated[
        str,
        Meta(
            description=(
                "Glob relative to the workspace (src/**/*.py, **/*.{js,ts}, .github/workflows/*.yml), a "
                "folder, a file name, or the end of a path. Without a slash it matches in every folder."
            )
        ),
    ]
    max_results: Annotated[
        int | None,
        Meta(description=f"Most paths to list, {DEFAULT_RESULTS} if left out, {MOST_RESULTS} at most."),
    ] = None


@cache
def _spec() -> ToolSpec:
    return ToolSpec(
        name="file_search",
        display_name="Find files",
        model_description=(
            "Find files by name in the whole workspace; gives sorted paths. Hidden files are found; files "
            "that .gitignore leaves out and .git are not (an exact path is). Links are not followed. * stays "
            "within one folder, ** crosses folders, brackets also match themselves. Use grep_search for text "
            "inside files, and list_dir for one folder. Without matches it says what would have matched."
        ),
        input_schema=input_schema(FileSearchArguments),
        reference_name="files",
        tags=("search", "read"),
    )


class FileSearch:
    """`file_search`; `searcher` walks the tree (None: the best that is installed)."""

    arguments: ClassVar[type[FileSearchArguments]] = FileSearchArguments

    def __init__(self, searcher: Searcher | None = None, *, time_limit: float = TIME_LIMIT) -> None:
        self._searcher = searcher
        self._time_limit = time_limit

    @property
    def spec(self) -> ToolSpec:
        return _spec()

    def available(self, facts: WorkspaceFacts) -> bool:
        return True

    def access(self, arguments: FileSearchArguments) -> Access:
        return Access("read", (touched(arguments.query),))

    async def preview(self, arguments: FileSearchArguments, context: ToolContext) -> None:
        """Only look whether the folder to start in is there."""
        await asyncio.to_thread(_scope, context.workspace, arguments)

    async def run(self, arguments: FileSearchArguments, context: ToolContext) -> ToolOutput:
        scope = await asyncio.to_thread(_scope, context.workspace, arguments)
        searcher = self._searcher or default_searcher()
        found: set[Path] = set()
        timed_out = False
        try:
            async with asyncio.timeout(self._time_limit):
                await _gather(searcher, scope, found)
        except TimeoutError:
            timed_out = True
        except SearchFailed as error:
            raise ToolError(f"The search could not run: {error}. Try list_dir instead.") from error
        exact = context.workspace.resolve(arguments.query.strip())
        ignored = (
            exact not in found
            and not is_wild(arguments.query)
            and os.path.lexists(exact)
            and not exact.is_dir()
        )
        if ignored:
            found.add(exact)
        hint = "" if found or timed_out else await _hint(searcher, scope, context.workspace)
        return _output(arguments, context.workspace, found, timed_out=timed_out, hint=hint)


def _scope(workspace: Workspace, arguments: FileSearchArguments) -> Scope:
    if not arguments.query.strip():
        raise ToolError("The query is empty. Give a glob such as **/*.py, or a file's name.")
    scope = scope_of(workspace, arguments.query, one_file=False)
    refuse_git_folder(workspace, scope.root)
    return scope


async def _gather(
    searcher: Searcher,
    scope: Scope,
    found: set[Path],
    *,
    with_ignored: bool = False,
    ignore_case: bool = False,
    most: int = _MOST_KEPT,
) -> None:
    """Add what matches to `found`, which so holds what there is also when the time is up."""
    glob = scope.glob(ignore_case=ignore_case)
    walk: AsyncGenerator[list[Path], None] = searcher.files(scope.root, with_ignored=with_ignored)
    async with aclosing(walk) as batches:
        async for batch in batches:
            found.update(path for path in batch if scope.holds(path, glob))
            if len(found) >= most:
                return


async def _hint(searcher: Searcher, scope: Scope, workspace: Workspace) -> str:
    """Say what would have matched: another case, or files that are ignored."""
    for words, options in (
        ("with another case", {"ignore_case": True}),
        ("among the files that .gitignore leaves out", {"with_ignored": True}),
    ):
        near: set[Path] = set()
        with suppress(TimeoutError, SearchFailed):
            async with asyncio.timeout(HINT_TIME):
                await _gather(searcher, scope, near, most=50, **options)
        if near:
            shown = ", ".join(workspace.display(path) for path in sorted(near)[:3])
            return f" There are matches {words}: {shown}. Give that exact path."
    return " Try a shorter name, a pattern such as **/*name*, or list_dir."


def _output(
    arguments: FileSearchArguments, workspace: Workspace, found: set[Path], *, timed_out: bool, hint: str
) -> ToolOutput:
    most = min(max(arguments.max_results or DEFAULT_RESULTS, 1), MOST_RESULTS)
    paths = tuple(workspace.display(path) for path in sorted(found)[:most])
    detail = FilesFound(arguments.query, paths, len(found))
    lines = list(paths) or [f"No file matches {arguments.query}.{hint}"]
    if more := len(found) - len(paths):
        lines.append(f"({more} more. Narrow the pattern, or raise maxResults up to {MOST_RESULTS}.)")
    if timed_out:
        lines.append("(Stopped when the time was up: there may be more. Narrow the pattern to a folder.)")
    elif len(found) >= _MOST_KEPT:
        lines.append(f"(Stopped at {_MOST_KEPT} files. Narrow the pattern to a folder.)")
    return ToolOutput("\n".join(lines), detail=detail)
