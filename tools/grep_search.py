"""Find text inside files."""

import asyncio
import re
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, ClassVar

from msgspec import Meta, Struct
from msgspec.structs import replace

from cutaway.tools.arguments import input_schema
from cutaway.tools.base import Access, ToolContext, ToolOutput, ToolSpec, WorkspaceFacts
from cutaway.tools.details import SearchHit, SearchHits
from cutaway.tools.errors import ToolError
from cutaway.tools.paths import Workspace
from cutaway.tools.sanitise import sanitise
from cutaway.tools.search import (
    FILE_SIZE,
    HINT_TIME,
    MOST_COUNTED,
    TIME_LIMIT,
    FileHits,
    Searcher,
    SearchFailed,
    TextQuery,
)
from cutaway.tools.search_scope import Scope, default_searcher, refuse_git_folder, scope_of, touched

DEFAULT_RESULTS = 100
MOST_RESULTS = 1000

TEXT_LIMIT = 40_000
"""Characters of hits that are returned, about 10,000 tokens."""

_QUERY_SHOWN = 200

_LOOKS_LIKE_REGEXP = re.compile(r"[|*+?^$\\]|\[.+\]|\(.+\)|\.\*")


class GrepArguments(Struct, frozen=True, rename="camel"):
    """What to look for, and where."""

    query: Annotated[str, Meta(description="Text to find, exactly as written unless isRegexp is true.")]
    is_regexp: Annotated[
        bool, Meta(description="Read the query as a regular expression (Rust syntax, no look-around).")
    ] = False
    include_pattern: Annotated[
        str | None,
        Meta(
            description="Search only here: a file, a folder, or a glob relative to the workspace (src/*.ts)."
        ),
    ] = None
    max_results: Annotated[
        int | None,
        Meta(description=f"Most lines to list, {DEFAULT_RESULTS} if left out, {MOST_RESULTS} at most."),
    ] = None


@cache
def _spec() -> ToolSpec:
    return ToolSpec(
        name="grep_search",
        display_name="Search text",
        model_description=(
            "Find text in the files of the workspace. Each hit is path:line: text, in the order of the "
            "paths. The query is taken literally and upper and lower case differ; isRegexp true makes it a "
            "regular expression, where (?i) ignores case. Hidden files are searched; binary files, .git, "
            "links, and files that .gitignore leaves out (unless includePattern names one exactly) are not. "
            "Long lines are cut around the match. Without hits it says whether another case or ignored files "
            "would have had some."
        ),
        input_schema=input_schema(GrepArguments),
        reference_name="grep",
        tags=("search", "read"),
    )


class GrepSearch:
    """`grep_search`; `searcher` does the work (None: the best that is installed)."""

    arguments: ClassVar[type[GrepArguments]] = GrepArguments

    def __init__(self, searcher: Searcher | None = None, *, time_limit: float = TIME_LIMIT) -> None:
        self._searcher = searcher
        self._time_limit = time_limit

    @property
    def spec(self) -> ToolSpec:
        return _spec()

    def available(self, facts: WorkspaceFacts) -> bool:
        return True

    def access(self, arguments: GrepArguments) -> Access:
        return Access("read", (touched(arguments.include_pattern or "."),))

    async def preview(self, arguments: GrepArguments, context: ToolContext) -> None:
        """Only look whether the folder to start in is there."""
        await asyncio.to_thread(_scope, context.workspace, arguments)

    async def run(self, arguments: GrepArguments, context: ToolContext) -> ToolOutput:
        scope = await asyncio.to_thread(_scope, context.workspace, arguments)
        searcher = self._searcher or default_searcher()
        most = min(max(arguments.max_results or DEFAULT_RESULTS, 1), MOST_RESULTS)
        query = TextQuery(
            arguments.query, scope.root, is_regexp=arguments.is_regexp, names=scope.names, most=most
        )
        found = _Found(most)
        try:
            async with asyncio.timeout(self._time_limit):
                await _gather(searcher, scope, query, found)
        except TimeoutError:
            found.timed_out = True
        except SearchFailed as error:
            raise ToolError(_refused(arguments, str(error))) from error
        hint = ""
        if not found.count and not found.timed_out:
            hint = await _hint(searcher, scope, query, context.workspace)
        return _output(arguments, context.workspace, found, hint)


