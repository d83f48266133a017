"""What an action that breaks the prefix costs, in words, to be read before it is taken."""

from datetime import datetime

from cutaway.harness.cache.prices import PriceTag
from cutaway.harness.ledger import Ledger
from cutaway.tui import format as figures


def price_words(tag: PriceTag) -> str:
    """The price beyond that of going on without the action: once, for all that is sent as new."""
    if not tag.tokens:
        return "costs nothing yet"
    if tag.once is None:
        return "costs once: unknown"
    if tag.once <= 0:
        return "costs nothing more"
    return f"costs {figures.money(tag.once, estimated=True)} once"


def waiting_words(ledger: Ledger, now: datetime) -> str:
    """What it costs to go on now that the cache is over; '' while it is not, or where it costs nothing."""
    if not ledger.cache.expired(now.timestamp()):
        return ""
    once = ledger.cache.price_of_waiting().once
    return f"cache expired · going on {price_words(ledger.cache.price_of_waiting())}" if once else ""
