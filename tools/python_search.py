"""Search in plain Python, for machines without ripgrep: slower, same answers.

A regular expression runs in a process of its own: Python's may take for ever over one line, and
would then keep the whole program from running, time limit and all.
"""

import asyncio
import json
import os
import re
import sys
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TypeVar

from msgspec import structs

from cutaway.tools.globs import Glob
from cutaway.tools.ignore import IgnoreRule, is_ignored, rules_above, rules_in
from cutaway.tools.search import FILE_SIZE, FileHits, Hit, SearchFailed, TextQuery, excerpt

_BATCH = 200
"""Files that one step handles; between steps a search in a thread can be cancelled."""

T = TypeVar("T")


class PythonSearch:
    """A Searcher without any program."""

    __slots__ = ()

    async def files(self, root: Path, *, with_ignored: bool = False) -> AsyncGenerator[list[Path], None]:
        """Walk the tree, a batch at a time, off the event loop."""
        walk = _walk(root, with_ignored)
        while batch := await asyncio.to_thread(_take, walk, _BATCH):
            yield batch

    async def matches(self, query: TextQuery) -> AsyncGenerator[FileHits, None]:
        """Read and search file by file, off the event loop."""
        test = _compile(query)
        if query.is_regexp:
            async for hits in _matches_elsewhere(query):
                yield hits
            return
        batches = _matches(query, test)
        while (found := await asyncio.to_thread(next, batches, None)) is not None:
            for hits in found:
                yield hits


def _matches(query: TextQuery, test: "Test") -> Iterator[list[FileHits]]:
    """Search batch by batch; a batch may hold no match."""
    names = [Glob(name) for name in query.names]
    walk = iter([query.root]) if query.root.is_file() else _walk(query.root, query.with_ignored)
    while batch := _take(walk, _BATCH):
        wanted = (path for path in batch if not names or any(name.matches(path.name) for name in names))
        found = (_search(path, test, query.most) for path in wanted)
        yield [hits for hits in found if hits is not None]


_CHILD = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from cutaway.tools.python_search import answer; answer()"
)
_LONGEST_ANSWER = 64 << 20


async def _matches_elsewhere(query: TextQuery) -> AsyncGenerator[FileHits, None]:
    """Have another Python search; it has ended when this ends, however it ends."""
    folders = json.dumps([path for path in sys.path if os.path.isabs(path)])  # noqa: PTH117 (text)
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-c", _CHILD, folders),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        limit=_LONGEST_ANSWER,
    )
    assert child.stdin is not None and child.stdout is not None
    try:
        child.stdin.write(json.dumps({**structs.asdict(query), "root": str(query.root)}).encode())
        child.stdin.close()
        while line := await child.stdout.readline():
            path, hits, count = json.loads(line)
            yield FileHits(Path(path), tuple(Hit(*hit) for hit in hits), count)
    finally:
        if not child.stdout.at_eof():
            with suppress(ProcessLookupError):
                child.kill()
        await asyncio.shield(child.wait())


def answer() -> None:
    """Search as standard input asks, and print a line of JSON for each file; the child runs this."""
    asked = json.load(sys.stdin)
    query = TextQuery(**{**asked, "root": Path(asked["root"]), "names": tuple(asked["names"])})
    for batch in _matches(query, _compile(query)):
        for found in batch:
            hits = [structs.astuple(hit) for hit in found.hits]
            sys.stdout.write(json.dumps([str(found.path), hits, found.count]) + "\n")
        sys.stdout.flush()


def _take(items: Iterator[T], count: int) -> list[T]:
    return list(islice(items, count))


def _walk(root: Path, with_ignored: bool) -> Iterator[Path]:
    """Yield regular files in the order of their paths; links are never followed, `.git` never entered."""
    rules = () if with_ignored else rules_above(root)
    waiting: list[tuple[Path, tuple[IgnoreRule, ...], bool]] = [(root, rules, True)]
    while waiting:
        path, rules, is_folder = waiting.pop()
        if not is_folder:
            yield path
            continue
        if not with_ignored:
            rules = (*rules, *rules_in(path))
        waiting += reversed([(child, rules, folder) for child, folder in _children(path, rules)])


def _children(folder: Path, rules: tuple[IgnoreRule, ...]) -> list[tuple[Path, bool]]:
    try:
        with os.scandir(folder) as entries:
            found = sorted(
                (item.name, item.is_dir(follow_symlinks=False), item.is_file(follow_symlinks=False))
                for item in entries
            )
    except OSError:
        return []
    return [
        (folder / name, is_folder)
        for name, is_folder, is_file in found
        if (is_folder or is_file)
        and name != ".git"
        and not is_ignored(folder / name, rules, folder=is_folder)
    ]


Test = Callable[[str], tuple[int, int] | None]


def _compile(query: TextQuery) -> Test:
    """Make the test of one line; it gives start and end of the first match in characters."""
    if "\n" in query.pattern or (query.is_regexp and "\\n" in query.pattern):
        raise SearchFailed("without ripgrep, which is not installed, a match cannot go over a line's end")
    source = query.pattern if query.is_regexp else re.escape(query.pattern)
    try:
        regexp = re.compile(source, re.IGNORECASE if query.ignore_case else 0)
    except re.error as error:
        raise SearchFailed(f"regex parse error: {error}") from error

    def test(line: str) -> tuple[int, int] | None:
        found = regexp.search(line)
        return None if found is None else found.span()

    return test


def _search(path: Path, test: Test, most: int) -> FileHits | None:
    try:
        if path.stat().st_size > FILE_SIZE:
            return None
        content = path.read_bytes()
    except OSError:
        return None
    if b"\0" in content:
        return None
    lines = content.removesuffix(b"\n").split(b"\n") if content else []
    hits: list[Hit] = []
    count = 0
    for number, raw in enumerate(lines, 1):
        line = raw.decode("utf-8", "replace").rstrip("\r")
        if (span := test(line)) is None:
            continue
        count += 1
        if len(hits) < most:
            start, end = (len(line[:at].encode()) for at in span)
            text, cut = excerpt(line.encode(), start, end)
            hits.append(Hit(number, text, cut))
    return FileHits(path, tuple(hits), count) if count else None
