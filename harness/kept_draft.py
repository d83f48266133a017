"""What was typed and not sent, on disk, so that no end of the program loses it."""

import hashlib
import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from cutaway.harness.places import data_dir, open_private, private_folder

if TYPE_CHECKING:
    from filelock import FileLock


class KeptDraft:
    """The draft of one screen in the workspace `root`, in a private file of its own below the data folder.

    A lock beside it tells the drafts of running programs from those that were left behind. A disk that
    refuses is no reason to stop anybody from typing: then the draft is not kept.
    """

    def __init__(self, root: Path, data: Path | None = None) -> None:
        self._workspace = hashlib.sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:16]
        self._data = data or data_dir()
        self._file = self._folder / f"{self._workspace}-{secrets.token_hex(8)}.draft"
        self._lock: FileLock | None = None
        self._kept = ""

    @property
    def _folder(self) -> Path:
        return self._data / "drafts"

    def take_over(self) -> str:
        """What programs that have ended left in this workspace, the oldest first; '' when nothing is left."""
        found = []
        with suppress(OSError):
            left = sorted(
                self._folder.glob(f"{self._workspace}-*.draft"), key=lambda file: file.stat().st_mtime
            )
            found = [text for file in left if file != self._file and (text := _taken(file))]
        return "\n\n".join(found)

    def keep(self, text: str) -> None:
        """Put the draft as it is now in the place of what was kept before."""
        if text == self._kept:
            return
        with suppress(OSError):
            if text.strip():
                self._write(text)
            else:
                self._file.unlink(missing_ok=True)
            self._kept = text

    def close(self) -> None:
        """Leave what is kept to the next program."""
        if self._lock is not None:
            _let_go(self._lock)
            self._lock = None

    def _write(self, text: str) -> None:
        private_folder(self._folder, below=self._data)
        if self._lock is None:
            self._lock = _lock_of(self._file)
            self._lock.acquire(timeout=0)
        new = self._file.with_suffix(".new")
        with os.fdopen(open_private(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "wb") as file:
            file.write(text.encode("utf-8", "replace"))
        new.replace(self._file)


def _taken(file: Path) -> str:
    """Take a draft away, unless a running program has it."""
    from filelock import Timeout

    lock = _lock_of(file)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return ""
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
        file.unlink()
    except OSError:
        return ""
    finally:
        _let_go(lock)
    return text


def _lock_of(file: Path) -> "FileLock":
    from filelock import FileLock

    return FileLock(file.with_suffix(".lock"), mode=0o600, thread_local=False)


def _let_go(lock: "FileLock") -> None:
    lock.release()
    with suppress(OSError):
        Path(lock.lock_file).unlink(missing_ok=True)
