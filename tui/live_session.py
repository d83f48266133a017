"""The few things that the screen asks of a session; `cutaway.harness.session.Session` is one."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from typing import Protocol

from cutaway.harness.answers import Answer
from cutaway.harness.events import Mode, Record


class LiveSession(Protocol):
    """Everything that goes down a floor; what comes up are records and nothing else."""

    id: str
    root: Path

    @property
    def busy(self) -> bool: ...
    def subscribe(self, since: int = 0) -> AsyncIterator[Sequence[Record]]: ...
    def send(self, text: str) -> None: ...
    def steer(self, text: str) -> None: ...
    def take_back(self) -> str | None: ...
    def interrupt(self) -> None: ...
    def respond(self, request_id: str, answer: Answer) -> None: ...
    def set_mode(self, mode: Mode) -> None: ...
    def skip_wait(self) -> None: ...
    def rerun_tests(self, call_id: str) -> None: ...
    def request_body(self, request_id: str) -> bytes: ...
    async def aclose(self) -> None: ...


SessionOpener = Callable[[], Awaitable[LiveSession]]
"""Opens the session after the first paint; raises HarnessError or NoModelFound."""


class SearchedFor(Protocol):
    """One thing that was looked for, and what came of it; `discovery.Finding` is one."""

    @property
    def title(self) -> str: ...
    @property
    def looked_for(self) -> str: ...
    @property
    def found(self) -> bool: ...
    @property
    def reason(self) -> str: ...


class NoModelFound(Exception):
    """No model can be reached; `findings` are shown to the user with what can be done."""

    def __init__(self, findings: Sequence[SearchedFor]) -> None:
        super().__init__("No model was found.")
        self.findings = tuple(findings)
