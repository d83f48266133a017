"""How far an interaction may go before someone is asked."""

AUTOPILOT_CEILING = 200
"""Autopilot extends the limit by itself up to here, as the Copilot agent does."""

DEFAULT_LIMIT = 25


def next_limit(limit: int) -> int:
    """Half as much again, rounded half up: 25, 38, 57, 86, 129, 194, 291 …"""
    return (limit * 3 + 1) // 2


def autopilot_limit(limit: int) -> int | None:
    """The limit that autopilot takes without asking, or None when it has to ask."""
    return min(next_limit(limit), AUTOPILOT_CEILING) if limit < AUTOPILOT_CEILING else None
