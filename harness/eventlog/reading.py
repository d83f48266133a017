"""Every good record of a log file, whatever happened to the lines around it."""

import os
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from msgspec import Struct

from cutaway.harness.errors import SessionError
from cutaway.harness.eventlog.blobs import Blobs
from cutaway.harness.eventlog.codec import BadLine, decode_line
from cutaway.harness.events import Record
from cutaway.harness.places import open_private

_RECORD_START = re.compile(rb'\{"id":"[^"\\]{1,80}","parentId":')


class OpenReport(Struct, frozen=True):
    """How a log was found: what it held, and what of it could not be used.

    `skipped` counts lines that held damage, the torn last one included; `torn` tells that the last
    line was cut off; `lost_texts` counts texts whose blob is missing or damaged; `repeated` counts events
    that stand there again, as a merge of two copies leaves them.
    """

    records: int = 0
    skipped: int = 0
    torn: bool = False
    lost_texts: int = 0
    repeated: int = 0

    @property
    def warning(self) -> str:
        """One sentence for the user; '' when there is nothing to say."""
        parts = []
        if self.skipped:
            lines = "1 line is" if self.skipped == 1 else f"{self.skipped} lines are"
            torn = " (the last one was cut off)" if self.torn else ""
            parts.append(f"{lines} damaged{torn}")
        if self.lost_texts:
            texts = "1 large text is" if self.lost_texts == 1 else f"{self.lost_texts} large texts are"
            parts.append(f"{texts} missing or damaged")
        if self.repeated:
            parts.append(
                "1 event stands twice" if self.repeated == 1 else f"{self.repeated} events stand twice"
            )
        if not parts:
            return ""
        return (
            f"In the session's log {' and '.join(parts)}. "
            f"All {self.records} good events were loaded once; the file itself stays as it is."
        )


def log_lines(path: Path) -> Iterator[bytes]:
    """Read a log line by line; a line ends with a line feed and nothing else, the last one perhaps without.

    A file that is not there has no lines. Raises SessionError when it cannot be read.
    """
    try:
        with os.fdopen(open_private(path, os.O_RDONLY), "rb") as file:
            yield from file
    except FileNotFoundError:
        return
    except OSError as error:
        raise SessionError(
            f"The session log {path} cannot be read: {error.strerror or error}. "
            "Check that it is a file, who owns it and its permissions."
        ) from error


def read_log(path: Path, blobs: Blobs) -> tuple[list[Record], OpenReport]:
    """Load a log without changing it; raises SessionError as `log_lines` does."""
    records: list[Record] = []
    skipped = 0
    torn = False
    for line in log_lines(path):
        try:
            records.append(decode_line(line, blobs))
        except BadLine:
            skipped += 1
            torn = not line.endswith(b"\n")
            records.extend(_salvaged(line, blobs))
    once: dict[str, Record] = {}
    for record in records:
        once.setdefault(record.id, record)
    return list(once.values()), OpenReport(
        len(once), skipped, torn, len(blobs.lost), len(records) - len(once)
    )


def _salvaged(line: bytes, blobs: Blobs) -> Iterator[Record]:
    """Find whole records in a line that also holds something else: NULs, or a torn record before it."""
    starts = [match.start() for match in _RECORD_START.finditer(line)]
    for start, end in pairwise([*starts, len(line)]):
        try:
            yield decode_line(line[start:end].strip(b"\0\r\n"), blobs)
        except BadLine:
            continue
