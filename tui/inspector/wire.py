"""Requests and responses as they went over the wire, exact first and readable on a key."""

import json
import re
from collections.abc import Sequence
from itertools import chain

from cutaway.harness.ledger import TurnView
from cutaway.tui.rows import BLANK, LongText, Row, Rows, RowSource, row, text_lines

_LINE_FEED = re.compile(r"(?<!\\)((?:\\\\)*\\n)")
"""A line feed inside JSON text, as it is written there."""


class Stacked:
    """Several sources below one another."""

    def __init__(self, *sources: RowSource) -> None:
        self._sources = sources

    def lines(self, width: int) -> Sequence[Row]:
        return list(chain.from_iterable(source.lines(width) for source in self._sources))


def readable(text: str) -> list[str]:
    """JSON with indentation, and a new line after each line feed inside its texts; other text as it is."""
    try:
        parsed = json.loads(text)
    except ValueError:
        return text_lines(text)
    lines = []
    for line in json.dumps(parsed, indent=2, ensure_ascii=False).split("\n"):
        indent = " " * (len(line) - len(line.lstrip()) + 2)
        first, *rest = [part for part in _LINE_FEED.sub("\\1\n", line).split("\n") if part]
        lines += [first, *(indent + part for part in rest)]
    return [shown for line in lines for shown in text_lines(line)]


def request_source(turn: TurnView, body: bytes, *, pretty: bool) -> RowSource:
    """The URL, then the body; bytes that are no UTF-8 are shown as escapes."""
    request = turn.request
    if request is None:
        return Rows([row(("nothing was sent in this turn", "dim"))])
    text = body.decode("utf-8", "backslashreplace")
    how = "made readable" if pretty else "exact bytes"
    head = [
        row(("POST ", "dim"), (request.url, "strong"), hang=5),
        row(
            (f"{len(body):,} bytes, {request.body_kept:,} as in the request before  sha256 ", "dim"),
            (request.body_digest[:12], "dim"),
        ),
        row((f"{how} · ", "accent"), ("p shows the other view · secrets are in no body", "dim")),
        BLANK,
    ]
    return Stacked(Rows(head), LongText(readable(text) if pretty else text_lines(text)))


def response_source(turn: TurnView, *, pretty: bool) -> RowSource:
    """The response exactly as it was received, or why there is none."""
    if turn.response is None:
        if turn.failure is None:
            return Rows([row(("no response yet", "dim"))])
        status = f"{turn.failure.status_code} " if turn.failure.status_code else ""
        return Rows(
            [row(("failed: ", "bad"), f"{status}{turn.failure.error_type}"), row(turn.failure.message)]
        )
    raw = turn.response.raw
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
    return Stacked(Rows(head), LongText(lines))


def _event(line: str) -> list[str]:
    """A line of an event stream, its JSON indented."""
    name, mark, value = line.partition(": ")
    return (
        [f"{name}:", *("  " + part for part in readable(value))]
        if mark and value.startswith(("{", "["))
        else readable(line)
    )
