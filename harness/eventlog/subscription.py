"""A reader of a log that is still being written, never in the writer's way."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence

from cutaway.harness.events import Record


class Subscription(AsyncIterator[Sequence[Record]]):
    """Batches of records in order; whoever comes late gets one bigger batch.

    It holds from the moment it is made, and ends, after the last record, when the log is closed.
    One task reads it; a cancelled wait loses nothing. Dropping it is enough to unsubscribe.
    """

    __slots__ = ("__weakref__", "_ended", "_waiting", "_wake")

    def __init__(self, backlog: Iterable[Record], *, ended: bool) -> None:
        self._waiting = list(backlog)
        self._ended = ended
        self._wake = asyncio.Event()

    def push(self, record: Record) -> None:
        """Add a record without waiting for anybody."""
        self._waiting.append(record)
        self._wake.set()

    def end(self) -> None:
        """Tell the reader that nothing follows what was pushed."""
        self._ended = True
        self._wake.set()

    async def __anext__(self) -> Sequence[Record]:
        while not self._waiting:
            if self._ended:
                raise StopAsyncIteration
            self._wake.clear()
            await self._wake.wait()
        batch, self._waiting = tuple(self._waiting), []
        return batch
