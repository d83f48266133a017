"""A file's new bytes on their way: in the right folder, but out of sight until they are whole.

Where Linux allows it the draft has no name until it is complete, so that not even a kill leaves it
behind. Elsewhere it has one that no file of a project has, and a later write tidies it away.
"""

import errno
import os
import re
import secrets
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType

STALE_AFTER = 600
"""Seconds after which nobody still writes a draft; what is older was left by a process that was killed."""

_NAME = re.compile(r"\.cutaway-[0-9a-f]{16}\.tmp")


class Draft:
    """An open file in `folder`; on leaving it is closed and, unless it became another file, gone."""

    __slots__ = ("_named", "descriptor", "path")

    def __init__(self, folder: Path, mode: int) -> None:
        """Open it with `mode` less the umask; raises OSError."""
        self.path = folder / f".cutaway-{secrets.token_hex(8)}.tmp"
        unnamed = _open_unnamed(folder, mode)
        self._named = unnamed is None
        if unnamed is None:
            _tidy(folder)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
            for name in ("O_CLOEXEC", "O_NOFOLLOW", "O_BINARY"):
                flags |= getattr(os, name, 0)
            unnamed = os.open(self.path, flags, mode)
        self.descriptor = unnamed

    def __enter__(self) -> "Draft":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()
        if self._named:
            with suppress(FileNotFoundError):
                self.path.unlink()

    def become_new(self, target: Path) -> None:
        """Make it the file `target`, which must not exist (FileExistsError)."""
        if not self._named:
            self._link(target)
            return
        self._close()
        try:
            os.link(self.path, target)
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links
            if os.path.lexists(target):
                raise FileExistsError(errno.EEXIST, "exists", str(target)) from None
            self.path.replace(target)

    def replace(self, target: Path) -> None:
        """Put it in the place of the file `target`, in one step."""
        if not self._named:
            _tidy(self.path.parent)
            self._link(self.path)
            self._named = True
        self._close()
        self.path.replace(target)

    def _link(self, target: Path) -> None:
        source = f"/proc/self/fd/{self.descriptor}"
        os.link(source, target, src_dir_fd=self.descriptor)  # any: only with one does Python follow links

    def _close(self) -> None:
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1


def _open_unnamed(folder: Path, mode: int) -> int | None:
    flag = getattr(os, "O_TMPFILE", 0)
    if not flag or not os.access("/proc/self/fd", os.X_OK):
        return None
    try:
        return os.open(folder, os.O_WRONLY | os.O_CLOEXEC | flag, mode)
    except OSError:  # not every file system can; a draft with a name finds out what else is wrong
        return None


def _tidy(folder: Path) -> None:
    """Remove what a killed process has left in the folder."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _NAME.fullmatch(entry.name):
                with suppress(OSError):
                    age = time.time() - entry.stat(follow_symlinks=False).st_mtime
                    if age > STALE_AFTER:
                        Path(entry.path).unlink()
