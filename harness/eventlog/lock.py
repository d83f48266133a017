"""One process to a session, and its number for those who come second."""

import os
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

from cutaway.harness.errors import SessionError, SessionInUse
from cutaway.harness.places import open_private

_PATIENCE = 0.1
"""Seconds: a listing that asks whether a session is in use holds its lock for an instant."""


class SessionLock:
    """The lock on a session's folder; it ends with the process that holds it.

    The holder's process id lies beside it in `lock.pid`, since a lock file itself cannot be read
    everywhere while it is held.
    """

    __slots__ = ("_folder", "_lock")

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = FileLock(folder / "lock", mode=0o600, thread_local=False)

    def acquire(self) -> None:
        """Take the lock; raises SessionInUse, which names the holder, or SessionError."""
        try:
            self._lock.acquire(timeout=_PATIENCE, poll_interval=_PATIENCE / 5)
        except Timeout:
            pid = holder(self._folder)
            who = f"the process {pid}" if pid else "another process"
            name = self._folder.name
            raise SessionInUse(
                f"The session {name} is open in {who}. Close it there first, "
                f"or go on in a copy: cutaway sessions fork {name}"
            ) from None
        except OSError as error:
            raise SessionError(
                f"The session's folder {self._folder} cannot be locked: {error.strerror or error}. "
                "Check its permissions and the free space."
            ) from error
        with suppress(OSError):  # the lock itself holds; only what others are told will be poorer
            self._write_pid()

    def release(self) -> None:
        """Give the lock back; giving it back twice does nothing."""
        if self._lock.is_locked:
            with suppress(OSError):
                _pid_file(self._folder).unlink(missing_ok=True)
            self._lock.release()

    def _write_pid(self) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        with os.fdopen(open_private(_pid_file(self._folder), flags), "w") as file:
            file.write(f"{os.getpid()}\n")


def holder(folder: Path) -> int | None:
    """Read the process id that the last holder of a session's lock left; None when there is none."""
    try:
        return int(_pid_file(folder).read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


def in_use(folder: Path) -> bool:
    """Tell whether a process has the session open now."""
    if holder(folder) is None:
        return False
    probe = FileLock(folder / "lock", mode=0o600, thread_local=False)
    try:
        with probe.acquire(timeout=0):
            return False
    except Timeout:
        return True
    except OSError:
        return False


def _pid_file(folder: Path) -> Path:
    return folder / "lock.pid"
