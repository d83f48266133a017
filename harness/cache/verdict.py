"""One word for what the cache did on a call, and the sentence that goes with it."""

from decimal import Decimal

from cutaway.harness.cache.values import Prediction, Verdict, Word
from cutaway.harness.usage import MILLION, Price, Usage

CLOSE = 0.9
"""The part of the predicted read from which on it counts as read: tokens of other vocabularies differ."""
LONGEST_MINIMUM = 4096
"""Tokens; the longest minimum that any model is known to have."""
NEVER_THERE: tuple[Word, ...] = ("cold start", "below minimum")
MORE: dict[Word, str] = {
    "cold start": "More was read than was expected: another session has sent the same before.",
    "below minimum": "It was read all the same: this provider caches shorter prompts than is known of it.",
    "expired": "It was read all the same: this provider keeps it longer than is known of it.",
    "settings changed": "It was read all the same: what was changed is no part of this provider's cache.",
}


def judge(
    expected: Prediction, actual: Usage, *, reported: bool, price: Price | None, diagnosis: str, marked: bool
) -> Verdict:
    """Compare what was expected with what the provider reports.

    `marked` tells that marks were sent to a provider that wants them; `diagnosis` is its own word for a miss.
    """
    if not reported:
        return Verdict("not reported", "The provider says nothing about its cache.", cost=None)
    read = actual.cache_read
    if not expected.certain and not read and expected.read == 0 and expected.cause == "hit":
        said = "What this provider caches is not known; it reports nothing read."
        return Verdict("not reported", said, cost=None)
    missed = _missed(expected, actual)
    if marked and not read and not _written(actual) and _planned(expected):
        said = "Marks were sent, and nothing was read or written: something on the way takes them out"
        said += "." if actual.input > LONGEST_MINIMUM else ", or this model caches longer prompts only."
        return Verdict("marker stripped", said, None, missed, _cost(missed, expected, price))
    if expected.cause == "hit" and not missed:
        return Verdict("hit")
    if _read_all_the_same(expected, actual):
        return Verdict("hit", MORE.get(expected.cause, "It was read all the same."))
    if expected.cause in NEVER_THERE and not missed:
        return Verdict(expected.cause, expected.detail, expected.block)
    if expected.cause not in ("hit", *NEVER_THERE) and read >= _due(expected.read, expected, actual) * CLOSE:
        cost = _cost(missed, expected, price)
        return Verdict(expected.cause, expected.detail, expected.block, missed, cost)
    said = "What was sent before was sent again unchanged, and the provider did not read all of it."
    if diagnosis:
        said += f" Its own word: {diagnosis}."
    return Verdict("server side", said, None, missed, _cost(missed, expected, price))


def _due(tokens: int, expected: Prediction, actual: Usage) -> float:
    """Tokens of a prediction in the provider's own counting: what is new says nothing of what is known."""
    if expected.counted:
        return tokens
    return tokens / expected.input * actual.input if expected.input else 0.0


def _missed(expected: Prediction, actual: Usage) -> int:
    """Tokens that had been sent before and were not read."""
    due = _due(expected.read + expected.lost, expected, actual)
    return 0 if actual.cache_read >= due * CLOSE else round(due - actual.cache_read)


def _read_all_the_same(expected: Prediction, actual: Usage) -> bool:
    """Whether what was given up for lost was read after all."""
    if expected.cause in NEVER_THERE:
        return actual.cache_read > 0 and not expected.read
    more = actual.cache_read - _due(expected.read, expected, actual)
    return expected.lost > 0 and more >= _due(expected.lost, expected, actual) / 2


def _written(usage: Usage) -> int:
    return usage.cache_write_5m + usage.cache_write_1h


def _planned(expected: Prediction) -> int:
    return expected.read + expected.write_5m + expected.write_1h


def _cost(missed: int, expected: Prediction, price: Price | None) -> str | None:
    """What it cost more that these tokens were not read, in USD; None when a price is not known.

    Where the cache is written at a price, they were written anew.
    """
    if not missed:
        return "0"
    if price is None:
        return None
    price = price.at(expected.input)
    anew = price.fresh
    if expected.write_1h > expected.write_5m:
        anew = price.cache_write_1h
    elif expected.write_5m:
        anew = price.cache_write_5m
    if anew is None or price.cache_read is None:
        return None
    return format((missed * (anew - price.cache_read) / MILLION).normalize() + Decimal(0), "f")
