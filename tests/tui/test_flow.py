"""Records on their way to the screen: folded once, in order, routed to those that they concern."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from cutaway.harness import events as e
from cutaway.harness.eventlog import EventLog
from cutaway.harness.ledger import Ledger
from cutaway.harness.providers.scripted import ScriptedCall, Step
from cutaway.tui.pump import SLICE, pump
from cutaway.tui.router import parts_for, parts_of
from tests.harness.session_kit import converse, start


async def test_every_record_is_delivered_once_in_order_and_in_slices() -> None:
    log = EventLog()
    for number in range(SLICE * 3 + 7):
        log.emit(e.SessionWarning("n", str(number)))
    log.close()
    ledger = Ledger()
    taken: list[Sequence[e.Record]] = []
    await pump(log.subscribe(), ledger, taken.append, asyncio.Event())
    texts = [
        record.event.message
        for part in taken
        for record in part
        if isinstance(record.event, e.SessionWarning)
    ]
    assert texts == [str(number) for number in range(SLICE * 3 + 7)]
    assert max(map(len, taken)) == SLICE
    assert len(ledger.warnings) == len(texts)


async def test_others_run_between_two_slices_of_a_long_log() -> None:
    """A key is never kept waiting by a long history."""
    log = EventLog()
    for _ in range(SLICE * 5):
        log.emit(e.SessionWarning("n", "x"))
    log.close()
    order: list[str] = []

    async def keys() -> None:
        for _ in range(3):
            order.append("key")
            await asyncio.sleep(0)

    await asyncio.gather(
        pump(log.subscribe(), Ledger(), lambda _: order.append("part"), asyncio.Event()), keys()
    )
    assert order.index("key") < 2
    assert order[:6].count("key") == 3


async def test_a_burst_becomes_few_deliveries() -> None:
    """A fast model makes larger batches, not more paints."""
    log = EventLog()
    parts: list[int] = []
    reading = asyncio.create_task(
        pump(log.subscribe(), Ledger(), lambda part: parts.append(len(part)), asyncio.Event())
    )
    for number in range(300):
        log.emit(e.MessageDelta("t", f"{number}"))
        if number % 10 == 0:
            await asyncio.sleep(0)
    log.close()
    await reading
    assert sum(parts) == 300
    assert len(parts) <= 4


async def test_an_interrupt_does_not_wait_for_the_pace() -> None:
    """What ends a stream is shown at once, though a paint was a moment ago."""
    log, hurry, aborted, ended = EventLog(), asyncio.Event(), asyncio.Event(), asyncio.Event()
    parts: list[int] = []

    def take(part: Sequence[e.Record]) -> None:
        parts.append(len(part))
        kinds = {type(record.event) for record in part}
        for kind, seen in ((e.Aborted, aborted), (e.SessionIdle, ended)):
            if kind in kinds:
                seen.set()

    reading = asyncio.create_task(pump(log.subscribe(), Ledger(), take, hurry))
    for number in range(20):
        log.emit(e.MessageDelta("t", f"{number}"))
        await asyncio.sleep(0)
    few = len(parts)
    hurry.set()
    log.emit(e.Aborted("interrupted by the user"))
    await aborted.wait()
    log.emit(e.SessionIdle())
    await ended.wait()
    assert few == 1
    assert len(parts) == 3
    log.close()
    await reading


async def test_the_pump_ends_with_its_session() -> None:
    async def nothing() -> AsyncIterator[Sequence[e.Record]]:
        return
        yield

    await pump(nothing(), Ledger(), lambda _: None, asyncio.Event())


async def test_every_event_of_a_real_session_finds_its_parts(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a\n")
    read = Step(thinking="hm", calls=(ScriptedCall("read_file", {"filePath": "a.txt"}),))
    session = start(tmp_path, [read, Step(text="seen")])
    await converse(session, "look")
    await session.aclose()
    for record in session.records:
        assert parts_of(record.event) or isinstance(record.event, e.UnknownEvent), record.event
    assert parts_for(session.records) == {"conversation", "calls", "meter", "status", "questions"}


def test_an_event_of_a_later_version_concerns_nobody() -> None:
    assert parts_of(e.UnknownEvent("future.thing", b"{}")) == frozenset()
