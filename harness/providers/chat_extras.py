"""Fields beside the words of an answer that must go back as they came: signatures, sealed thoughts."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from cutaway.harness.messages import Reasoning, scrub
from cutaway.harness.providers.dialects import Dialect

MESSAGE = "message."
"""Before the key of a field that came with the message and not with one of its calls."""
_JOINED = ("text", "summary", "data")
"""Fields of an OpenRouter detail that come in pieces."""


class Extras:
    """The extra fields of one answer's message, as far as they have arrived."""

    __slots__ = ("_fields", "_list_names", "_lists", "_names")

    def __init__(self, dialect: Dialect) -> None:
        self._list_names, self._names = dialect.message_extras, dialect.call_extras
        self._lists: dict[str, list[dict[str, Any]]] = {}
        self._fields: dict[str, Any] = {}

    def take(self, delta: Mapping[str, Any]) -> None:
        """Take a chunk in; pieces of one entry of a list (same type and index) are joined."""
        for key in self._list_names:
            entries = delta.get(key)
            for entry in entries if isinstance(entries, list) else ():
                if isinstance(entry, dict):
                    _join(self._lists.setdefault(key, []), entry)
        for key in self._names:
            if delta.get(key) is not None:
                self._fields[key] = delta[key]

    def opaque(self) -> Iterator[tuple[str, str]]:
        """Give each field's key and its JSON text."""
        for key, value in (*self._lists.items(), *self._fields.items()):
            yield MESSAGE + key, scrub(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def _join(entries: list[dict[str, Any]], piece: dict[str, Any]) -> None:
    last = entries[-1] if entries else {}
    index = piece.get("index")
    if index is None or (last.get("type"), last.get("index")) != (piece.get("type"), index):
        entries.append(dict(piece))
        return
    for key, value in piece.items():
        before = last.get(key)
        if key in _JOINED and isinstance(before, str) and isinstance(value, str):
            last[key] = before + value
        elif value is not None:
            last[key] = value


def on_message(thoughts: Iterable[Reasoning], dialect: Dialect) -> dict[str, msgspec.Raw]:
    """Give back the fields that came with an answer's message; `thoughts` are those of this model."""
    wanted = {MESSAGE + key: key for key in (*dialect.message_extras, *dialect.call_extras)}
    return {
        wanted[thought.key]: msgspec.Raw(thought.opaque.encode())
        for thought in thoughts
        if thought.opaque and thought.key in wanted
    }
