"""A window of lines, or of bytes, out of a file of any size, in bounded memory."""

import io
from collections.abc import Iterator
from dataclasses import dataclass

from cutaway.tools.text_file import Survey, decoded

LINE_WIDTH = 2000
"""Characters of one line that are shown; the rest is counted."""

WINDOW_BYTES = 100_000
"""UTF-8 bytes of lines in one window: about 25,000 to 35,000 tokens of source code."""

BYTES_PER_ROW = 16


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its end; `length` counts all its characters, `text` may hold fewer."""

    text: str
    length: int

    @property
    def shown(self) -> str:
        """The text as the model gets it, with a mark where it was cut."""
        if self.length == len(self.text):
            return self.text
        return f"{self.text}… [line cut: {len(self.text)} of {self.length} characters shown]"


def read_lines(stream: io.BufferedIOBase, survey: Survey, first: int, limit: int) -> list[Line]:
    """Read up to `limit` lines from the 1-based line `first`, and no more than WINDOW_BYTES of them."""
    lines: list[Line] = []
    size = 0
    for line in _lines_from(stream, survey, first):
        size += len(line.shown.encode("utf-8", "replace")) + 1
        if len(lines) == limit or (lines and size > WINDOW_BYTES):
            break
        lines.append(line)
    return lines


def _lines_from(stream: io.BufferedIOBase, survey: Survey, first: int) -> Iterator[Line]:
    assert survey.charset is not None, "only text has lines"
    newline = survey.newline
    skip = first - 1
    text, length = "", 0
    unended = False
    for chunk in decoded(stream, survey.charset):
        start = 0
        if skip:
            ends = chunk.count(newline)
            if ends < skip:
                skip -= ends
                continue
            for _ in range(skip):
                start = chunk.index(newline, start) + 1
            skip = 0
        while (end := chunk.find(newline, start)) >= 0:
            stop = end - 1 if newline == "\n" and chunk[start:end].endswith("\r") else end
            text = (text + chunk[start : min(stop, start + LINE_WIDTH)])[:LINE_WIDTH]
            yield Line(text, length + stop - start)
            text, length, unended = "", 0, False
            start = end + 1
        rest = len(chunk) - start
        text = (text + chunk[start : start + LINE_WIDTH])[:LINE_WIDTH]
        length, unended = length + rest, unended or rest > 0
    if unended:
        yield Line(text, length)


def hexdump(content: bytes, offset: int) -> str:
    """Show bytes in rows of 16 with their offsets, as `xxd` does."""
    rows = []
    for start in range(0, len(content), BYTES_PER_ROW):
        row = content[start : start + BYTES_PER_ROW]
        pairs = " ".join(row[i : i + 2].hex() for i in range(0, len(row), 2))
        signs = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in row)
        rows.append(f"{offset + start:08x}: {pairs:<39}  {signs}")
    return "\n".join(rows)
