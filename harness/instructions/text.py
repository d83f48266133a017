"""How instruction files look to the model."""

import re
from collections.abc import Iterable

from cutaway.harness.instructions.find import InstructionFile

INDEX_NAME = "index of instruction files"
"""The name of the part of the prompt that lists the files which are sent later."""

INDEX_LINES = 50
INDEX_WIDTH = 240
"""Lines of the index, and characters of each: at most about 3,000 tokens, on every turn."""

_CLOSING = re.compile(r"</(?=instructions|harness_note)")

_INDEX_HEAD = """\
More instruction files of the project apply to some of its files only. When you read or edit such a file, \
they are attached to the end of that tool result, in <harness_note source="instructions">; follow them. \
Where the line says no files, read the file yourself before work that it is about, and follow it."""


def instruction_text(file: InstructionFile, more: str = "") -> str:
    """Wrap a file so that the model sees where it begins, ends and comes from."""
    applies = f' applyTo="{_quoted(", ".join(file.applies_to))}"' if file.applies_to else ""
    return f'<instructions file="{_quoted(file.path)}"{applies}{more}>\n{body_of(file.text)}\n</instructions>'


def body_of(text: str) -> str:
    """The text as it stands between the tags, of which it can close none."""
    return _CLOSING.sub("<\\\\/", text.strip())


def _quoted(text: str) -> str:
    return text.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;")


def index_text(found: Iterable[InstructionFile]) -> str:
    """List the files that are sent later, one line each; '' when there are none."""
    lines = [_index_line(file) for file in found if file.sending in ("matched", "nested", "listed")]
    if not lines:
        return ""
    left = len(lines) - INDEX_LINES
    more = [f"- … {left} more, which are attached in the same way"] if left > 0 else []
    listed = "\n".join([*lines[:INDEX_LINES], *more])
    return f"<instructions_index>\n{_INDEX_HEAD}\n{listed}\n</instructions_index>"


def _index_line(file: InstructionFile) -> str:
    line = f"- {file.path}"
    if file.applies_to:
        line += f" (applies to {', '.join(file.applies_to)})"
    if file.description:
        line += f": {file.description}"
    line = _CLOSING.sub("<\\\\/", line)
    return line if len(line) <= INDEX_WIDTH else f"{line[: INDEX_WIDTH - 1]}…"
