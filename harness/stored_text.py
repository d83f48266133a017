"""A text that lies on the disk, told by its digest, so that a long session is not held in memory."""

import os
from pathlib import Path

from msgspec import Struct

from cutaway.harness.blocks import text_digest
from cutaway.harness.places import open_private

_HEX = frozenset("0123456789abcdef")


class StoredText(Struct, frozen=True, eq=False):
    """Stands for a text in a blob store; the digest is the text, so two with the same one are equal.

    `folder` is a Path, which no JSON holds: only a log can make one, never a line that it reads.
    """

    digest: str
    folder: Path

    def __eq__(self, other: object) -> bool:
        return self.digest == other.digest if isinstance(other, StoredText) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.digest)

    def read(self) -> str:
        """Read the text from the disk; one sentence that says so when it is missing or damaged there."""
        text = read_stored(self.folder, self.digest)
        return lost_text(self.digest) if text is None else text


Text = str | StoredText
"""The type of a field whose large texts a log on the disk keeps there; `text_of` gives the text."""


def text_of(text: Text) -> str:
    """Give the text itself, wherever it lies."""
    return text if isinstance(text, str) else text.read()


def lost_text(digest: str) -> str:
    """Say in the place of a text that it cannot be given."""
    return f"[This text is lost: blob {digest} is missing or damaged.]"


def stored_path(folder: Path, digest: str) -> Path | None:
    """Name the file of a digest in a store; None for what is no digest, so that no name leads out of it."""
    if len(digest) != 64 or not _HEX.issuperset(digest):
        return None
    return folder / digest[:2] / digest[2:]


def read_stored(folder: Path, digest: str) -> str | None:
    """Read a text and check it against its digest; None when it is missing or damaged."""
    path = stored_path(folder, digest)
    if path is None:
        return None
    try:
        with os.fdopen(open_private(path, os.O_RDONLY), "rb") as file:
            text = file.read().decode()
    except (OSError, UnicodeDecodeError):
        return None
    return text if text_digest(text) == digest else None
