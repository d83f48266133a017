"""A command: the whole line, how it ended in neutral words, and what it printed."""

from cutaway.harness.details import CommandRun, PlannedCommand
from cutaway.tui import format as figures
from cutaway.tui.call_words import command_end
from cutaway.tui.rows import BLANK, Row, row, text_lines


def prompt_rows(command: str) -> list[Row]:
    """A command of any number of lines, none of them hidden."""
    first, *rest = text_lines(command)
    return [
        row(("$ ", "dim"), (first, "strong"), hang=2),
        *(row("  ", (line, "strong"), hang=2) for line in rest),
    ]


def output_rows(output: str) -> list[Row]:
    """Text that a program printed."""
    return [row(line) for line in text_lines(output)] if output else []


def planned_rows(plan: PlannedCommand) -> list[Row]:
    """What would run, and how it was chosen."""
    rows = prompt_rows(plan.command) if plan.command else []
    return [*rows, row((plan.note, "dim"))] if plan.note else rows


def command_rows(run: CommandRun) -> list[Row]:
    """The command, its end, and its output as the model saw it."""
    facts = row(
        ("in ", "dim"),
        run.cwd,
        ("  ", "dim"),
        command_end(run),
        (f"  {figures.duration(run.seconds)}", "dim"),
    )
    rows = [*prompt_rows(run.command), facts]
    if run.still_running:
        pids = ", ".join(map(str, run.still_running))
        rows.append(row((f"still running in its group: {pids}", "warn"), hang=2))
    rows.append(BLANK)
    rows.extend(output_rows(run.output) or [row(("no output", "dim"))])
    if run.spill_path is not None:
        rows += [BLANK, row((f"{run.output_bytes:,} bytes in all, in ", "dim"), run.spill_path, hang=2)]
    return rows
