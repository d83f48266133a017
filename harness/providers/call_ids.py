"""Ids of past calls that a provider takes, whatever model the calls came from."""

import re
from hashlib import sha256

from cutaway.harness.messages import scrub
from cutaway.harness.providers.dialects import Dialect

_PLAIN = re.compile(r"[A-Za-z0-9]*")
_DIGEST = 8
"""Characters of a digest that tell two ids apart that begin alike."""


class CallIds:
    """Legal ids, the same for a call and its result, given in order of first sight; legal ones stay."""

    __slots__ = ("_given", "_length", "_most", "_used")

    def __init__(self, dialect: Dialect) -> None:
        self._length, self._most = dialect.call_id_length, dialect.call_id_most
        self._given: dict[str, str] = {}
        self._used: set[str] = set()

    def of(self, id: str) -> str:
        if id not in self._given:
            legal, turn = id, 0
            while not self._is_legal(legal) or legal in self._used:
                legal, turn = self._made(id, turn), turn + 1
            self._used.add(legal)
            self._given[id] = legal
        return self._given[id]

    def _is_legal(self, id: str) -> bool:
        if self._length:
            return len(id) == self._length and _PLAIN.fullmatch(id) is not None
        return not self._most or len(id) <= self._most

    def _made(self, id: str, turn: int) -> str:
        digest = sha256(f"{turn} {scrub(id)}".encode()).hexdigest()
        if self._length:
            return digest[: self._length]
        kept = scrub(id)[: self._most - _DIGEST - 1] if self._most else scrub(id)
        return f"{kept}_{digest[:_DIGEST]}"
