"""run_tests on small projects with pytest, each in the project's own interpreter."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import pytest

from cutaway.tools.base import ToolContext, ToolOutput
from cutaway.tools.details import Progress, TestProgress, TestRun
from cutaway.tools.errors import ToolError
from cutaway.tools.process import Processes
from cutaway.tools.run_tests import RunTests, RunTestsArguments
from tests.tools.living import is_alive

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the interpreter is a link, as on POSIX")

Call = Callable[..., Awaitable[ToolOutput]]


@pytest.fixture
async def processes() -> AsyncIterator[Processes]:
    """Programs without the plugins that happen to be installed here: a run starts in half the time."""
    started = Processes({**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"})
    yield started
    await started.aclose()


@pytest.fixture
def project(tmp_path: Path) -> Callable[[str, str], Path]:
    """Write files into a project whose `.venv` is the environment that these tests run in."""
    (tmp_path / ".venv").symlink_to(sys.prefix)

    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text))
        return path

    return write


Write = Callable[[str, str], Path]


def run_of(output: ToolOutput) -> TestRun:
    assert isinstance(output.detail, TestRun)
    return output.detail


def counts(run: TestRun) -> tuple[int | None, ...]:
    return run.passed, run.failed, run.errors, run.skipped


MIXED = """
    import pytest

    def check(value):
        assert value == 2, "value is bad"

    def test_good(): pass

    def test_bad():
        print("printed before")
        check(1)

    @pytest.fixture
    def broken(): raise RuntimeError("no database")

    def test_needs(broken): pass

    @pytest.mark.skip
    def test_later(): pass
