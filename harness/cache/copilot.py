"""Where Copilot's agent puts its cache breakpoints, to be measured against and to be chosen.

Two stages, as in its March 2026 revision: the prompt's own marks, then a walk from the end that gives away
the rest. Its off-by-one, which sets a fifth mark that providers refuse, is not repeated.
"""

from collections.abc import Collection, Sequence
from typing import Literal

Kind = Literal["S", "U", "A", "C", "T"]
"""A message: system, user, assistant without calls, assistant with calls, tool result."""

MOST = 4


def copilot_marks(kinds: Sequence[Kind], before: Collection[int] = ()) -> list[int]:
    """The messages that carry a mark in the end; `before` are those that the prompt marked itself."""
    marked = sorted(before)[-MOST:] if len(before) > MOST else list(before)
    left = MOST - len(marked)
    left = _walk_back(kinds, marked, left)
    _fill_from_the_start(kinds, marked, left)
    return sorted(marked)


def own_marks(kinds: Sequence[Kind], context: int, current: int) -> set[int]:
    """The marks of the first stage: the context message, the current user message, the newest tool result.

    `context` and `current` are indexes of messages; the result counts only behind the current message.
    """
    marks = {context, current}
    if kinds and kinds[-1] == "T" and len(kinds) - 1 > current:
        marks.add(len(kinds) - 1)
    return marks


def _walk_back(kinds: Sequence[Kind], marked: list[int], left: int) -> int:
    """Mark, from the end: tool results and user messages of the newest turn, and plain answers."""
    below = True
    already = set(marked)
    for index in range(len(kinds) - 1, -1, -1):
        if left <= 0:
            break
        if index in already:
            continue
        following = kinds[(index + 1) % len(kinds)]  # the last message looks at the first, as the original
        last_result = kinds[index] == "T" and following != "T"
        if (below and (last_result or kinds[index] == "U")) or kinds[index] == "A":
            marked.append(index)
            left -= 1
        if kinds[index] == "U":
            below = False
    return left


def _fill_from_the_start(kinds: Sequence[Kind], marked: list[int], left: int) -> None:
    for index, kind in enumerate(kinds):
        if left <= 0 or kind not in ("S", "U"):
            break
        if index not in marked:
            marked.append(index)
            left -= 1
