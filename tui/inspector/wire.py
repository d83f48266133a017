"""Requests and responses as they went over the wire, exact first and readable on a key."""

import json
from collections.abc import Sequence
from typing import overload

from cutaway.harness.ledger import TurnView
from cutaway.harness.stored_text import text_of
from cutaway.tui.rows import BLANK, LongText, Plain, Row, Rows, RowSource, row, text_lines


class _Below(Plain):
    """Two runs of lines seen as one, so that the long one stays as it is."""

    def __init__(self, first: Sequence[Row], then: Sequence[Row]) -> None:
        self._first = first
        self._then = then

    def __len__(self) -> int:
        return len(self._first) + len(self._then)

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | Sequence[Row]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        at = index if index >= 0 else len(self) + index
        return self._first[at] if at < len(self._first) else self._then[at - len(self._first)]


class Below:
    """A text of any size with some rows above it."""

    def __init__(self, head: Sequence[Row], text: LongText) -> None:
        self._head = Rows(head)
        self._text = text

    def lines(self, width: int) -> Sequence[Row]:
        return _Below(self._head.lines(width), self._text.lines(width))


def readable(text: str) -> list[str]:
    """JSON with indentation, and a new line after each line feed inside its texts; other text as it is."""
    try:
        parsed = json.loads(text)
    except ValueError:
        return text_lines(text)
    lines = []
    for line in json.dumps(parsed, indent=2, ensure_ascii=False).split("\n"):
        if "\\n" not in line:
            lines.append(line)
            continue
        indent = " " * (len(line) - len(line.lstrip()) + 2)
        first, *rest = _broken(line)
        lines += [first, *(indent + part for part in rest if part)]
    return text_lines("\n".join(lines))


def _broken(line: str) -> list[str]:
    r"""Cut a line of JSON after each `\n` in it; a backslash that is itself escaped begins no `\n`."""
    set_aside = line.replace("\\\\", "\0")  # JSON text holds no NUL
    return set_aside.replace("\\n", "\\n\n").replace("\0", "\\\\").split("\n")


def request_source(turn: TurnView, body: bytes, *, pretty: bool) -> RowSource:
    """The URL, then the body; bytes that are no UTF-8 are shown as escapes."""
    request = turn.request
    if request is None:
        return Rows([row(("nothing was sent in this turn", "dim"))])
    text = body.decode("utf-8", "backslashreplace")
    how = "made readable" if pretty else "exact bytes"
    head = [
        row(("POST " if request.url.startswith("http") else "", "dim"), (request.url, "strong"), hang=5),
        row(
            (f"{len(body):,} bytes, {request.body_kept:,} kept  sha256 ", "dim"),
            (request.body_digest[:12], "dim"),
        ),
        row((f"{how}  ", "accent"), ("p shows the other view; no key is in a body", "dim")),
        BLANK,
    ]
    return Below(head, LongText(readable(text) if pretty else text_lines(text)))


def response_source(turn: TurnView, *, pretty: bool) -> RowSource:
    """The response exactly as it was received, or why there is none."""
    if turn.response is None:
        if turn.failure is None:
            return Rows([row(("no response yet", "dim"))])
        status = f"{turn.failure.status_code} " if turn.failure.status_code else ""
        return Rows(
            [row(("failed: ", "bad"), f"{status}{turn.failure.error_type}"), row(turn.failure.message)]
        )
    raw = text_of(turn.response.raw)
    head = [
        row(
            ("stopped by ", "dim"),
            turn.response.stop_reason or "nothing said",
            ("  simulated" if turn.response.simulated else "", "warn"),
        ),
        row(
            (f"{len(raw.encode('utf-8', 'surrogatepass')):,} bytes", "dim"),
            ("  made readable" if pretty else "  as received", "accent"),
            ("  p shows the other view", "dim"),
        ),
        BLANK,
    ]
    lines = [shown for line in raw.split("\n") for shown in (_event(line) if pretty else text_lines(line))]
    return Below(head, LongText(lines))


def _event(line: str) -> list[str]:
    """A line of an event stream, its JSON indented."""
    name, mark, value = line.partition(": ")
    return (
        [f"{name}:", *("  " + part for part in readable(value))]
        if mark and value.startswith(("{", "["))
        else readable(line)
    )
