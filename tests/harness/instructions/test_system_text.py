"""The system text: it speaks only of tools that are there, and of tags that are really sent."""

import re
from pathlib import Path

import pytest

from cutaway.harness import events as e
from cutaway.harness.prompt.stable import system_text
from cutaway.harness.toolbox import built_in_tools
from cutaway.tools.process import Processes
from tests.harness.session_kit import converse, events, say, start

LATER = ("manage_todo_list", "multi_replace_string_in_file", "ask_questions")


def offered() -> list[str]:
    return [tool.spec.name for tool in built_in_tools(Processes())]


def test_a_tool_is_named_only_when_it_is_offered() -> None:
    names = list(dict.fromkeys((*offered(), *LATER)))
    whole = system_text(names)
    named = [name for name in names if re.search(rf"\b{name}\b", whole)]
    assert {"run_tests", "run_in_terminal", "task_complete", *LATER} <= set(named)
    for name in named:
        text = system_text(other for other in names if other != name)
        assert not re.search(rf"\b{name}\b", text) and len(text) < len(whole)
    assert not any(name in system_text(()) for name in names)


@pytest.mark.parametrize("names", [(), ("run_tests",), ("run_in_terminal",), tuple(LATER)])
def test_every_line_stands_for_itself(names: tuple[str, ...]) -> None:
    for line in system_text(names).splitlines():
        assert line == "" or line.startswith(("- ", "# ", "You are cutaway"))


def test_the_text_names_the_tag_of_notes() -> None:
    assert "<harness_note>" in system_text(()) and "<note>" not in system_text(())


async def test_a_session_is_told_of_the_tools_that_it_has(tmp_path: Path) -> None:
    """Without anything to test there is no run_tests, and so no line about it; what was laid stays."""
    session = start(tmp_path, [say("one"), say("two")])
    await converse(session, "go")
    (system,) = [part for part in events(session, e.SystemPart) if part.origin == "system"]
    tools = {tool.name for event in events(session, e.ToolsOffered) for tool in event.tools}
    assert system.content == system_text(tools)
    assert "run_tests" not in tools and "run_tests" not in system.content
    (tmp_path / "test_new.py").write_text("def test_a():\n    pass\n")
    await converse(session, "on")
    assert "run_tests" in {tool.name for event in events(session, e.ToolsOffered) for tool in event.tools}
    assert len([part for part in events(session, e.SystemPart) if part.origin == "system"]) == 1
    await session.aclose()
