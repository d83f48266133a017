"""Gather the instruction files of a workspace: what is sent always, what with some files, what not."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from msgspec import Struct

from cutaway.harness.instructions.front_matter import FrontMatter, parse_front_matter
from cutaway.harness.instructions.imports import IMPORT_DEPTH, imports_of, why_not_imported
from cutaway.harness.instructions.reading import (
    INSTRUCTION_BYTES,
    FileText,
    Place,
    Refused,
    locate,
    read_text,
)
from cutaway.harness.instructions.scope import alternatives, applies_always
from cutaway.harness.instructions.sources import Source, TooMany, nested_below, own_file, shown, sources
from cutaway.harness.permissions.protected import why_secret
from cutaway.tools.paths import Workspace, printable

ALWAYS_BYTES = 256 * 1024
"""Of all files that are sent on every turn together: about 64,000 tokens."""

LATE_BYTES = 2 * 1024 * 1024
"""Of all files together that apply to some files only, so that reading them stays quick."""

LATE_PATTERNS = 2000
"""Of all files together, braces expanded: each is tried on every file that the model reads or edits."""

Sending = Literal["always", "matched", "nested", "listed", "never"]
"""When a file is sent: on every turn, with a file that its patterns fit, with one below its folder, when
the model reads it, or never."""


class InstructionFile(Struct, frozen=True):
    """A file that may instruct the model; `text` is empty when it is not used, `reason` says why.

    `applies_to` are its patterns, and `base` the folder that they start in.
    """

    path: str
    text: str
    used: bool
    reason: str
    sending: Sending = "always"
    applies_to: tuple[str, ...] = ()
    description: str = ""
    base: str = ""


def find_instructions(root: Path) -> list[InstructionFile]:
    """Find and read them all, also in sub-folders; those that are absent are left out, never raises."""
    root = Path(os.path.realpath(root))
    return gather(root, nested_below(root))


def gather(root: Path, nested: Iterable[Path] = ()) -> list[InstructionFile]:
    """Read the files of a workspace with links resolved, and those `nested` ones; cheap without any."""
    gathering = Gathering(root)
    for source in sources(root, nested):
        gathering.add(source)
    return gathering.found


class Gathering:
    """Takes names in the order of sending; a second name of a file, or of what it says, is not used."""

    def __init__(self, root: Path) -> None:
        self.found: list[InstructionFile] = []
        self._root = root
        self._files: dict[object, str] = {}
        self._said: dict[str, str] = {}
        self._always, self._late, self._patterns = ALWAYS_BYTES, LATE_BYTES, LATE_PATTERNS

    def add(self, source: Source | TooMany) -> None:
        """Judge one name."""
        match source:
            case TooMany():
                self._refuse(shown(self._root, source.folder), source.reason)
            case Source():
                self._add(source, shown(self._root, source.path))

    def _add(self, source: Source, name: str, depth: int = IMPORT_DEPTH) -> None:
        place = locate(source.path)
        if isinstance(place, Refused):
            return self._refuse(name, place.reason)
        if (twin := self._files.get(place.identity)) is not None:
            return self._refuse(name, f"is the same file as {twin}")
        if source.kind == "foreign":
            own = shown(self._root, own_file())
            return self._refuse(name, f"is another program's. To use it, make {own} a link to it")
        if reason := self._foreign(source, place):
            return self._refuse(name, reason)
        read = read_text(place)
        if isinstance(read, Refused):
            return self._refuse(name, read.reason)
        matter = parse_front_matter(read.text) if source.kind == "matched" else FrontMatter((), "", read.text)
        if isinstance(matter, Refused):
            return self._refuse(name, matter.reason)
        self._judge(source, name, place, read, matter)
        if source.kind == "claude" and depth:
            self._import(source, name, read.text, depth)
        return None

    def _import(self, source: Source, name: str, text: str, depth: int) -> None:
        """Take in what a CLAUDE.md imports, and what that imports; each file once."""
        for path in imports_of(text, source.path.parent, source.base):
            imported = shown(self._root, path)
            if any(file.path == imported for file in self.found):
                continue
            if reason := why_not_imported(path, source.base):
                self._refuse(imported, f"{reason}; {name} names it")
            else:
                self._add(Source("claude", path, source.base, via=name), imported, depth - 1)

    def _judge(self, source: Source, name: str, place: Place, read: FileText, matter: FrontMatter) -> None:
        text = matter.body.strip()
        if not text:
            return self._refuse(name, "is empty")
        if (twin := self._said.get(text)) is not None:
            return self._refuse(name, f"says the same as {twin}")
        sending = _sending(source, matter)
        if not self._fits(sending, len(text.encode())):
            return self._refuse(name, "does not fit: the instruction files before it are too large together")
        self._patterns -= alternatives(matter.applies_to)
        if self._patterns < 0:
            return self._refuse(name, f"does not fit: the files before it name {LATE_PATTERNS} patterns")
        if sending == "always":
            self._files[place.identity] = self._said[text] = name
        cut = f"{INSTRUCTION_BYTES // 1024} KiB"
        if read.cut:
            text += f"\n[cut here: only the first {cut} are sent]"
        globs = (f"{_folder(name)}/**",) if sending == "nested" else tuple(map(printable, matter.applies_to))
        reason = _reason(sending, globs, source.via)
        if read.cut:
            said = f"is larger than {cut}: only its first {cut} are used"
            reason = said if sending == "always" else f"{reason}; it {said}"
        about = printable(matter.description)
        found = InstructionFile(name, text, True, reason, sending, globs, about, str(source.base))
        return self.found.append(found)

    def _refuse(self, name: str, reason: str) -> None:
        self.found.append(InstructionFile(name, "", False, printable(reason), "never"))

    def _foreign(self, source: Source, place: Place) -> str:
        """Why a file may not speak here: a link that leads away, or another user's file above."""
        if source.kind == "user":
            return ""
        inside = self._root if source.path.is_relative_to(self._root) else source.base
        if not place.real.is_relative_to(inside):
            return "is a link that leaves the workspace"
        if why_secret(place.real, Workspace(self._root)):
            return "leads to a file that may hold secrets"
        if inside != self._root and os.name == "posix" and place.owner not in (os.getuid(), 0):
            return "lies above the workspace and belongs to another user"
        return ""

    def _fits(self, sending: Sending, size: int) -> bool:
        if sending == "always":
            self._always -= size
            return self._always >= 0
        self._late -= size
        return self._late >= 0


def _sending(source: Source, matter: FrontMatter) -> Sending:
    if source.kind == "nested":
        return "nested"
    if source.kind != "matched" or applies_always(matter.applies_to):
        return "always"
    return "matched" if matter.applies_to else "listed"


def _reason(sending: Sending, globs: tuple[str, ...], via: str) -> str:
    match sending:
        case "matched" | "nested":
            patterns = ", ".join(globs)
            patterns = patterns if len(patterns) <= 200 else f"{patterns[:200]}…"
            return f"applies to {patterns} and is attached when such a file is used"
        case "listed":
            return "names no files in applyTo, so it is listed for the model to read"
        case _:
            return f"used, since {via} imports it" if via else "used"


def _folder(name: str) -> str:
    return name.rpartition("/")[0]
