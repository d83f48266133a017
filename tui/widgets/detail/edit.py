"""An edit: the diff with its line numbers, and how the text to replace was found."""

from cutaway.harness.details import EditRung, FileEdit, Hunk
from cutaway.tui.rows import BLANK, Part, Row, Tone, row, text_lines

RUNG_WORDS: dict[EditRung, str] = {
    "exact": "exact match",
    "line-end": "matched but for line ends",
    "trailing-space": "matched but for trailing space",
    "indentation": "matched but for indentation",
}


def edit_rows(edit: FileEdit) -> list[Row]:
    """The edit's file and counts, then its hunks with old and new line numbers."""
    facts: list[Part] = [("  ", "dim"), (f"+{edit.added}", "good"), " ", (f"−{edit.removed}", "bad")]
    if edit.created:
        facts.append(("  new file", "accent"))
    if edit.rung is not None:
        facts.append((f"  {RUNG_WORDS[edit.rung]}", "dim" if edit.rung == "exact" else "warn"))
    if edit.replacements != 1:
        facts.append((f"  {edit.replacements} replacements", "dim"))
    rows = [row((edit.path, "strong"), *facts, hang=2)]
    if edit.note:
        rows.append(row(("note  ", "dim"), edit.note, hang=6))
    numbers = max((_last_line(hunk) for hunk in edit.hunks), default=0)
    for hunk in edit.hunks:
        rows.append(BLANK if hunk is edit.hunks[0] else row((" " * len(str(numbers)) + "⋮", "dim")))
        rows.extend(_hunk_rows(hunk, len(str(numbers))))
    if not edit.hunks:
        rows.append(row(("no line changes", "dim")))
    return rows


def _last_line(hunk: Hunk) -> int:
    return max(hunk.old_start, hunk.new_start) + len(hunk.lines)


def _hunk_rows(hunk: Hunk, digits: int) -> list[Row]:
    old, new = hunk.old_start, hunk.new_start
    rows = []
    tones: dict[str, Tone] = {"+": "added", "-": "removed"}
    for line in hunk.lines:
        sign, text = line[:1] or " ", text_lines(line[1:])[0]
        left = "" if sign == "+" else str(old)
        right = "" if sign == "-" else str(new)
        rows.append(
            row(
                (f"{left:>{digits}} {right:>{digits}} ", "dim"),
                (f"{sign} {text}", tones.get(sign, "text")),
                hang=2 * digits + 4,
            )
        )
        old += sign != "+"
        new += sign != "-"
    return rows
