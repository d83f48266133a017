"""Where two requests part: the first text of the prompt that is not as it was sent before."""

import json
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any, Literal

from msgspec import Struct

from cutaway.harness.ledger.fold import Ledger
from cutaway.harness.ledger.views import TurnView

PROMPT = ("tools", "system", "instructions", "messages", "input")
"""Fields of a request that the prompt is made of, in wire order, over all APIs."""
NOT_PROMPT = ("cache_control",)
"""Fields within them that say where to cache and change nothing of what is cached."""
SHOWN = 6
"""Lines that are shown of each side."""
LONGEST = 160
"""Characters that are shown of a line."""
BEFORE = 40
"""Characters of a long line that are shown before the place where it differs."""

DiffLine = tuple[Literal[" ", "-", "+"], str]


class TextDifference(Struct, frozen=True):
    """One text of a request as it was and as it is; `place` is its path in the body.

    `lines` begin where the two differ; `removed` and `added` count the lines that are not shown.
    """

    place: str
    lines: tuple[DiffLine, ...]
    removed: int = 0
    added: int = 0


def request_before(ledger: Ledger, turn: TurnView) -> str:
    """The id of the last request of the conversation before this one that was worked on; '' for none."""
    found = ""
    for each in ledger.turns.values():
        if each.id == turn.id or (turn.request is not None and each.started_at > turn.started_at):
            break
        worked_on = each.response is not None or (each.failure is not None and each.failure.usage.input)
        if each.request is not None and worked_on:
            found = each.request.request_id
    return found


def text_difference(before: bytes, now: bytes) -> TextDifference | None:
    """Compare two bodies (JSON); None where the second only goes on, or where one is no JSON."""
    try:
        old, new = json.loads(before), json.loads(now)
    except ValueError:
        return None
    for was, is_now in zip_longest(_texts(old), _texts(new)):
        if was is None:
            return None
        if was != is_now:
            return _difference(was, is_now or (was[0], ""))
    return None


def _texts(body: Any) -> Iterator[tuple[str, str]]:
    """Each text of the prompt with its path, in wire order."""
    if isinstance(body, dict):
        for field in PROMPT:
            yield from _within(body.get(field), field)


def _within(value: Any, path: str) -> Iterator[tuple[str, str]]:
    match value:
        case None:
            pass
        case dict():
            for key, inner in value.items():
                if key not in NOT_PROMPT:
                    yield from _within(inner, f"{path}.{key}")
        case list():
            for index, inner in enumerate(value):
                yield from _within(inner, f"{path}[{index}]")
        case str():
            yield path, value
        case _:
            yield path, json.dumps(value)


def _difference(was: tuple[str, str], now: tuple[str, str]) -> TextDifference:
    """Leave out what two texts share at both ends, but for the line before."""
    old, new = was[1].split("\n"), now[1].split("\n")
    start = _shared(old, new)
    end = _shared(old[start:][::-1], new[start:][::-1])
    removed, added = old[start : len(old) - end], new[start : len(new) - end]
    skip = _shared(removed[0], added[0]) if removed and added else 0
    lines: list[DiffLine] = [(" ", _short(line, 0)) for line in old[max(start - 1, 0) : start]]
    lines += [("-", _short(line, skip)) for line in removed[:SHOWN]]
    lines += [("+", _short(line, skip)) for line in added[:SHOWN]]
    hidden = max(len(removed) - SHOWN, 0), max(len(added) - SHOWN, 0)
    return TextDifference(now[0], tuple(lines), *hidden)


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """How many items two sequences share at their beginning."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _short(line: str, differs: int) -> str:
    """Cut a long line so that the place where it differs is seen."""
    first = differs - BEFORE if len(line) > LONGEST and differs > BEFORE else 0
    shown = line[first : first + LONGEST]
    return ("…" if first else "") + shown + ("…" if first + LONGEST < len(line) else "")
