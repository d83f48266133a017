"""Whole interactions with nobody to ask: what was refused has left no trace on the disk."""

from pathlib import Path

from cutaway.harness import events as e
from cutaway.harness.permissions.rules import Rules
from tests.harness.session_kit import Answering, ask_for, call, converse, events, say, start


async def outcomes(
    root: Path, steps: list[tuple[str, dict[str, str]]], mode: e.Mode, rules: Rules
) -> list[str]:
    """Let a model make these calls, one a turn, and tell how each ended."""
    script = [ask_for(call(name, **arguments)) for name, arguments in steps]
    session = start(
        root, [*script, say("done")], mode=mode, rules=rules, asker=Answering(*[None] * len(steps))
    )
    await converse(session, "go")
    ended: list[str] = [event.outcome for event in events(session, e.ToolCompleted)]
    await session.aclose()
    return ended


async def test_chained_commands_do_not_run(tmp_path: Path) -> None:
    """F01, headless."""
    (tmp_path / "lsx").write_text("#!/bin/sh\ntouch P6\n")
    (tmp_path / "lsx").chmod(0o700)
    lines = [
        "ls && touch P1", "ls ; touch P2", "ls | tee P3", "ls || touch P4", "ls & touch P5",
        "PATH=.:$PATH lsx",
        "./lsx", "false || ls && touch P7", 'echo "a && b; c | d"',
    ]  # fmt: skip
    rules = Rules.parse(allow=["run_in_terminal(ls *)", "run_in_terminal(echo *)"])
    steps = [("run_in_terminal", {"command": line}) for line in lines]
    assert await outcomes(tmp_path, steps, "interactive", rules) == ["refused"] * 8 + ["done"]
    assert not list(tmp_path.glob("P*"))


async def test_redirects_do_not_write(tmp_path: Path) -> None:
    """F04, headless."""
    root = tmp_path / "w"
    (root / ".git/hooks").mkdir(parents=True)
    (root / "f").write_text("x\n")
    lines = [
        f"echo X > {tmp_path}/out", "cat f >> ../o2", f"wc f 2> {tmp_path}/e",
        "echo k > .git/hooks/pre-commit", "echo y >| f", "cat f <> n", "echo z &> q",
        "wc f 2>/dev/null", "ls f 2>&1", 'echo "a > b"',
        "cat <<< x",
    ]  # fmt: skip
    rules = Rules.parse(allow=[f"run_in_terminal({name} *)" for name in ("echo", "cat", "wc", "ls")])
    steps = [("run_in_terminal", {"command": line}) for line in lines]
    assert await outcomes(root, steps, "interactive", rules) == ["refused"] * 7 + ["done"] * 4
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "w"]
    assert sorted(path.name for path in root.iterdir()) == [".git", "f"]
    assert (root / "f").read_text() == "x\n" and not list((root / ".git/hooks").iterdir())


async def test_the_leash_stays_where_it_is(tmp_path: Path) -> None:
    """F08, headless, in the mode that asks least."""
    (tmp_path / ".git/hooks").mkdir(parents=True)
    names = [
        ".git/hooks/pre-commit",
        ".git/config",
        ".cutaway/config.toml",
        ".envrc",
        ".vscode/tasks.json",
        ".GIT/x",
    ]
    steps = [
        ("create_file", {"filePath": name, "content": "x"}) for name in (*names, ".github/a", ".gitignore")
    ]
    rules = Rules.parse(allow=["create_file"])
    assert await outcomes(tmp_path, steps, "autopilot", rules) == ["refused"] * 6 + ["done"] * 2
    assert not any((tmp_path / name).exists() for name in names)


async def test_searches_stay_inside(tmp_path: Path) -> None:
    """F06, headless: roots of grep and glob."""
    root = tmp_path / "proj"
    root.mkdir()
    (tmp_path / "proj-evil").mkdir()
    (tmp_path / "proj-evil/x.txt").write_text("needle\n")
    steps = [
        ("file_search", {"query": "../**/*.txt"}),
        ("grep_search", {"query": "needle", "includePattern": "../proj-evil"}),
        ("list_dir", {"path": "../proj-evil"}),
        ("read_file", {"filePath": "x\0.txt"}),
        ("list_dir", {"path": ""}),
        ("list_dir", {"path": "."}),
    ]
    assert await outcomes(root, steps, "autopilot", Rules()) == ["refused"] * 5 + ["done"]
