"""Which of a provider's rate limits is used up, and until when, as its headers tell.

Anthropic sends `anthropic-ratelimit-<kind>-{limit,remaining,reset}`, the reset as a date of RFC 3339
(platform.claude.com, "Rate limits", 2026-11).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

_REMAINING = re.compile(r"anthropic-ratelimit-([a-z-]+)-remaining")


@dataclass(frozen=True, slots=True)
class UsedUp:
    """A limit with nothing left; `limit` as sent ('' unknown), `wait` in seconds (None unknown)."""

    kind: str
    limit: str
    wait: float | None


def used_up(headers: Mapping[str, str], now: datetime) -> tuple[UsedUp, ...]:
    """Find the limits with nothing left; header names are lower case."""
    return tuple(
        UsedUp(
            found[1].replace("-", " "),
            headers.get(f"anthropic-ratelimit-{found[1]}-limit", ""),
            _until(headers.get(f"anthropic-ratelimit-{found[1]}-reset", ""), now),
        )
        for name, value in headers.items()
        if (found := _REMAINING.fullmatch(name)) and value.strip() == "0"
    )


def _until(date: str, now: datetime) -> float | None:
    try:
        moment = datetime.fromisoformat(date.strip())
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max((moment - now).total_seconds(), 0.0)
