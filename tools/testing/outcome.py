"""What a test run came to: the structure for the screen, made from what was reported."""

from dataclasses import dataclass
from pathlib import Path

import msgspec

from cutaway.tools.base import ToolContext
from cutaway.tools.details import TestFailure, TestRun, TestState
from cutaway.tools.testing.discovery import Interpreter
from cutaway.tools.testing.followed import Followed
from cutaway.tools.testing.selection import Selection


@dataclass(frozen=True, slots=True)
class RunnerResult:
    """A test run and what it was made from; `followed` is None when nothing could be started."""

    run: TestRun
    followed: Followed | None
    selection: Selection


def outcome_of(
    context: ToolContext,
    runner: str,
    command: str,
    state: TestState,
    followed: Followed | None,
    interpreter: Interpreter | None,
) -> TestRun:
    """Put a run together; counts are None where the runner has reported nothing."""
    tally = followed.tally if followed and followed.tally.heard else None
    return TestRun(
        runner=runner,
        command=command,
        state=state,
        passed=tally.passed if tally else None,
        failed=tally.failed if tally else None,
        errors=tally.errors + tally.not_collected if tally else None,
        skipped=tally.skipped if tally else None,
        seconds=followed.ended.seconds if followed else 0.0,
        failures=tuple(_placed(context, failure) for failure in tally.failures) if tally else (),
        exit_code=followed.ended.exit_code if followed else None,
        interpreter=interpreter.path if interpreter else "",
        interpreter_reason=interpreter.reason if interpreter else "",
        output=followed.output.text() if followed else "",
    )


def _placed(context: ToolContext, failure: TestFailure) -> TestFailure:
    """Name the file shortly, relative to the workspace where it lies in it."""
    path = Path(failure.path)
    if not path.is_absolute():
        return failure
    return msgspec.structs.replace(failure, path=context.workspace.display(path))
