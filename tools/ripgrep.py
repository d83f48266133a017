"""Search by ripgrep: found beside this Python or on PATH, run without any configuration."""

import asyncio
import base64
import json
import os
import shutil
import sys
import sysconfig
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cutaway.tools.environment import child_environment
from cutaway.tools.search import FILE_SIZE, MOST_COUNTED, FileHits, Hit, SearchFailed, TextQuery, excerpt

_CHUNK = 1 << 16
_LONGEST_RECORD = 16 << 20
"""Bytes of one JSON record that are kept; a longer line is counted and not shown."""

_COMMON = ("--no-config", "--no-messages", "--hidden", "--no-require-git", "--glob", "!.git")


def find_ripgrep() -> str | None:
    """Find `rg` in the scripts of this Python (the wheel puts it there), else on PATH, else nowhere."""
    name = "rg.exe" if sys.platform == "win32" else "rg"
    own = Path(sysconfig.get_path("scripts")) / name
    return str(own) if own.is_file() and os.access(own, os.X_OK) else shutil.which("rg")


@dataclass(frozen=True, slots=True)
class Ripgrep:
    """A Searcher that runs `program`."""

    program: str

    async def files(self, root: Path, *, with_ignored: bool = False) -> AsyncGenerator[list[Path], None]:
        """List files with `rg --files`."""
        options = ["--files", "--null", *_COMMON, *(("--no-ignore",) if with_ignored else ())]
        rest = b""
        async with aclosing(self._output([*options, "--", str(root)], root)) as chunks:
            async for chunk in chunks:
                *whole, rest = (rest + chunk).split(b"\0")
                yield [Path(os.fsdecode(name)) for name in whole]

    async def matches(self, query: TextQuery) -> AsyncGenerator[FileHits, None]:
        """Search text with `rg --json`, file by file in the order of their paths."""
        collecting: list[Hit] = []
        async with aclosing(self._records(query)) as records:
            async for record in records:
                data = record["data"]
                match record["type"]:
                    case "begin":
                        collecting = []
                    case "match" if len(collecting) < query.most:
                        collecting.append(_hit(data))
                    case "end" if data["binary_offset"] is None:
                        count = data["stats"]["matched_lines"]
                        yield FileHits(Path(os.fsdecode(_bytes(data["path"]))), tuple(collecting), count)

    async def _records(self, query: TextQuery) -> AsyncGenerator[dict[str, Any], None]:
        pieces: list[bytes] = []
        size = 0
        async with aclosing(self._output(_options(query), query.root)) as chunks:
            async for chunk in chunks:
                *lines, rest = chunk.split(b"\n")
                for line in lines:
                    record = b"".join(pieces) + line
                    too_long, pieces, size = size + len(line) > _LONGEST_RECORD, [], 0
                    if record:
                        yield _TOO_LONG if too_long else json.loads(record)
                size += len(rest)
                if size <= _LONGEST_RECORD:
                    pieces.append(rest)

    async def _output(self, options: list[str], root: Path) -> AsyncGenerator[bytes, None]:
        """Run and yield what it prints; the process has ended when this ends, however it ends."""
        try:
            process = await asyncio.create_subprocess_exec(
                self.program,
                *options,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=child_environment(os.environ),
                cwd=root if root.is_dir() else root.parent,
            )
        except (OSError, ValueError) as error:
            raise SearchFailed(str(error)) from error
        assert process.stdout is not None and process.stderr is not None
        complaint = asyncio.ensure_future(process.stderr.read())  # it may come in several pieces
        try:
            while chunk := await process.stdout.read(_CHUNK):
                yield chunk
                await asyncio.sleep(0)  # a full pipe would otherwise keep the loop for itself
            said = (await complaint).decode("utf-8", "replace").strip()
            if await process.wait() == 2 and said:
                raise SearchFailed(said)
        finally:
            complaint.cancel()
            await _end(process)


_TOO_LONG: dict[str, Any] = {
    "type": "match",
    "data": {"lines": {"text": "(a line too long to show)"}, "line_number": 0, "submatches": []},
}


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        with suppress(ProcessLookupError):
            process.kill()
    await asyncio.shield(process.wait())


def _options(query: TextQuery) -> list[str]:
    options = ["--json", *_COMMON, "--sort", "path", "--max-filesize", str(FILE_SIZE)]
    options += ["--max-count", str(MOST_COUNTED)]
    if not query.is_regexp:
        options.append("--fixed-strings")
    if query.ignore_case:
        options.append("--ignore-case")
    if query.with_ignored:
        options.append("--no-ignore")
    if "\n" in query.pattern or (query.is_regexp and "\\n" in query.pattern):
        options.append("--multiline")
    for name in query.names:
        options += ["--type-add", f"wanted:{name}"]
    if query.names:
        options += ["--type", "wanted"]
    return [*options, "-e", query.pattern, "--", str(query.root)]


def _bytes(field: dict[str, str]) -> bytes:
    return field["text"].encode() if "text" in field else base64.b64decode(field["bytes"])


def _hit(data: dict[str, Any]) -> Hit:
    line = _bytes(data["lines"])
    first = data["submatches"][0] if data["submatches"] else {"start": 0, "end": 0}
    text, cut = excerpt(line, first["start"], first["end"])
    return Hit(data["line_number"] or 0, text, cut)
