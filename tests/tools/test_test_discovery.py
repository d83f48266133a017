"""Which runner and which Python are used, and that the reason is told."""

import json
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from cutaway.tools.base import ToolContext, ToolOutput, WorkspaceFacts
from cutaway.tools.details import OutputChunk, Progress, TestRun
from cutaway.tools.process import Processes
from cutaway.tools.run_tests import RunTests, RunTestsArguments
from cutaway.tools.testing.discovery import (
    NoRunner,
    PythonTests,
    TestCommand,
    choose_runner,
    find_interpreter,
    may_have_tests,
)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the interpreters are shell scripts")

Call = Callable[..., Awaitable[ToolOutput]]


def fake_python(folder: Path, says: str, name: str = "python") -> Path:
    """Write an interpreter that only tells who it is."""
    path = folder / "bin" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#!/bin/sh\necho {says} "$@"\n')
    path.chmod(0o755)
    return path


async def test_the_project_s_own_python_is_used(call: Call, tmp_path: Path) -> None:
    """C11: .venv is taken, whatever python3 is on the PATH, and the result says so."""
    fake_python(tmp_path / ".venv", "VENV-PY")
    (tmp_path / "test_a.py").write_text("def test_a(): pass\n")
    on_path = fake_python(tmp_path / "elsewhere", "PATH-PY", "python3")
    processes = Processes({"PATH": f"{on_path.parent}:/usr/bin:/bin"})
    output = await call(RunTests(processes))
    await processes.aclose()
    assert "VENV-PY -m pytest" in output.text
    assert "PATH-PY" not in output.text
    assert ".venv in the workspace" in output.text
    assert "pytest reported nothing" in output.text


async def test_the_workspace_goes_before_virtual_env(call: Call, tmp_path: Path) -> None:
    """C11: with both, the documented rule decides, and the other one is named."""
    fake_python(tmp_path / ".venv", "VENV-PY")
    fake_python(tmp_path / "other", "OTHER-PY")
    (tmp_path / "test_a.py").write_text("def test_a(): pass\n")
    processes = Processes({"PATH": "/usr/bin:/bin", "VIRTUAL_ENV": str(tmp_path / "other")})
    output = await call(RunTests(processes))
    await processes.aclose()
    assert "VENV-PY" in output.text
    assert "OTHER-PY" not in output.text
    assert f"which goes before VIRTUAL_ENV={tmp_path / 'other'}" in output.text


def test_the_order_of_interpreters(tmp_path: Path) -> None:
    on_path = fake_python(tmp_path / "path", "x", "python3")
    active = fake_python(tmp_path / "active", "x")
    environment = {"PATH": str(on_path.parent), "VIRTUAL_ENV": str(tmp_path / "active")}
    root = tmp_path / "project"
    root.mkdir()
    found = []
    for make in (
        lambda: None,
        lambda: fake_python(root / "venv", "x"),
        lambda: fake_python(root / ".venv", "x"),
    ):
        make()
        interpreter = find_interpreter(root, environment)
        assert interpreter is not None
        found.append(interpreter.path)
    assert found == [str(active), str(root / "venv/bin/python"), str(root / ".venv/bin/python")]
    alone = find_interpreter(tmp_path, {"PATH": str(on_path.parent)})
    assert alone is not None
    assert (alone.path, alone.reason) == (str(on_path), "python3 on the PATH")
    assert find_interpreter(tmp_path, {"PATH": ""}) is None


def test_a_broken_environment_is_named_in_the_reason(tmp_path: Path) -> None:
    (tmp_path / ".venv/bin").mkdir(parents=True)
    (tmp_path / ".venv/bin/python").symlink_to("/nowhere/python")
    on_path = fake_python(tmp_path / "path", "x", "python3")
    found = find_interpreter(tmp_path, {"PATH": str(on_path.parent), "VIRTUAL_ENV": "/gone"})
    assert found is not None
    assert ".venv has no usable Python" in found.reason
    assert "VIRTUAL_ENV=/gone has no usable Python" in found.reason


def test_our_own_python_is_never_used_silently(tmp_path: Path) -> None:
    """C11: where the rule leads to the Python that runs us, the reason says that it is ours."""
    found = find_interpreter(tmp_path, {"PATH": str(Path(sys.executable).parent)})
    assert found is not None
    assert "the Python that cutaway runs on" in found.reason


