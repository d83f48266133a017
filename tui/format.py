"""Numbers as people read them: what is unknown stays unknown, what is estimated says so."""

import math
from datetime import datetime
from decimal import Decimal
from pathlib import Path

from cutaway.harness.ledger import Spending
from cutaway.harness.usage import Usage
from cutaway.tui.rows import cut_start
from cutaway.tui.transcript.safe_text import one_line

UNKNOWN_PRICE = "price unknown"


def tokens(count: int, *, estimated: bool = False) -> str:
    """Tokens in three significant digits: 950, 12.3k, 1.20M; estimates carry `≈`."""
    mark = "≈" if estimated else ""
    if count < 1_000:
        return f"{mark}{count}"
    if count < 100_000:
        return f"{mark}{_cut(count / 1_000, 1)}k"
    if count < 1_000_000:
        return f"{mark}{count // 1_000}k"
    return f"{mark}{_cut(count / 1_000_000, 2)}M"


def _cut(value: float, digits: int) -> str:
    """Round down, so that 99,999 tokens never read as a limit that was not reached."""
    scale = 10**digits
    return f"{int(value * scale) / scale:.{digits}f}"


def money(cost: Decimal | str | None, *, estimated: bool = False) -> str:
    """USD with as many digits as say something; None is an unknown price and never a zero."""
    if cost is None:
        return UNKNOWN_PRICE
    value = Decimal(cost)
    mark = "≈" if estimated else ""
    if value == 0:
        return "$0"  # free of charge, however many tokens it were
    if value < Decimal("0.0001"):
        return f"{mark}<$0.0001"
    if value < Decimal("0.01"):
        return f"{mark}${value:.4f}"
    if value < Decimal(1):
        return f"{mark}${value:.3f}"
    return f"{mark}${value:,.2f}"


def spent(spending: Spending) -> str:
    """Money of several calls: a sum with an unknown part says that it is at least that much."""
    if not spending.calls:
        return "nothing spent"
    if spending.unpriced == spending.calls:
        return UNKNOWN_PRICE
    known = money(spending.known_cost, estimated=spending.usage.estimated)
    if spending.unpriced:
        return f"≥{known} ({spending.unpriced} of {spending.calls} calls: {UNKNOWN_PRICE})"
    return known


def usage_line(usage: Usage) -> str:
    """One call's tokens in the disjoint kinds, largest facts first."""
    sent = tokens(usage.input, estimated=usage.estimated)
    parts = [f"{sent} in"]
    if usage.cache_read:
        parts.append(f"{tokens(usage.cache_read)} cached")
    if written := usage.cache_write_5m + usage.cache_write_1h:
        parts.append(f"{tokens(written)} written")
    parts.append(f"{tokens(usage.output, estimated=usage.estimated)} out")
    return " · ".join(parts)


def duration(seconds: float) -> str:
    """A length of time: 84ms, 1.2s, 47s, 2m 05s, 3h 07m."""
    if seconds < 0.1:
        return f"{max(0, round(seconds * 1000))}ms"
    if seconds < 9.95:
        return f"{seconds:.1f}s"
    whole = int(seconds)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m {whole % 60:02d}s"
    return f"{whole // 3600}h {whole % 3600 // 60:02d}m"


def whole_seconds(seconds: float) -> str:
    """A clock that ticks once a second: 4s, 47s, 2m 05s."""
    whole = max(0, int(seconds))
    return f"{whole}s" if whole < 60 else duration(whole)


def countdown(seconds: float) -> str:
    """What is left, in minutes and begun seconds: 4:12, 59:59."""
    whole = max(0, math.ceil(seconds))
    return f"{whole // 60}:{whole % 60:02d}"


def age(then: datetime, now: datetime) -> str:
    """How long ago something was, in one unit."""
    seconds = int((now - then).total_seconds())
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "m")):
        if seconds >= size:
            return f"{seconds // size}{unit} ago"
    return "just now" if seconds < 5 else f"{seconds}s ago"


def folder(path: str, width: int = 40) -> str:
    """A folder's path in at most `width` cells, from the home folder; the end is what names it."""
    home = str(Path.home())
    shown = one_line(path)
    if shown == home or shown.startswith(home.rstrip("/\\") + "/"):
        shown = "~" + shown[len(home) :]
    return cut_start(shown, width)
