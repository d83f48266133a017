"""Notice a model that goes round in circles: the same calls with the same results, again and again."""

import hashlib
import re
from collections.abc import Iterable
from typing import Literal

from cutaway.harness.ledger import CallView

TELL_AT, ASK_AT = 3, 5
"""Equal rounds in a row after which the model is told, and after which a person is asked."""

LONGEST_ROUND = 3
"""Turns of which a round may consist: A B A B goes in a circle as A A does."""

TOLD = (
    "You have made the same tool calls {rounds} times in a row and got the same results. Repeating them "
    "will not change anything. Look at what the results say, try something else, or say what stops you."
)

# How long something took differs each time and says nothing about what came of it.
_TIME = re.compile(r"\d+(?:\.\d+)?\s?(?:ms|s|sec|seconds|min)\b")

Finding = Literal["fine", "tell", "ask"]


class Repetition:
    """Remembers what the last turns did, by one hash each over the calls and their results."""

    def __init__(self) -> None:
        self._turns: list[str] = []
        self.rounds = 1
        """Equal rounds at the end; 1 is none."""

    def add(self, calls: Iterable[CallView]) -> Finding:
        """Take in a turn's calls; tells once at `TELL_AT` rounds, and asks from `ASK_AT` on."""
        self._turns.append(_digest(calls))
        del self._turns[: -LONGEST_ROUND * ASK_AT]
        before, self.rounds = self.rounds, _rounds(self._turns)
        if self.rounds >= ASK_AT:
            return "ask"
        return "tell" if self.rounds == TELL_AT and before < TELL_AT else "fine"

    def forgive(self) -> None:
        """Begin anew: a person has said to go on."""
        self._turns.clear()
        self.rounds = 1


def _rounds(turns: list[str]) -> int:
    """How often the last one to three turns have come in a row."""
    best = 1
    for length in range(1, LONGEST_ROUND + 1):
        last, count = turns[-length:], 1
        while turns[-length * (count + 1) : -length * count] == last:
            count += 1
        best = max(best, count)
    return best


def _digest(calls: Iterable[CallView]) -> str:
    said = hashlib.sha256()
    for call in calls:
        result = call.completed.text if call.completed else ""
        for part in (call.name, call.arguments, _TIME.sub("#", result)):
            said.update(part.encode(errors="replace") + b"\0")
    return said.hexdigest()
