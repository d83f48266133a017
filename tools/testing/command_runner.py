"""Runs a test command that tells nothing but its exit code: the counts stay unknown."""

import shlex
import shutil

from cutaway.tools.base import ToolContext
from cutaway.tools.details import OutputChunk, TestState
from cutaway.tools.output import OutputCollector, Spill
from cutaway.tools.process import CANCEL_GRACE, Ended, Processes
from cutaway.tools.testing.discovery import Interpreter, TestCommand
from cutaway.tools.testing.followed import OUTPUT_LIMIT, Followed
from cutaway.tools.testing.outcome import RunnerResult, outcome_of
from cutaway.tools.testing.report import Tally
from cutaway.tools.testing.selection import Selection


async def run_command(
    processes: Processes,
    context: ToolContext,
    choice: TestCommand,
    selection: Selection,
    timeout: float,
) -> RunnerResult:
    """Run the command as it is; a selection cannot be passed on to what is not known."""
    command, chosen = choice.command, Interpreter("", choice.reason)
    shown = shlex.join(command)
    program = shutil.which(command[0], path=processes.environment.get("PATH", ""))
    if program is None and not (context.workspace.root / command[0]).is_file():
        return RunnerResult(
            outcome_of(context, command[0], shown, "no-runner", None, chosen), None, selection
        )
    output = OutputCollector(OUTPUT_LIMIT, Spill.in_folder(context.spill, "tests"))
    run = processes.start(
        [program or str(context.workspace.root / command[0]), *command[1:]],
        context.workspace.root,
        output,
        on_live=lambda text: context.progress(OutputChunk(text)),
    )
    ended = await run.wait(timeout)
    if ended.left_behind:
        await run.end(CANCEL_GRACE)
    followed = Followed(Tally(), ended, output)
    result = outcome_of(context, command[0], shown, _state(ended), followed, chosen)
    return RunnerResult(result, followed, selection)


def _state(ended: Ended) -> TestState:
    if ended.timed_out:
        return "timed-out"
    return "crashed" if ended.signal else "finished"
