"""Instruction files in sessions: what the log tells, and that the stable part never changes."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from cutaway.harness import events as e
from cutaway.harness.instructions.text import INDEX_LINES, INDEX_NAME
from cutaway.harness.prompt.builder import define_tool
from cutaway.harness.providers.scripted import Step
from cutaway.harness.session import Session
from cutaway.harness.toolbox import built_in_tools
from cutaway.tools.process import Processes
from tests.harness.session_kit import (
    COUNTER,
    ask_for,
    bodies,
    call,
    converse,
    events,
    say,
    start,
    take_up,
    until,
)

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
    assert len(bodies(again)) >= 3 and grows(bodies(again))
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


def results(session: Session) -> list[int]:
    """How many instruction files each result of a tool had attached to it, in the order of the calls."""
    texts = [event.text for event in events(session, e.ToolCompleted)]
    return [text.count('<harness_note source="instructions">') for text in texts]


def grows(sent: Sequence[bytes]) -> bool:
    """The prefix law: each request begins with all of the one before."""
    return all(after.startswith(before.removesuffix(END)) for before, after in pairwise(sent))


def reads(*names: str) -> Step:
    return ask_for(*(call("read_file", filePath=name) for name in names))


async def test_what_was_attached_is_known_from_the_log_alone(tmp_path: Path) -> None:
    """Once, side by side and after a resume; again after a compaction; once that is undone, not."""
    write(tmp_path / "src/AGENTS.md", "Use tabs.")
    matched(tmp_path, "c", "*.c", "Free it.")
    for name in ("src/a.c", "src/b.c", "src/c.txt"):
        write(tmp_path / name, "int x;\n" * 100)
    session = start(tmp_path, [reads("src/a.c", "src/b.c"), reads("src/c.txt"), say("done")])
    await converse(session, "go")
    assert sorted(results(session)) == [0, 0, 2] and grows(bodies(session))
    await session.aclose()
    steps = [reads("src/b.c"), say("done"), say("We read."), reads("src/a.c"), say("done")]
    again = take_up(tmp_path, session.id, [*steps, reads("src/a.c"), say("done")])
    await converse(again, "on")
    assert results(again)[3:] == [0] and grows(bodies(again))
    since = len(again.records)
    again.compact()
    await until(again, e.SessionIdle, since=since)
    assert events(again, e.CompactionCompleted)[-1].success
    await converse(again, "after a compaction")
    assert results(again)[4:] == [2]
    assert again.undo_compaction()
    await converse(again, "undone")
    assert results(again)[5:] == [0]
    await again.aclose()


async def test_an_edit_brings_them_too_and_a_search_does_not(tmp_path: Path) -> None:
    write(tmp_path / "src/AGENTS.md", "Use tabs.")
    write(tmp_path / "src/a.c", "int x;\n")
    search = ask_for(call("grep_search", query="int"), call("list_dir", path="src"))
    failed = reads("src/missing.c")
    edit = ask_for(call("create_file", filePath="src/new.c", content="int y;\n"))
    session = start(tmp_path, [search, failed, edit, reads("src/a.c"), say("done")])
    await converse(session, "go")
    assert results(session) == [0, 0, 0, 1, 0]
    text = events(session, e.ToolCompleted)[3].text
    assert text.endswith(
        '<harness_note source="instructions">\n<instructions file="src/AGENTS.md" applyTo="src/**">\n'
        "Use tabs.\n</instructions>\n</harness_note>"
    )
    assert grows(bodies(session))
    await session.aclose()


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
