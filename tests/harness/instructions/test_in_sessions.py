"""Instruction files in sessions: what the log tells, and that the stable part never changes."""

from itertools import pairwise
from pathlib import Path

import msgspec

from cutaway.harness import events as e
from cutaway.harness.history import Conversation
from cutaway.harness.instructions.late import LateInstructions, paths_used
from cutaway.harness.instructions.text import INDEX_LINES, INDEX_NAME, with_notes
from cutaway.harness.prompt.builder import define_tool
from cutaway.harness.toolbox import built_in_tools
from cutaway.tools.process import Processes
from tests.harness.session_kit import COUNTER, ask_for, bodies, call, converse, events, say, start, take_up

END = b"]}"
"""How a request of the scripted model ends, behind its newest message."""

MOST_TOKENS = 6000
"""Of the system text and all tools together: what every turn of every session pays for."""


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def matched(root: Path, name: str, globs: str, text: str, about: str = "") -> None:
    head = f"---\napplyTo: '{globs}'\ndescription: {about}\n---\n"
    write(root / f".github/instructions/{name}.instructions.md", head + text)


async def test_the_log_tells_of_each_file_what_became_of_it(tmp_path: Path) -> None:
    write(tmp_path / "AGENTS.md", "Be kind.")
    write(tmp_path / "CLAUDE.md", "Be kind.")
    matched(tmp_path, "py", "*.py", "Type it all.", "Python style")
    matched(tmp_path, "all", "**", "Say please.")
    session = start(tmp_path, [say("hi")])
    await converse(session, "go")
    found = {event.path: event for event in events(session, e.InstructionsFound)}
    assert {path: (event.used, event.reason) for path, event in found.items()} == {
        "AGENTS.md": (True, "used"),
        ".github/instructions/all.instructions.md": (True, "used"),
        ".github/instructions/py.instructions.md": (
            True,
            "applies to *.py and is attached when such a file is used",
        ),
        "CLAUDE.md": (False, "says the same as AGENTS.md"),
    }
    assert all((event.tokens > 0) == event.used for event in found.values())
    parts = [part.name for part in events(session, e.SystemPart) if part.origin == "instructions"]
    assert parts == ["AGENTS.md", ".github/instructions/all.instructions.md", INDEX_NAME]
    index = events(session, e.SystemPart)[3].content
    assert "- .github/instructions/py.instructions.md (applies to *.py): Python style\n" in index
    assert "Type it all." not in index
    await session.aclose()


async def test_the_stable_part_stays_whatever_happens_to_the_files(tmp_path: Path) -> None:
    """New files, changed patterns, a nested file that the model writes, and a resume."""
    write(tmp_path / "AGENTS.md", "Be kind.")
    matched(tmp_path, "py", "*.py", "Type it all.")
    session = start(tmp_path, [say("hi"), ask_for(call("create_file", filePath="s/AGENTS.md", content="x"))])
    await converse(session, "one")
    parts = events(session, e.SystemPart)
    write(tmp_path / "AGENTS.md", "Be kinder.")
    matched(tmp_path, "py", "**", "Type it all.")
    matched(tmp_path, "c", "*.c", "New.")
    await converse(session, "two")
    await session.aclose()
    again = take_up(tmp_path, session.id, [say("on")])
    await converse(again, "three")
    assert events(again, e.SystemPart) == parts
    sent = bodies(again)
    assert len(sent) >= 3
    for before, after in pairwise(sent):
        assert after.startswith(before.removesuffix(END))
    told = [note.text for event in events(again, e.UserMessageSent) for note in event.notes]
    assert any("Be kinder." in text and "Type it all." in text for text in told)
    assert sum("Be kinder." in text for text in told) == 1
    await again.aclose()


async def test_a_file_that_stops_to_apply_is_said_to(tmp_path: Path) -> None:
    matched(tmp_path, "py", "**", "Type it all.")
    session = start(tmp_path, [say("a"), say("b"), say("c"), say("d")])
    await converse(session, "one")
    matched(tmp_path, "py", "*.py", "Type it all.")
    await converse(session, "two")
    (tmp_path / ".github/instructions/py.instructions.md").unlink()
    await converse(session, "three")
    matched(tmp_path, "py", "**", "Type it all.")
    await converse(session, "four")
    notes = [
        [note.text for note in event.notes if note.source == "instructions"]
        for event in events(session, e.UserMessageSent)
    ]
    assert notes[0] == []
    assert "applies to *.py and is attached when such a file is used; do not follow" in notes[1][0]
    assert "is no longer there; do not follow what it said." in notes[2][0]
    assert notes[3] == ["The instruction files are as they were at the start again."]
    await session.aclose()


async def test_a_thousand_files_make_a_short_index(tmp_path: Path) -> None:
    for number in range(1000):
        matched(tmp_path, f"{number:04}", f"src/{number}/**", f"Rule {number}.", "d" * 1000)
    session = start(tmp_path, [say("hi")])
    await converse(session, "go")
    (index,) = [part for part in events(session, e.SystemPart) if part.origin == "instructions"]
    assert index.content.count("\n- ") == INDEX_LINES + 1 and "450 more" in index.content
    assert index.tokens < 4000
    assert [event.reason for event in events(session, e.InstructionsFound) if not event.used] == [
        "holds 1000 instruction files: only the first 500 by name are read"
    ]
    await session.aclose()


async def test_what_was_attached_is_known_from_the_log_alone(tmp_path: Path) -> None:
    """After a resume it is not attached again; after a compaction it is; once that is undone, it is not."""
    write(tmp_path / "src/AGENTS.md", "Use tabs.")
    write(tmp_path / "src/a.c", "int x;")
    session = start(tmp_path, [ask_for(call("read_file", filePath="src/a.c")), say("done")])
    await converse(session, "go")
    await session.aclose()
    conversation = Conversation()

    def attached() -> int:
        late = LateInstructions(tmp_path, conversation.messages)
        used = paths_used(events(session, e.ToolCompleted)[0].detail)
        return len(late.for_paths(used))

    for record in session.records:
        event = record.event
        if isinstance(event, e.ToolCompleted):
            notes = LateInstructions(tmp_path, conversation.messages).for_paths(paths_used(event.detail))
            event = msgspec.structs.replace(event, text=with_notes(event.text, notes))
        conversation.fold(event)
    assert attached() == 0
    conversation.fold(e.CompactionCompleted("c", True, "It read a file.", len(conversation.messages)))
    assert attached() == 1
    conversation.fold(e.CompactionUndone("c"))
    assert attached() == 0


async def test_a_session_without_such_files_has_no_index(tmp_path: Path) -> None:
    session = start(tmp_path, [say("hi")])
    await converse(session, "go")
    assert [part.origin for part in events(session, e.SystemPart)] == ["system", "workspace"]
    await session.aclose()


async def test_the_system_text_and_all_tools_stay_small(tmp_path: Path) -> None:
    session = start(tmp_path, [say("hi")])
    await converse(session, "go")
    system = sum(part.tokens for part in events(session, e.SystemPart) if part.origin == "system")
    tools = [(await define_tool(tool, COUNTER)).tokens for tool in built_in_tools(Processes())]
    assert len(tools) >= 9 and system + sum(tools) <= MOST_TOKENS
    await session.aclose()
