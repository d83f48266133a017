"""Runs a project's unittest tests and reports each as a JSON line, to the file that is named.

It stands alone: it is copied beside nothing else and run by the project's own interpreter, so it
imports nothing of ours and keeps to Python 3.7.
"""

from __future__ import annotations

import argparse
import glob
import json
import os
import sys
import unittest
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

_LONGEST = 6000

_ErrorInfo = Any  # (type, value, traceback), or three None


class _Reporter:
    def __init__(self, path: str) -> None:
        self._descriptor = os.open(path, os.O_WRONLY | os.O_APPEND)
        self._write = os.write
        self._process = os.getpid()
        self._getpid = os.getpid

    def tell(self, event: str, **values: Any) -> None:
        if self._getpid() == self._process:  # a fork of a test may come back to us
            self._write(self._descriptor, (json.dumps({"event": event, **values}) + "\n").encode())


class _Result(unittest.TextTestResult):
    reporter: _Reporter

    def startTest(self, test: unittest.TestCase) -> None:
        super().startTest(test)
        self.reporter.tell("started", id=test.id())

    def stopTest(self, test: unittest.TestCase) -> None:
        super().stopTest(test)
        self.reporter.tell("finished", id=test.id())

    def addSuccess(self, test: unittest.TestCase) -> None:
        super().addSuccess(test)
        self.reporter.tell("result", id=test.id(), outcome="passed")

    def addFailure(self, test: unittest.TestCase, err: _ErrorInfo) -> None:
        super().addFailure(test, err)
        self._tell_failed(test, err, "failed", self.failures[-1][1])

    def addError(self, test: unittest.TestCase, err: _ErrorInfo) -> None:
        super().addError(test, err)
        self._tell_failed(test, err, "error", self.errors[-1][1])

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        super().addSkip(test, reason)
        self.reporter.tell("result", id=test.id(), outcome="skipped")

    def addExpectedFailure(self, test: unittest.TestCase, err: _ErrorInfo) -> None:
        super().addExpectedFailure(test, err)
        self.reporter.tell("result", id=test.id(), outcome="skipped")

    def addUnexpectedSuccess(self, test: unittest.TestCase) -> None:
        super().addUnexpectedSuccess(test)
        message = "Unexpected success: it is marked as an expected failure."
        self.reporter.tell("result", id=test.id(), outcome="failed", message=message)

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, err: _ErrorInfo) -> None:
        super().addSubTest(test, subtest, err)
        if err is not None:
            failed = issubclass(err[0], test.failureException)
            trace = (self.failures if failed else self.errors)[-1][1]
            self._tell_failed(subtest, err, "failed" if failed else "error", trace)

    def _tell_failed(self, test: unittest.TestCase, err: _ErrorInfo, outcome: str, trace: str) -> None:
        path, line = _innermost(err[2])
        self.reporter.tell(
            "result",
            id=test.id(),
            outcome=outcome,
            message=f"{err[0].__name__}: {err[1]}",
            path=path,
            line=line,
            trace=trace[-_LONGEST:],
        )


def _innermost(traceback: TracebackType | None) -> tuple[str, int]:
    """Find the innermost frame that lies in the project."""
    found = ("", 0)
    while traceback is not None:
        path = Path(traceback.tb_frame.f_code.co_filename)
        if Path.cwd() in path.parents:
            found = (str(path), traceback.tb_lineno)
        traceback = traceback.tb_next
    return found


def _flat(suite: Any) -> Iterator[Any]:
    if isinstance(suite, unittest.TestSuite):
        for part in suite:
            yield from _flat(part)
    else:
        yield suite


def _places(files: list[str]) -> Iterator[tuple[str, str, str]]:
    """Give start folder, pattern and top folder of each discovery."""
    for file in map(Path, files):
        if file.is_dir():
            yield str(file), "test*.py", _top(file)
        else:
            yield str(file.parent), glob.escape(file.name), _top(file.parent)
    if not files:
        yield ".", "test*.py", "."
        for folder in ("tests", "test"):  # without __init__.py, discovery does not enter them by itself
            if Path(folder).is_dir() and not Path(folder, "__init__.py").exists():
                yield folder, "test*.py", folder


def _top(folder: Path) -> str:
    """Go up to the folder that must be on the path: the first that is no package."""
    while (folder / "__init__.py").exists() and folder != folder.parent:
        folder = folder.parent
    return str(folder)


def _collect(files: list[str], names: list[str], reporter: _Reporter) -> tuple[unittest.TestSuite, bool]:
    """Load the tests; tell those files that cannot be loaded, and how many tests there are."""
    suite = unittest.TestSuite()
    left_out = broken = 0
    for start, pattern, top in _places(files):
        loader = unittest.TestLoader()
        for test in _flat(loader.discover(start, pattern, top)):
            if type(test).__name__ == "_FailedTest":
                broken += 1
                _tell_broken(test, loader, reporter)
            elif names and not any(name.lower() in test.id().lower() for name in names):
                left_out += 1
            else:
                suite.addTest(test)
    reporter.tell("collected", total=suite.countTestCases(), deselected=left_out)
    return suite, broken > 0


def _tell_broken(test: Any, loader: unittest.TestLoader, reporter: _Reporter) -> None:
    module = test.id().rpartition(".")[2]
    traces: list[str] = [error for error in map(str, loader.errors) if module in error] or [""]
    lines = [line for line in traces[0].splitlines() if line.strip()]
    message = lines[-1] if lines else ""
    reporter.tell("collection-failed", id=module, message=message, trace=traces[0][-_LONGEST:])


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--report", required=True)
    parser.add_argument("--name", action="append", default=[])
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    ours = str(Path(__file__).parent)
    sys.path[:] = [str(Path.cwd()), *(path for path in sys.path if path != ours)]
    sys.argv[:] = ["python -m unittest"]
    reporter = _Reporter(options.report)
    suite, broken = _collect(options.files, options.name, reporter)
    result_type = type("_ReportedResult", (_Result,), {"reporter": reporter})
    result = unittest.TextTestRunner(resultclass=result_type).run(suite)
    code = 2 if broken else 0 if result.wasSuccessful() else 1
    reporter.tell("ended", code=code)
    return code


if __name__ == "__main__":
    sys.exit(main())
