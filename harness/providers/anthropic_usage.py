"""What the Messages API reports of tokens; its kinds are disjoint, but for the two lives of a write.

`input_tokens` counts only what was neither read from the cache nor written to it. The breakdown of
writes by life may be the only place where they are told (anthropic-sdk-python `usage.py`).
"""

from collections.abc import Mapping
from typing import Any

from cutaway.harness.usage import Usage


def usage_of(report: Mapping[str, Any]) -> Usage | None:
    """Make a report disjoint; None when it has no counts."""
    lives = report.get("cache_creation")
    long = _count(lives, "ephemeral_1h_input_tokens")
    short = _count(lives, "ephemeral_5m_input_tokens")
    written = max(_count(report, "cache_creation_input_tokens"), long + short)
    output = _count(report, "output_tokens")
    usage = Usage(
        fresh=_count(report, "input_tokens"),
        cache_read=_count(report, "cache_read_input_tokens"),
        cache_write_5m=written - long,
        cache_write_1h=long,
        output=output,
        reasoning=min(_count(report.get("output_tokens_details"), "thinking_tokens"), output),
    )
    return usage if usage.input or usage.output else None


def tells_cache(report: Mapping[str, Any]) -> bool:
    """Tell whether a report says anything about the cache; a zero is a statement."""
    return any(
        key in report for key in ("cache_read_input_tokens", "cache_creation_input_tokens", "cache_creation")
    )


def _count(place: Any, key: str) -> int:
    value = place.get(key) if isinstance(place, Mapping) else None
    return max(int(value), 0) if isinstance(value, int | float) and value == value else 0
