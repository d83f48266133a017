"""Runs unittest in the project's interpreter, through a script of ours that reports each test."""

import asyncio
import shlex
from pathlib import Path

from cutaway.tools.base import ToolContext
from cutaway.tools.details import TestState
from cutaway.tools.process import Processes
from cutaway.tools.testing.discovery import Interpreter
from cutaway.tools.testing.followed import Followed, follow, private_folder
from cutaway.tools.testing.outcome import RunnerResult, outcome_of
from cutaway.tools.testing.selection import Selection


async def run_unittest(
    processes: Processes,
    context: ToolContext,
    interpreter: Interpreter,
    selection: Selection,
    timeout: float,
) -> RunnerResult:
    """Run the selected tests, or all that discovery finds in the root, `tests` and `test`."""
    files = dict.fromkeys([*selection.files, *(test.partition("::")[0] for test in selection.ids)])
    names = [*selection.names, *(test.partition("::")[2].replace("::", ".") for test in selection.ids)]
    async with private_folder(context) as folder:
        script, report = folder / "cutaway_unittest.py", folder / "report.jsonl"
        await asyncio.to_thread(_place_script, script)
        chosen = [part for name in names for part in ("--name", name)]
        command = [interpreter.path, str(script), "--report", str(report), *chosen, "--", *files]
        followed = await follow(processes, context, command, {}, report, timeout)
    filters = [part for name in names for part in ("-k", name)]
    shown = shlex.join([interpreter.path, "-m", "unittest", *filters, *files])  # what a person would type
    run = outcome_of(context, "unittest", shown, _state(followed), followed, interpreter)
    return RunnerResult(run, followed, selection)


def _place_script(path: Path) -> None:
    path.write_bytes(Path(__file__).with_name("unittest_script.py").read_bytes())


def _state(followed: Followed) -> TestState:
    tally, ended = followed.tally, followed.ended
    if ended.timed_out:
        return "timed-out"
    if ended.exit_code is None or not tally.ended:
        return "crashed"
    if tally.not_collected and not tally.done:
        return "collection-error"
    return "finished" if tally.ran else "no-tests"
