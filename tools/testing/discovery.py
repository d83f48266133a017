"""Finding what runs a project's tests, from its files alone; nothing is executed here.

The order: the configured command, Python's tests, then the test command that the project's own
build file names. The Python is the project's: `.venv` or `venv` in the workspace, then
`$VIRTUAL_ENV`, then `python3` on the PATH, and the choice is always told with its reason.
"""

import json
import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_PYTHON_MARKS = ("pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "pytest.ini", "conftest.py")
_BUILD_MARKS = ("package.json", "Cargo.toml", "go.mod")
_TEST_FILE = re.compile(r"^(?:test.*|.*_test|tests)\.py$")
_NEEDS_PYTEST = re.compile(rb"^(?:import pytest|from pytest|(?:async )?def test_)", re.MULTILINE)
_PYTEST_SECTIONS = {
    "pytest.ini": rb"",
    "conftest.py": rb"",
    "pyproject.toml": rb"\[tool\.pytest",
    "setup.cfg": rb"\[tool:pytest\]",
    "tox.ini": rb"\[pytest\]",
}
_SKIPPED = frozenset(
    {"node_modules", "site-packages", "__pycache__", "venv", "env", "build", "dist", "target"}
)
_MOST_ENTRIES = 3_000
"""Directory entries looked at; a monorepo must not make every turn wait."""

_MOST_FILES_READ = 100


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python, and why it is this one."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class PythonTests:
    """Tests in Python; `needs_pytest` when unittest could not run all of them."""

    interpreter: Interpreter
    needs_pytest: bool


@dataclass(frozen=True, slots=True)
class TestCommand:
    """A command that runs the tests and is known to give an exit code only."""

    __test__ = False

    command: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class NoRunner:
    """Nothing that could run tests; `reason` says what was looked for."""

    reason: str


Choice = PythonTests | TestCommand | NoRunner


def may_have_tests(root: Path) -> bool:
    """Tell whether tests are plausible here; looks at names only, a few milliseconds at most."""
    marks = (*_PYTHON_MARKS, *_BUILD_MARKS, "tests", "test")
    return any((root / mark).exists() for mark in marks) or any(True for _ in _test_files(root, depth=1))


def choose_runner(
    root: Path, configured: Sequence[str], environment: Mapping[str, str], files: Sequence[str] = ()
) -> Choice:
    """Choose what runs the tests; `files`, if given, decide between several languages."""
    if configured:
        return TestCommand(tuple(configured), "the configured test command")
    endings = {Path(file).suffix for file in files if Path(file).suffix}
    built = _build_command(root, endings)
    python = any(True for _ in _test_files(root))
    if built is None:
        python = python or any((root / mark).exists() for mark in _PYTHON_MARKS)
    if (python and endings <= {".py"}) or endings == {".py"}:
        interpreter = find_interpreter(root, environment)
        if interpreter is None:
            return NoRunner(
                "the tests are Python, but there is no .venv or venv in the workspace, "
                "$VIRTUAL_ENV is not set, and python3 is not on the PATH"
            )
        return PythonTests(interpreter, _needs_pytest(root))
    return built or NoRunner(
        "no Python tests, no package.json with a test script, no Cargo.toml, no go.mod and no Makefile "
        "with a test target were found in the workspace root"
    )


def find_interpreter(root: Path, environment: Mapping[str, str]) -> Interpreter | None:
    """Find the project's Python by the documented rule; None when there is none."""
    active = environment.get("VIRTUAL_ENV", "")
    for name in (".venv", "venv"):
        if path := _python_in(root / name):
            other = (
                f", which goes before VIRTUAL_ENV={active}" if active and Path(active) != root / name else ""
            )
            return _told(path, f"{name} in the workspace{other}")
    broken = "".join(f"; {name} has no usable Python" for name in (".venv", "venv") if (root / name).is_dir())
    if active and (path := _python_in(Path(active))):
        return _told(path, f"VIRTUAL_ENV{broken}")
    stale = f"; VIRTUAL_ENV={active} has no usable Python" if active else ""
    for name in ("python3", "python"):
        if found := shutil.which(name, path=environment.get("PATH", "")):
            return _told(found, f"{name} on the PATH{broken}{stale}")
    return None


def _told(path: str, reason: str) -> Interpreter:
    ours = Path(path).parent == Path(sys.executable).parent
    return Interpreter(path, reason + ("; it is also the Python that cutaway runs on" if ours else ""))


def _python_in(folder: Path) -> str:
    names = ("Scripts/python.exe",) if sys.platform == "win32" else ("bin/python", "bin/python3")
    paths = (folder / name for name in names)
    return next((str(path) for path in paths if path.is_file() and os.access(path, os.X_OK)), "")


def _needs_pytest(root: Path) -> bool:
    for name, section in _PYTEST_SECTIONS.items():
        with suppress(OSError):
            if re.search(section, (root / name).read_bytes()):
                return True
    for number, path in enumerate(_test_files(root)):
        if number >= _MOST_FILES_READ:
            break
        with suppress(OSError), path.open("rb") as stream:
            if _NEEDS_PYTEST.search(stream.read(65_536)):
                return True
    return False


def _test_files(root: Path, depth: int = 4) -> Iterator[Path]:
    """Walk the workspace breadth first, within bounds, links not followed."""
    folders = [(root, 0)]
    seen = 0
    for folder, level in folders:
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            seen += 1
            if seen > _MOST_ENTRIES:
                return
            if entry.is_dir(follow_symlinks=False):
                if level < depth and not entry.name.startswith(".") and entry.name not in _SKIPPED:
                    folders.append((Path(entry.path), level + 1))
            elif _TEST_FILE.match(entry.name):
                yield Path(entry.path)


def _build_command(root: Path, endings: set[str]) -> TestCommand | None:
    finders: dict[str, set[str]] = {
        "package.json": {".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte"},
        "Cargo.toml": {".rs"},
        "go.mod": {".go"},
        "Makefile": set(),
    }
    for name, languages in finders.items():
        if endings and languages and not endings & languages:
            continue
        if command := _command_of(root, name):
            return TestCommand(command, f"{name} in the workspace")
    return None


def _command_of(root: Path, name: str) -> tuple[str, ...]:
    try:
        text = (root / name).read_text("utf-8", "replace")
    except OSError:
        return ()
    match name:
        case "package.json":
            return _script_of(root, text)
        case "Cargo.toml":
            return ("cargo", "test")
        case "go.mod":
            return ("go", "test", "./...")
        case _:
            return ("make", "test") if re.search(r"^test\s*:", text, re.MULTILINE) else ()


def _script_of(root: Path, package: str) -> tuple[str, ...]:
    script = None
    with suppress(ValueError, AttributeError, RecursionError):
        script = json.loads(package).get("scripts", {}).get("test")
    if not isinstance(script, str) or "no test specified" in script:  # what npm init writes
        return ()
    locks = {"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lock": "bun", "bun.lockb": "bun"}
    tool = next((tool for lock, tool in locks.items() if (root / lock).exists()), "npm")
    return ("bun", "run", "test") if tool == "bun" else (tool, "test")
