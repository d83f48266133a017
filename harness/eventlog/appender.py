"""Whole lines at the end of one file, or nothing."""

import os
from contextlib import suppress
from pathlib import Path

from cutaway.harness.places import open_private, sync_folder


class Appender:
    """Appends lines to a file, which is opened (0600) with the first one.

    A line that cannot be written whole is taken back, so a file never ends in a part of ours; bytes
    that were there before are never removed. A torn end that a crash left gets a line feed with the
    first new line, so that the new one stands alone. Every method raises OSError and may be called
    again after it.
    """

    __slots__ = ("_descriptor", "_end", "_glue", "_new", "_path", "_torn")

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None
        self._end = 0
        self._glue = b""
        self._torn = False
        self._new = False

    def append(self, line: bytes) -> None:
        """Hand a line, with its line feed, to the operating system."""
        descriptor = self._opened()
        if self._torn:
            self._take_back(descriptor)
        data = self._glue + line
        self._torn = True
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(descriptor, rest) :]
        except OSError:
            with suppress(OSError):  # then it is tried again before the next line
                self._take_back(descriptor)
            raise
        self._end += len(data)
        self._glue = b""
        self._torn = False

    def sync(self) -> None:
        """Make what was appended survive a power cut."""
        if self._descriptor is not None:
            os.fsync(self._descriptor)
        if self._new:
            sync_folder(self._path.parent)
            self._new = False

    def close(self) -> None:
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)

    def _opened(self) -> int:
        if self._descriptor is None:
            new = not self._path.exists()
            descriptor = open_private(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
            self._descriptor, self._new = descriptor, new
            self._end = os.lseek(descriptor, 0, os.SEEK_END)
            if self._end:
                os.lseek(descriptor, self._end - 1, os.SEEK_SET)
                self._glue = b"" if os.read(descriptor, 1) == b"\n" else b"\n"
        return self._descriptor

    def _take_back(self, descriptor: int) -> None:
        os.ftruncate(descriptor, self._end)
        self._torn = False
