"""The items of one answer as they arrive: words, thoughts and calls, each joined from its pieces."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from cutaway.harness.messages import scrub

Json = Mapping[str, Any]
Kind = Literal["message", "reasoning", "function_call"]
KINDS: tuple[Kind, ...] = ("message", "reasoning", "function_call")
BREAK = "\n\n"
"""What stands between two messages of one answer, and between two parts of its thoughts."""


@dataclass(slots=True)
class Item:
    """One item; `raw` is it as the server gave it when it was complete.

    `parts` holds the words as they came by their kind and place in the item, `pieces` as they were shown.
    """

    kind: Kind
    id: str = ""
    call_id: str = ""
    name: str = ""
    phase: str = ""
    raw: Json | None = None
    parts: dict[tuple[str, int], list[str]] = field(default_factory=dict)
    pieces: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    """Of a call: the pieces of its arguments."""
    start: int = 0
    """Of a message: how many characters of the answer's text came before."""
    half: str = ""

    @property
    def words(self) -> str:
        return "".join(self.pieces)

    @property
    def arguments(self) -> str:
        return "".join(self.written)

    @property
    def completed(self) -> bool:
        """True when the server itself says that the item is whole."""
        return self.raw is not None and self.raw.get("status") == "completed"

    def describe(self, item: Json) -> None:
        """Take over what an item says of itself; what is known stays."""
        self.id = self.id or text_in(item, "id")
        self.call_id = self.call_id or text_in(item, "call_id")
        self.name = self.name or text_in(item, "name")
        self.phase = self.phase or text_in(item, "phase")

    def say(self, part: tuple[str, int], text: str) -> str:
        """Take new words of a part; what of them can be shown.

        A character whose two halves came apart is mended.
        """
        if not text:
            return ""
        self.parts.setdefault(part, []).append(text)
        text = self.half + text
        self.half = text[-1] if "\ud800" <= text[-1] <= "\udbff" else ""
        shown = scrub(text.removesuffix(self.half))
        if shown:
            self.pieces.append(shown)
        return shown

    def settle(self, part: tuple[str, int], text: str) -> str:
        """Take the words of a part in full; those that had not been streamed."""
        said = "".join(self.parts.get(part, ()))
        return self.say(part, text[len(said) :]) if text.startswith(said) else ""

    def flush(self) -> str:
        """Take the end of the item; half a character that nothing followed is replaced."""
        if not self.half:
            return ""
        shown, self.half = scrub(self.half), ""
        self.pieces.append(shown)
        return shown

    def hears(self, thought: str) -> bool:
        """Tell whether words of this kind of thought count: a summary and its source are told once."""
        return all(known == thought for known, _ in self.parts)


class Items:
    """The items of one answer in the order of first sight, found by whatever an event names them."""

    __slots__ = ("_at", "all")

    def __init__(self) -> None:
        self.all: list[Item] = []
        self._at: dict[int, Item] = {}

    def open(self, event: Json, item: Json) -> Item | None:
        """Begin an item, or find it again; None for a kind that was not asked for.

        An index alone does not tell two items apart: servers count anew.
        """
        kind = kind_of(item)
        if kind is None:
            return None
        found = self._at.get(_index(event))
        if found is None or found.kind != kind or found.raw is not None or _differ(found, item):
            found = self._new(kind, _index(event))
        found.describe(item)
        return found

    def of(self, event: Json, kind: Kind) -> Item:
        """Find the item that a piece belongs to: by index, by id, else the newest; a missing one begins."""
        found = self._at.get(_index(event))
        if found is not None and found.kind == kind:
            return found
        same = [item for item in self.all if item.kind == kind]
        id = text_in(event, "item_id")
        named = next((item for item in same if id and item.id == id), None)
        if named is not None:
            return named
        if _index(event) < 0 and same and same[-1].raw is None:
            return same[-1]
        begun = self._new(kind, _index(event))
        begun.id = id
        return begun

    def closing(self, event: Json, item: Json) -> Item | None:
        """Find the item that a complete one closes; it begins when nothing of it was streamed."""
        kind = kind_of(item)
        if kind is None:
            return None
        found = self._at.get(_index(event))
        if found is None or found.kind != kind or found.raw is not None or _differ(found, item):
            found = self._named(item, kind) or self._new(kind, _index(event))
        found.describe(item)
        return found

    def listed(self, items: list[Any]) -> Iterator[tuple[Item, Json]]:
        """Match the items that the end of an answer lists with those that were streamed, in order."""
        left = list(self.all)
        for item in items:
            kind = kind_of(item) if isinstance(item, Mapping) else None
            if kind is None:
                continue
            same = [known for known in left if known.kind == kind]
            named = next((known for known in same if _named_by(known, item)), None)
            found = named or (same[0] if same else self._new(kind, -1))
            if found in left:
                left.remove(found)
            found.describe(item)
            yield found, item

    def _named(self, item: Json, kind: Kind) -> Item | None:
        return next((known for known in self.all if known.kind == kind and _named_by(known, item)), None)

    def _new(self, kind: Kind, index: int) -> Item:
        item = Item(kind)
        self.all.append(item)
        if index >= 0:
            self._at[index] = item
        return item


def mark_of(message: Item) -> Json:
    """Tell which part of the answer's text a message is, so that it goes back as it came."""
    span = [message.start, message.start + len(message.words)]
    return {"type": "message", "phase": message.phase or None, "span": span}


def kind_of(item: Json) -> Kind | None:
    return next((kind for kind in KINDS if item.get("type") == kind), None)


def text_in(place: Json, key: str) -> str:
    value = place.get(key)
    return value if isinstance(value, str) else ""


def argument_text(value: Any) -> str:
    """Take arguments as text; servers also send the object itself, or null."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _index(event: Json) -> int:
    index = event.get("output_index")
    return index if isinstance(index, int) else -1


def _named_by(known: Item, item: Json) -> bool:
    """Tell whether an item bears a known one's name; ids may change between events, `call_id` does not."""
    call, id = text_in(item, "call_id"), text_in(item, "id")
    return bool((call and call == known.call_id) or (id and id == known.id))


def _differ(known: Item, item: Json) -> bool:
    """Tell two calls apart by the id that the model gave them."""
    call = text_in(item, "call_id")
    return bool(call and known.call_id and call != known.call_id)