@pytest.mark.parametrize(
    ("files", "command", "reason"),
    [
        ({"package.json": json.dumps({"scripts": {"test": "vitest run"}})}, ("npm", "test"), "package.json"),
        (
            {"package.json": json.dumps({"scripts": {"test": "jest"}}), "pnpm-lock.yaml": ""},
            ("pnpm", "test"),
            "package.json",
        ),
        ({"Cargo.toml": "[package]"}, ("cargo", "test"), "Cargo.toml"),
        ({"go.mod": "module x"}, ("go", "test", "./..."), "go.mod"),
        ({"Makefile": "all:\n\ttrue\ntest: all\n\ttrue\n"}, ("make", "test"), "Makefile"),
        ({"Cargo.toml": "", "pyproject.toml": ""}, ("cargo", "test"), "Cargo.toml"),
    ],
)
def test_build_files_name_the_command(
    tmp_path: Path, files: dict[str, str], command: tuple[str, ...], reason: str
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert choose_runner(tmp_path, (), {}) == TestCommand(command, f"{reason} in the workspace")


def test_the_configured_command_goes_before_all(tmp_path: Path) -> None:
    (tmp_path / "Cargo.toml").write_text("")
    choice = choose_runner(tmp_path, ("tox", "-q"), {})
    assert choice == TestCommand(("tox", "-q"), "the configured test command")


def test_the_files_decide_between_languages(tmp_path: Path) -> None:
    fake_python(tmp_path / ".venv", "x")
    (tmp_path / "test_a.py").write_text("import unittest\n")
    (tmp_path / "package.json").write_text(json.dumps({"scripts": {"test": "jest"}}))
    assert isinstance(choose_runner(tmp_path, (), {}, ["test_a.py"]), PythonTests)
    assert isinstance(choose_runner(tmp_path, (), {}), PythonTests)
    assert choose_runner(tmp_path, (), {}, ["a.test.ts"]) == TestCommand(
        ("npm", "test"), "package.json in the workspace"
    )


def test_nothing_to_run_says_what_was_looked_for(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text(
        json.dumps({"scripts": {"test": 'echo "Error: no test specified" && exit 1'}})
    )
    choice = choose_runner(tmp_path, (), {})
    assert isinstance(choice, NoRunner)
    assert "package.json with a test script" in choice.reason


@pytest.mark.parametrize("name", ["test_a.py", "sub/a_test.py", "pyproject.toml", "go.mod", "tests/x.txt"])
def test_the_tool_is_offered_where_tests_are_plausible(
    processes: Processes, tmp_path: Path, name: str
) -> None:
    tool, facts = RunTests(processes), WorkspaceFacts(root=str(tmp_path))
    (tmp_path / "notes.txt").write_text("")
    assert not tool.available(facts)
    assert tool.available(WorkspaceFacts(root=str(tmp_path), test_command=("make", "check")))
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("")
    assert tool.available(facts)
    assert not may_have_tests(tmp_path / "gone")


def with_command(context: ToolContext, *command: str) -> ToolContext:
    return replace(context, facts=WorkspaceFacts(root=context.facts.root, test_command=command))


def run_of(output: ToolOutput) -> TestRun:
    assert isinstance(output.detail, TestRun)
    return output.detail


@pytest.mark.parametrize(("script", "code"), [("echo fine", 0), ("echo 2 failed; exit 1", 1)])
async def test_a_configured_command_tells_its_exit_code_and_no_counts(
    processes: Processes, context: ToolContext, progress: list[Progress], script: str, code: int
) -> None:
    ours = with_command(context, "sh", "-c", script)
    output = await RunTests(processes).run(RunTestsArguments(test_names=("x",)), ours)
    run = run_of(output)
    assert (run.state, run.exit_code, output.is_error) == ("finished", code, False)
    assert (run.passed, run.failed, run.errors, run.skipped) == (None, None, None, None)
    assert f"exit code {code} after" in output.text
    assert "gives no counts" in output.text
    assert "were not passed on" in output.text
    assert script.removeprefix("echo ").partition(";")[0] in output.text
    assert any(isinstance(event, OutputChunk) for event in progress)


async def test_a_configured_command_that_is_missing_is_said(
    processes: Processes, context: ToolContext
) -> None:
    output = await RunTests(processes).run(RunTestsArguments(), with_command(context, "no-such-runner", "-x"))
    assert (run_of(output).state, output.is_error) == ("no-runner", True)
    assert "no-such-runner is not installed" in output.text


async def test_a_configured_command_that_crashes_or_hangs_is_said(
    processes: Processes, context: ToolContext
) -> None:
    tool = RunTests(processes)
    crashed = await tool.run(RunTestsArguments(), with_command(context, "sh", "-c", "kill -SEGV $$"))
    assert (run_of(crashed).state, crashed.is_error) == ("crashed", True)
    assert "ended by SIGSEGV" in crashed.text
    late = await tool.run(RunTestsArguments(timeout=0.2), with_command(context, "sleep", "60"))
    assert (run_of(late).state, late.is_error) == ("timed-out", True)


async def test_no_runner_at_all_is_said(processes: Processes, context: ToolContext) -> None:
    output = await RunTests(processes).run(RunTestsArguments(), context)
    assert (run_of(output).state, output.is_error) == ("no-runner", True)
    assert "No runner was found: no Python tests" in output.text
