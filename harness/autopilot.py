"""Nudges: in autopilot an answer without `task_complete` is asked whether the task is done.

Three nudges without any tool call in between are enough (the newer Copilot agent bounds it so, the older
one at five), and a model that says nearly the same again has said what it has to say.
"""

from dataclasses import dataclass
from difflib import SequenceMatcher

MOST_NUDGES = 3
"""Nudges in a row that lead to no tool call."""

SAME = 0.9
"""Likeness of two answers (0 to 1) from which on another nudge would bring nothing new."""

_COMPARED = 2000
"""Characters of each answer that are compared: the cost grows with their product."""

NUDGE = (
    "You are in autopilot and have not called task_complete. If everything that was asked for is done and "
    "checked, call it now with a short summary. If something is left, go on with it: act, instead of "
    "describing what you would do. If you cannot go on, say what is missing and call task_complete."
)


@dataclass(slots=True)
class Nudges:
    """Counts the nudges of one interaction; a turn that did something begins the count anew."""

    unproductive: int = 0
    last: str = ""
    completed: bool = False
    """True once task_complete was carried out beside other calls: then nothing is asked again."""

    def worked(self) -> None:
        """Take note of a turn that called a tool other than task_complete."""
        self.unproductive = 0

    def nudge(self, answer: str) -> bool:
        """Tell whether this answer is worth a nudge, and count it."""
        repeated = bool(self.last) and _likeness(self.last, answer) >= SAME
        self.last = answer
        if self.completed or self.unproductive >= MOST_NUDGES or (self.unproductive and repeated):
            return False
        self.unproductive += 1
        return True


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one[:_COMPARED], other[:_COMPARED], autojunk=False).ratio()
