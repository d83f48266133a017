"""Count tokens with the o200k vocabulary, without a network and away from the event loop.

tiktoken opens sockets to load it (and hangs on a silent network) and keeps 43 MB of it, so the rank file
that lies beside this module is read into a vocabulary of our own. Counts are exact for OpenAI's o200k
models and an estimate for all others.
"""

import asyncio
import hashlib
import threading

from cutaway.harness.blocks import text_digest
from cutaway.harness.prompt.vocabulary import Vocabulary

RANKS_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
"""The hash that tiktoken 0.14 pins for o200k_base.tiktoken."""

BYTES_PER_TOKEN = 3.7
"""Used when the rank file is damaged; measured over 6 MB of code and prose with o200k."""

CHUNK = 100_000
"""Characters encoded at a time, so that one huge text cannot hold the interpreter for long."""


class TokenCounter:
    """Counts texts, each distinct one once; safe to call from several threads."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._vocabulary: Vocabulary | None = None
        self._damaged = False
        self._lock = threading.Lock()

    @property
    def exact(self) -> bool:
        """False when the vocabulary could not be read and counts come from the number of bytes."""
        return not self._damaged

    async def count(self, text: str) -> int:
        """Count the tokens of `text` in a worker thread; remembered by the text's digest."""
        digest = text_digest(text)
        if (known := self._counts.get(digest)) is not None:
            return known
        counted = await asyncio.to_thread(self.count_now, text)
        self._counts[digest] = counted
        return counted

    def count_now(self, text: str) -> int:
        """Count in the calling thread; the first call loads the vocabulary (about 0.15 s)."""
        vocabulary = self._load()
        if vocabulary is None:
            return round(len(text.encode()) / BYTES_PER_TOKEN)
        return sum(vocabulary.count(text[start : start + CHUNK]) for start in range(0, len(text), CHUNK))

    def split(self, text: str) -> list[tuple[int, bytes]]:
        """Split a text into its tokens: id and bytes of each, in order; empty without a vocabulary."""
        vocabulary = self._load()
        return [] if vocabulary is None else vocabulary.split(text)

    def _load(self) -> Vocabulary | None:
        with self._lock:
            if self._vocabulary is None and not self._damaged:
                self._vocabulary = _read_vocabulary()
                self._damaged = self._vocabulary is None
            return self._vocabulary


def _read_vocabulary() -> Vocabulary | None:
    from importlib.resources import files  # late: this module is imported before the first paint

    content = (files("cutaway.harness.prompt") / "o200k_base.tiktoken").read_bytes()
    if hashlib.sha256(content).hexdigest() != RANKS_SHA256:
        return None
    return Vocabulary(content)
