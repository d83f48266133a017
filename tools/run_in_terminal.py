"""Runs one command line in a fresh shell at the root of the workspace, and tells how it ended."""

import asyncio
import re
from dataclasses import dataclass
from typing import Annotated, ClassVar

from msgspec import Meta, Struct

from cutaway.tools.arguments import input_schema
from cutaway.tools.base import Access, ToolContext, ToolOutput, ToolSpec, WorkspaceFacts
from cutaway.tools.details import CommandRun, OutputChunk
from cutaway.tools.errors import ToolError
from cutaway.tools.output import OutputCollector, Spill
from cutaway.tools.paths import printable
from cutaway.tools.process import CANCEL_GRACE, Ended, Processes, Run, missing_folder
from cutaway.tools.process_tree import command_of
from cutaway.tools.shell import shell_command

DEFAULT_TIMEOUT = 120.0
LONGEST_TIMEOUT = 600.0

BACKGROUND_LOOK = 2.0
"""Seconds that a background command is watched for its first output, or for an early end."""

_CHANGES_FOLDER = re.compile(r"(?:^|[;&|(\n])\s*(?:cd|pushd)\b")

_DESCRIPTION = f"""\
Run a command line in a new shell (bash where there is one) that starts in the workspace root.

- Nothing carries over: a cd, a variable or an alias of one call is gone in the next. Chain with &&.
- There is no terminal and standard input is at its end, so a command that asks anything gets no \
answer: use flags such as --yes, and non-interactive forms.
- The result gives the exit code or signal, the time taken, and standard output and error together. \
Long output is shown as its head and tail, with the whole of it in a file that the result names.
- timeout is in seconds (default {DEFAULT_TIMEOUT:.0f}, at most {LONGEST_TIMEOUT:.0f}). When it is over, \
the command and all that it started are ended.
- isBackground: for servers and watchers. The result comes after about {BACKGROUND_LOOK:.0f} s with the \
first output and the process id; redirect output to a file to follow it; end it with kill. All that is \
left running is ended with the session.
- Variables that look like secrets (keys, tokens, passwords) are not in the environment.
- Use the file tools to read, search and edit files, and run_tests to run tests."""


class RunInTerminalArguments(Struct, frozen=True, rename="camel"):
    command: Annotated[str, Meta(description="The command line, as for bash -c; it may have several lines.")]
    explanation: Annotated[
        str, Meta(description="One sentence for the user: what the command does and why.")
    ] = ""
    timeout: Annotated[
        float, Meta(gt=0, description=f"Seconds until it is ended; at most {LONGEST_TIMEOUT:.0f}.")
    ] = DEFAULT_TIMEOUT
    is_background: Annotated[
        bool, Meta(description="True for a command that goes on running, such as a server.")
    ] = False


@dataclass(frozen=True, slots=True)
class RunInTerminal:
    """The tool; `processes` knows all that its commands have left running."""

    processes: Processes
    arguments: ClassVar[type[RunInTerminalArguments]] = RunInTerminalArguments

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            name="run_in_terminal",
            display_name="Run in terminal",
            model_description=_DESCRIPTION,
            input_schema=input_schema(RunInTerminalArguments),
            reference_name="terminal",
            tags=("execute",),
            can_request_pre_approval=True,
        )

    def available(self, facts: WorkspaceFacts) -> bool:
        return True

    def access(self, arguments: RunInTerminalArguments) -> Access:
        return Access("execute", (arguments.command,))

    async def preview(self, arguments: RunInTerminalArguments, context: ToolContext) -> None:
        """Show nothing beyond the command line; a command that cannot start is refused here."""
        if not arguments.command.strip():
            raise ToolError("The command is empty. Give the command line to run.")
        if "\0" in arguments.command:
            raise ToolError("The command holds a NUL character, which no program can be given. Leave it out.")
        if not (root := context.workspace.root).is_dir():
            raise ToolError(missing_folder(root))

    async def run(self, arguments: RunInTerminalArguments, context: ToolContext) -> ToolOutput:
        await self.preview(arguments, context)
        output = OutputCollector(spill=Spill.in_folder(context.spill, "command"))
        run = self.processes.start(
            shell_command(arguments.command),
            context.workspace.root,
            output,
            on_live=lambda text: context.progress(OutputChunk(text)),
        )
        if arguments.is_background and not await _ends_soon(run):
            return _started(arguments, context, run)
        ended = await run.wait(min(arguments.timeout, LONGEST_TIMEOUT))
        return _finished(arguments, context, output, ended)


async def _ends_soon(run: Run) -> bool:
    try:
        return await run.exits_within(BACKGROUND_LOOK)
    except asyncio.CancelledError:
        await run.end(CANCEL_GRACE)
        raise


def _started(arguments: RunInTerminalArguments, context: ToolContext, run: Run) -> ToolOutput:
    detail = _detail(arguments, context, run.output, None, run.seconds, (run.pid,))
    said = (
        f"Started in the background as {run.id}, process {run.pid}; it still runs after {run.seconds:.1f} s. "
        f"End it with: kill -- -{run.pid}. It is ended with the session in any case."
    )
    return ToolOutput(_told(said, run.output.cut_note, detail.output), detail=detail)


def _finished(
    arguments: RunInTerminalArguments, context: ToolContext, output: OutputCollector, ended: Ended
) -> ToolOutput:
    detail = _detail(arguments, context, output, ended, ended.seconds, ended.left_behind)
    notes = [f"{ended.words[0].upper()}{ended.words[1:]}."]
    if ended.timed_out:
        notes.append(
            "The command and all that it started were ended. If it needs longer, give a larger timeout "
            f"(at most {LONGEST_TIMEOUT:.0f}); if it never ends by itself, use isBackground."
        )
    if arguments.timeout > LONGEST_TIMEOUT:
        notes.append(f"The timeout is in seconds; {LONGEST_TIMEOUT:.0f} is the most and was used.")
    if ended.left_behind:
        notes.append(_left_behind(ended.left_behind))
    if _CHANGES_FOLDER.search(arguments.command):
        notes.append("A cd does not last: the next command starts in the workspace root again.")
    notes.append(output.cut_note)
    return ToolOutput(_told(*notes, detail.output), is_error=ended.timed_out, detail=detail)


def _left_behind(pids: tuple[int, ...]) -> str:
    named = [f"{pid} ({printable(command_of(pid))[:80]})" for pid in pids[:5]]
    more = f" and {len(pids) - 5} more" if len(pids) > 5 else ""
    return f"Still running: process {', '.join(named)}{more}. What still runs is ended with the session."


def _detail(
    arguments: RunInTerminalArguments,
    context: ToolContext,
    output: OutputCollector,
    ended: Ended | None,
    seconds: float,
    running: tuple[int, ...],
) -> CommandRun:
    spilled = output.was_cut and output.spill is not None and output.spill.written
    return CommandRun(
        command=arguments.command,
        cwd=str(context.workspace.root),
        exit_code=ended.exit_code if ended else None,
        signal=ended.signal if ended else None,
        timed_out=ended.timed_out if ended else False,
        seconds=seconds,
        output=output.text(),
        output_bytes=output.bytes_seen,
        spill_path=str(output.spill.path) if spilled and output.spill else None,
        still_running=running,
    )


def _told(*parts: str) -> str:
    *notes, output = parts
    return "\n".join(filter(None, notes)) + "\n\n" + (output or "(no output)")
