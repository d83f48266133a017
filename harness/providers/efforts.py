"""How much a model is asked to think: the words that providers have for it, in their order."""

from collections.abc import Sequence

LEVELS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")


def nearest_effort(asked: str, known: Sequence[str]) -> str:
    """Give the highest known level not above the one asked for, else the lowest; as asked where none is."""
    if asked not in LEVELS or asked in known or not known:
        return asked
    below = [level for level in known if level in LEVELS and LEVELS.index(level) < LEVELS.index(asked)]
    return max(below, key=LEVELS.index) if below else known[0]
