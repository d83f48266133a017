"""The screen in a terminal of its own: keys go in as bytes, and what came out last tells how it was left."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import threading
from collections.abc import Callable
from pathlib import Path

from tests.command.kit import command, environment

SEQUENCE = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\].*?(?:\x07|\x1b\\)|[@-Z\\-_=>])")
MODE = re.compile(rb"\x1b\[\?(\d+)([hl])")
KEYBOARD = re.compile(rb"\x1b\[(?:>\d+|<)u")
ON_AT_REST = {7: True, 25: True}
"""Line wrap and cursor; every other private mode is off in a terminal that nobody uses."""

PATIENCE = 30.0
"""Seconds after which a state that never comes fails the test."""


class Terminal:
    """A pseudo terminal of 30 rows of 120 cells with `cutaway` in it, which is its session's leader.

    While `reading` is not set, nobody takes what the program writes.
    """

    def __init__(self, folder: Path, *arguments: str, **more: str) -> None:
        self._master, self.slave = pty.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 120, 0, 0))
        self._before = termios.tcgetattr(self.slave)
        self.output = b""
        self.reading = threading.Event()
        self.reading.set()
        self._changed = threading.Condition()
        self._leave, self._left = os.pipe()
        wanted = {"TERM": "xterm-256color", "CUTAWAY_HOME": str(folder / "home"), "NO_COLOR": "1", **more}
        self.process = subprocess.Popen(
            command(*arguments),
            env=environment(**wanted),
            stdin=self.slave,
            stdout=self.slave,
            stderr=self.slave,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        self.hang_up()
        for descriptor in (self.slave, self._leave, self._left):
            os.close(descriptor)

    def press(self, keys: bytes) -> None:
        os.write(self._master, keys)

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def hang_up(self) -> None:
        """Close the terminal, as its window does."""
        if self._master >= 0:
            os.write(self._left, b"x")
            self.reading.set()
            self._reader.join()
            os.close(self._master)
            self._master = -1

    def text(self, since: int = 0) -> str:
        """Everything that was written from byte `since` on, without control sequences."""
        return SEQUENCE.sub(b"", self.output[since:]).decode("utf-8", "replace")

    def until(self, words: str, since: int = 0) -> None:
        self.until_true(lambda: words in self.text(since), words)

    def until_true(self, met: Callable[[], bool], what: str) -> None:
        with self._changed:
            assert self._changed.wait_for(met, PATIENCE), f"never came: {what}\n{self.text()[-2000:]}"

    def ended(self) -> int:
        """Wait for the end of the program, and of what it wrote; its exit code."""
        code = self.process.wait(PATIENCE)
        if self._master >= 0:
            os.write(self._left, b"x")
            self._reader.join()
        return code

    def left_as(self) -> list[str]:
        """What differs from a terminal that nobody uses: modes left on or off, echo, the keyboard."""
        wrong = [] if termios.tcgetattr(self.slave) == self._before else ["stty"]
        modes = {int(found[1]): found[2] == b"h" for found in MODE.finditer(self.output)}
        wrong += [f"{mode} {on}" for mode, on in modes.items() if on != ON_AT_REST.get(mode, False)]
        found = KEYBOARD.findall(self.output)
        pushed = sum(1 if b">" in each else -1 for each in found)
        return [*wrong, *(["keyboard"] if pushed else [])]

    def _read(self) -> None:
        leaving = False
        while True:
            self.reading.wait()
            ready = select.select([self._master, self._leave], [], [], 0 if leaving else None)[0]
            leaving = leaving or self._leave in ready
            if self._master not in ready:
                if leaving:
                    return
                continue
            try:
                data = os.read(self._master, 65_536)
            except OSError:
                return
            with self._changed:
                self.output += data
                self._changed.notify_all()
