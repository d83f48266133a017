"""Who belongs to a command: its group, its session, its descendants, and those that bear its mark.

A process that leaves both session and parent (a daemon) is still known by the mark in its
environment, as build servers have found processes for years, or, where Linux shows it, by the
command's output still being its own. One that drops all four at once is not found.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

MARK = "CUTAWAY_RUNS"
"""The variable that lists the runs a process belongs to, outermost first, separated by colons."""


@dataclass(frozen=True, slots=True)
class ProcessTree:
    """A command's processes; `leader` leads its own session and group, `mark` is unique.

    `pipe` is what Linux calls the pipe that takes their output ("pipe:[123]"), '' when not known.
    """

    leader: int
    mark: str
    pipe: str = ""

    def members(self) -> tuple[int, ...]:
        """List the living processes (no zombies); blocks for some milliseconds."""
        if sys.platform == "win32":
            return ()
        if sys.platform == "linux":
            return _members(self.leader, _processes_of_linux(self.mark.encode(), self.pipe))
        return _members(self.leader, _processes_of_ps())

    def signal(self, number: int) -> None:
        """Send a signal to the whole group; on Windows, end the tree."""
        if sys.platform == "win32":
            command = ["taskkill", "/F", "/T", "/PID", str(self.leader)]
            subprocess.run(command, capture_output=True, check=False)
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.leader, number)

    def signal_escaped(self, number: int, members: Iterable[int]) -> None:
        """Send a signal to those members that have left the group."""
        if sys.platform == "win32":
            return
        for pid in members:
            with suppress(ProcessLookupError, PermissionError):
                if os.getpgid(pid) != self.leader:
                    os.kill(pid, number)


@dataclass(frozen=True, slots=True)
class _Process:
    pid: int
    parent: int
    group: int
    session: int
    marked: bool


def _members(leader: int, processes: list[_Process]) -> tuple[int, ...]:
    found = {leader}
    found |= {p.pid for p in processes if p.marked or leader in (p.group, p.session)}
    size = 0
    while size != len(found):  # children of members, whatever group they are in
        size = len(found)
        found |= {p.pid for p in processes if p.parent in found}
    living = {p.pid for p in processes}
    return tuple(sorted((found & living) - {os.getpid()}))


def _processes_of_linux(mark: bytes, pipe: str) -> list[_Process]:
    processes = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            stat = (folder / "stat").read_bytes()
        except OSError:
            continue
        state, parent, group, session = stat[stat.rindex(b")") + 2 :].split(None, 4)[:4]
        if state in b"ZX":
            continue
        environment = b""
        with suppress(OSError):
            environment = (folder / "environ").read_bytes()
        marked = mark in environment or (pipe != "" and _writes_to(folder, pipe))
        processes.append(_Process(int(folder.name), int(parent), int(group), int(session), marked))
    return processes


def _writes_to(folder: Path, pipe: str) -> bool:
    for descriptor in ("1", "2"):
        with suppress(OSError):
            if os.readlink(folder / "fd" / descriptor) == pipe:  # noqa: PTH115 (no file of that name)
                return True
    return False


def _processes_of_ps() -> list[_Process]:
    listing = subprocess.run(
        ["ps", "-A", "-o", "pid=,ppid=,pgid=,stat="], capture_output=True, text=True, check=False
    )
    rows = [line.split() for line in listing.stdout.splitlines()]
    return [
        _Process(int(pid), int(parent), int(group), 0, False)
        for pid, parent, group, state, *_ in rows
        if not state.startswith("Z")
    ]


def command_of(pid: int) -> str:
    """Name what a process runs, '' when that cannot be told."""
    with suppress(OSError):
        words = Path("/proc", str(pid), "cmdline").read_bytes().rstrip(b"\0").split(b"\0")
        return b" ".join(words).decode("utf-8", "replace")
    return ""


def signal_name(number: int) -> str:
    """Name a signal, as SIGKILL for 9."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
