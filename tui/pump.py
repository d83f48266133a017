"""From the session to the screen: batches, folded once, handed on at the pace of the screen."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress

from cutaway.harness.events import Record
from cutaway.harness.ledger import Ledger

FRAME_SECONDS = 1 / 10
"""The least time between two hand-overs: more paints a second are not seen, and cost the keys."""

SLICE = 200
"""Records handed over without letting a key in between: a long log opens in many short steps."""


async def pump(
    batches: AsyncIterator[Sequence[Record]],
    ledger: Ledger,
    deliver: Callable[[Sequence[Record]], None],
    hurry: asyncio.Event,
) -> None:
    """Fold every record into `ledger` once, in order, then give it to `deliver`; ends with `batches`.

    Between two hand-overs the session's subscription collects, so a fast model makes larger batches and
    never more paints; while `hurry` is set nothing waits for that pace.
    """
    async for batch in batches:
        for start in range(0, len(batch), SLICE):
            part = batch[start : start + SLICE]
            for record in part:
                ledger.fold(record)
            deliver(part)
            await asyncio.sleep(0)
        with suppress(TimeoutError):
            async with asyncio.timeout(FRAME_SECONDS):
                await hurry.wait()
