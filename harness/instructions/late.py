"""Instruction files that are attached to a tool result, when a file that they apply to is used."""

import os
import re
import threading
from collections.abc import Iterable, Sequence
from html import unescape
from pathlib import Path

from cutaway.harness.instructions.find import InstructionFile, gather
from cutaway.harness.instructions.reading import INSTRUCTION_BYTES
from cutaway.harness.instructions.scope import applies_to
from cutaway.harness.instructions.sources import AGENTS, nested_above
from cutaway.harness.instructions.text import body_of, instruction_text
from cutaway.harness.messages import Message, Note, ToolResult
from cutaway.tools.details import Detail, FileEdit, FileRead

_OPENING = '<harness_note source="instructions">\n'
_GIVEN = re.compile(
    re.escape(_OPENING) + r'<instructions file="([^"]*)"[^>]*>\n(.*?)\n</instructions>\n</harness_note>',
    re.DOTALL,
)


class LateInstructions:
    """Says what to attach in one turn; make a new one for each turn, which costs nothing until asked.

    What was attached is read from `given`, the conversation as it is sent. So each text is attached
    once, also after a resume; again when a compaction has taken it away, and when it has changed.
    Only what is word for word there counts, so no file can pretend that it was attached.
    """

    def __init__(self, root: Path, given: Sequence[Message]) -> None:
        self._root = Path(os.path.realpath(root))
        self._given = given
        self._latest: dict[str, str] | None = None
        self._lock = threading.Lock()

    def for_paths(self, paths: Iterable[str | Path]) -> tuple[Note, ...]:
        """Give the notes to attach when these files were read or edited; call it in any thread.

        Paths are absolute, or relative to the workspace; those outside of it have none. What is more
        than INSTRUCTION_BYTES at once waits for the next use of such a file.
        """
        used = list(dict.fromkeys(path for given in paths for path in self._inside(given)))
        if not used:
            return ()
        with self._lock:
            nested = dict.fromkeys(found for path in used for found in nested_above(self._root, path))
            late = [file for file in gather(self._root, nested) if _applies(file, used)]
            return self._new(late) if late else ()

    def _inside(self, path: str | Path) -> list[Path]:
        """The path, and where its links lead, so far as these lie in the workspace."""
        normal = Path(os.path.normpath(self._root / path))
        return [one for one in (normal, Path(os.path.realpath(normal))) if one.is_relative_to(self._root)]

    def _new(self, late: Iterable[InstructionFile]) -> tuple[Note, ...]:
        if self._latest is None:
            self._latest = attached_in(self._given)
        notes: list[Note] = []
        room = INSTRUCTION_BYTES
        for file in late:
            body, before = body_of(file.text), self._latest.get(file.path)
            if before is not None and before in (body, _like(body, self._latest)):
                continue
            if notes and len(body) > room:
                break
            room -= len(body)
            notes.append(Note("instructions", self._worded(file, body, before)))
        return tuple(notes)

    def _worded(self, file: InstructionFile, body: str, before: str | None) -> str:
        """The text, or the name of a file that said the same; remembered as attached."""
        assert self._latest is not None
        said = _like(body, self._latest) or body
        self._latest[file.path] = said
        replaces = "" if before is None else ' replaces="what it said before"'
        return instruction_text(_with_text(file, said), replaces)


def paths_used(detail: Detail | None) -> tuple[str, ...]:
    """The files that a call has read or edited, by its result; a search or a listing uses none."""
    return (detail.path,) if isinstance(detail, FileRead | FileEdit) else ()


def _applies(file: InstructionFile, used: Sequence[Path]) -> bool:
    """A nested file does not apply to itself: who reads it has it before them."""
    base = Path(file.base)
    below = [path for path in used if path.is_relative_to(base)]
    match file.sending:
        case "nested":
            return any(path != base / AGENTS for path in below)
        case "matched":
            return any(applies_to(file.applies_to, path.relative_to(base).as_posix()) for path in below)
        case _:
            return False


def _with_text(file: InstructionFile, text: str) -> InstructionFile:
    return InstructionFile(file.path, text, True, file.reason, file.sending, file.applies_to)


def _like(body: str, latest: dict[str, str]) -> str | None:
    twin = next((path for path, said in latest.items() if said == body), None)
    return None if twin is None else f"The same as {body_of(twin)}, which was attached before."


def attached_in(messages: Iterable[Message]) -> dict[str, str]:
    """What was attached last of each file, by its path, to the tool results of a conversation."""
    found: dict[str, str] = {}
    for message in messages:
        if isinstance(message, ToolResult) and _OPENING in message.text:
            found |= {unescape(path): body for path, body in _GIVEN.findall(message.text)}
    return found
