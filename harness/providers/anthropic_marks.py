"""Where `cache_control` goes: at most four marks, each on a block that may carry one."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from cutaway.harness.cache.values import CacheTtl
from cutaway.harness.providers.base import Breakpoint

Json = dict[str, Any]
Place = tuple[int, int]
"""A place in the prompt: tools 0, system 1, messages 2; then the index in that list of the request."""

MOST_MARKS = 4
"""The API refuses a fifth."""
_SECTIONS = {"tools": 0, "system": 1, "messages": 2}


def place_of(mark: Breakpoint) -> Place:
    return _SECTIONS[mark.after], mark.index


def put_marks(blocks: Sequence[tuple[Place, Json]], breakpoints: Sequence[Breakpoint]) -> list[Json]:
    """Mark the last block up to each breakpoint; `blocks` are those that may carry a mark, in wire order.

    Returns the blocks that were marked.

    Breakpoints before the first such block are left out, two on one block become one, and long-lived
    marks come first as the API demands: one that would follow a short-lived one is made short-lived,
    so that nothing costs more than was asked for.
    """
    places = [place for place, _ in blocks]
    found: dict[int, CacheTtl] = {}
    for mark in breakpoints:
        until = place_of(mark)
        at = bisect_right(places, until) - 1
        if at >= 0:
            found[at] = "1h" if "1h" in (mark.ttl, found.get(at)) else "5m"
    ttl: CacheTtl = "1h"
    marked = []
    for at in _most_valuable(sorted(found), places):
        ttl = found[at] if ttl == "1h" else "5m"
        blocks[at][1]["cache_control"] = (
            {"type": "ephemeral"} if ttl == "5m" else {"type": "ephemeral", "ttl": "1h"}
        )
        marked.append(blocks[at][1])
    return marked


def _most_valuable(marked: Sequence[int], places: Sequence[Place]) -> list[int]:
    """Choose four: the end of the stable part, which all later requests share, and the newest ones."""
    if len(marked) <= MOST_MARKS:
        return list(marked)
    stable = [at for at in marked if places[at][0] < _SECTIONS["messages"]]
    kept = [stable[-1]] if stable else []
    newest = [at for at in marked if at not in kept]
    return sorted([*kept, *newest[len(kept) - MOST_MARKS :]])
