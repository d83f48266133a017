"""Keep the provider's cache warm while the user thinks: off unless asked for, and never dearer than a cap."""

from decimal import Decimal

from cutaway.harness import events as e
from cutaway.harness.errors import ProviderError
from cutaway.harness.messages import UserMessage
from cutaway.harness.model_call import call_aside
from cutaway.harness.seams import Seams
from cutaway.harness.usage import Usage, cost_of

BEFORE = 30.0
"""Seconds before the end of the prefix's life at which it is read once more."""

ASK = "(This only keeps the cache warm. Answer with a full stop.)"
AROUND = 64
"""Tokens of the question and of what providers put around it, which no cache holds."""
LENGTH = 2_048
"""Tokens that the answer may have: with fewer, models that think by a budget would be asked another way."""


async def keep_warm(seams: Seams, most: Decimal, since: int = 0) -> None:
    """Read the prefix again each time before it expires, until `most` USD are spent on it or it is gone.

    Runs between two interactions and is cancelled when the next begins; what earlier runs spent counts,
    from the side call of number `since` on. It stops, and says so, where the price is not known: a cap
    that cannot be kept is none. That holds for the longest answer too.
    """
    while True:
        until = _alive_until(seams)
        if until is None:
            return
        await seams.clock.sleep(max(0.0, until - BEFORE - seams.clock.now().timestamp()))
        if _alive_until(seams) is None:
            return  # the machine slept meanwhile: to write it all anew is not what was asked for
        price = _dearest(seams)
        if price is None:
            _say(seams, "The cache is not kept warm: what it would cost is not known.")
            return
        if _spent(seams, since) + price > most:
            _say(seams, f"The cache is not kept warm any longer: {most} USD could be exceeded.")
            return
        try:
            await call_aside(seams, "keep-alive", (UserMessage(ASK),), output=LENGTH)
        except ProviderError as error:
            _say(seams, f"The cache could not be kept warm: {error}")
            return
        if _alive_until(seams) in (None, until):
            _say(seams, "The cache is not kept warm: reading it again did not make it live longer.")
            return


def _alive_until(seams: Seams) -> float | None:
    return seams.ledger.cache.state.expires_at(seams.clock.now().timestamp())


def _dearest(seams: Seams) -> Decimal | None:
    """The most that one refresh can cost: the prefix is read, the question is new, the answer is long."""
    reading, price = seams.ledger.cache.price_of_refreshing(), seams.model().price
    around = cost_of(Usage(cache_write_1h=AROUND, output=LENGTH), price)
    if around is None:
        around = cost_of(Usage(fresh=AROUND, output=LENGTH), price)
    return None if reading is None or around is None else reading + around


def _spent(seams: Seams, since: int) -> Decimal:
    calls = [call for call in seams.ledger.side_calls[since:] if call.request.purpose == "keep-alive"]
    ends = [call.response or call.failure for call in calls]
    return sum((Decimal(end.cost) for end in ends if end is not None and end.cost), Decimal(0))


def _say(seams: Seams, message: str) -> None:
    seams.emit(e.SessionWarning("keep-alive", message))
