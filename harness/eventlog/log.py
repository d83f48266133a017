"""The event log: what happened, in order, on disk before it is seen."""

import asyncio
import time
import uuid
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from msgspec.structs import replace

from cutaway.harness.errors import ConfigError, SessionClosed
from cutaway.harness.eventlog.appender import Appender
from cutaway.harness.eventlog.blobs import Blobs
from cutaway.harness.eventlog.codec import clean, encode_line, set_aside
from cutaway.harness.eventlog.reading import OpenReport, read_log
from cutaway.harness.eventlog.subscription import Subscription
from cutaway.harness.events import Event, Record, SessionWarning, UnknownEvent
from cutaway.tools.paths import printable


def new_record_id() -> str:
    """Name a record as the Copilot CLI's log does, with a random UUID."""
    return str(uuid.uuid4())


class EventLog:
    """The records of one session: in a file (`path`), or in memory only when there is none.

    It belongs to one thread. Writing never waits and never fails: while the disk refuses, records
    are kept, one warning is shown, and everything is written in order when the disk takes it again.
    The caller holds the session's lock. `clock` gives seconds since 1970.
    """

    def __init__(
        self,
        path: Path | None = None,
        *,
        clock: Callable[[], float] = time.time,
        new_id: Callable[[], str] = new_record_id,
    ) -> None:
        self.path = path
        self.blobs = Blobs(path.parent / "blobs" if path else None)
        self.report = OpenReport()
        self._clock = clock
        self._new_id = new_id
        self._records: list[Record] = []
        if path:
            self._records, self.report = read_log(path, self.blobs)
        self._last_id = self._records[-1].id if self._records else None
        self._file = Appender(path) if path else None
        self._unwritten: deque[Record] = deque()
        self._failing = False
        self._closed = False
        self._subscribers: weakref.WeakSet[Subscription] = weakref.WeakSet()

    @property
    def records(self) -> Sequence[Record]:
        """All that stays, in order; the very list, which grows. Ephemeral events are not in it.

        A warning of the log about its own file is in it, though not on the disk.
        """
        return self._records

    @property
    def unwritten(self) -> int:
        """How many records wait for the disk to take them."""
        return len(self._unwritten)

    def emit(self, event: Event, agent_id: str | None = None) -> Record:
        """Record an event, write it when it is one that stays, and hand it to the subscribers.

        The record that is returned holds the event as it is read again (lone surrogates are U+FFFD,
        large texts of `Text` fields lie on the disk). Raises SessionClosed after `close`, and as
        `codec.clean` for what is no JSON.
        """
        if self._closed:
            raise SessionClosed(f"An event ({event.type}) came after the session's log was closed.")
        record = self._record(clean(event), agent_id)
        ephemeral = not isinstance(event, UnknownEvent) and event.ephemeral
        if ephemeral:
            self._notify(record)
            return record
        self._last_id = record.id
        self._records.append(record)
        trouble = ""
        if self._file:
            self._unwritten.append(record)
            trouble = self._write(self._file)
            if not trouble:
                record = replace(record, event=set_aside(record.event, self.blobs))
                self._records[-1] = record
        self._notify(record)
        self._tell(trouble)
        return record

    def subscribe(self, since: int = 0) -> Subscription:
        """Follow the log from record number `since` (0-based) on, in batches."""
        subscription = Subscription(self._records[since:], ended=self._closed)
        if not self._closed:
            self._subscribers.add(subscription)
        return subscription

    def sync(self) -> None:
        """Make everything so far survive a power cut; milliseconds, as the disk goes."""
        if self._file:
            self._tell(self._write(self._file) or _sync(self._file, self.blobs))

    async def sync_aside(self) -> None:
        """Do as `sync` does with the wait in another thread, so that keys and screen go on."""
        if self._file:
            trouble = self._write(self._file)
            self._tell(trouble or await asyncio.to_thread(_sync, self._file, self.blobs))

    def close(self) -> None:
        """Write and sync what can be, end every subscription; closing twice does nothing.

        What the disk refused up to now is lost then: `unwritten` counts it.
        """
        if self._closed:
            return
        self.sync()
        self._closed = True
        if self._file:
            self._file.close()
        for subscriber in tuple(self._subscribers):
            subscriber.end()

    def _record(self, event: Event, agent_id: str | None = None) -> Record:
        now = datetime.fromtimestamp(self._clock(), UTC).isoformat(timespec="milliseconds")
        return Record(self._new_id(), self._last_id, now.removesuffix("+00:00") + "Z", event, agent_id)

    def _notify(self, record: Record) -> None:
        for subscriber in self._subscribers:
            subscriber.push(record)

    def _write(self, file: Appender) -> str:
        """Write what waits, oldest first, up to the first refusal; returns its reason, '' for none."""
        try:
            while self._unwritten:
                file.append(encode_line(self._unwritten[0], self.blobs))
                self._unwritten.popleft()
        except (OSError, ConfigError) as error:
            return _reason(error)
        return ""

    def _tell(self, trouble: str) -> None:
        """Warn once when the disk begins to refuse, and once when it has everything again."""
        if bool(trouble) == self._failing or self._closed:
            return
        self._failing = bool(trouble)
        where = f"The session's log {printable(str(self.path))}"
        if trouble:
            text = (
                f"{where} cannot be written: {trouble}. The session goes on in memory, and what waits is "
                "written as soon as it can be. Free some space or check the permissions."
            )
        else:
            text = f"{where} can be written again: every event is on disk, in order."
        record = self._record(SessionWarning("log_unwritable" if trouble else "log_written", text))
        self._records.append(record)
        self._notify(record)


def _sync(file: Appender, blobs: Blobs) -> str:
    try:
        blobs.sync()
        file.sync()
    except OSError as error:
        return _reason(error)
    return ""


def _reason(error: OSError | ConfigError) -> str:
    words = error.strerror if isinstance(error, OSError) else None
    return printable((words or str(error)).rstrip("."))
