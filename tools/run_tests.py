"""Runs the project's tests with the project's own runner, and tells what failed and where."""

import asyncio
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

from msgspec import Meta, Struct

from cutaway.tools.arguments import input_schema
from cutaway.tools.base import Access, ToolContext, ToolOutput, ToolSpec, WorkspaceFacts
from cutaway.tools.details import PlannedCommand
from cutaway.tools.errors import ToolError
from cutaway.tools.process import Processes, missing_folder
from cutaway.tools.testing.command_runner import run_command
from cutaway.tools.testing.discovery import (
    Choice,
    Interpreter,
    NoRunner,
    PythonTests,
    TestCommand,
    choose_runner,
    may_have_tests,
)
from cutaway.tools.testing.outcome import RunnerResult, outcome_of
from cutaway.tools.testing.pytest_runner import has_pytest, run_pytest
from cutaway.tools.testing.selection import Selection, select
from cutaway.tools.testing.unittest_runner import run_unittest
from cutaway.tools.testing.words import words

DEFAULT_TIMEOUT = 600.0
LONGEST_TIMEOUT = 3600.0

_DESCRIPTION = f"""\
Run the project's tests and get the counts and, for each failing test, its id, message, location and a \
short trace. Prefer it to running a test program in the terminal.

- The runner is found from the project: the configured test command, else pytest or unittest with the \
project's own Python (.venv or venv in the workspace, then $VIRTUAL_ENV, then python3 on the PATH), else \
the test command of package.json, Cargo.toml, go.mod or a Makefile, which gives an exit code and no counts. \
The result names what was used and why.
- files: test files or folders. testNames: parts of test names, in whatever case, or exact pytest ids \
(tests/test_a.py::test_b). Without both, all tests run.
- A failing test is a normal result. "No tests found", a file that cannot be collected (a syntax or import \
error), a crash of the runner, a time-out and a missing runner are each said as such.
- timeout is in seconds for the whole run (default {DEFAULT_TIMEOUT:.0f}, at most {LONGEST_TIMEOUT:.0f})."""


class RunTestsArguments(Struct, frozen=True, rename="camel"):
    files: Annotated[
        tuple[str, ...], Meta(description="Test files or folders, absolute or relative to the workspace.")
    ] = ()
    test_names: Annotated[
        tuple[str, ...],
        Meta(description="Parts of test names, or exact ids (tests/test_a.py::test_b)."),
    ] = ()
    timeout: Annotated[float, Meta(gt=0, description="Seconds until the whole run is ended.")] = (
        DEFAULT_TIMEOUT
    )


@dataclass(frozen=True, slots=True)
class RunTests:
    """The tool; `processes` runs the programs and gives their environment."""

    processes: Processes
    arguments: ClassVar[type[RunTestsArguments]] = RunTestsArguments

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            name="run_tests",
            display_name="Run tests",
            model_description=_DESCRIPTION,
            input_schema=input_schema(RunTestsArguments),
            reference_name="tests",
            tags=("execute", "test"),
            can_request_pre_approval=True,
        )

    def available(self, facts: WorkspaceFacts) -> bool:
        return bool(facts.test_command) or may_have_tests(Path(facts.root))

    def access(self, arguments: RunTestsArguments) -> Access:
        """Name this tool as the command: what it runs is found in the workspace, not in the call."""
        return Access("execute", ("run_tests",))

    async def preview(self, arguments: RunTestsArguments, context: ToolContext) -> PlannedCommand:
        """Say what would run, from the project's files alone: nothing of the project is executed yet.

        Files that do not exist are refused here.
        """
        selection = self._select(arguments, context)
        choice = await self._choose(selection, context)
        match choice:
            case NoRunner(reason):
                return PlannedCommand("", f"no runner was found: {reason}")
            case TestCommand():
                return PlannedCommand(shlex.join(choice.command), choice.reason)
            case PythonTests(interpreter, needs_pytest):
                runner = "pytest" if needs_pytest else "pytest, or unittest where that Python has no pytest"
                parts = [*selection.files, *selection.ids, *(f"-k {name}" for name in selection.names)]
                command = shlex.join([interpreter.path, "-m", "pytest", *parts])
                return PlannedCommand(command, f"{runner}; {interpreter.reason}")

    async def run(self, arguments: RunTestsArguments, context: ToolContext) -> ToolOutput:
        selection = self._select(arguments, context)
        result = await self._run(selection, min(arguments.timeout, LONGEST_TIMEOUT), context)
        failed = result.run.state in ("crashed", "timed-out", "no-runner")
        return ToolOutput(words(result), is_error=failed, detail=result.run)

    async def _run(self, selection: Selection, timeout: float, context: ToolContext) -> RunnerResult:
        root = context.workspace.root
        choice = await self._choose(selection, context)
        match choice:
            case NoRunner(reason):
                run = outcome_of(context, "", "", "no-runner", None, Interpreter("", reason))
                return RunnerResult(run, None, selection)
            case TestCommand():
                return await run_command(self.processes, context, choice, selection, timeout)
            case PythonTests(interpreter, needs_pytest):
                if await has_pytest(self.processes, interpreter, root):
                    return await run_pytest(self.processes, context, interpreter, selection, timeout)
                if needs_pytest:
                    run = outcome_of(context, "pytest", "", "no-runner", None, interpreter)
                    return RunnerResult(run, None, selection)
                return await run_unittest(self.processes, context, interpreter, selection, timeout)

    def _select(self, arguments: RunTestsArguments, context: ToolContext) -> Selection:
        if not (root := context.workspace.root).is_dir():
            raise ToolError(missing_folder(root))
        return select(context.workspace, arguments.files, arguments.test_names)

    async def _choose(self, selection: Selection, context: ToolContext) -> Choice:
        files = [*selection.files, *(test.partition("::")[0] for test in selection.ids)]
        command, environment = context.facts.test_command, self.processes.environment
        return await asyncio.to_thread(choose_runner, context.workspace.root, command, environment, files)
