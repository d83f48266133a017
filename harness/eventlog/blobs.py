"""Large texts, kept once each under the digest of their bytes."""

import hashlib
import os
import secrets
from pathlib import Path

from cutaway.harness.blocks import text_digest
from cutaway.harness.messages import scrub
from cutaway.harness.places import open_private, private_folder, sync_folder
from cutaway.harness.stored_text import StoredText, read_stored, stored_path


class Blobs:
    """A store of texts in `folder` (`ab/cdef…`, sha256 in hex), or in memory when there is none.

    Reading never fails: a text that is missing or whose bytes do not fit its name is None, and its
    digest joins `lost`.
    """

    __slots__ = ("_folder", "_known", "_lost", "_memory", "_read", "_unsynced")

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._memory: dict[str, bytes] = {}
        self._known: set[str] = set()
        self._read: set[str] = set()
        self._lost: set[str] = set()
        self._unsynced: set[Path] = set()

    @property
    def lost(self) -> frozenset[str]:
        """The digests that were asked for and could not be given."""
        return frozenset(self._lost)

    def put(self, text: str) -> str:
        """Keep a text and return its digest (that of `blocks.text_digest`); raises OSError."""
        data = scrub(text).encode()
        digest = hashlib.sha256(data).hexdigest()
        if digest in self._known:
            return digest
        if self._folder is None:
            self._memory[digest] = data
        elif digest in self._lost or not _holds(self._folder, digest, len(data)):
            self._write(self._folder, digest, data)
        self._known.add(digest)
        self._lost.discard(digest)
        return digest

    def get(self, digest: str) -> str | None:
        """Return the text of a digest, or None when it is missing or damaged."""
        if self._folder is None:
            data = self._memory.get(digest)
            return None if data is None else data.decode()
        text = read_stored(self._folder, digest)
        if text is None:
            self._lost.add(digest)
            self._known.discard(digest)
            self._read.discard(digest)
        else:
            self._read.add(digest)
        return text

    def reference(self, text: str) -> StoredText | None:
        """Stand a value for a text that was put or read before; None when no disk has it."""
        if self._folder is None:
            return None
        digest = text_digest(scrub(text))
        kept = digest in self._known or digest in self._read
        return StoredText(digest, self._folder) if kept else None

    def sync(self) -> None:
        """Make every text that was put so far survive a power cut; raises OSError."""
        while self._unsynced:
            path = self._unsynced.pop()
            try:
                descriptor = open_private(path, os.O_RDWR)
                try:
                    os.fsync(descriptor)
                finally:
                    os.close(descriptor)
                sync_folder(path.parent)
            except OSError:
                self._unsynced.add(path)
                raise

    def _write(self, folder: Path, digest: str, data: bytes) -> None:
        home = private_folder(folder / digest[:2], below=folder.parent)
        draft = home / f".{digest[2:10]}-{os.getpid()}-{secrets.token_hex(4)}"
        path = home / digest[2:]
        try:
            with os.fdopen(open_private(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as file:
                file.write(data)
            draft.replace(path)
        except OSError:
            draft.unlink(missing_ok=True)
            raise
        self._unsynced.add(path)


def _holds(folder: Path, digest: str, size: int) -> bool:
    path = stored_path(folder, digest)
    try:
        return path is not None and path.lstat().st_size == size
    except OSError:
        return False
