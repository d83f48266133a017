"""A fast stream is read in few goes, a slow one piece by piece; nothing is lost and order is kept."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from cutaway.harness.providers.gathering import AT_ONCE, MANY, PLENTY, Gathering
from tests.harness.providers.kit import Asking
from tests.servers.openai_steps import Step


class Socket:
    """Hands out pieces as an HTTP library does: what was read at once, and then it waits.

    `reads` notes how many pieces each read brought; while nobody reads, one piece comes with each turn
    of the event loop.
    """

    def __init__(self, total: int, size: int = 4) -> None:
        self.left, self.size = total, size
        self.arrived: list[bytes] = []
        self.reads: list[int] = []

    def _arrive(self) -> None:
        if self.left:
            self.left -= 1
            self.arrived.append(bytes(self.size))
            asyncio.get_running_loop().call_soon(self._arrive)

    async def pieces(self) -> AsyncIterator[bytes]:
        self._arrive()
        while self.left or self.arrived:
            await asyncio.sleep(0)
            batch, self.arrived = self.arrived, []
            if batch:
                self.reads.append(len(batch))
            for piece in batch:
                yield piece


async def take(socket: Socket) -> int:
    gathering = Gathering()
    taken = 0
    async for piece in socket.pieces():
        taken += 1
        await gathering.took(piece)
    return taken


async def test_a_fast_stream_is_read_in_few_goes() -> None:
    socket = Socket(20_000)
    assert await take(socket) == 20_000
    assert len(socket.reads) < 2_000
    assert max(socket.reads) > MANY


async def test_the_first_words_do_not_wait_for_others() -> None:
    socket = Socket(MANY - 1)
    await take(socket)
    assert max(socket.reads) <= 2


async def test_where_more_waits_than_a_read_takes_there_is_no_pause() -> None:
    """A recorded answer comes at the speed of the machine."""
    socket = Socket(3_000, size=PLENTY)
    await take(socket)
    assert max(socket.reads) < MANY


async def test_others_have_their_turn_within_a_long_read() -> None:
    """A key does not wait until a thousand pieces have been taken."""
    gathering, turns = Gathering(), 0

    def turn() -> None:
        nonlocal turns
        turns += 1
        asyncio.get_running_loop().call_soon(turn)

    turn()
    for _ in range(100 * AT_ONCE):
        await gathering.took(b"")
    assert turns >= 100


@pytest.mark.parametrize("rate", [0.0, 40_000.0])
async def test_an_answer_of_single_letters_arrives_whole(asking: Asking, rate: float) -> None:
    text = "".join(f"{number}, " for number in range(2_000))
    done = await asking.play(Step(text=text, piece=1, rate=rate))
    assert asking.shown == done.message.text == text
