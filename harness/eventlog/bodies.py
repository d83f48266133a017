"""Request bodies as what they add to the one before, so that n turns take O(n) on disk, not O(n²)."""

import hashlib
from collections.abc import Sequence

from cutaway.harness.errors import LogCorrupt
from cutaway.harness.events import ModelRequested, Record
from cutaway.harness.stored_text import text_of

_STEP = 64 * 1024


class BodyTape:
    """Remembers the last body, so that the next one can be told as a difference.

    `request_id` names the request of that body, '' before the first: what `ModelRequested.previous`
    has to say about the next one.
    """

    __slots__ = ("_body", "_request_id")

    def __init__(self, request_id: str = "", body: bytes = b"") -> None:
        self._request_id = request_id
        self._body = body

    @classmethod
    def resumed(cls, records: Sequence[Record]) -> "BodyTape":
        """Go on from the last request of a log; from nothing when that one cannot be rebuilt."""
        for record in reversed(records):
            if isinstance(record.event, ModelRequested):
                request_id = record.event.request_id
                try:
                    return cls(request_id, rebuild(records, request_id))
                except LogCorrupt:
                    break
        return cls()

    @property
    def request_id(self) -> str:
        return self._request_id

    def next(self, request_id: str, body: bytes) -> tuple[int, str, str]:
        """Take the body of a new request (UTF-8 JSON) and return `body_kept`, `body_tail`, `body_digest`.

        The cut lies between characters, so that the tail is text. Raises UnicodeDecodeError for a
        body that is not UTF-8.
        """
        kept = _common_length(self._body, body)
        while 0 < kept < len(body) and body[kept] & 0xC0 == 0x80:
            kept -= 1
        tail = body[kept:].decode()
        self._request_id, self._body = request_id, body
        return kept, tail, hashlib.sha256(body).hexdigest()


def rebuild(records: Sequence[Record], request_id: str) -> bytes:
    """Return the exact body of a request, checked against its digest.

    Raises LogCorrupt, which names the request whose part is missing or does not fit.
    """
    requests = {
        record.event.request_id: record.event
        for record in records
        if isinstance(record.event, ModelRequested)
    }
    wanted = _found(requests, request_id, request_id)
    pieces: list[bytes] = []
    current, needed = wanted, wanted.body_bytes
    for _ in range(len(requests)):
        if needed > current.body_kept:
            pieces.append(text_of(current.body_tail).encode()[: needed - current.body_kept])
            needed = current.body_kept
        if not needed:
            break
        current = _found(requests, current.previous, request_id)
    body = b"".join(reversed(pieces))
    if hashlib.sha256(body).hexdigest() != wanted.body_digest:
        raise LogCorrupt(
            f"The body of request {request_id} cannot be shown: rebuilt from the log it has the digest "
            f"{hashlib.sha256(body).hexdigest()[:12]}… instead of {wanted.body_digest[:12]}…, so a line or "
            "a text of the log is damaged. The conversation itself can still be resumed."
        )
    return body


def _found(requests: dict[str, ModelRequested], request_id: str, wanted: str) -> ModelRequested:
    try:
        return requests[request_id]
    except KeyError:
        raise LogCorrupt(
            f"The body of request {wanted} cannot be shown: the log has no request {request_id or '(none)'}"
            f"{'' if request_id == wanted else ', whose body it continues'}. "
            "The conversation itself can still be resumed."
        ) from None


def _common_length(one: bytes, other: bytes) -> int:
    """Count the bytes that two bodies share at their start, comparing in blocks."""
    end = min(len(one), len(other))
    start = 0
    while start < end and one[start : start + _STEP] == other[start : start + _STEP]:
        start += _STEP
    if start >= end:
        return end
    low, high = start, min(start + _STEP, end)
    while low < high:
        middle = (low + high + 1) // 2
        if one[start:middle] == other[start:middle]:
            low = middle
        else:
            high = middle - 1
    return low
