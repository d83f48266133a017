"""A pytest plugin that reports every test as a JSON line, to the file that the environment names.

It stands alone: it is copied beside nothing else and loaded with `-p` in the project's own
interpreter, so it imports nothing of ours and keeps to Python 3.7 and pytest 6.
"""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

_REPORT = "CUTAWAY_TEST_REPORT"
_NAMES = "CUTAWAY_TEST_NAMES"
_LONGEST = 6000
_MOST_TRACES = 100


def pytest_configure(config: pytest.Config) -> None:
    if os.environ.get(_REPORT) and not hasattr(config, "workerinput"):  # xdist's workers tell its head
        config.pluginmanager.register(_Reporter(os.environ[_REPORT]), "cutaway-reporter")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests whose id holds one of the given names, in whatever case."""
    names = [name.lower() for name in json.loads(os.environ.get(_NAMES) or "[]")]
    if not names:
        return
    kept: list[pytest.Item] = []
    left_out: list[pytest.Item] = []
    for item in items:
        (kept if any(name in item.nodeid.lower() for name in names) else left_out).append(item)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = kept


class _Reporter:
    """Writes through functions that it took before any test could patch them."""

    def __init__(self, path: str) -> None:
        self._write = os.write
        self._dumps = json.dumps
        self._descriptor = os.open(path, os.O_WRONLY | os.O_APPEND)
        self._process = os.getpid()
        self._getpid = os.getpid
        self._folder = os.getcwd()  # noqa: PTH109
        self._deselected = 0
        self._traces = 0

    def _tell(self, event: str, **values: Any) -> None:
        if self._getpid() != self._process:  # a fork of a test that came back to pytest
            return
        line = self._dumps({"event": event, **values}) + "\n"
        try:
            self._write(self._descriptor, line.encode())
        except OSError:  # a test has closed every file: the run must not fail for our sake
            return

    def _trace(self, report: Any) -> str:
        self._traces += 1
        if self._traces > _MOST_TRACES:
            return ""
        parts = [report.longreprtext, *("--- {}\n{}".format(*section) for section in report.sections)]
        return _shortened("\n".join(parts))

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        self._deselected += len(items)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        if not hasattr(session.config, "workerinput") and not _distributed(session.config):
            self._tell("collected", total=len(session.items), deselected=self._deselected)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: list[str]) -> None:
        self._tell("collected", total=len(ids))

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            path, line = _where(report, self._folder)
            self._tell(
                "collection-failed",
                id=report.nodeid,
                message=_message(report),
                path=path or report.nodeid.split("::")[0],
                line=line,
                trace=self._trace(report),
            )
        elif report.skipped:
            self._tell("result", id=report.nodeid, outcome="skipped")

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._tell("started", id=nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            path, line = _where(report, self._folder)
            where, first_line, _ = report.location
            self._tell(
                "result",
                id=report.nodeid,
                outcome="failed" if report.when == "call" else "error",
                message=_message(report),
                path=path or where,
                line=line or (first_line or 0) + 1,
                trace=self._trace(report),
            )
        elif report.outcome == "skipped":
            self._tell("result", id=report.nodeid, outcome="skipped")
        elif report.outcome == "passed" and report.when == "call" and not _is_subtest(report):
            self._tell("result", id=report.nodeid, outcome="passed")

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self._tell("finished", id=nodeid)

    def pytest_internalerror(self, excrepr: Any) -> None:
        self._tell("runner-failed", message=_shortened(str(excrepr)))

    def pytest_sessionfinish(self, exitstatus: Any) -> None:
        self._tell("ended", code=int(exitstatus))


def _distributed(config: Any) -> bool:
    return bool(getattr(config.option, "numprocesses", None) or getattr(config.option, "tx", None))


def _is_subtest(report: Any) -> bool:
    """Tell a passed part of a test, which is counted as a whole, from a test."""
    return type(report).__name__.lower() == "subtestreport"


def _where(report: Any, folder: str) -> tuple[str, int]:
    """Find the innermost frame in the project, else the innermost one that pytest knows."""
    traceback = getattr(report.longrepr, "reprtraceback", None)
    for entry in reversed(getattr(traceback, "reprentries", [])):
        place = getattr(entry, "reprfileloc", None)
        if place is not None:
            path = os.path.normpath(os.path.join(folder, str(place.path)))  # noqa: PTH118
            if path.startswith(folder + os.sep) and "site-packages" not in path:
                return path, int(place.lineno)
    crash = getattr(report.longrepr, "reprcrash", None)
    return ("", 0) if crash is None else (str(crash.path), int(crash.lineno))


def _message(report: Any) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    return _last_error(report.longreprtext) if crash is None else str(crash.message)


def _last_error(text: str) -> str:
    """Give the last line that pytest marks as an error, or the last line at all."""
    lines = [line for line in text.splitlines() if line.strip()]
    errors = [line[1:].strip() for line in lines if line.startswith("E ")]
    return (errors or lines or [""])[-1]


def _shortened(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    return text[: _LONGEST // 3] + "\n[...]\n" + text[-_LONGEST * 2 // 3 :]
