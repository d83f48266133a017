"""Deltas at the pace of eyes: what a fast model says is joined, so that its speed costs nobody the keys."""

import asyncio
from collections.abc import Callable

from msgspec.structs import replace

from cutaway.harness.events import Event, MessageDelta, ReasoningDelta, ToolCallDelta

PACE = 1 / 30
"""Seconds between two deltas of a fast stream; a screen is painted at most half as often."""

Delta = MessageDelta | ReasoningDelta | ToolCallDelta


class PacedDeltas:
    """Joins deltas that come faster than `PACE`; the first goes out at once, and order is kept.

    `flush` sends what waits, and has to come before any other event. Used from the event loop's thread,
    by its own clock: what is held back goes out in time also when nothing follows.
    """

    __slots__ = ("_emit", "_first", "_last", "_pieces", "_timer")

    def __init__(self, emit: Callable[[Event], object]) -> None:
        self._emit = emit
        self._first: Delta | None = None
        self._pieces: list[str] = []
        self._last = float("-inf")
        self._timer: asyncio.TimerHandle | None = None

    def add(self, delta: Delta) -> None:
        """Send a delta now, or soon together with those that follow it."""
        if self._first is None:
            self._first = delta
        elif not _joins(self._first, delta):
            self.flush()
            self._first = delta
        self._pieces.append(_text(delta))
        if self._timer is None:
            loop = asyncio.get_running_loop()
            if loop.time() - self._last >= PACE:
                self.flush()
            else:
                self._timer = loop.call_at(self._last + PACE, self.flush)

    def flush(self) -> None:
        """Send what waits."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._first is None:
            return
        delta, text = self._first, "".join(self._pieces)
        self._first, self._pieces = None, []
        self._last = asyncio.get_running_loop().time()
        match delta:
            case ToolCallDelta():
                self._emit(replace(delta, input_delta=text))
            case MessageDelta() | ReasoningDelta():
                self._emit(replace(delta, delta_content=text))


def _joins(first: Delta, delta: Delta) -> bool:
    """Whether two deltas are parts of one text."""
    if isinstance(first, ToolCallDelta) and isinstance(delta, ToolCallDelta):
        return first.index == delta.index and first.tool_name == delta.tool_name
    return type(first) is type(delta)


def _text(delta: Delta) -> str:
    return delta.input_delta if isinstance(delta, ToolCallDelta) else delta.delta_content
