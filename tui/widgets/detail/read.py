"""A read: which part of which file the model has now seen."""

from cutaway.harness.details import FileRead
from cutaway.tui.rows import BLANK, Row, row, text_lines
from cutaway.tui.widgets.detail.code import code_lines, numbered


def read_rows(read: FileRead) -> list[Row]:
    """The path and the range, then the text with line numbers."""
    if read.binary:
        return [
            row((read.path, "strong"), ("  binary", "warn")),
            BLANK,
            *(row(line) for line in text_lines(read.text)),
        ]
    if not read.total_lines:
        return [row((read.path, "strong"), ("  empty file", "dim"), hang=2)]
    part = ", whole file" if read.whole else f" of {read.total_lines}"
    head = row((read.path, "strong"), (f"  lines {read.first_line}–{read.last_line}{part}", "dim"), hang=2)
    body = numbered(code_lines(read.text, read.path), read.first_line) if read.text else ()
    return [head, BLANK, *(row((number, "dim"), *line, hang=len(number)) for number, line in body)]