"""


async def test_counts_and_failures_are_told(call: Call, processes: Processes, project: Write) -> None:
    """A failing test is a result, not a fault of the tool; its message, place and trace are told."""
    project("tests/test_mixed.py", MIXED)
    output = await call(RunTests(processes))
    run = run_of(output)
    assert not output.is_error
    assert (run.runner, run.state, run.exit_code) == ("pytest", "finished", 1)
    assert counts(run) == (1, 1, 1, 1)
    bad, needs = run.failures
    assert (bad.id, bad.kind, bad.path) == ("tests/test_mixed.py::test_bad", "failed", "tests/test_mixed.py")
    assert bad.line == 5
    assert bad.message.startswith("AssertionError: value is bad")
    assert "check(1)" in bad.trace
    assert "printed before" in bad.trace
    assert (needs.id, needs.kind) == ("tests/test_mixed.py::test_needs", "error")
    assert output.text.startswith("pytest: 1 passed, 1 failed, 1 errors, 1 skipped; exit code 1 after ")
    assert "FAILED tests/test_mixed.py::test_bad at tests/test_mixed.py:5" in output.text
    assert "no database" in output.text
    assert ".venv in the workspace" in output.text


async def test_only_what_is_named_runs(call: Call, processes: Processes, project: Write) -> None:
    project("tests/test_mixed.py", MIXED)
    project("tests/test_other.py", "def test_other(): assert False\n")
    tool = RunTests(processes)
    by_name = await call(tool, testNames=["GOOD"])
    assert counts(run_of(by_name)) == (1, 0, 0, 0)
    assert "4 tests were left out" in by_name.text
    by_id = await call(tool, testNames=["tests/test_mixed.py::test_good"])
    assert counts(run_of(by_id)) == (1, 0, 0, 0)
    by_file = await call(tool, files=["tests/test_other.py"])
    assert [failure.id for failure in run_of(by_file).failures] == ["tests/test_other.py::test_other"]


async def test_a_file_that_is_not_there_is_refused_before_asking(
    call: Call, processes: Processes, project: Write
) -> None:
    tool = RunTests(processes)
    with pytest.raises(ToolError, match=r"no file tests/nope\.py"):
        await call(tool, files=["tests/nope.py"])
    with pytest.raises(ToolError, match="outside the workspace"):
        await call(tool, files=["/etc/hosts"])


@pytest.mark.parametrize("broken", ["import nothing_of_that_name\n", "def test_x(:\n"])
async def test_a_file_that_cannot_be_collected_is_no_failing_test(
    call: Call, processes: Processes, project: Write, broken: str
) -> None:
    project("test_broken.py", broken)
    project("test_fine.py", "def test_fine(): pass\n")
    output = await call(RunTests(processes))
    run = run_of(output)
    assert run.state == "collection-error"
    assert not output.is_error
    assert run.errors == 1
    assert run.failures[0].id == "test_broken.py"
    assert "1 file could not be collected (a syntax or import error)" in output.text
    assert "nothing_of_that_name" in output.text or "SyntaxError" in output.text


async def test_a_broken_conftest_is_said_with_the_runner_s_own_words(
    call: Call, processes: Processes, project: Write
) -> None:
    project("conftest.py", "raise RuntimeError('conftest is broken')\n")
    project("test_a.py", "def test_a(): pass\n")
    output = await call(RunTests(processes))
    assert run_of(output).state == "collection-error"
    assert "conftest is broken" in output.text


async def test_no_tests_is_said_as_such(call: Call, processes: Processes, project: Write) -> None:
    project("pyproject.toml", "[tool.pytest.ini_options]\n")
    tool = RunTests(processes)
    nothing = await call(tool)
    assert (run_of(nothing).state, nothing.is_error) == ("no-tests", False)
    assert nothing.text.startswith("No tests found")
    project("test_a.py", "def test_a(): pass\n")
    no_match = await call(tool, testNames=["nowhere"])
    assert run_of(no_match).state == "no-tests"
    assert "1 tests were left out, since their names do not match" in no_match.text
    no_id = await call(tool, testNames=["test_a.py::test_gone"])
    assert run_of(no_id).state == "no-tests"


async def test_a_crash_names_the_test_that_ran(call: Call, processes: Processes, project: Write) -> None:
    """os._exit(0) in a test must not look like a run that went well."""
    project("test_crash.py", "import os\ndef test_first(): pass\ndef test_dies(): os._exit(0)\n")
    output = await call(RunTests(processes))
    run = run_of(output)
    assert (run.state, run.exit_code, output.is_error) == ("crashed", 0, True)
    assert counts(run) == (1, 0, 0, 0)
    assert "Running then: test_crash.py::test_dies" in output.text
    assert "1 of 2 tests were done" in output.text


async def test_a_death_by_signal_is_a_crash(call: Call, processes: Processes, project: Write) -> None:
    project("test_crash.py", "import os, signal\ndef test_dies(): os.kill(os.getpid(), signal.SIGKILL)\n")
    output = await call(RunTests(processes))
    assert run_of(output).state == "crashed"
    assert "ended by SIGKILL" in output.text


async def test_a_timeout_names_the_test_and_ends_its_children(
    processes: Processes, context: ToolContext, project: Write, tmp_path: Path
) -> None:
    """Four seconds are several times what pytest needs to come to the slow test."""
    project(
        "test_slow.py",
        """
        import pathlib, subprocess, time
        def test_quick(): pass
        def test_slow():
            child = subprocess.Popen(["sleep", "60"])
            pathlib.Path("child").write_text(str(child.pid))
            time.sleep(60)
        """,
    )
    output = await RunTests(processes).run(RunTestsArguments(timeout=4), context)
    run = run_of(output)
    assert (run.state, output.is_error) == ("timed-out", True)
    assert output.text.startswith("The test run timed out after ")
    assert "Running then: test_slow.py::test_slow" in output.text
    assert counts(run) == (1, 0, 0, 0)
    assert not is_alive(int((tmp_path / "child").read_text()))


async def test_progress_is_told_while_the_tests_run(
    processes: Processes, context: ToolContext, project: Write, tmp_path: Path
) -> None:
    """The second test ends only when the first one has been told as done."""
    project(
        "test_live.py",
        """
        import pathlib, time
        def test_one(): assert False
        def test_two():
            while not pathlib.Path("go").exists():
                time.sleep(0.01)
        """,
    )
    told: list[TestProgress] = []

    def note(progress: Progress) -> None:
        assert isinstance(progress, TestProgress)
        told.append(progress)
        if progress.done == 1:
            (tmp_path / "go").touch()

    output = await RunTests(processes).run(RunTestsArguments(timeout=60), replace(context, progress=note))
    assert counts(run_of(output)) == (1, 1, 0, 0)
    first = next(progress for progress in told if progress.done == 1)
    assert (first.total, first.failed, first.current) == (2, 1, "test_live.py::test_two")
    assert (told[-1].done, told[-1].failed) == (2, 1)


async def test_an_interrupted_run_leaves_no_process_and_no_file(
    processes: Processes, context: ToolContext, project: Write, tmp_path: Path
) -> None:
    project(
        "test_slow.py",
        """
        import os, pathlib, time
        def test_slow():
            pathlib.Path("pid").write_text(str(os.getpid()))
            time.sleep(60)
        """,
    )
    running_test = asyncio.Event()

    def note(progress: Progress) -> None:
        if isinstance(progress, TestProgress) and progress.current and (tmp_path / "pid").exists():
            running_test.set()

    tool = RunTests(processes)
    task = asyncio.create_task(tool.run(RunTestsArguments(), replace(context, progress=note)))
    waiting = asyncio.create_task(running_test.wait())
    await asyncio.wait([task, waiting], return_when=asyncio.FIRST_COMPLETED)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    waiting.cancel()
    assert not is_alive(int((tmp_path / "pid").read_text()))
    assert not list(Path(context.spill).glob("tests-*"))


async def test_many_failures_stay_within_bounds(call: Call, processes: Processes, project: Write) -> None:
    project(
        "test_many.py",
        """
        import pytest
        @pytest.mark.parametrize("n", range(600))
        def test_many(n): assert "x" * 3000 == str(n)
        """,
    )
    output = await call(RunTests(processes))
    run = run_of(output)
    assert run.failed == 600
    assert len(run.failures) <= 500
    assert len(output.text.encode()) <= 31_000


async def test_control_sequences_in_results_are_shown_never_sent(
    call: Call, processes: Processes, project: Write
) -> None:
    project("test_esc.py", r"""def test_esc(): raise ValueError("\x1b]52;c;QUJD\x07 \x1b[2J gone")""")
    output = await call(RunTests(processes))
    (failure,) = run_of(output).failures
    assert "\x1b" not in output.text + failure.message + failure.trace + run_of(output).output
    assert "gone" in failure.message


async def test_the_project_s_modules_are_not_hidden_by_ours(
    call: Call, processes: Processes, project: Write
) -> None:
    """A project may have its own `report` and `discovery`."""
    project("report.py", "VALUE = 'of the project'\n")
    project("test_own.py", "import report\ndef test_own(): assert report.VALUE == 'of the project'\n")
    output = await call(RunTests(processes))
    assert counts(run_of(output)) == (1, 0, 0, 0)
