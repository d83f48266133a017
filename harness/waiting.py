"""Waiting that a cancellation does not cut: for what has to be brought to its end whatever happens."""

import asyncio
from typing import Any


async def to_its_end(task: "asyncio.Task[Any]") -> None:
    """Wait until a task is over, however often the waiter is cancelled; the cancellation is raised then.

    What the task raises stays in the task.
    """
    cancelled = False
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            cancelled = True
    if cancelled:
        raise asyncio.CancelledError
