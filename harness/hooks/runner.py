"""Tell the user's hooks what happens, and join what they want; each command is in the log."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Protocol

from cutaway.harness import events as e
from cutaway.harness.clock import Clock
from cutaway.harness.hooks.command import run_command
from cutaway.harness.hooks.outcome import HookOutcome, HookPoint, read_outcome, together
from cutaway.harness.messages import scrub

_SHOWN = 120
"""Characters of a command in a warning."""

INPUT_KEPT = 8_000
"""Characters of what a hook was told that are kept in the log; a tool's output may be long."""


class HookEntry(Protocol):
    """One hook of the settings: `timeout` in seconds, `matcher` a glob over tool names ('' for all)."""

    @property
    def command(self) -> str | Sequence[str]: ...
    @property
    def timeout(self) -> float: ...
    @property
    def matcher(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Hooks:
    """The hooks of one session. They are the user's own: nothing from a workspace adds to them."""

    entries: Mapping[str, Sequence[HookEntry]]
    emit: Callable[[e.Event], object]
    clock: Clock
    session_id: str
    folder: Path
    transcript: str
    environment: Mapping[str, str]
    new_id: Callable[[], str]

    def listens(self, point: HookPoint, subject: str = "") -> bool:
        """Tell whether any hook wants to know of this; `subject` is a tool's name."""
        return bool(self._of(point, subject))

    async def run(self, point: HookPoint, fields: Mapping[str, Any], subject: str = "") -> HookOutcome:
        """Run the hooks of a point one after another; one that aborts is the last.

        What is wrong with a hook is said to the user and decides nothing.
        """
        outcomes: list[HookOutcome] = []
        for entry in self._of(point, subject):
            outcomes.append(await self._one(point, entry, fields))
            if outcomes[-1].abort:
                break
        return together(outcomes)

    def _of(self, point: HookPoint, subject: str) -> list[HookEntry]:
        entries = self.entries.get(point, ())
        return [one for one in entries if not one.matcher or fnmatchcase(subject, one.matcher)]

    async def _one(self, point: HookPoint, entry: HookEntry, fields: Mapping[str, Any]) -> HookOutcome:
        said = self._told(point, fields)
        shown = entry.command if isinstance(entry.command, str) else " ".join(entry.command)
        invocation = self.new_id()
        self.emit(e.HookStarted(invocation, point, scrub(shown), said[:INPUT_KEPT]))
        began = self.clock.monotonic()
        outcome, code, failed = HookOutcome(warnings=("it was interrupted",)), -1, True
        try:
            ended = await run_command(
                entry.command, said.encode(), self.folder, entry.timeout, self.environment
            )
            outcome, code = read_outcome(point, ended), ended.exit_code
            failed = bool(ended.failed) or code not in (0, 2)
        finally:
            self.emit(_ended(invocation, outcome, code, failed, (self.clock.monotonic() - began) * 1000))
        for warning in outcome.warnings:
            self.emit(e.SessionWarning("hook", scrub(f"The {point} hook `{shown[:_SHOWN]}`: {warning}.")))
        return outcome

    def _told(self, point: HookPoint, fields: Mapping[str, Any]) -> str:
        """What stdin gets: the names are those of Copilot's and Claude Code's hooks."""
        told = {
            "timestamp": self.clock.now().isoformat(timespec="milliseconds"),
            "hook_event_name": point,
            "session_id": self.session_id,
            "transcript_path": self.transcript,
            "cwd": str(self.folder),
            **fields,
        }
        return scrub(json.dumps(told, ensure_ascii=False))


def _ended(invocation: str, outcome: HookOutcome, code: int, failed: bool, ran_ms: float) -> e.HookEnded:
    def clean(texts: Sequence[str]) -> tuple[str, ...]:
        return tuple(scrub(text) for text in texts)

    return e.HookEnded(
        invocation,
        success=not failed,
        exit_code=code,
        ran_ms=ran_ms,
        blocked=clean(outcome.blocked),
        context=clean(outcome.context),
        permission=outcome.permission or "",
        warnings=clean(outcome.warnings),
        changed_input=outcome.updated_input is not None,
    )
