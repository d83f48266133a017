"""A runner that is followed while it works: its reports are read as they come, its output kept."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from cutaway.tools.base import ToolContext
from cutaway.tools.output import OutputCollector, Spill
from cutaway.tools.process import CANCEL_GRACE, Ended, Processes
from cutaway.tools.testing.report import Tally

OUTPUT_LIMIT = 16_000
"""UTF-8 bytes of a runner's own output that are kept beside its reports."""

_INTERVAL = 0.1
"""Seconds between looks at the report, and so between live reports at least."""

_READ = 64 * 1024
_LONGEST_REPORT = 64 * 1024 * 1024
_LONGEST_LINE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Followed:
    """A run that is over; `tally` is what was reported until then."""

    tally: Tally
    ended: Ended
    output: OutputCollector


@asynccontextmanager
async def private_folder(context: ToolContext) -> AsyncIterator[Path]:
    """Make a folder (0700) for what is given to the runner and for its report; it is removed after."""
    folder = await asyncio.to_thread(_make_folder, context.spill)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _make_folder(parent: str) -> Path:
    if parent:
        Path(parent).mkdir(mode=0o700, parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(prefix="tests-", dir=parent or None))


async def follow(
    processes: Processes,
    context: ToolContext,
    command: Sequence[str],
    extra: Mapping[str, str],
    report: Path,
    timeout: float,
) -> Followed:
    """Run `command` in the workspace root for at most `timeout` seconds, reading `report` meanwhile.

    What the tests leave running is ended with them. Raises ToolError when it cannot be started.
    """
    report.touch(mode=0o600)
    output = OutputCollector(OUTPUT_LIMIT, Spill.in_folder(context.spill, "tests"))
    tally = Tally()
    with report.open("rb", buffering=0) as stream:
        reader = _ReportReader(stream.fileno(), tally)
        run = processes.start(command, context.workspace.root, output, extra=extra)
        following = asyncio.create_task(_tell_progress(reader, tally, context))
        try:
            ended = await run.wait(timeout)
            if ended.left_behind:
                await run.end(CANCEL_GRACE)
        finally:
            following.cancel()
        more = True
        while more:
            more = reader.read()
            await asyncio.sleep(0)
    context.progress(tally.progress())
    return Followed(tally, ended, output)


async def _tell_progress(reader: "_ReportReader", tally: Tally, context: ToolContext) -> None:
    told = None
    while True:
        reader.read()
        now = tally.progress()
        if tally.heard and now != told:
            context.progress(now)
            told = now
        await asyncio.sleep(_INTERVAL)


@dataclass(slots=True)
class _ReportReader:
    """Takes whole lines from a file that grows; a runaway file or line is not read to its end."""

    descriptor: int
    tally: Tally
    _rest: bytes = b""
    _size: int = 0

    def read(self) -> bool:
        """Fold the next lines in; False when there is nothing more for now."""
        data = os.read(self.descriptor, _READ) if self._size < _LONGEST_REPORT else b""
        self._size += len(data)
        *lines, rest = (self._rest + data).split(b"\n")
        self._rest = rest if len(rest) <= _LONGEST_LINE else b""
        for line in lines:
            self.tally.take_line(line)
        return bool(data)
