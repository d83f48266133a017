"""Server-sent events from bytes, by the letter of the standard where clients differ.

Lines end at LF, CR or CRLF and nowhere else: U+2028 and U+0085 are ordinary text inside JSON, and
splitting there (as `str.splitlines` and httpx's `iter_lines` do) breaks answers.
Rules: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
"""

import re

from msgspec import Struct

MAX_EVENT_BYTES = 16 * 1024 * 1024
_LINE_END = re.compile(rb"\r\n|\r|\n")
_BOM = b"\xef\xbb\xbf"


class SseEvent(Struct, frozen=True):
    """One event; `event` is 'message' unless it was named, `id` the last id seen so far."""

    data: str
    event: str = "message"
    id: str = ""


class EventTooLarge(ValueError):
    """An event that grew over the bound; the stream cannot be trusted any more."""


class SseReader:
    """Turns chunks of bytes, cut anywhere, into events.

    Two steps away from the standard, both towards what servers do: an event that the end of the
    stream cuts off before its blank line is still delivered by `finish` (its last line may be torn,
    which the JSON in it tells), and comments are counted so that a silent stream can be told.
    """

    __slots__ = (
        "_bom",
        "_data",
        "_event",
        "_id",
        "_limit",
        "_pending",
        "_size",
        "_skip_lf",
        "comments",
        "retry",
    )

    def __init__(self, limit: int = MAX_EVENT_BYTES) -> None:
        self.retry: int | None = None
        """The server's wish for a reconnection delay, in milliseconds."""
        self.comments = 0
        self._limit = limit
        self._pending: list[bytes] = []
        self._size = 0
        self._skip_lf = False
        self._bom: bytes | None = b""
        self._data: list[str] = []
        self._event = ""
        self._id = ""

    def feed(self, chunk: bytes) -> list[SseEvent]:
        """Take the next bytes; the events that they complete. Raises EventTooLarge."""
        if self._bom is not None:
            chunk = self._without_bom(chunk)
        if self._skip_lf and chunk:
            chunk = chunk.removeprefix(b"\n")
            self._skip_lf = False
        if not chunk:
            return []
        self._skip_lf = chunk.endswith(b"\r")
        *lines, rest = _LINE_END.split(chunk) if b"\r" in chunk else chunk.split(b"\n")
        events: list[SseEvent] = []
        for line in lines:
            self._grow(len(line))
            if self._pending:
                line = b"".join([*self._pending, line])
                self._pending = []
            if event := self._take(line):
                events.append(event)
        if rest:
            self._grow(len(rest))
            self._pending.append(rest)
        return events

    def finish(self) -> list[SseEvent]:
        """Take the end of the stream; the event that was still open, if any."""
        last = [] if not self._bom else [self._take(self._bom)]
        if self._pending:
            last.append(self._take(b"".join(self._pending)))
            self._pending = []
        last.append(self._take(b""))
        return [event for event in last if event]

    def _without_bom(self, chunk: bytes) -> bytes:
        """Drop one byte order mark at the very start, also when it comes in pieces."""
        start = (self._bom or b"") + chunk
        if len(start) < len(_BOM) and _BOM.startswith(start):
            self._bom = start
            return b""
        self._bom = None
        return start.removeprefix(_BOM)

    def _grow(self, size: int) -> None:
        self._size += size
        if self._size > self._limit:
            raise EventTooLarge(f"one event is longer than {self._limit} bytes")

    def _take(self, line: bytes) -> SseEvent | None:
        """Take one line in; the event that it closes, if it is the blank one after data."""
        if not line:
            return self._dispatch()
        if line.startswith(b"data: "):  # nearly every line of a stream, which may have 6,000 a second
            self._data.append(line[6:].decode("utf-8", "replace"))
            return None
        name, _, value = line.decode("utf-8", "replace").partition(":")
        value = value.removeprefix(" ")
        match name:
            case "":
                self.comments += 1
                self._size -= len(line)
            case "data":
                self._data.append(value)
            case "event":
                self._event = value
            case "id" if "\0" not in value:
                self._id = value
            case "retry" if value.isascii() and value.isdigit():
                self.retry = int(value[:9])
            case _:
                pass
        return None

    def _dispatch(self) -> SseEvent | None:
        data, event = self._data, self._event
        self._data, self._event, self._size = [], "", 0
        if not data:
            return None
        return SseEvent("\n".join(data), event or "message", self._id)
