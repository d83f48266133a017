"""Bounds that would slip: questions that were cut, and a cap on keeping the cache warm."""

import asyncio
import dataclasses
from decimal import Decimal
from pathlib import Path

from cutaway.harness import events as e
from cutaway.harness.clock import Clock
from cutaway.harness.events import LimitReached, PermissionRequested
from cutaway.harness.opening import Opening, new_session
from cutaway.harness.providers.scripted import ScriptedError, Step
from cutaway.harness.session import Session
from cutaway.harness.usage import Price, Usage
from tests.harness.invariants import check_log
from tests.harness.session_kit import QuickClock, ask_for, call, converse, events, opening, say, until

LOOK = ask_for(call("list_dir", path="."))
PRICE = Price(Decimal(3), Decimal("0.3"), Decimal("3.75"), Decimal(6), Decimal(15))


class Thoughtful:
    """A person who thinks for an hour and is then interrupted."""

    def __init__(self, clock: QuickClock) -> None:
        self.clock = clock
        self.asked = asyncio.Event()

    async def permission(self, request: PermissionRequested) -> None:
        await self._think()

    async def limit(self, reached: LimitReached) -> None:
        await self._think()

    async def _think(self) -> None:
        self.clock.seconds += 3600
        self.asked.set()
        await asyncio.Event().wait()


async def test_an_hour_of_thinking_that_an_interrupt_ends_is_no_work(tmp_path: Path) -> None:
    given = opening(tmp_path, [LOOK, LOOK, say("done"), say("fine")], limit=1)
    assert isinstance(given.clock, QuickClock)
    asker = Thoughtful(given.clock)
    given = dataclasses.replace(given, asker=asker, budgets={"minutes": Decimal(5)})
    session = new_session(given)
    session.send("go")
    await asker.asked.wait()
    session.interrupt()
    await until(session, e.InteractionEnded)
    assert session._seams.budgets.met(session._seams.ledger) is None
    check_log(session.records)
    await session.aclose()


class Sleeping(QuickClock):
    """A machine that was suspended: the sleep of its programs took a night."""

    async def sleep(self, seconds: float) -> None:
        await super().sleep(seconds)
        self.seconds += 8 * 3600


def warm(root: Path, most: str, steps: list[Step], clock: Clock | None = None) -> Opening:
    given = opening(root, steps, cache="anthropic", model="claude-sonnet-4-5")
    model = dataclasses.replace(given.model, price=PRICE)
    return dataclasses.replace(given, model=model, keep_warm_for=Decimal(most), clock=clock or given.clock)


def refreshes(session: Session) -> list[e.ModelRequested]:
    return [one for one in events(session, e.ModelRequested) if one.purpose == "keep-alive"]


async def test_a_cache_that_died_while_the_machine_slept_is_not_bought_anew(tmp_path: Path) -> None:
    session = new_session(warm(tmp_path, "1", [say("Hello."), say(".")], Sleeping()))
    await converse(session, "hi")
    assert session._warming is not None
    await session._warming
    assert refreshes(session) == []
    await session.aclose()


async def test_the_cap_is_one_for_the_session_and_holds_for_the_longest_answer(tmp_path: Path) -> None:
    long = Step(text=".", usage=Usage(fresh=20, cache_read=4000, output=2048))
    given = warm(tmp_path, "0.1", [say("Hello."), *[long] * 2, say("Hi."), *[long] * 9])
    session = new_session(given)
    for _ in range(2):
        since = len(session.records)
        await converse(session, "hi")
        await until(session, e.SessionWarning, since=since)
    spent = sum(Decimal(end.cost or "0") for end in events(session, e.ModelResponded) if not end.turn_id)
    assert refreshes(session) and spent <= Decimal("0.1")
    await session.aclose()


async def test_a_message_cuts_a_refresh_at_once_and_another_model_is_not_kept_warm(tmp_path: Path) -> None:
    slow = Step(text="." * 4000)
    session = new_session(warm(tmp_path, "5", [say("Hello."), slow, *[say("Hi.")] * 3]))
    session.send("hi")
    await until(session, e.ModelRequested, count=2)
    assert refreshes(session)
    await converse(session, "more")
    check_log(session.records)
    assert events(session, e.InteractionEnded)[-1].reason == "answered"
    session.set_model(dataclasses.replace(session._seams.model(), name="claude-haiku-4-5"))
    assert session._warming is None
    before = len(events(session, e.ModelRequested))
    for _ in range(50):
        await asyncio.sleep(0)
    assert len(events(session, e.ModelRequested)) == before
    await session.aclose()
    check_log(session.records)


async def test_a_call_that_breaks_is_estimated_as_it_was_predicted(tmp_path: Path) -> None:
    """What the provider has cached is not counted as new because the stream was cut."""
    broken = Step(text="half an ans", error=ScriptedError("broken"))
    session = new_session(dataclasses.replace(warm(tmp_path, "0", [say("Hello."), broken])))
    await converse(session, "hi", "on")
    (failed,) = events(session, e.CallFailed)
    assert failed.usage.estimated and failed.usage.cache_read > 1000 and failed.usage.fresh < 100
    await session.aclose()
