"""Keep the provider's cache warm while the user thinks: off unless asked for, and never dearer than a cap."""

from decimal import Decimal

from cutaway.harness import events as e
from cutaway.harness.errors import ProviderError
from cutaway.harness.messages import UserMessage
from cutaway.harness.model_call import call_aside
from cutaway.harness.seams import Seams

BEFORE = 30.0
"""Seconds before the end of the prefix's life at which it is read once more."""

ASK = "(This only keeps the cache warm. Answer with a full stop.)"
LENGTH = 2_048
"""Tokens that the answer may have: with fewer, models that think by a budget would be asked another way."""


async def keep_warm(seams: Seams, most: Decimal) -> None:
    """Read the prefix again each time before it expires, until `most` USD are spent on it or it is gone.

    Runs between two interactions and is cancelled when the next begins. It stops, and says so, where the
    price is not known: a cap that cannot be kept is none.
    """
    spent = Decimal(0)
    while True:
        now = seams.clock.now().timestamp()
        until = seams.ledger.cache.state.expires_at(now)
        if until is None:
            return
        await seams.clock.sleep(max(0.0, until - BEFORE - now))
        price = seams.ledger.cache.price_of_refreshing()
        if price is None:
            _say(seams, "The cache is not kept warm: what it would cost is not known.")
            return
        if spent + price > most:
            _say(seams, f"The cache is not kept warm any longer: {most} USD would be exceeded.")
            return
        before = seams.ledger.spending.known_cost
        try:
            await call_aside(seams, "keep-alive", (UserMessage(ASK),), output=LENGTH)
        except ProviderError as error:
            _say(seams, f"The cache could not be kept warm: {error}")
            return
        spent += seams.ledger.spending.known_cost - before
        if seams.ledger.cache.state.expires_at(seams.clock.now().timestamp()) in (None, until):
            _say(seams, "The cache is not kept warm: reading it again did not make it live longer.")
            return


def _say(seams: Seams, message: str) -> None:
    seams.emit(e.SessionWarning("keep-alive", message))
