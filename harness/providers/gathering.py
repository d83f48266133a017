"""Many small pieces of a fast stream, read in one go: the reading of each alone costs more than its words."""

import asyncio

PAUSE = 1 / 40
"""Seconds to leave the socket alone; what is said goes to the screen less often than that."""

WINDOW = 0.05
"""Seconds in which so many pieces have to come."""

MANY = 16
"""Pieces in a window from which on a stream is fast: 320 a second, which no eye can follow one by one."""

AT_ONCE = 32
"""Pieces taken, about a millisecond, before a key is let in between."""

PLENTY = 48 * 1024
"""Bytes between two waits that say that more is there than one read takes: then a pause helps nobody."""


class Gathering:
    """Lets the pieces of a fast stream come together in the socket; a slow one is read piece by piece.

    Each read that has to wait costs about 80 µs in the event loop and in the HTTP library, and a quick
    model sends 6,000 events a second. Used from the event loop's thread, by its own clock.
    """

    __slots__ = ("_bytes", "_loop", "_mark", "_pieces", "_since", "_waited")

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._since = self._loop.time()
        self._pieces = self._bytes = 0
        self._waited = True
        self._mark: asyncio.Handle | None = None

    async def took(self, piece: bytes) -> None:
        """Note a piece, and pause when it is one of many; not while more has been read already."""
        self._pieces += 1
        self._bytes += len(piece)
        if self._waited:
            await self._read_anew()
        elif self._pieces % AT_ONCE == 0:
            if self._mark is not None:
                self._mark.cancel()
            await asyncio.sleep(0)
            self._mark_wait()

    async def _read_anew(self) -> None:
        """Pause if the stream is fast."""
        now = self._loop.time()
        if now - self._since > WINDOW:
            self._begin(now)
        elif self._pieces >= MANY:
            if self._bytes < PLENTY:
                await asyncio.sleep(PAUSE)
                now = self._loop.time()
            self._begin(now)
        self._waited = False
        self._mark_wait()

    def _mark_wait(self) -> None:
        """Have the loop note that it ran, which it does only while the next piece is waited for."""
        self._mark = self._loop.call_soon(self._note_wait)

    def _note_wait(self) -> None:
        self._waited = True

    def _begin(self, now: float) -> None:
        self._since, self._pieces, self._bytes = now, 0, 0
