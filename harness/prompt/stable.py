"""The stable part of the prompt, recorded once and sent again unchanged, and the notes beside it."""

import asyncio
from collections.abc import Iterable, Mapping
from datetime import date
from importlib.resources import files
from pathlib import Path
from typing import Literal

from cutaway.harness.events import InstructionsFound, Mode, SystemPart
from cutaway.harness.instructions.find import InstructionFile, find_instructions, gather
from cutaway.harness.instructions.text import INDEX_NAME, index_text, instruction_text
from cutaway.harness.messages import Note, NoteSource
from cutaway.harness.seams import Seams
from cutaway.harness.workspace import GitFacts, workspace_text

MODES: Mapping[Mode, str] = {
    "plan": "Mode: plan. Only reading is possible; edits and commands are refused. End with a plan.",
    "interactive": "Mode: interactive. The user sees each edit and command first and approves or refuses it.",
    "accept-edits": "Mode: accept-edits. Edits inside the workspace run at once; the user approves commands.",
    "autopilot": "Mode: autopilot. Nobody watches each call. Finish the task, then call task_complete.",
}


async def lay_stable_part(seams: Seams) -> None:
    """Record the system text, instruction files and workspace before a session's first turn.

    The workspace comes last and tells that all is laid. An interrupt leaves nothing half laid; what
    a process that died here left is completed, and what it laid stays as it is.
    """
    laid = {(part.origin, part.name) for part in seams.conversation.parts}
    if any(origin == "workspace" for origin, _ in laid):
        return
    root = seams.workspace.root
    text = system_text(tool.spec.name for tool in seams.registry.available(seams.facts()))
    found = await asyncio.to_thread(find_instructions, root)
    about = await asyncio.to_thread(workspace_text, root)
    events: list[InstructionsFound | SystemPart] = [await _part(seams, "system", "system.md", text)]
    for file in found:
        events += await _found(seams, file)
    if index := index_text(found):
        events.append(await _part(seams, "instructions", INDEX_NAME, index))
    events.append(await _part(seams, "workspace", root.name or str(root), about))
    for event in events:
        if not (isinstance(event, SystemPart) and (event.origin, event.name) in laid):
            seams.emit(event)


def system_text(offered: Iterable[str]) -> str:
    """Leave out the lines that speak of tools which are not offered.

    `?a,b: ` in front of a line names the tools that it needs. A tool that comes later brings its own
    description; the text itself stays as it was laid.
    """
    source = (files("cutaway.harness.prompt") / "texts" / "system.md").read_text(encoding="utf-8")
    known = set(offered)
    lines: list[str] = []
    for line in source.splitlines():
        needs, _, rest = line[1:].partition(": ") if line.startswith("?") else ("", "", line)
        if not needs or known.issuperset(needs.split(",")):
            lines.append(rest)
    return "\n".join(lines).strip()


async def _part(
    seams: Seams, origin: Literal["system", "instructions", "workspace"], name: str, content: str
) -> SystemPart:
    return SystemPart(origin, name, content, await seams.counter.count(content))


async def _found(seams: Seams, file: InstructionFile) -> list[InstructionsFound | SystemPart]:
    """What became of a file, and its part of the prompt when it is sent on every turn."""
    if not file.used:
        return [InstructionsFound(file.path, False, file.reason)]
    text = instruction_text(file)
    if file.sending == "always":
        part = await _part(seams, "instructions", file.path, text)
        return [InstructionsFound(file.path, True, file.reason, part.tokens), part]
    return [InstructionsFound(file.path, True, file.reason, await seams.counter.count(text))]


def notes_now(
    told: Mapping[NoteSource, str], mode: Mode, day: date, git: GitFacts | None, changed: str = ""
) -> tuple[Note, ...]:
    """What has become true since it was last told: appended with a message, never put in front."""
    current: dict[NoteSource, str] = {"date": f"Date: {day.isoformat()}", "mode": MODES[mode]}
    if git is not None:
        current["workspace"] = _git_text(git)
    if changed:
        current["instructions"] = changed
    return tuple(Note(source, text) for source, text in current.items() if told.get(source) != text)


def _git_text(git: GitFacts) -> str:
    if git.problem:
        return f"Git: {git.problem}."
    return f"Git branch: {git.branch}. " + ("Uncommitted changes." if git.changed else "Clean.")


def changed_instructions(root: Path, parts: list[SystemPart], told: str) -> str:
    """Instruction files that differ from what the model was given; '' when none does.

    Small files, read again with each message of the user, so that a change is told once. Those that
    apply to some files only are read again when they are attached.
    """
    given = {part.name: part.content for part in parts if part.origin == "instructions"}
    given.pop(INDEX_NAME, None)
    found = {file.path: file for file in gather(root)}
    now = {path: instruction_text(file) for path, file in found.items() if file.sending == "always"}
    news = [text for path, text in now.items() if given.get(path) != text]
    for path in given:
        if path not in now:
            why = found[path].reason if path in found else "is no longer there"
            news.append(f"{path} {why}; do not follow what it said.")
    if not news:
        return "The instruction files are as they were at the start again." if told else ""
    return "Instruction files have changed; this is in force now:\n" + "\n".join(news)
