"""What the Responses API reports of tokens and of its cache.

`input_tokens` includes what was read from the cache and what was written to it (openai-python 3.57,
`response_usage.py`).
"""

from collections.abc import Mapping
from typing import Any

from cutaway.harness.usage import Usage


def usage_of(report: Any) -> Usage | None:
    """Make a report disjoint; None when it has no counts."""
    sent, output = _count(report, "input_tokens"), _count(report, "output_tokens")
    if not sent and not output:
        return None
    details = _at(report, "input_tokens_details")
    read = min(_count(details, "cached_tokens"), sent)
    written = min(_count(details, "cache_write_tokens"), sent - read)
    reasoning = _count(_at(report, "output_tokens_details"), "reasoning_tokens")
    return Usage(
        fresh=sent - read - written,
        cache_read=read,
        cache_write_5m=written,
        output=output,
        reasoning=min(reasoning, output),
    )


def tells_cache(report: Any) -> bool:
    """Tell whether a report says anything about the cache; a zero is a statement."""
    return _at(_at(report, "input_tokens_details"), "cached_tokens") is not None


def diagnosis_of(report: Any) -> str:
    """Give the reason of a miss, or why there is none to give; '' for a hit and when nobody asked."""
    kind = _at(report, "type")
    word = _at(report, "reason") if kind == "cache_miss" else "" if kind == "cache_hit" else kind
    return word if isinstance(word, str) else ""


def _count(place: Any, key: str) -> int:
    value = _at(place, key)
    return max(int(value), 0) if isinstance(value, int | float) and value == value else 0


def _at(place: Any, key: str) -> Any:
    return place.get(key) if isinstance(place, Mapping) else None
