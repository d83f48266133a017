"""What is told of runs in which not every test ran, and of runs that die."""

import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from cutaway.tools.base import ToolOutput
from cutaway.tools.process import Processes
from cutaway.tools.run_tests import RunTests

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the interpreter is a link, as on POSIX")

Call = Callable[..., Awaitable[ToolOutput]]

THREE = "def test_a(): pass\ndef test_b(): assert 0\ndef test_c(): assert 0\n"


@pytest.fixture
async def processes() -> AsyncIterator[Processes]:
    started = Processes({**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"})
    yield started
    await started.aclose()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("-x", "1 passed, 1 failed, 0 errors, 0 skipped"),
        ("-x", "1 of 3 tests did not run"),
        ("--co", "3 of 3 tests did not run"),
        ("-k test_a", "2 tests were left out, by the project's own configuration"),
    ],
)
async def test_tests_that_the_projects_own_options_keep_from_running_are_told(
    call: Call, processes: Processes, tmp_path: Path, options: str, told: str
) -> None:
    (tmp_path / ".venv").symlink_to(sys.prefix)
    (tmp_path / "pytest.ini").write_text(f"[pytest]\naddopts = {options}\n")
    (tmp_path / "test_z.py").write_text(THREE)
    assert told in (await call(RunTests(processes))).text


async def test_a_run_that_dies_by_a_signal_is_told_in_one_sentence(
    call: Call, processes: Processes, tmp_path: Path
) -> None:
    (tmp_path / ".venv").symlink_to(sys.prefix)
    (tmp_path / "test_a.py").write_text("import os\ndef test_a(): os.kill(os.getpid(), 9)\n")
    text = (await call(RunTests(processes))).text
    assert text.startswith(
        "The test run crashed before it had come to its end: pytest, ended by SIGKILL after"
    )
