"""A test run: a bar, and the failing tests to walk through."""

from collections.abc import Set

from cutaway.harness.details import TestFailure, TestProgress, TestRun
from cutaway.tui import format as figures
from cutaway.tui.call_words import counts_of_run, progress_of_run
from cutaway.tui.rows import BLANK, Part, Row, row, text_lines

BAR_CELLS = 30


def bar(done: int, failed: int, total: int | None) -> list[Part]:
    """Progress in cells; failures are told apart by glyph, not by colour alone."""
    whole = max(total or done, 1)
    bad = min(-(-failed * BAR_CELLS // whole), BAR_CELLS)
    good = max(min(done * BAR_CELLS // whole, BAR_CELLS) - bad, 0)
    return [("█" * good, "good"), ("▚" * bad, "bad"), ("░" * (BAR_CELLS - good - bad), "dim")]


def progress_rows(tests: TestProgress) -> list[Row]:
    """A run that goes on: how far it is and what runs now."""
    rows = [row(*bar(tests.done, tests.failed, tests.total), "  ", *progress_of_run(tests))]
    return [*rows, row(("now ", "dim"), tests.current, hang=4)] if tests.current else rows


def run_rows(run: TestRun, opened: Set[str] = frozenset()) -> list[Row]:
    """Counts and bar, then each failing test; an opened one shows place, message and trace."""
    bad = (run.failed or 0) + (run.errors or 0)
    done = (run.passed or 0) + bad + (run.skipped or 0)
    took = figures.duration(run.seconds)
    rows = [row(*bar(done, bad, done or None), "  ", *counts_of_run(run))]
    rows.append(row(("$ ", "dim"), run.command, (f"  {run.runner}  {took}", "dim"), hang=2))
    if run.interpreter:
        rows.append(row(("with ", "dim"), run.interpreter, (f"  {run.interpreter_reason}", "dim"), hang=5))
    if run.failures:
        rows.append(BLANK)
    for at, failure in enumerate(run.failures):
        rows.extend(_failure_rows(failure, f"failure:{at}", opened))
    if run.output and (run.state != "finished" or not run.failures):
        rows += [BLANK, *(row(line) for line in text_lines(run.output))]
    return rows


def _failure_rows(failure: TestFailure, key: str, opened: Set[str]) -> list[Row]:
    is_open = key in opened
    place = f"{failure.path}:{failure.line}" if failure.line else failure.path
    mark = "▾" if is_open else "▸"
    rows = [
        row(
            f" {mark} ",
            (failure.id, "bad"),
            (f"  {failure.kind}" if failure.kind == "error" else "", "warn"),
            hang=5,
            key=key,
        )
    ]
    if not is_open:
        first = text_lines(failure.message)[0]
        return [*rows, row("     ", (first, "dim"), hang=5)] if first else rows
    if place:
        rows.append(row("     ", (place, "name"), hang=5))
    rows += [row("     ", line, hang=5) for line in text_lines(failure.message)]
    if failure.trace:
        rows += [row("     ", (line, "dim"), hang=5) for line in text_lines(failure.trace)]
    return [*rows, BLANK]
