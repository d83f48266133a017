"""One turn in which everything happens that can happen to a call."""

from cutaway.harness import details as d
from cutaway.harness.cache.values import Mark
from cutaway.harness.messages import ToolCall
from tests.tui.widgets.story import Story, block, calls

EDIT = d.FileEdit(
    "src/calc.py",
    "a" * 64,
    "b" * 64,
    (d.Hunk(1, 1, (" def add(a, b):", "-    return a - b", "+    return a + b", "+    # [/] done", " ")),),
    2,
    1,
    rung="indentation",
)
TESTS = d.TestRun(
    "pytest",
    "python -m pytest -q",
    "finished",
    12,
    2,
    0,
    1,
    3.2,
    (
        d.TestFailure(
            "tests/test_calc.py::test_add",
            "assert 1 == 2",
            "tests/test_calc.py",
            12,
            "> assert add(1, 1) == 2",
        ),
        d.TestFailure("tests/test_b.py::test_x[/]", "boom [bold", "tests/test_b.py", 3, kind="error"),
    ),
    1,
    "/usr/bin/python3",
    "the project's .venv",
)
HITS = d.SearchHits(
    "def add",
    (
        d.SearchHit("a.py", 3, "def add(a):"),
        d.SearchHit("a.py", 13, "def add2(a):"),
        d.SearchHit("b.py", 3, "[red]x[/red]"),
    ),
    2,
)
READ = d.FileRead("src/calc.py", "", 1, 4, 30, "def add(a, b):\n    # comment\n    return a - b  # 12\n")
COMMAND = d.CommandRun(
    "pytest -q && ls -la | tail -5", "/w", 2, None, False, 1.2, "out\x1b[31m put\nline2", 14
)


def busy_story() -> tuple[Story, list[ToolCall]]:
    """A turn whose calls are in every state that a call can be in."""
    story = Story()
    story.message("fix the failing test in [red]calc[/red]")
    story.turn(
        block("tool", "read_file", 900),
        block("tool", "run_tests", 700),
        block("system", "identity", 1200),
        block("instructions", "AGENTS.md", 600),
        block("workspace", "files", 300),
        block("note", "date", 20),
        block("user", "message", 40),
        body=b'{"model":"m","messages":[{"role":"user","content":"a\\nb [/]"}]}',
        marks=(Mark(4),),
    )
    told = calls(
        ("read_file", '{"filePath":"/work/proj/src/deeply/nested/calc.py"}'),
        ("grep_search", '{"query":"def add"}'),
        ("replace_string_in_file", '{"filePath":"src/calc.py","oldString":"a","newString":"b"}'),
        ("run_tests", "{}"),
        ("run_in_terminal", '{"command":"pytest -q && ls -la | tail -5"}'),
        ("run_in_terminal", '{"command":"rm -rf build"}'),
        ("made_up_tool_name_longer_than_a_row", "{bad"),
        ("run_in_terminal", '{"command":"sleep 30"}'),
        ("read_file", '{"filePath":"late.py"}'),
        ("list_dir", '{"path":"."}'),
        ("create_file", '{"filePath":"notes.md"}'),
        ("file_search", '{"query":"**/*.py"}'),
    )
    story.answer("I will look at calc.py first.\nThen run the tests.", *told)
    story.run(told[0], READ)
    story.run(told[1], HITS)
    story.ask(told[2], d.Access("write", ("src/calc.py",)), preview=EDIT, always="edit(src/**)")
    story.passes(4)
    story.decide(told[2])
    story.run(told[2], EDIT)
    story.run(told[3], TESTS)
    story.run(told[4], COMMAND)
    story.ask(told[5], d.Access("execute", ("rm -rf build",)))
    story.decide(told[5], "denied-by-user", "not that folder [/]")
    story.finish(told[5], "refused", text="The user refused: not that folder [/]")
    story.finish(told[6], "invalid", text="There is no tool of that name.")
    story.start(told[7])
    story.finish(told[7], "interrupted", text="Interrupted by the user.", ran_ms=12_000)
    story.finish(told[8], "not-run", text="Not run: the user stopped.")
    story.start(told[9])
    story.passes(75)
    story.ask(told[10], d.Access("write", ("notes.md",)))
    return story, told
