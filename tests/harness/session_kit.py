"""Sessions for tests: real tools in a real folder, a scripted model, a clock that never waits."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

from cutaway.harness import events as e
from cutaway.harness.answers import LimitAnswer, PermissionAnswer
from cutaway.harness.eventlog.store import SessionStore
from cutaway.harness.events import LimitReached, PermissionRequested
from cutaway.harness.opening import Opening, new_session, resume_session
from cutaway.harness.permissions.rules import Rule, Rules
from cutaway.harness.prompt.tokens import TokenCounter
from cutaway.harness.providers.scripted import Choose, Script, ScriptedCall, ScriptedProvider, Step
from cutaway.harness.seams import Asker, Model
from cutaway.harness.session import Session

COUNTER = TokenCounter()
"""Shared: the vocabulary takes a third of a second to load."""

E = TypeVar("E")


class QuickClock:
    """Time passes only when somebody sleeps, and then at once."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.slept: list[float] = []

    def monotonic(self) -> float:
        return self.seconds

    def now(self) -> datetime:
        return datetime(2026, 11, 30, tzinfo=UTC) + timedelta(seconds=self.seconds)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.seconds += seconds
        await asyncio.sleep(0)


class Answering:
    """Answers each question with the next of the given answers, and remembers what was asked."""

    def __init__(self, *answers: PermissionAnswer | LimitAnswer | None) -> None:
        self.answers = list(answers)
        self.permissions: list[PermissionRequested] = []
        self.limits: list[LimitReached] = []

    async def permission(self, request: PermissionRequested) -> PermissionAnswer | None:
        self.permissions.append(request)
        answer = self.answers.pop(0)
        assert answer is None or isinstance(answer, PermissionAnswer)
        return answer

    async def limit(self, reached: LimitReached) -> LimitAnswer | None:
        self.limits.append(reached)
        answer = self.answers.pop(0)
        assert answer is None or isinstance(answer, LimitAnswer)
        return answer


def call(name: str, **arguments: object) -> ScriptedCall:
    return ScriptedCall(name, dict(arguments))


def ask_for(*calls: ScriptedCall, text: str = "") -> Step:
    return Step(text=text, calls=calls)


def say(text: str) -> Step:
    return Step(text=text)


def free_to_run() -> Rules:
    """Rules under which nobody is asked before a command, and no answer is nudged as in autopilot."""
    rules = Rules()
    rules.add([Rule.parse(name, "allow", "test") for name in ("run_in_terminal", "run_tests")])
    return rules


def opening(
    root: Path,
    steps: Sequence[Step] = (),
    *,
    mode: e.Mode = "accept-edits",
    limit: int = 25,
    asker: Asker | None = None,
    rules: Rules | None = None,
    choose: Choose | None = None,
    cache: str = "scripted",
    model: str = "scripted",
) -> Opening:
    """`cache` and `model` name the provider and the model whose prompt cache is played."""
    clock = QuickClock()
    provider = ScriptedProvider(
        Script(steps=tuple(steps), cache=cache, model=model),
        count=COUNTER.count_now,
        clock=clock,
        choose=choose,
    )
    return Opening(
        root=root,
        model=Model(provider, model),
        mode=mode,
        limit=limit,
        rules=(free_to_run() if mode == "accept-edits" else Rules()) if rules is None else rules,
        asker=asker,
        clock=clock,
        counter=COUNTER,
    )


def start(root: Path, steps: Sequence[Step] = (), **options: object) -> Session:
    return new_session(opening(root, steps, **options))  # type: ignore[arg-type]


def take_up(root: Path, session_id: str, steps: Sequence[Step] = (), **options: object) -> Session:
    return resume_session(opening(root, steps, **options), session_id, SessionStore())  # type: ignore[arg-type]


async def until(session: Session, wanted: type[E], count: int = 1, since: int = 0) -> E:
    """Wait for the `count`th event of a kind (live ones too) and return it."""
    seen = 0
    async for batch in session.subscribe(since):
        for record in batch:
            if isinstance(record.event, wanted):
                seen += 1
                if seen == count:
                    return record.event
    raise AssertionError(f"the session closed before {count} × {wanted.__name__}")


async def converse(session: Session, *messages: str) -> None:
    """Send messages one after another, each to its end."""
    for message in messages:
        since = len(session.records)
        session.send(message)
        await until(session, e.SessionIdle, since=since)


def events(session: Session, wanted: type[E]) -> list[E]:
    return [record.event for record in session.records if isinstance(record.event, wanted)]


def bodies(session: Session) -> list[bytes]:
    return [session.request_body(event.request_id) for event in events(session, e.ModelRequested)]
