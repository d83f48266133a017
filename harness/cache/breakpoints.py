"""Where to ask for a cache: at most four marks, so placed that the next request surely reads this one."""

from bisect import bisect_left
from collections.abc import Sequence
from typing import Literal, assert_never

from cutaway.harness.cache.copilot import Kind, copilot_marks, own_marks
from cutaway.harness.cache.rows import Row, first_difference
from cutaway.harness.cache.values import CacheTtl, Mark
from cutaway.harness.providers.base import Breakpoint, Request

Strategy = Literal["stable", "copilot"]

FAR = 15
"""Content blocks between two marks from which on one more is set between them: providers look back 20."""


def place(
    strategy: Strategy, row: Row, ttl: CacheTtl, previous: Row | None, marks: Sequence[Mark]
) -> list[Mark]:
    """Choose the marks of a request; `previous` and `marks` are those of the request before, if one was."""
    match strategy:
        case "stable":
            found = _stable(row, previous, marks)
        case "copilot":
            found = _copilot(row)
        case _:
            assert_never(strategy)
    return [Mark(index, ttl) for index in found]


def _stable(row: Row, previous: Row | None, marks: Sequence[Mark]) -> list[int]:
    """The end of the stable part, the last mark of the request before, the newest message.

    What was marked last is surely in the cache, if anything is: marking it again makes the read certain
    however much has been said since.
    """
    if not row.blocks:
        return []
    newest = _last_that_holds(row, len(row.blocks) - 1)
    stable = _last_that_holds(row, _stable_end(row))
    found = {index for index in (stable, newest) if index is not None}
    if previous is not None and marks and newest is not None:
        last = marks[-1].block
        if last < newest and first_difference(previous.blocks[: last + 1], row.blocks) is None:
            found.add(last)
            if (between := _between(row, last, newest)) is not None:
                found.add(between)
    return sorted(found)


def _between(row: Row, last: int, newest: int) -> int | None:
    """A block about `FAR` content blocks behind the last mark, where the newest is further away."""
    if row.parts[newest] - row.parts[last] <= FAR:
        return None
    reach = [at for at in range(last + 1, newest) if row.parts[at] - row.parts[last] <= FAR]
    return _last_that_holds(row, reach[-1], above=last) if reach else None


def _stable_end(row: Row) -> int:
    return next((at for at in range(len(row.blocks)) if row.section(at) == "messages"), len(row.blocks)) - 1


def _last_that_holds(row: Row, index: int, above: int = -1) -> int | None:
    """The nearest block up to `index` that says anything: an empty one can carry no mark."""
    while index > above:
        if row.blocks[index].tokens and row.blocks[index].parts:
            return index
        index -= 1
    return None


def _copilot(row: Row) -> list[int]:
    """Copilot's marks, on the blocks that end its messages; all before the workspace is one message."""
    ends: list[int] = []
    kinds: list[Kind] = []
    current = 0
    for index, block in enumerate(row.blocks):
        match block.origin:
            case "tool" | "note":
                continue
            case "system" | "instructions":
                if kinds == ["S"]:
                    ends[0] = index
                    continue
                kinds.append("S")
            case "workspace":
                kinds.append("U")
            case "user":
                if block.parts:  # what the harness says by itself is not the message of the turn
                    current = len(kinds)
                kinds.append("U")
                ends.append(index if block.parts else index - 1)
                continue
            case "assistant":
                kinds.append("C" if block.calls else "A")
            case "tool-result":
                kinds.append("T")
        ends.append(index)
    context = kinds.index("U") if "U" in kinds else 0
    marked = copilot_marks(kinds, own_marks(kinds, context, max(current, context)))
    return [ends[at] for at in marked if row.blocks[ends[at]].tokens]


def breakpoints_of(
    row: Row, marks: Sequence[Mark], request: Request, lasts: Sequence[int]
) -> tuple[Breakpoint, ...]:
    """Say marks in the words of a request; `lasts` are the last blocks of its messages."""
    tools = len(request.tools)
    found = []
    for mark in marks:
        if mark.block < tools:
            found.append(Breakpoint("tools", mark.block, mark.ttl))
        elif mark.block < tools + len(request.system):
            found.append(Breakpoint("system", mark.block - tools, mark.ttl))
        else:
            found.append(Breakpoint("messages", bisect_left(lasts, mark.block), mark.ttl))
    return tuple(found)
