"""The way to the terminal: whoever draws never waits for it, and its end ends nothing else."""

import os
import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue

CHUNK = 4096
"""Bytes handed to the system at once: what a Linux terminal takes in one go."""

BEHIND = 2048
"""Characters that wait from which on a terminal counts as slow: less than one paint of half a screen."""

PATIENCE = 2.0
"""Seconds without a byte taken after which a terminal is given up at the end of the program."""


class TerminalWriter(threading.Thread):
    """Writes what it is given to a file descriptor, in order; nobody ever waits for it but `stop`.

    `write` may be called from a signal handler that interrupts a `write`. When the terminal has gone, what
    comes for it is dropped.
    """

    def __init__(self, descriptor: int, encoding: str) -> None:
        super().__init__(daemon=True, name="cutaway-output")
        self._descriptor = descriptor
        self._encoding = encoding
        self._queue: SimpleQueue[str | None] = SimpleQueue()
        self._given = self._taken = self._steps = 0
        self._when_idle: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._gone = False

    @property
    def behind(self) -> bool:
        """Whether the terminal has not yet taken what it was given, so that more would only come later."""
        return self._given - self._taken > BEHIND

    def write(self, text: str) -> None:
        self._given += len(text)
        self._queue.put(text)

    def when_caught_up(self, told: Callable[[], None]) -> None:
        """Call `told` once, from this thread, when the terminal has taken everything."""
        self._when_idle.put(told)
        self.write("")  # it may have caught up in this very moment

    def run(self) -> None:
        while (text := self._queue.get()) is not None:
            self._send(text.encode(self._encoding, "replace"))
            self._taken += len(text)
            if self._queue.empty():
                self._tell()

    def stop(self) -> None:
        """Write what is left and end; a terminal that takes nothing any more is left alone."""
        self._queue.put(None)
        before = -1
        while self.is_alive() and before != self._steps:
            before = self._steps
            self.join(PATIENCE)

    def _send(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest and not self._gone:
            try:
                rest = rest[os.write(self._descriptor, rest[:CHUNK]) :]
            except OSError:
                self._gone = True
            self._steps += 1

    def _tell(self) -> None:
        while True:
            try:
                told = self._when_idle.get_nowait()
            except Empty:
                return
            told()
