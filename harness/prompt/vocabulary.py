"""The o200k vocabulary in five megabytes: byte-pair encoding without a mapping of 200,000 objects.

tiktoken's encoder holds every token three times, in maps: 43 MB, of a process of a hundred.
Here the bytes of all tokens stand in one row, and a hash table holds nothing but their numbers.
"""

import io
from array import array
from binascii import a2b_base64
from collections import Counter
from collections.abc import Callable
from heapq import heapify, heappop, heappush

SLOTS = 1 << 19
"""Places of the hash table; 38 % are taken, so that a search looks at one or two of them."""


class Vocabulary:
    """Splits texts into tokens exactly as tiktoken does; reading it may be shared by threads.

    `ranks` is the content of a tiktoken rank file: base64, a space and the rank, from 0 on, one token a
    line. Characters that are younger than Unicode 16 may be cut into words by newer tables than tiktoken's.
    """

    __slots__ = ("_find_words", "_row", "_slots", "_starts")

    def __init__(self, ranks: bytes) -> None:
        import regex  # type: ignore[import-untyped]  # late, and it has no types of its own

        row, starts, slots = bytearray(), array("I", [0]), array("I", bytes(4 * SLOTS))
        for number, line in enumerate(io.BytesIO(ranks), 1):
            token = a2b_base64(line[: line.index(b" ")])
            row += token
            starts.append(len(row))
            at = hash(token) % SLOTS
            while slots[at]:
                at = (at + 1) % SLOTS
            slots[at] = number
        self._row, self._starts, self._slots = bytes(row), starts, slots
        self._find_words = regex.compile(word_pattern()).findall

    def count(self, text: str) -> int:
        """Count the tokens of a text; each distinct word of it is looked at once."""
        words = Counter(self._find_words(_without_surrogates(text)))
        return sum(len(self._word(word.encode())) * times for word, times in words.items())

    def split(self, text: str) -> list[tuple[int, bytes]]:
        """Split a text into its tokens: id and bytes of each, in order."""
        words = self._find_words(_without_surrogates(text))
        return [(rank, self._token(rank)) for word in words for rank in self._word(word.encode())]

    def _token(self, rank: int) -> bytes:
        return self._row[self._starts[rank] : self._starts[rank + 1]]

    def _rank(self, token: bytes) -> int | None:
        slots, at = self._slots, hash(token) % SLOTS
        while number := slots[at]:
            if self._token(number - 1) == token:
                return number - 1
            at = (at + 1) % SLOTS
        return None

    def _word(self, word: bytes) -> list[int]:
        """Give the ids of a word's tokens: its bytes, joined pair by pair, the lowest rank first."""
        rank = self._rank(word)
        return _Joining(self._rank, word).tokens() if rank is None else [rank]


class _Joining:
    """The parts of one word while they grow into tokens; n log n, also for a word of a megabyte."""

    def __init__(self, rank_of: Callable[[bytes], int | None], word: bytes) -> None:
        size = len(word)
        self._rank_of = rank_of
        self._word = word
        self._ends = list(range(1, size + 1))
        """Where the part that starts at each place ends."""
        self._before = list(range(-1, size))
        """Where the part before it starts."""
        self._pairs: list[int | None] = [rank_of(word[at : at + 2]) for at in range(size - 1)] + [None]
        """The rank of a part joined with the next one."""
        self._queue = [(rank, at) for at, rank in enumerate(self._pairs) if rank is not None]
        heapify(self._queue)

    def tokens(self) -> list[int]:
        """Join until nothing can be joined."""
        while self._queue:
            rank, at = heappop(self._queue)
            if self._pairs[at] == rank:  # else one of its parts has been joined with another since
                self._join(at)
        found, at = [], 0
        while at < len(self._word):
            rank_here = self._rank_of(self._word[at : self._ends[at]])
            if rank_here is not None:  # always: single bytes are tokens, and only tokens are joined
                found.append(rank_here)
            at = self._ends[at]
        return found

    def _join(self, at: int) -> None:
        middle = self._ends[at]
        end = self._ends[at] = self._ends[middle]
        self._before[end] = at
        self._pairs[middle] = None
        self._renew(at)
        if at:
            self._renew(self._before[at])

    def _renew(self, at: int) -> None:
        middle = self._ends[at]
        rank = None if middle == len(self._word) else self._rank_of(self._word[at : self._ends[middle]])
        self._pairs[at] = rank
        if rank is not None:
            heappush(self._queue, (rank, at))


def _without_surrogates(text: str) -> str:
    """Join what two halves of a character make, and replace a half that stands alone, as tiktoken does."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def word_pattern() -> str:
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
