"""run_tests where the project's Python has no pytest."""

import os
import sys
import venv
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from textwrap import dedent

import pytest

from cutaway.tools.base import ToolOutput
from cutaway.tools.details import TestProgress, TestRun
from cutaway.tools.process import Processes
from cutaway.tools.run_tests import RunTests

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the interpreter is a link, as on POSIX")

Call = Callable[..., Awaitable[ToolOutput]]
Write = Callable[[str, str], Path]


@pytest.fixture(scope="module")
def bare_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with nothing installed in it."""
    folder = tmp_path_factory.mktemp("bare") / "env"
    venv.create(folder, symlinks=True, with_pip=False)
    return folder


@pytest.fixture
async def processes(bare_python: Path) -> AsyncIterator[Processes]:
    started = Processes({**os.environ, "VIRTUAL_ENV": str(bare_python)})
    yield started
    await started.aclose()


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def make(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text))
        return path

    return make


def run_of(output: ToolOutput) -> TestRun:
    assert isinstance(output.detail, TestRun)
    return output.detail


MIXED = """
    import unittest

    def check(value):
        if value != 2:
            raise AssertionError("value is bad")

    class Mixed(unittest.TestCase):
        def test_good(self): pass
        def test_bad(self): check(1)
        def test_error(self): raise RuntimeError("no database")
        @unittest.skip("later")
        def test_later(self): pass
        @unittest.expectedFailure
        def test_known(self): self.fail()
        def test_parts(self):
            for part in range(3):
                with self.subTest(part=part):
                    self.assertNotEqual(part, 1)
"""


async def test_counts_and_failures_are_told(
    call: Call, processes: Processes, write: Write, progress: list[object]
) -> None:
    write("tests/test_mixed.py", MIXED)
    output = await call(RunTests(processes))
    run = run_of(output)
    assert (run.runner, run.state, run.exit_code, output.is_error) == ("unittest", "finished", 1, False)
    assert (run.passed, run.failed, run.errors, run.skipped) == (1, 2, 1, 2)
    bad = next(failure for failure in run.failures if "test_bad" in failure.id)
    assert (bad.path, bad.line, bad.message) == ("tests/test_mixed.py", 6, "AssertionError: value is bad")
    assert "check(1)" in bad.trace
    assert "no database" in output.text
    assert "VIRTUAL_ENV" in run.interpreter_reason
    last = progress[-1]
    assert isinstance(last, TestProgress)
    assert (last.done, last.total, last.failed) == (6, 6, 3)


async def test_only_what_is_named_runs(call: Call, processes: Processes, write: Write) -> None:
    write("tests/test_mixed.py", MIXED)
    write(
        "tests/test_other.py",
        "import unittest\nclass T(unittest.TestCase):\n    def test_other(self): pass\n",
    )
    tool = RunTests(processes)
    by_name = run_of(await call(tool, testNames=["GOOD"]))
    assert (by_name.passed, by_name.failed) == (1, 0)
    by_file = run_of(await call(tool, files=["tests/test_other.py"]))
    assert (by_file.passed, by_file.failed) == (1, 0)
    by_id = run_of(await call(tool, testNames=["tests/test_mixed.py::Mixed::test_bad"]))
    assert (by_id.passed, by_id.failed) == (0, 1)


async def test_tests_in_a_package_may_import_from_the_root(
    call: Call, processes: Processes, write: Write
) -> None:
    write("app.py", "VALUE = 1\n")
    write("tests/__init__.py", "")
    write(
        "tests/test_app.py",
        """
        import unittest
        from app import VALUE
        from tests import __name__ as package
        class T(unittest.TestCase):
            def test_value(self): self.assertEqual((VALUE, package), (1, "tests"))
        """,
    )
    tool = RunTests(processes)
    assert run_of(await call(tool)).passed == 1
    assert run_of(await call(tool, files=["tests/test_app.py"])).passed == 1


async def test_a_file_that_cannot_be_imported_is_no_failing_test(
    call: Call, processes: Processes, write: Write
) -> None:
    write("test_broken.py", "import unittest\nimport nothing_of_that_name\n")
    output = await call(RunTests(processes))
    assert (run_of(output).state, run_of(output).errors) == ("collection-error", 1)
    assert "nothing_of_that_name" in output.text


async def test_no_tests_and_a_crash_are_told_apart(call: Call, processes: Processes, write: Write) -> None:
    write("test_none.py", "import unittest\n")
    tool = RunTests(processes)
    assert run_of(await call(tool)).state == "no-tests"
    write(
        "test_none.py",
        """
        import os, unittest
        class T(unittest.TestCase):
            def test_dies(self): os._exit(0)
        """,
    )
    crashed = await call(tool)
    assert (run_of(crashed).state, crashed.is_error) == ("crashed", True)
    assert "Running then: test_none.T.test_dies" in crashed.text


async def test_a_missing_pytest_is_said_with_the_interpreter(
    call: Call, processes: Processes, write: Write, bare_python: Path
) -> None:
    """C11: tests that need pytest are not run by another Python that happens to have it."""
    write("test_a.py", "def test_a(): pass\n")
    output = await call(RunTests(processes))
    run = run_of(output)
    assert (run.runner, run.state, output.is_error) == ("pytest", "no-runner", True)
    assert f"pytest is not installed in {bare_python}/bin/python (VIRTUAL_ENV" in output.text
