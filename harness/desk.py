"""Where questions wait for a person, and answers find the call that asked."""

import asyncio
from typing import TypeVar, assert_never

from cutaway.harness.answers import Answer, LimitAnswer, PermissionAnswer
from cutaway.harness.errors import UnknownRequest
from cutaway.harness.events import LimitReached, PermissionRequested

T = TypeVar("T")


class Desk:
    """Asks a person who may take any time; several questions may be open at once."""

    def __init__(self) -> None:
        self._permissions: dict[str, asyncio.Future[PermissionAnswer]] = {}
        self._limits: dict[str, asyncio.Future[LimitAnswer]] = {}

    async def permission(self, request: PermissionRequested) -> PermissionAnswer | None:
        return await _wait(self._permissions, request.request_id)

    async def limit(self, reached: LimitReached) -> LimitAnswer | None:
        return await _wait(self._limits, reached.request_id)

    def answer(self, request_id: str, answer: Answer) -> None:
        """Hand in an answer; raises UnknownRequest when nothing (or something else) was asked."""
        match answer:
            case PermissionAnswer():
                _hand_in(self._permissions, request_id, answer)
            case LimitAnswer():
                _hand_in(self._limits, request_id, answer)
            case _:
                assert_never(answer)


async def _wait(waiting: dict[str, "asyncio.Future[T]"], request_id: str) -> T:
    future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
    waiting[request_id] = future
    try:
        return await future
    finally:
        del waiting[request_id]


def _hand_in(waiting: dict[str, "asyncio.Future[T]"], request_id: str, answer: T) -> None:
    future = waiting.get(request_id)
    if future is None or future.done():
        raise UnknownRequest(f"No open question of this kind has the id {request_id!r}.")
    future.set_result(answer)


class NobodyThere:
    """Answers at once that there is nobody to ask: what needs approval is refused, limits hold."""

    async def permission(self, request: PermissionRequested) -> PermissionAnswer | None:
        return None

    async def limit(self, reached: LimitReached) -> LimitAnswer | None:
        return None
