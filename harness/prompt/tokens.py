"""Count tokens with the o200k vocabulary, without a network and away from the event loop.

tiktoken's own loader opens sockets (and hangs on a silent network), so the encoding is built from
the rank file that lies beside this module. Counts are exact for OpenAI's o200k models and an
estimate for all others.
"""

import asyncio
import binascii
import hashlib
import io
import itertools
import re
import threading
from typing import TYPE_CHECKING

from cutaway.harness.blocks import text_digest
from cutaway.harness.free_memory import give_back

if TYPE_CHECKING:
    import tiktoken

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
        self._encoding: tiktoken.Encoding | None = None
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
        """Count in the calling thread; the first call loads the vocabulary (about 0.3 s)."""
        encoding = self._load()
        if encoding is None:
            return round(len(text.encode()) / BYTES_PER_TOKEN)
        return sum(
            len(encoding.encode_ordinary(text[start : start + CHUNK])) for start in range(0, len(text), CHUNK)
        )

    def split(self, text: str) -> list[tuple[int, bytes]]:
        """Split a text into its tokens: id and bytes of each, in order; empty without a vocabulary."""
        encoding = self._load()
        if encoding is None:
            return []
        ids = encoding.encode_ordinary(text)
        return list(zip(ids, encoding.decode_tokens_bytes(ids), strict=True))

    def _load(self) -> "tiktoken.Encoding | None":
        with self._lock:
            if self._encoding is None and not self._damaged:
                self._encoding = _read_encoding()
                self._damaged = self._encoding is None
            return self._encoding


def _read_encoding() -> "tiktoken.Encoding | None":
    from importlib.resources import files  # late: this module is imported before the first paint

    content = (files("cutaway.harness.prompt") / "o200k_base.tiktoken").read_bytes()
    if hashlib.sha256(content).hexdigest() != RANKS_SHA256:
        return None
    import tiktoken

    ranks = _ranks(content)
    encoding = tiktoken.Encoding(
        name="o200k_base", pat_str=_word_pattern(), mergeable_ranks=ranks, special_tokens={}
    )
    encoding._mergeable_ranks = {}  # 27 MB that only pickling needs
    del ranks, content
    give_back()
    return encoding


def _ranks(content: bytes) -> dict[bytes, int]:
    """Read the ranks, which count from 0 line by line, in one step of C code (0.1 s).

    A loop would let other threads in: what they keep lies between 16 MB of small objects then, most of
    which stay resident for good after these are freed (12 MB, measured).
    """
    tokens = io.BytesIO(re.sub(rb" \d+", b"", content))
    return dict(zip(map(binascii.a2b_base64, tokens), itertools.count(), strict=False))


def _word_pattern() -> str:
    """Build the vocabulary's pre-tokenisation pattern from its alternatives (published with o200k_base)."""
    upper, lower = r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}", r"\p{Ll}\p{Lm}\p{Lo}\p{M}"
    contraction = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    return "|".join(
        (
            rf"[^\r\n\p{{L}}\p{{N}}]?[{upper}]*[{lower}]+{contraction}",
            rf"[^\r\n\p{{L}}\p{{N}}]?[{upper}]+[{lower}]*{contraction}",
            r"\p{N}{1,3}",
            r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
            r"\s*[\r\n]+",
            r"\s+(?!\S)",
            r"\s+",
        )
    )
