"""What the model has seen of each file, by content hash, so that stale writes are caught."""

import hashlib
from dataclasses import dataclass, field
from pathlib import Path


def digest_of(content: bytes) -> str:
    """Name content by its sha256, as hex."""
    return hashlib.sha256(content).hexdigest()


@dataclass(slots=True)
class FileState:
    """The newest content of each file that the model knows; rebuilt from the log on resume."""

    _seen: dict[str, str] = field(default_factory=dict)
    _whole: dict[str, str] = field(default_factory=dict)

    def saw(self, path: Path, digest: str, *, whole: bool) -> None:
        """Remember that the model has seen this content, or a part of it."""
        self._seen[str(path)] = digest
        if whole:
            self._whole[str(path)] = digest

    def knows(self, path: Path, digest: str) -> bool:
        """Tell whether the model has seen some of exactly this content."""
        return self._seen.get(str(path)) == digest

    def knows_whole(self, path: Path, digest: str) -> bool:
        """Tell whether the model has seen all of exactly this content."""
        return self._whole.get(str(path)) == digest

    def has_seen(self, path: Path) -> bool:
        """Tell whether the model has ever seen the file, whatever it held then."""
        return str(path) in self._seen
