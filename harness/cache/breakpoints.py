"""Where to ask for a cache: at most four marks, so placed that the next request surely reads this one."""

from bisect import bisect_left
from collections.abc import Sequence
from typing import Literal, assert_never

from cutaway.harness.blocks import Block, same_objects
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
            found = CopilotView().marks(row)
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


class CopilotView:
    """A row as Copilot's procedure sees it: its messages by kind, and the block that ends each.

    System parts before the workspace are one message; kept from row to row, since a session only grows.
    """

    __slots__ = ("_blocks", "_current", "_ends", "_kinds")

    def __init__(self) -> None:
        self._blocks: Sequence[Block] = ()
        self._kinds: list[Kind] = []
        self._ends: list[int] = []
        self._current = 0

    def marks(self, row: Row) -> list[int]:
        """The blocks after which Copilot would ask for a cache."""
        if same_objects(self._blocks, row.blocks) < len(self._blocks):
            self._blocks, self._kinds, self._ends, self._current = (), [], [], 0
        for index in range(len(self._blocks), len(row.blocks)):
            self._take(index, row.blocks[index])
        self._blocks, kinds, ends = row.blocks, self._kinds, self._ends
        context = kinds.index("U") if "U" in kinds else 0
        marked = copilot_marks(kinds, own_marks(kinds, context, max(self._current, context)))
        return [ends[at] for at in marked if row.blocks[ends[at]].tokens]

    def _take(self, index: int, block: Block) -> None:
        kind: Kind
        match block.origin:
            case "tool" | "note":
                return
            case "system" | "instructions":
                if self._kinds == ["S"]:
                    self._ends[0] = index
                    return
                kind = "S"
            case "workspace":
                kind = "U"
            case "user":
                if block.parts:  # what the harness says by itself is not the message of the turn
                    self._current = len(self._kinds)
                kind, index = "U", index if block.parts else index - 1
            case "assistant":
                kind = "C" if block.calls else "A"
            case "tool-result":
                kind = "T"
        self._kinds.append(kind)
        self._ends.append(index)


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
