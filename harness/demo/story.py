"""Play the demo: a real project in a temporary folder, and a recording in the place of a model."""

import asyncio
import os
import shutil
import sys
import tempfile
from contextlib import suppress
from importlib.resources import as_file, files
from pathlib import Path

import msgspec

from cutaway.harness.answers import LimitAnswer, PermissionAnswer
from cutaway.harness.clock import Clock
from cutaway.harness.eventlog.store import SessionStore
from cutaway.harness.events import LimitReached, PermissionRequested
from cutaway.harness.messages import ToolResult, UserMessage
from cutaway.harness.opening import Opening, new_session
from cutaway.harness.permissions.rules import Rules
from cutaway.harness.prompt.tokens import TokenCounter
from cutaway.harness.providers.base import Request
from cutaway.harness.providers.scripted import Script, ScriptedProvider, Step, load_script
from cutaway.harness.seams import Asker, Model
from cutaway.harness.session import Session
from cutaway.harness.usage import LOCAL

REQUEST = "Some tests of this project fail. Find out why, mend it, and do not change the tests."

WINDOW = 32_000
"""The context window that the recording is said to have, so that the meter has a scale."""

LIMIT = 6
"""Low enough that the story meets the tool-call limit once."""

REFUSED = Step(
    text="You refused that, so I leave it at this. (I am a recording: a model would look for another way.)"
)
OVER = Step(
    text="I am a recording and know only this one story. Start `cutaway` in a project of your own to talk "
    "to a model: `cutaway doctor` says what it finds on this machine."
)


class DemoAnswers:
    """Says yes to every question, for a demo that nobody watches."""

    async def permission(self, request: PermissionRequested) -> PermissionAnswer | None:
        return PermissionAnswer("approve-for-session" if request.always else "approve")

    async def limit(self, reached: LimitReached) -> LimitAnswer | None:
        return LimitAnswer("continue")


async def open_demo(
    *,
    asker: Asker | None = None,
    fast: bool = False,
    clock: Clock | None = None,
    store: SessionStore | None = None,
) -> Session:
    """Lay the project and open a session on it; closing it removes the project.

    `fast` plays without pauses. The session itself stays in the store.
    """
    project = await asyncio.to_thread(lay_project)
    counter = TokenCounter()
    with as_file(files("cutaway.harness.demo") / "story.toml") as path:
        script = load_script(path)
    if fast:
        steps = tuple(msgspec.structs.replace(step, delay=0.0) for step in script.steps)
        script = msgspec.structs.replace(script, rate=0.0, steps=steps)
    teller = Teller(script)
    provider = ScriptedProvider(script, count=counter.count_now, clock=clock, choose=teller)
    opening = Opening(
        root=project,
        model=Model(provider, script.model, LOCAL, WINDOW),
        mode="interactive",
        limit=LIMIT,
        rules=Rules(),
        asker=asker,
        clock=clock,
        counter=counter,
        environment={**os.environ, "VIRTUAL_ENV": sys.prefix},  # a Python that is there for certain
        clean_up=lambda: shutil.rmtree(project.parent, ignore_errors=True),
    )
    return new_session(opening, store)


class Teller:
    """Chooses the next words from what has happened, so that a refusal does not make the recording lie."""

    def __init__(self, script: Script) -> None:
        self._script = script

    def __call__(self, request: Request, number: int) -> Step:
        asked = sum(isinstance(message, UserMessage) for message in request.messages)
        last = request.messages[-1]
        if isinstance(last, ToolResult) and last.is_error and "refused" in last.text[:60]:
            return REFUSED
        if asked > 1 or number >= len(self._script.steps):
            return OVER
        return self._script.steps[number]


def lay_project() -> Path:
    """Copy the project into a new temporary folder and make it a git repository, where git is there."""
    folder = Path(tempfile.mkdtemp(prefix="cutaway-demo-"))
    project = folder / "parcel"
    with as_file(files("cutaway.harness.demo") / "project") as source:
        shutil.copytree(source, project, ignore=shutil.ignore_patterns("__pycache__", "*.pyc"))
    with suppress(ImportError):  # GitPython says so when there is no git program
        _make_repository(project)
    return project


def _make_repository(project: Path) -> None:
    import git

    names = [str(path.relative_to(project)) for path in project.rglob("*") if path.is_file()]
    author = git.Actor("cutaway demo", "demo@example.invalid")
    with suppress(git.GitError, OSError), git.Repo.init(project, initial_branch="main") as repository:
        repository.index.add(names)
        repository.index.commit("Price and label parcels", author=author, committer=author)
