"""The reading end of a program's output, read in bounded chunks on the loop that also draws.

Nothing here waits for the pipe's end: a process left behind may hold it open for hours.
"""

import asyncio
import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress

CHUNK = 32 * 1024
"""Bytes a read; decoding and sanitising them takes 1 to 5 ms, so that keys are never kept waiting."""

_BREATHER = 0.005
"""Seconds to let a slow writer fill the pipe, so that a byte at a time is not a wake-up each."""

_BACKGROUND_PAUSE = 0.05
"""Seconds between reads of what nobody waits for: at most 0.6 MB/s of work."""

_DRAIN_LIMIT = 4 * 1024 * 1024
"""Bytes read after the exit; more than a pipe holds means that someone goes on writing."""

_PIPE_SIZE = 1024 * 1024


class PipeReader:
    """Hands over what arrives in the pipe, until its end, `close`, or the end of the loop."""

    __slots__ = ("_descriptor", "_loop", "_on_data", "_on_end", "_pause", "_timer", "closed")

    def __init__(self, descriptor: int, on_data: Callable[[bytes], None], on_end: Callable[[], None]) -> None:
        self._descriptor = descriptor
        self._on_data = on_data
        self._on_end = on_end
        self._loop = asyncio.get_running_loop()
        self._pause = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self.closed = False
        if sys.platform == "win32":
            threading.Thread(target=self._read_in_thread, daemon=True).start()
        else:
            os.set_blocking(descriptor, False)
            self._loop.add_reader(descriptor, self._read)

    def slow_down(self) -> None:
        """Read on, but spend little on it: the command has ended, and something else writes."""
        self._pause = _BACKGROUND_PAUSE

    async def drain(self) -> None:
        """Take what was written before now; returns at the first empty moment."""
        if sys.platform == "win32":
            await asyncio.sleep(_BACKGROUND_PAUSE)
            return
        taken = 0
        while not self.closed and taken < _DRAIN_LIMIT:
            size = self._take()
            if size == 0:
                return
            taken += size
            await asyncio.sleep(0)

    def close(self) -> None:
        """Stop reading; whoever still writes gets a broken pipe."""
        if self.closed:
            return
        self.closed = True
        if self._timer is not None:
            self._timer.cancel()
        if sys.platform != "win32":
            self._loop.remove_reader(self._descriptor)
            os.close(self._descriptor)

    def _take(self) -> int:
        """Read one chunk; 0 means nothing for now, or the end."""
        try:
            data = os.read(self._descriptor, CHUNK)
        except BlockingIOError:
            return 0
        except OSError:
            data = b""
        if not data:
            self.close()
            self._on_end()
            return 0
        self._on_data(data)
        return len(data)

    def _read(self) -> None:
        size = self._take()
        pause = self._pause or (_BREATHER if size < CHUNK else 0.0)
        if pause and not self.closed:
            self._loop.remove_reader(self._descriptor)
            self._timer = self._loop.call_later(pause, self._read_on)

    def _read_on(self) -> None:
        if not self.closed:
            self._loop.add_reader(self._descriptor, self._read)

    def _read_in_thread(self) -> None:
        room = threading.Semaphore(4)

        def deliver(data: bytes) -> None:
            room.release()
            if data and not self.closed:
                self._on_data(data)
            elif not self.closed:
                self.closed = True
                self._on_end()

        with suppress(OSError, RuntimeError):  # the loop, or the pipe, may be gone by then
            data = b"-"
            while data:
                room.acquire()
                data = os.read(self._descriptor, CHUNK)
                self._loop.call_soon_threadsafe(deliver, data)
        os.close(self._descriptor)


def output_pipe() -> tuple[int, int]:
    """Open a pipe (reading end, writing end), large where the system allows it."""
    reading, writing = os.pipe()
    if sys.platform == "linux":
        import fcntl

        with suppress(OSError):
            fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, _PIPE_SIZE)
    return reading, writing


def pipe_name(descriptor: int) -> str:
    """Name a pipe as Linux does in /proc/PID/fd; '' where there is no such name."""
    with suppress(OSError):
        return os.readlink(f"/proc/self/fd/{descriptor}")  # noqa: PTH115 (no file of that name)
    return ""