@dataclass(slots=True)
class _Found:
    """What was found so far, also when the time is up."""

    most: int
    kept: list[tuple[FileHits, int]] = field(default_factory=list)
    lines: int = 0
    count: int = 0
    files: int = 0
    timed_out: bool = False

    def add(self, hits: FileHits) -> None:
        self.files += 1
        self.count += hits.count
        if room := min(self.most - self.lines, len(hits.hits)):
            self.kept.append((hits, room))
            self.lines += room


def _scope(workspace: Workspace, arguments: GrepArguments) -> Scope:
    if not arguments.query:
        raise ToolError("The query is empty. Give the text to look for; file_search lists files by name.")
    if "\0" in arguments.query:
        raise ToolError("The query holds a NUL character, which no text file has.")
    scope = scope_of(workspace, arguments.include_pattern or ".", one_file=True)
    refuse_git_folder(workspace, scope.root)
    if scope.root.is_file() and (size := scope.root.stat().st_size) > FILE_SIZE:
        raise ToolError(
            f"{workspace.display(scope.root)} has {size:,} bytes; files of more than {FILE_SIZE:,} are not "
            "searched. Use a terminal command such as grep -m 20."
        )
    return scope


async def _gather(searcher: Searcher, scope: Scope, query: TextQuery, found: _Found) -> None:
    glob = scope.glob()
    async with aclosing(searcher.matches(query)) as files:
        async for hits in files:
            if scope.holds(hits.path, glob):
                found.add(hits)
                if found.count >= MOST_COUNTED:
                    return


async def _hint(searcher: Searcher, scope: Scope, query: TextQuery, workspace: Workspace) -> str:
    """Say why there may have been no hit: case, ignored files, or a pattern that was read literally."""
    hints: list[str] = []
    if not query.is_regexp and _LOOKS_LIKE_REGEXP.search(query.pattern):
        hints.append("The query was taken literally; set isRegexp to true if it is a regular expression.")
    for words, other in (
        ("with upper and lower case ignored: use isRegexp with (?i)", replace(query, ignore_case=True)),
        (
            "in files that .gitignore leaves out: name one in includePattern",
            replace(query, with_ignored=True),
        ),
    ):
        near = _Found(1)
        with suppress(TimeoutError, SearchFailed):
            async with asyncio.timeout(HINT_TIME):
                await _gather_first(searcher, scope, other, near)
        if near.kept:
            path = workspace.display(near.kept[0][0].path)
            hints.append(f"There are matches {words} (such as in {path}).")
    return " ".join(hints) or "Try a shorter query, or file_search for names."


async def _gather_first(searcher: Searcher, scope: Scope, query: TextQuery, found: _Found) -> None:
    glob = scope.glob()
    async with aclosing(searcher.matches(query)) as files:
        async for hits in files:
            if scope.holds(hits.path, glob):
                found.add(hits)
                return


def _refused(arguments: GrepArguments, said: str) -> str:
    if arguments.is_regexp:
        return (
            f"The regular expression was refused: {said}\nMend it (look-around and back-references are not "
            "supported), or leave isRegexp out to search for the text as it is."
        )
    return f"The search could not run: {said}. Try a shorter query."


def _output(arguments: GrepArguments, workspace: Workspace, found: _Found, hint: str) -> ToolOutput:
    shown: list[SearchHit] = []
    lines: list[str] = []
    size, cut = 0, False
    for file, room in found.kept:
        path = workspace.display(file.path)
        for hit in file.hits[:room]:
            text = sanitise(hit.text).replace("\n", "⏎")
            line = f"{path}:{hit.line}: {text}" + (" (line cut)" if hit.cut else "")
            if size + len(line) > TEXT_LIMIT:
                break
            size += len(line) + 1
            cut = cut or hit.cut
            lines.append(line)
            shown.append(SearchHit(path, hit.line, text))
    more = found.count - len(shown)
    if not found.count:
        where = f" in {arguments.include_pattern}" if arguments.include_pattern else ""
        query = arguments.query
        shown_query = repr(query) if len(query) <= _QUERY_SHOWN else f"{query[:_QUERY_SHOWN]!r}…"
        lines.append(f"No line matches {shown_query}{where}. {hint}".rstrip())
    if more:
        at_least = "at least " if found.timed_out or found.count >= MOST_COUNTED else ""
        lines.append(
            f"({at_least}{more} more; {found.count} matching lines in {found.files} files. "
            "Narrow the query or includePattern.)"
        )
    if found.timed_out:
        lines.append("(Stopped when the time was up: there may be more. Narrow it with includePattern.)")
    detail = SearchHits(arguments.query, tuple(shown), found.files, cut=bool(more) or found.timed_out)
    return ToolOutput("\n".join(lines), detail=detail)
