"""What a command writes, kept within bounds: the head, the tail, how much was left out, and a file.

Bytes come in chunks of any cut; a character split between two of them is put together again.
"""

import codecs
import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path

from cutaway.tools.sanitise import Sanitiser

MODEL_LIMIT = 30_000
"""UTF-8 bytes of output that a model is shown; the usual bound in the field (30 k to 40 k)."""

SPILL_LIMIT = 64 * 1024 * 1024
"""Bytes that a spill file may grow to."""

LIVE_LIMIT = 16_000
"""Characters that one live chunk may hold; the screen cannot show more in a fifteenth of a second."""

_HEAD_SHARE = 3
"""The head gets this part (a third) of the limit: errors stand at the end more often."""


@dataclass(slots=True)
class Spill:
    """The full text on disk, readable by its owner only; a full disk ends it, not the command."""

    path: Path
    limit: int = SPILL_LIMIT
    written: int = 0
    problem: str = ""
    """Why the file is not whole; '' while it is."""
    _descriptor: int | None = None

    @classmethod
    def in_folder(cls, folder: str, kind: str) -> "Spill | None":
        """Name a new file in a private folder; None where there is no folder ('')."""
        return cls(Path(folder) / f"{kind}-{secrets.token_hex(4)}.txt") if folder else None

    def write(self, data: bytes) -> None:
        """Append, creating the file on the first call, up to the limit."""
        if self.problem:
            return
        room = self.limit - self.written
        try:
            if self._descriptor is None:
                self._descriptor = self._create()
            self.written += os.write(self._descriptor, data[:room])
        except OSError as error:
            self.problem = f"it ends after {self.written:,} bytes: {error.strerror}"
        else:
            if len(data) > room:
                self.problem = f"it holds the first {self.limit:,} bytes only"

    def close(self) -> None:
        """Let go of the file; the file stays."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _create(self) -> int:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        return os.open(self.path, flags, 0o600)


@dataclass(slots=True)
class OutputCollector:
    """Takes a program's bytes and keeps what can be shown of them, in bounded memory.

    `limit` bounds `text()` in UTF-8 bytes (its cut mark aside). The full text goes to `spill` as
    soon as it no longer fits; without one it is dropped.
    """

    limit: int = MODEL_LIMIT
    spill: Spill | None = None
    bytes_seen: int = 0
    """Raw bytes, as the program wrote them."""
    _decoder: codecs.IncrementalDecoder = field(
        default_factory=lambda: codecs.getincrementaldecoder("utf-8")("replace")
    )
    _sanitiser: Sanitiser = field(default_factory=Sanitiser)
    _head: bytearray = field(default_factory=bytearray)
    _tail: bytearray = field(default_factory=bytearray)
    _size: int = 0
    _lines: int = 0
    _live: str = ""
    _live_dropped: int = 0
    _live_shown: str = ""
    _closed: bool = False

    def feed(self, data: bytes) -> None:
        """Take the next bytes, at most some ten thousand at a time so that no call is long."""
        if self._closed:
            return
        self.bytes_seen += len(data)
        self._keep(self._sanitiser.feed(self._decoder.decode(data)))

    def close(self) -> None:
        """Take the unfinished line and character as they are; later bytes are ignored."""
        if self._closed:
            return
        self._keep(self._sanitiser.feed(self._decoder.decode(b"", True)))
        self._keep(self._sanitiser.close())
        self._closed = True
        if self.spill is not None:
            self.spill.close()

    @property
    def was_cut(self) -> bool:
        """Tell whether `text()` leaves something out."""
        return self._size > self.limit

    @property
    def cut_note(self) -> str:
        """Say, for the model, where the full text is and how to read it; '' if nothing is left out."""
        if not self.was_cut:
            return ""
        spill = self.spill
        problem = f" ({spill.problem})" if spill and spill.problem else ""
        if spill is None or not spill.written:
            return f"Output was cut and not kept in full{problem}. Filter it (grep, tail) to see more."
        return f"Output was cut. Full text{problem}: {spill.path} (read_file with offset, or grep_search)."

    def text(self) -> str:
        """Give all of it, or its head and tail, in whole lines where lines are short enough."""
        partial = self._sanitiser.partial.encode("utf-8", "replace")
        if not self.was_cut:
            return (self._head + partial).decode("utf-8", "ignore")
        head = _whole_lines_before(self._head[: self.limit // _HEAD_SHARE])
        tail = _whole_lines_after((self._tail + partial)[-(self.limit - len(head)) :])
        missing = self._size + len(partial) - len(head) - len(tail)
        lines = self._lines - head.count(b"\n") - tail.count(b"\n")
        what = f"{missing:,} bytes, {lines:,} lines" if lines > 0 else f"{missing:,} bytes"
        gap = "" if head.endswith(b"\n") else "\n"
        return f"{_decoded(head)}{gap}[… {what} left out here …]\n{_decoded(tail)}"

    def take_live(self) -> str:
        """Give what is new since the last call, for a live view; a long stretch is shortened."""
        text, self._live = self._live, ""
        dropped, self._live_dropped = self._live_dropped, 0
        partial = self._sanitiser.partial
        if partial.startswith(self._live_shown):
            text += partial[len(self._live_shown) :]
            self._live_shown = partial
        dropped += max(0, len(text) - LIVE_LIMIT)
        if dropped:
            text = f"\n[… {dropped:,} characters not shown live …]\n{text[-LIVE_LIMIT:]}"
        return text

    def _keep(self, text: str) -> None:
        if not text:
            return
        self._keep_live(text)
        data = text.encode("utf-8", "replace")
        self._lines += data.count(b"\n")
        before, self._size = self._size, self._size + len(data)
        if self.spill is not None and self.was_cut:
            self.spill.write(data if before > self.limit else bytes(self._head) + data)
        room = self.limit - len(self._head)
        if room > 0:
            self._head += data[:room]
        self._tail += data
        if len(self._tail) > 4 * self.limit:
            del self._tail[: -self.limit]

    def _keep_live(self, text: str) -> None:
        if shown := self._live_shown:
            self._live_shown = ""
            text = text[len(shown) :] if text.startswith(shown) else f"\n{text}"
        self._live += text
        if len(self._live) > 4 * LIVE_LIMIT:  # nobody may be looking
            self._live_dropped += len(self._live) - LIVE_LIMIT
            self._live = self._live[-LIVE_LIMIT:]


def _decoded(data: bytes | bytearray) -> str:
    """Drop the half characters that a cut leaves at the ends."""
    return data.decode("utf-8", "ignore")


def _whole_lines_before(data: bytearray) -> bytearray:
    cut = data.rfind(b"\n") + 1
    return data[:cut] if cut > len(data) // 2 else data


def _whole_lines_after(data: bytearray) -> bytearray:
    cut = data.find(b"\n") + 1
    return data[cut:] if 0 < cut < len(data) // 2 else data
