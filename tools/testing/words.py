"""What the model reads of a test run: the end first, then what failed, within bounds."""

from collections.abc import Iterator

from cutaway.tools.details import TestFailure, TestRun
from cutaway.tools.output import MODEL_LIMIT
from cutaway.tools.testing.outcome import RunnerResult
from cutaway.tools.testing.report import Tally

_MOST_TRACED = 10
"""Failures told with their trace; the rest with their message."""

_TRACE_LINES = 25
_TRACE_BYTES = 2_500
_MESSAGE = 300
_OUTPUT = 8_000


def words(result: RunnerResult) -> str:
    """Tell the run; at most about 30 KB."""
    run = result.run
    tally = result.followed.tally if result.followed else Tally()
    parts = [_headline(result, tally), _origin(run)]
    if run.state == "timed-out" or (run.state == "crashed" and result.followed):
        parts.append(_so_far(run, tally))
    if result.selection and run.runner not in ("pytest", "unittest") and result.followed:
        parts.append("files and testNames were not passed on: this command runs what it always runs.")
    if result.followed and result.followed.ended.left_behind:
        parts.append("Processes that the tests had left running were ended.")
    if _output_helps(run):
        parts.append(f"Output of the runner:\n{_ends(run.output, _OUTPUT)}")
        parts.append(result.followed.output.cut_note if result.followed else "")
    parts += _failures(run.failures)
    if tally.failed + tally.errors + tally.not_collected > len(run.failures):
        parts.append("More failures are counted above and not listed.")
    return _bounded("\n\n".join(filter(None, parts)))


def _headline(result: RunnerResult, tally: Tally) -> str:
    run = result.run
    ended = result.followed.ended.words if result.followed else ""
    match run.state:
        case "no-runner":
            return _no_runner(run)
        case "timed-out":
            return f"The test run {ended}; all its processes were ended. Run fewer tests, or give more time."
        case "crashed" if not tally.heard and run.runner in ("pytest", "unittest"):
            return f"{run.runner} reported nothing and did not run any test: {ended}."
        case "crashed":
            return f"The test run crashed before it had come to its end: {run.runner}, {ended}."
        case "collection-error":
            return f"No test ran: {_not_collected(tally)} ({ended}). Mend that first."
        case "no-tests":
            return f"No tests found ({ended}).{_left_out(result, tally)}"
        case "finished" if run.passed is None:
            return f"{run.command}: {ended}. This command gives no counts; by custom 0 says that all passed."
        case "finished":
            return f"{run.runner}: {_counts(run)}; {ended}.{_not_run(tally)}{_left_out(result, tally)}"


def _not_collected(tally: Tally) -> str:
    if not tally.not_collected:
        return "the runner refused its configuration, its arguments or a conftest.py"
    files = "file" if tally.not_collected == 1 else "files"
    return f"{tally.not_collected} {files} could not be collected (a syntax or import error)"


def _no_runner(run: TestRun) -> str:
    if not run.runner:
        return (
            f"The tests were not run. No runner was found: {run.interpreter_reason}. "
            "If you know how the tests are run, use run_in_terminal."
        )
    where = f" in {run.interpreter} ({run.interpreter_reason})" if run.interpreter else ""
    return f"The tests were not run: {run.runner} is not installed{where}. Install it, or tell the user."


def _not_run(tally: Tally) -> str:
    """Tell of tests that a run which stops early (`-x`, `--maxfail`, `--collect-only`) has not come to."""
    missing = (tally.total or 0) - tally.done
    return (
        f" {missing} of {tally.total} tests did not run (it stopped early, or their set-up failed)."
        if missing > 0
        else ""
    )


def _left_out(result: RunnerResult, tally: Tally) -> str:
    if not tally.deselected:
        return ""
    chosen = result.selection.names or result.selection.ids
    why = "since their names do not match" if chosen else "by the project's own configuration"
    return f" {tally.deselected} tests were left out, {why}."


def _counts(run: TestRun) -> str:
    return f"{run.passed} passed, {run.failed} failed, {run.errors} errors, {run.skipped} skipped"


def _so_far(run: TestRun, tally: Tally) -> str:
    if not tally.heard:
        return ""
    total = "an unknown number" if tally.total is None else str(tally.total)
    text = f"Until then {tally.done} of {total} tests were done: {_counts(run)}."
    if tally.running:
        text += f" Running then: {', '.join(list(tally.running)[-3:])}."
    return f"{text}\n{tally.runner_error}" if tally.runner_error else text


def _origin(run: TestRun) -> str:
    if not run.command:
        return ""
    if not run.interpreter:
        return f"Command: {run.command} ({run.interpreter_reason})"
    return f"Command: {run.command}\nPython: {run.interpreter} ({run.interpreter_reason})"


def _failures(failures: tuple[TestFailure, ...]) -> Iterator[str]:
    for number, failure in enumerate(failures):
        place = f"{failure.path}:{failure.line}" if failure.line else failure.path
        where = f" at {place}" if place else ""
        text = f"{failure.kind.upper()} {failure.id}{where}\n{_indented(failure.message[:_MESSAGE])}"
        if number < _MOST_TRACED and failure.trace:
            text += f"\n{_indented(_short_trace(failure.trace), '  | ')}"
        yield text


def _short_trace(trace: str) -> str:
    lines = trace.strip("\n").split("\n")
    if len(lines) > _TRACE_LINES:
        left = len(lines) - _TRACE_LINES
        half = _TRACE_LINES // 3
        lines = [*lines[:half], f"[… {left} lines …]", *lines[half + left :]]
    return _ends("\n".join(lines), _TRACE_BYTES)


def _output_helps(run: TestRun) -> bool:
    unknown = run.state == "finished" and run.passed is None
    broken = run.state == "collection-error" and not run.failures
    return bool(run.output) and (run.state in ("crashed", "timed-out", "no-tests") or unknown or broken)


def _indented(text: str, mark: str = "  ") -> str:
    return "\n".join(mark + line for line in text.split("\n"))


def _ends(text: str, limit: int) -> str:
    """Keep a third at the start and the rest at the end, counted in UTF-8 bytes."""
    data = text.encode("utf-8", "replace")
    if len(data) <= limit:
        return text
    head, tail = data[: limit // 3], data[-limit * 2 // 3 :]
    left = len(data) - len(head) - len(tail)
    mark = f"\n[… {left:,} bytes left out …]\n"
    return head.decode("utf-8", "ignore") + mark + tail.decode("utf-8", "ignore")


def _bounded(text: str) -> str:
    data = text.encode("utf-8", "replace")
    if len(data) <= MODEL_LIMIT:
        return text
    kept = data[:MODEL_LIMIT].decode("utf-8", "ignore")
    return f"{kept}\n[… {len(data) - MODEL_LIMIT:,} bytes of further failures left out; run fewer tests …]"
