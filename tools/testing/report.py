"""What a test runner reports while it runs, and the count that is kept of it.

The reports come as JSON lines from code that runs in the project's interpreter, so they are
outside text: bounded, decoded by type, and made safe to show.
"""

from dataclasses import dataclass, field
from typing import Literal

import msgspec

from cutaway.tools.details import TestFailure, TestProgress
from cutaway.tools.sanitise import sanitise

MOST_FAILURES = 500
"""Failures that are kept by name; more are only counted."""

MOST_TRACES = 50
"""Failures that keep their trace; who has more is helped by the first ones."""

LONGEST_MESSAGE = 2_000
LONGEST_TRACE = 8_000


class _Event(msgspec.Struct, frozen=True, tag_field="event"):
    pass


class Collected(_Event, frozen=True, tag="collected"):
    """How many tests will run, and how many were left out by name."""

    total: int
    deselected: int = 0


class Started(_Event, frozen=True, tag="started"):
    id: str


class Result(_Event, frozen=True, tag="result"):
    """One outcome; a test can pass and then have an error when it is torn down."""

    id: str
    outcome: Literal["passed", "failed", "error", "skipped"]
    message: str = ""
    path: str = ""
    line: int = 0
    trace: str = ""


class Finished(_Event, frozen=True, tag="finished"):
    id: str


class CollectionFailed(_Event, frozen=True, tag="collection-failed"):
    """A file that could not be read for tests: a syntax or an import error, mostly."""

    id: str
    message: str = ""
    path: str = ""
    line: int = 0
    trace: str = ""


class RunnerFailed(_Event, frozen=True, tag="runner-failed"):
    """An error of the runner itself."""

    message: str


class RunEnded(_Event, frozen=True, tag="ended"):
    """The last line: without it the runner did not come to its end."""

    code: int


ReportEvent = Collected | Started | Result | Finished | CollectionFailed | RunnerFailed | RunEnded

_DECODER = msgspec.json.Decoder(ReportEvent)


@dataclass(slots=True)
class Tally:
    """The fold of a run's reports."""

    total: int | None = None
    deselected: int = 0
    passed: int = 0
    failed: int = 0
    errors: int = 0
    skipped: int = 0
    done: int = 0
    not_collected: int = 0
    running: dict[str, None] = field(default_factory=dict)
    """Tests that have started and not finished, in order."""
    failures: list[TestFailure] = field(default_factory=list)
    runner_error: str = ""
    ended: bool = False
    heard: bool = False
    """Whether anything was reported at all."""

    @property
    def ran(self) -> int:
        """Outcomes so far."""
        return self.passed + self.failed + self.errors + self.skipped

    def take_line(self, line: bytes) -> None:
        """Fold one line in; what is not a report (a test may write there) is ignored."""
        try:
            event = _DECODER.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return
        self.take(event)

    def take(self, event: ReportEvent) -> None:
        """Fold one event in."""
        self.heard = True
        match event:
            case Collected(total, deselected):
                self.total, self.deselected = total, deselected
            case Started(test):
                self.running[sanitise(test)] = None
            case Result():
                self._count(event)
            case Finished(test):
                self.running.pop(sanitise(test), None)
                self.done += 1
            case CollectionFailed():
                self.not_collected += 1
                self._keep(event, "error")
            case RunnerFailed(message):
                self.runner_error = sanitise(message)[:LONGEST_TRACE]
            case RunEnded():
                self.ended = True

    def progress(self) -> TestProgress:
        """Say how far the run is."""
        current = next(reversed(self.running), "")
        failed = self.failed + self.errors + self.not_collected
        return TestProgress(done=self.done, total=self.total, failed=failed, current=current)

    def _count(self, result: Result) -> None:
        match result.outcome:
            case "passed":
                self.passed += 1
            case "skipped":
                self.skipped += 1
            case "failed":
                self.failed += 1
                self._keep(result, "failed")
            case "error":
                self.errors += 1
                self._keep(result, "error")

    def _keep(self, event: Result | CollectionFailed, kind: Literal["failed", "error"]) -> None:
        if len(self.failures) >= MOST_FAILURES:
            return
        trace = sanitise(event.trace)[:LONGEST_TRACE] if len(self.failures) < MOST_TRACES else ""
        self.failures.append(
            TestFailure(
                id=sanitise(event.id),
                message=sanitise(event.message).strip()[:LONGEST_MESSAGE],
                path=sanitise(event.path),
                line=event.line,
                trace=trace,
                kind=kind,
            )
        )
