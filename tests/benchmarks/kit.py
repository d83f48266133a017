"""What the benchmarks share: the program under a pseudo-terminal, its cost in /proc, and a table of bars.

Each benchmark is run by hand, from the repository: `python -m tests.benchmarks.NAME`. Children run from
compiled bytecode and keep their files in a scratch folder.
"""

from __future__ import annotations

import fcntl
import os
import pty
import signal
import statistics
import struct
import subprocess
import sys
import termios
import threading
import time
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import Self

ROOT = Path(__file__).parent.parent.parent
COLUMNS, ROWS = 120, 40
TICKS = os.sysconf("SC_CLK_TCK")
ENTERED_SCREEN = b"\x1b[?1049h"
"""Everything before it was echoed by the terminal, not drawn by the program."""


def command(*arguments: str) -> list[str]:
    """The command line of the program with the interpreter that runs the benchmark."""
    return [sys.executable, "-m", "cutaway", *arguments]


def environment(home: Path) -> dict[str, str]:
    """Our own variables, with bytecode allowed, a terminal of many colours, and files kept in `home`."""
    dropped = ("PYTHONDONTWRITEBYTECODE", "NO_COLOR", "PYTHONPROFILEIMPORTTIME")
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    more = {"PYTHONPATH": str(ROOT / ".src"), "CUTAWAY_HOME": str(home)}
    return {**kept, **more, "TERM": "xterm-256color", "COLORTERM": "truecolor"}


def compile_all() -> None:
    """Write the bytecode of the package, as an installation does."""
    child = [
        sys.executable,
        "-m",
        "compileall",
        "-q",
        *(str(ROOT / floor) for floor in ("tui", "harness", "tools")),
    ]
    subprocess.run(child, env=environment(ROOT), check=True)


class Program:
    """A program under a terminal of its own, which is always read; `written` is all that it has drawn."""

    def __init__(self, line: Sequence[str], home: Path, *, cwd: Path | None = None) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.written = bytearray()
        self._arrivals: list[tuple[int, float]] = []
        self._changed = threading.Condition()
        self._ended = False
        self.started = time.monotonic()
        self._process = subprocess.Popen(
            line,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=environment(home),
            cwd=cwd,
            start_new_session=True,
        )
        os.close(slave)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._master, 1 << 16)
            except OSError:  # Linux says so when the last writer has gone
                data = b""
            now = time.monotonic()
            with self._changed:
                self.written += data
                self._arrivals.append((len(self.written), now))
                self._ended = not data
                self._changed.notify_all()
            if not data:
                return

    def press(self, text: str) -> float:
        """Write keys; the moment before."""
        now = time.monotonic()
        os.write(self._master, text.encode())
        return now

    @property
    def mark(self) -> int:
        """A place to look from: the end of what has been drawn so far."""
        with self._changed:
            return len(self.written)

    def shown(self, text: str | bytes, since: int = 0, timeout: float = 30.0) -> float:
        """Wait until a text has been drawn after `since`; the moment when its last byte arrived."""
        needle = text.encode() if isinstance(text, str) else text
        until = time.monotonic() + timeout
        with self._changed:
            begin = since
            while (at := self.written.find(needle, begin)) < 0:
                begin = max(since, len(self.written) - len(needle))
                if self._ended or not self._changed.wait(until - time.monotonic()):
                    tail = bytes(self.written[-2000:]).decode(errors="replace")
                    raise TimeoutError(f"{text!r} was not drawn within {timeout:g} s; the end is: {tail!r}")
            end = at + len(needle)
            return self._arrivals[bisect_left(self._arrivals, (end, 0.0))][1]

    def longest_pause(self, since: float, until: float) -> float:
        """The most seconds between two drawings from one moment to another."""
        moments = [moment for _, moment in self._arrivals if since <= moment <= until]
        return max((after - before for before, after in pairwise(moments)), default=0.0)

    @property
    def cpu(self) -> float:
        """Seconds of processor time, in all threads, user and system."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    @property
    def rss(self) -> float:
        """Resident megabytes (MiB)."""
        lines = Path(f"/proc/{self._process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join()
        os.close(self._master)


@dataclass(frozen=True, slots=True)
class Bar:
    """A figure that was measured several times, with what it may be at most."""

    name: str
    values: Sequence[float]
    unit: str
    limit: float | None
    digits: int = 0
    worst: bool = False
    """The largest value counts, not the median."""

    @property
    def value(self) -> float:
        return max(self.values) if self.worst else statistics.median(self.values)

    @property
    def met(self) -> bool:
        return self.limit is None or self.value <= self.limit


def share(values: Sequence[float], part: float) -> float:
    """The value that `part` (0 to 1) of all values do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))] if ordered else float("nan")


def spread(measure: Callable[[], float], times: int) -> list[float]:
    """Measure several times."""
    return [measure() for _ in range(times)]


def print_table(title: str, bars: Sequence[Bar]) -> int:
    """Print the figures with their bars and how busy the machine was; the count of those over."""
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    out = [f"{title}    (load average {load}; {os.cpu_count()} cores)"]
    out.append(f"{'':<46}{'value':>10}{'bar':>10}   {'from – to':<16}")
    for bar in bars:
        limit = "" if bar.limit is None else f"≤ {bar.limit:g}"
        verdict = "" if bar.limit is None else "ok" if bar.met else "OVER"
        ends = f"{min(bar.values):.{bar.digits}f} – {max(bar.values):.{bar.digits}f} ({len(bar.values)})"
        value = f"{bar.value:.{bar.digits}f} {bar.unit}"
        out.append(f"{bar.name:<46}{value:>10}{limit:>10}   {ends:<18}{verdict}")
    sys.stdout.write("\n".join(out) + "\n")
    return sum(not bar.met for bar in bars)
