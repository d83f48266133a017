"""Tool calls that arrive in pieces, joined as the servers meant them.

The index alone does not tell calls apart: servers send the same index for two calls, or none, or
no ids (huggingface/smolagents#1569, LibreChat-AI/agents#260).
"""

import json
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import jiter

from cutaway.harness.messages import ToolCall, scrub


@dataclass(slots=True)
class _Slot:
    """A call as far as it has arrived."""

    index: int | None
    id: str
    name: str
    arguments: str = ""
    extras: dict[str, str] = field(default_factory=dict)


class CallFragments:
    """The calls of one answer, in the order in which they were first seen.

    `extras` names fields beside a call that are kept as JSON text.
    """

    __slots__ = ("_names", "_slots")

    def __init__(self, extras: Sequence[str] = ()) -> None:
        self._slots: list[_Slot] = []
        self._names = extras

    def __bool__(self) -> bool:
        return bool(self._slots)

    def add(self, fragment: Mapping[str, Any]) -> tuple[int, str, str] | None:
        """Take a fragment in; the call's position, its name and the new piece of its arguments."""
        function = fragment.get("function")
        function = function if isinstance(function, Mapping) else {}
        index, id, name = fragment.get("index"), _text(fragment.get("id")), _text(function.get("name"))
        index = index if isinstance(index, int) else None
        arguments = _argument_text(function.get("arguments"))
        position = self._position(index, id, name, arguments)
        if position is None:
            if not name and not id and not arguments:
                return None
            self._slots.append(_Slot(index, id, name))
            position = len(self._slots) - 1
        slot = self._slots[position]
        slot.id, slot.name = slot.id or id, slot.name or name
        if arguments and arguments == slot.arguments and state_of(arguments) == "whole":
            arguments = ""  # sent again in full at the end of the stream
        slot.arguments += arguments
        for key in self._names:
            if fragment.get(key) is not None:
                slot.extras[key] = scrub(json.dumps(fragment[key], ensure_ascii=False, separators=(",", ":")))
        return position, slot.name, arguments

    def _position(self, index: int | None, id: str, name: str, arguments: str) -> int | None:
        """Find the call that a fragment belongs to; None when it begins a new one."""
        slots = range(len(self._slots) - 1, -1, -1)
        if id:
            same = next((n for n in slots if self._slots[n].id == id), None)
            if same is not None:
                return None if self._is_another(self._slots[same], name, arguments) else same
        last = next((n for n in slots if index is None or self._slots[n].index == index), None)
        if last is None:
            return None
        slot = self._slots[last]
        if id and slot.id:
            return None
        if not name:
            return last
        began = slot.name != name or state_of(slot.arguments) == "whole" or arguments.startswith("{")
        return None if slot.name and (slot.arguments or slot.name != name) and began else last

    @staticmethod
    def _is_another(slot: _Slot, name: str, arguments: str) -> bool:
        """Tell a second call under an id that a first one has already from a piece, or a repeat, of that."""
        whole = slot.arguments not in ("", "{}", arguments) and state_of(slot.arguments) == "whole"
        return whole and bool(name) and arguments.startswith("{")

    def finish(self, *, ended: bool, taken: Container[str], first: int) -> tuple[tuple[ToolCall, ...], bool]:
        """Give the calls that may run, and whether any was cut off and left out.

        `ended` is False when the stream or the output limit broke off: then a call without whole
        arguments is cut. Ids are unique, also against `taken` (those of the conversation); missing
        ones become `call_N`, counted from `first`, so that the same answer always gets the same ids.
        """
        calls: list[ToolCall] = []
        used: set[str] = set()
        whole = self._whole(ended=ended)
        for slot, arguments in whole:
            id = _unique(slot.id, first + len(calls), used, taken)
            used.add(id)
            calls.append(ToolCall(scrub(id), scrub(slot.name), scrub(arguments or "{}")))
        return tuple(calls), len(whole) < len(self._slots)

    def extras(self, *, ended: bool) -> list[dict[str, str]]:
        """Give the extra fields of each call that `finish` gives."""
        return [slot.extras for slot, _ in self._whole(ended=ended)]

    def _whole(self, *, ended: bool) -> list[tuple[_Slot, str]]:
        """The calls whose arguments have come whole, with these."""
        found = ((slot, _normal(slot.arguments)) for slot in self._slots)
        return [
            (slot, arguments)
            for slot, arguments in found
            if (state := state_of(arguments)) == "whole" or (ended and state != "torn")
        ]


def _unique(id: str, number: int, used: Container[str], taken: Container[str]) -> str:
    candidate, turn = id or f"call_{number}", 2
    while candidate in used or candidate in taken:
        candidate = f"{id or f'call_{number}'}_{turn}"
        turn += 1
    return candidate


def state_of(arguments: str) -> Literal["empty", "whole", "torn", "wrong"]:
    """Tell whole JSON from JSON that stops too early, and both from what never was JSON."""
    if not arguments.strip():
        return "empty"
    try:
        json.loads(arguments)
    except (ValueError, RecursionError):
        return "torn" if _is_torn(arguments) else "wrong"
    return "whole"


def _is_torn(arguments: str) -> bool:
    """Tell whether more text could have made this JSON."""
    try:
        jiter.from_json(arguments.encode("utf-8", "replace"), partial_mode="trailing-strings")
    except ValueError:
        return False
    return True


def _normal(arguments: str) -> str:
    """Unwrap what servers wrap: `null` is no arguments, JSON text in JSON text is the inner one."""
    try:
        value = json.loads(arguments)
        inner = json.loads(value) if isinstance(value, str) and value.strip() else value
    except (ValueError, RecursionError):
        return arguments
    if inner is None or inner == "":
        return ""
    return str(value) if isinstance(value, str) and isinstance(inner, dict) else arguments


def _argument_text(value: Any) -> str:
    """Take arguments as text; servers also send the object itself, or null."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
