"""Ids of past calls that a provider takes, whatever model the calls came from."""

import re
from collections.abc import Callable, Iterator
from hashlib import sha256
from itertools import chain, count

from cutaway.harness.messages import scrub
from cutaway.harness.providers.dialects import Dialect

_PLAIN = re.compile(r"[A-Za-z0-9]*")
_DIGEST = 8
"""Characters of a digest that tell two ids apart that begin alike."""


class CallIds:
    """Legal ids, the same for a call and its result, given in order of first sight.

    `candidates` gives for an id what may stand for it, the best first and without an end; the first that
    stands for no other id is taken.
    """

    __slots__ = ("_candidates", "_given", "_used")

    def __init__(self, candidates: Callable[[str], Iterator[str]]) -> None:
        self._candidates = candidates
        self._given: dict[str, str] = {}
        self._used: set[str] = set()

    def of(self, id: str) -> str:
        if id not in self._given:
            legal = next(one for one in self._candidates(id) if one not in self._used)
            self._used.add(legal)
            self._given[id] = legal
        return self._given[id]


def ids_in(dialect: Dialect) -> CallIds:
    """Ids that a dialect of Chat Completions takes; legal ones stay as they are."""
    length, most = dialect.call_id_length, dialect.call_id_most

    def legal(id: str) -> bool:
        if length:
            return len(id) == length and _PLAIN.fullmatch(id) is not None
        return not most or len(id) <= most

    def made(id: str, turn: int) -> str:
        digest = sha256(f"{turn} {scrub(id)}".encode()).hexdigest()
        if length:
            return digest[:length]
        kept = scrub(id)[: most - _DIGEST - 1] if most else scrub(id)
        return f"{kept}_{digest[:_DIGEST]}"

    def candidates(id: str) -> Iterator[str]:
        yield from (one for one in chain([id], (made(id, turn) for turn in count())) if legal(one))

    return CallIds(candidates)
