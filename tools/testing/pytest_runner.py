"""Runs pytest in the project's interpreter, with a plugin of ours that reports each test."""

import asyncio
import json
import os
import shlex
from pathlib import Path

from cutaway.tools.base import ToolContext
from cutaway.tools.details import TestRun, TestState
from cutaway.tools.output import OutputCollector
from cutaway.tools.process import Processes
from cutaway.tools.testing.discovery import Interpreter
from cutaway.tools.testing.followed import Followed, follow, private_folder
from cutaway.tools.testing.outcome import RunnerResult, outcome_of
from cutaway.tools.testing.selection import Selection

_PLUGIN = "cutaway_pytest_plugin"
_ABSENT = 9
_PROBE = f"import importlib.util as u, sys; sys.exit(0 if u.find_spec('pytest') else {_ABSENT})"
_PROBE_TIMEOUT = 30.0

# pytest's exit codes: https://docs.pytest.org/en/stable/reference/exit-codes.html
_INTERRUPTED, _INTERNAL_ERROR, _USAGE_ERROR, _NO_TESTS = 2, 3, 4, 5


async def has_pytest(processes: Processes, interpreter: Interpreter, root: Path) -> bool:
    """Ask the interpreter whether it could import pytest; raises ToolError if it cannot be started."""
    run = processes.start([interpreter.path, "-c", _PROBE], root, OutputCollector())
    ended = await run.wait(_PROBE_TIMEOUT)
    return ended.exit_code != _ABSENT


async def run_pytest(
    processes: Processes,
    context: ToolContext,
    interpreter: Interpreter,
    selection: Selection,
    timeout: float,
) -> RunnerResult:
    """Run the selected tests, or all; the result tells every end that pytest can have."""
    command = [interpreter.path, "-m", "pytest", "-p", _PLUGIN, "--tb=short", "--color=no"]
    command += [*selection.files, *selection.ids]
    async with private_folder(context) as folder:
        await asyncio.to_thread(_place_plugin, folder)
        report = folder / "report.jsonl"
        path = [str(folder), processes.environment.get("PYTHONPATH", "")]
        extra = {
            "PYTHONPATH": os.pathsep.join(filter(None, path)),
            "CUTAWAY_TEST_REPORT": str(report),
            "CUTAWAY_TEST_NAMES": json.dumps(selection.names),
        }
        followed = await follow(processes, context, command, extra, report, timeout)
    run: TestRun = outcome_of(context, "pytest", shlex.join(command), _state(followed), followed, interpreter)
    return RunnerResult(run, followed, selection)


def _place_plugin(folder: Path) -> None:
    """Copy the plugin to a folder of its own: neighbours would hide the project's modules."""
    source = Path(__file__).with_name("pytest_plugin.py")
    (folder / f"{_PLUGIN}.py").write_bytes(source.read_bytes())


def _state(followed: Followed) -> TestState:
    tally, ended = followed.tally, followed.ended
    if ended.timed_out:
        return "timed-out"
    if ended.exit_code == _USAGE_ERROR:
        return "no-tests" if "ERROR: not found: " in followed.output.text() else "collection-error"
    if ended.exit_code is None or not tally.ended or ended.exit_code == _INTERNAL_ERROR or tally.runner_error:
        return "crashed"
    if tally.not_collected and not tally.done:
        return "collection-error"
    if ended.exit_code == _NO_TESTS or (tally.total == 0 and not tally.skipped):
        return "no-tests"
    return "crashed" if ended.exit_code == _INTERRUPTED and not tally.not_collected else "finished"
