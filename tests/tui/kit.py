"""The real app over a real session, with a model that can be held in the middle of an answer."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from cutaway.harness.events import Mode
from cutaway.harness.opening import Opening, new_session
from cutaway.harness.permissions.rules import Rules
from cutaway.harness.providers.scripted import Script, ScriptedProvider, Step
from cutaway.harness.seams import Model
from cutaway.harness.session import Session
from cutaway.harness.usage import Price
from cutaway.tui.app import CutawayApp
from cutaway.tui.live_session import LiveSession
from tests.harness.session_kit import COUNTER, QuickClock

WIDE, NARROW = (160, 48), (80, 24)
TURNS_OF_THE_LOOP = 1000
"""How often a condition is looked at before the test fails; each look lets everything run that can."""


class GateClock(QuickClock):
    """A clock on which nobody wakes before the gate is opened."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Event()

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        await self.gate.wait()


HELD = Step(text="thinking about it", delay=5.0)
"""An answer whose first word comes when the gate opens."""


class Opener:
    """Opens one session in a folder; `ready` may hold it back, `options` are those of an `Opening`."""

    def __init__(
        self,
        root: Path,
        steps: Sequence[Step] = (),
        *,
        mode: Mode = "autopilot",
        limit: int = 25,
        window: int | None = None,
        price: Price | None = None,
        **options: Any,
    ) -> None:
        self.root, self.steps, self.mode, self.limit = root, steps, mode, limit
        self.window, self.price, self.options = window, price, options
        self.clock = GateClock()
        self.ready = asyncio.Event()
        self.ready.set()
        self.opened: list[Session] = []

    async def __call__(self) -> LiveSession:
        await self.ready.wait()
        provider = ScriptedProvider(
            Script(steps=tuple(self.steps)), count=COUNTER.count_now, clock=self.clock
        )
        opening = Opening(
            root=self.root,
            model=Model(provider, "scripted", self.price, self.window),
            mode=self.mode,
            limit=self.limit,
            rules=Rules(),
            clock=self.clock,
            counter=COUNTER,
            **self.options,
        )
        self.opened.append(new_session(opening))
        return self.opened[-1]

    @property
    def session(self) -> Session:
        return self.opened[-1]


def app_for(opener: Opener, **options: object) -> CutawayApp:
    return CutawayApp(opener, root=opener.root, **options)  # type: ignore[arg-type]


async def until(pilot: Pilot[None], condition: Callable[[], object]) -> None:
    """Let the app run until something is true."""
    for _ in range(TURNS_OF_THE_LOOP):
        if condition():
            return
        await pilot.pause(0.005)
    raise AssertionError("it never came true")


async def opened(pilot: Pilot[None], app: CutawayApp) -> None:
    await until(pilot, lambda: app.session is not None and app.main.ledger.started is not None)


async def finished(pilot: Pilot[None], app: CutawayApp, interactions: int = 1) -> None:
    """Wait for the end of the nth interaction, on the screen as well."""
    ledger = app.main.ledger
    await until(pilot, lambda: len(ledger.interactions) >= interactions and not ledger.busy)
    await pilot.pause()


async def approve(pilot: Pilot[None], app: CutawayApp) -> None:
    """Say yes to the question that stands there, as soon as it hears."""
    await reply(pilot, app, "y")


async def reply(pilot: Pilot[None], app: CutawayApp, *keys: str) -> None:
    """Answer the question that stands there with keys, as soon as it hears."""
    question = app.main.dock.current
    assert question is not None
    if app.main.prompt.text:  # else the question takes the focus by itself, and ctrl+g would give it back
        await pilot.press("ctrl+g")
    await until(pilot, lambda: question.has_focus and not question.deaf)
    await pilot.press(*keys)
    await until(pilot, lambda: app.main.dock.current is not question)


def screen_text(app: CutawayApp) -> str:
    """What is on the screen now, line by line."""
    return "\n".join(
        "".join(segment.text for segment in strip) for strip in app.screen._compositor.render_strips()
    )


def said(app: CutawayApp) -> str:
    """All words of the conversation."""
    return app.main.transcript.plain_text()
