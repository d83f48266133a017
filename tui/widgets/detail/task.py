"""The model's own word that it is done."""

from cutaway.harness.details import TaskCompleted
from cutaway.tui.rows import Row, row, text_lines


def task_rows(task: TaskCompleted) -> list[Row]:
    """The summary as the model wrote it."""
    head = row(("✓ ", "good"), ("the model says that the task is done", "strong"))
    return [head, *(row("  ", line, hang=2) for line in text_lines(task.summary))]
