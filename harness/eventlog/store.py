"""The sessions of a user: one private folder each, opened by one process at a time."""

import difflib
import os
import re
import secrets
import shutil
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from cutaway.harness.errors import LogCorrupt, SessionError, SessionNotFound
from cutaway.harness.eventlog.blobs import Blobs
from cutaway.harness.eventlog.lock import SessionLock, in_use
from cutaway.harness.eventlog.log import EventLog
from cutaway.harness.eventlog.reading import OpenReport, read_log
from cutaway.harness.eventlog.summary import SessionSummary, summarise
from cutaway.harness.events import Record
from cutaway.harness.messages import scrub
from cutaway.harness.places import data_dir, private_folder

_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32: its order is that of the bytes
_SAFE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_LOG = "events.jsonl"


def new_session_id(now: float | None = None) -> str:
    """Name a session: nine characters of time (milliseconds), then three by chance.

    Sorting names sorts by time; `now` is in seconds since 1970.
    """
    moment = int((time.time() if now is None else now) * 1000)
    digits = [_DIGITS[moment >> shift & 31] for shift in range(40, -1, -5)]
    return "".join(digits) + "".join(secrets.choice(_DIGITS) for _ in range(3))


@dataclass(frozen=True, slots=True)
class StoredSession:
    """A session that this process has open; as a context manager it closes itself."""

    id: str
    folder: Path
    log: EventLog
    lock: SessionLock

    def close(self) -> None:
        """Close the log, then let others in; closing twice does nothing."""
        self.log.close()
        self.lock.release()

    def __enter__(self) -> "StoredSession":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class SessionStore:
    """The folders `sessions/<id>/` below `root` (the user's data folder when not given)."""

    __slots__ = ("_root",)

    def __init__(self, root: Path | None = None) -> None:
        self._root = root or data_dir()

    @property
    def folder(self) -> Path:
        return self._root / "sessions"

    def create(self, session_id: str | None = None) -> StoredSession:
        """Begin a session with an empty log.

        Raises SessionError when the name is taken or no file name, or the folder cannot be made.
        """
        name = new_session_id() if session_id is None else session_id
        folder = self._new_folder(name)
        lock = SessionLock(folder)
        lock.acquire()
        return StoredSession(name, folder, EventLog(folder / _LOG), lock)

    def open(self, session_id: str) -> StoredSession:
        """Take up a session by its id or an unambiguous beginning of it.

        Raises SessionNotFound, SessionInUse, or LogCorrupt when its log holds nothing to go on from.
        """
        name = self.find(session_id)
        folder = self._checked(name)
        lock = SessionLock(folder)
        with ExitStack() as undo:
            lock.acquire()
            undo.callback(lock.release)
            log = EventLog(folder / _LOG)
            if not log.records:
                raise _nothing_in(name, log.report)
            undo.pop_all()
        return StoredSession(name, folder, log, lock)

    def read(self, session_id: str) -> tuple[Sequence[Record], OpenReport]:
        """Load a session's records to look at them, also while it is in use; nothing is written.

        Raises SessionNotFound, or LogCorrupt when there is nothing to see.
        """
        name = self.find(session_id)
        folder = self._checked(name)
        records, report = read_log(folder / _LOG, Blobs(folder / "blobs"))
        if not records:
            raise _nothing_in(name, report)
        return records, report

    def find(self, session_id: str) -> str:
        """Complete the beginning of an id; raises SessionNotFound, which names those that are near."""
        names = self._names()
        if session_id in names:
            return session_id
        matches = [name for name in names if session_id and name.startswith(session_id)]
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise SessionNotFound(
                f"{len(matches)} sessions begin with {session_id!r}: {_some(matches)}. Give more of the id."
            )
        near = difflib.get_close_matches(session_id, names, n=3, cutoff=0.5)
        hint = f" Did you mean {_some(near)}?" if near else ""
        raise SessionNotFound(f"There is no session {session_id!r}.{hint} See: cutaway sessions list")

    def list(self, cwd: str | os.PathLike[str] | None = None) -> tuple[SessionSummary, ...]:
        """Summarise all sessions, or those of one folder, the last used first.

        Every session is in it, also one that is damaged or empty (which belongs to no folder).
        """
        found = [summarise(self.folder / name, in_use=in_use(self.folder / name)) for name in self._names()]
        if cwd is not None:
            wanted = scrub(os.path.realpath(cwd))  # as the log tells it
            found = [one for one in found if one.cwd and os.path.realpath(one.cwd) == wanted]
        return tuple(sorted(found, key=lambda one: (one.last_activity, one.id), reverse=True))

    def fork(self, session_id: str) -> str:
        """Copy a session, also one in use, and return the id of the copy; raises SessionError."""
        source = self._checked(self.find(session_id))
        name = new_session_id()
        folder = self._new_folder(name)
        try:  # the log first: a text is always stored before the line that speaks of it
            shutil.copyfile(source / _LOG, folder / _LOG, follow_symlinks=False)
            (folder / _LOG).chmod(0o600)
            if (source / "blobs").is_dir():
                shutil.copytree(source / "blobs", folder / "blobs", symlinks=True)
        except OSError as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise SessionError(f"The session {source.name} cannot be copied: {error}.") from error
        return name

    def delete(self, session_id: str) -> str:
        """Remove a session with all its files and return its id; raises SessionInUse, SessionError."""
        name = self.find(session_id)
        folder = self._checked(name)
        lock = SessionLock(folder)
        lock.acquire()
        try:
            for entry in folder.iterdir():
                if entry.is_dir() and not entry.is_symlink():
                    shutil.rmtree(entry)
                elif entry.name not in ("lock", "lock.pid"):
                    entry.unlink()
        except OSError as error:
            raise SessionError(f"The session {name} cannot be removed: {error}.") from error
        finally:
            lock.release()
        shutil.rmtree(folder, ignore_errors=True)
        return name

    def _names(self) -> Sequence[str]:
        try:
            with os.scandir(self.folder) as entries:
                return sorted(
                    entry.name
                    for entry in entries
                    if entry.is_dir(follow_symlinks=False) and _SAFE_ID.fullmatch(entry.name)
                )
        except (FileNotFoundError, NotADirectoryError):
            return []

    def _new_folder(self, name: str) -> Path:
        if not _SAFE_ID.fullmatch(name):
            raise SessionError(
                f"{name!r} cannot name a session: use up to 64 letters, digits, '.', '_' and '-', "
                "a letter or digit first."
            )
        if (self.folder / name).exists():
            raise SessionError(f"A session {name} exists already. Resume it, or take another name.")
        try:
            private_folder(self.folder, below=self._root)
            (self.folder / name).mkdir(mode=0o700)
        except OSError as error:
            raise SessionError(
                f"The session's folder {self.folder / name} cannot be made: {error.strerror}. "
                "Free some space, check the permissions, or set CUTAWAY_HOME to another folder."
            ) from error
        return self.folder / name

    def _checked(self, name: str) -> Path:
        return private_folder(self.folder / name, below=self._root)


def _nothing_in(name: str, report: OpenReport) -> LogCorrupt:
    why = f"none of its {report.skipped} lines can be read" if report.skipped else "its log is empty"
    return LogCorrupt(
        f"There is nothing to resume in the session {name}: {why}. Start a new one, or choose another: "
        "cutaway sessions list"
    )


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:5])
    return f"{shown}, …" if len(names) > 5 else shown
