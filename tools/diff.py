"""What changed between two texts, as hunks for the screen and true counts."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate

from cutaway.tools.details import EditRung, FileEdit, Hunk
from cutaway.tools.edit_engine import Splice
from cutaway.tools.text_file import split_lines, without_end

CONTEXT = 3
"""Unchanged lines shown around a change, as `diff -u` does."""

COMPARED_PAIRS = 1_000_000
"""Old lines times new lines of one region up to which the shortest diff is sought."""

SHOWN_LINES = 2000
SHOWN_WIDTH = 1000
"""Bounds on what goes into the event log; the counts stay true when the hunks are cut."""

Change = tuple[int, int, int, int]
"""Old lines [a, b) become new lines [c, d), 0-based."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Hunks with context, and the numbers of lines added and removed; `cut` if hunks were left out."""

    hunks: tuple[Hunk, ...]
    added: int
    removed: int
    cut: bool = False


def compare(before: str, after: str, splices: Sequence[Splice] = ()) -> Difference:
    """Diff two texts; `splices` (of `before`, giving `after`) keep it exact and fast in a large file."""
    old, new = split_lines(before), split_lines(after)
    changes: list[Change] = []
    for region in _regions(old, new, splices) if splices else [(0, len(old), 0, len(new))]:
        changes += _changes(old, new, region)
    hunks: list[Hunk] = []
    shown = 0
    for group in _grouped(changes):
        hunk = _hunk(old, new, group, SHOWN_LINES - shown)
        hunks.append(hunk)
        shown += len(hunk.lines)
        if shown >= SHOWN_LINES:
            break
    added = sum(change[3] - change[2] for change in changes)
    removed = sum(change[1] - change[0] for change in changes)
    drawn = sum(line[0] != " " for hunk in hunks for line in hunk.lines)
    return Difference(tuple(hunks), added, removed, cut=drawn < added + removed)


def describe(
    path: str,
    *,
    before: str,
    after: str,
    before_digest: str,
    after_digest: str,
    splices: Sequence[Splice] = (),
    rung: EditRung | None = None,
    replacements: int = 1,
    note: str = "",
) -> FileEdit:
    """Put an edit of one file into the form that the screen shows; before_digest '' is a new file."""
    difference = compare(before, after, splices)
    notes = [note] if note else []
    if difference.cut:
        notes.append(f"the diff is cut after {SHOWN_LINES} lines")
    return FileEdit(
        path=path,
        before_digest=before_digest,
        after_digest=after_digest,
        hunks=difference.hunks,
        added=difference.added,
        removed=difference.removed,
        created=not before_digest,
        rung=rung,
        replacements=replacements,
        note="; ".join(notes),
    )


def _regions(old: Sequence[str], new: Sequence[str], splices: Sequence[Splice]) -> list[Change]:
    """Turn splices into ranges of whole lines, each with the range of lines that takes its place."""
    starts, new_starts = _starts(old), _starts(new)
    regions: list[Change] = []
    grown = 0
    for splice in splices:
        low = bisect_right(starts, splice.start, hi=len(old)) - 1
        # The line that holds the first character after the splice may have been joined to it.
        high = bisect_right(starts, splice.end, hi=len(old))
        low, high = max(low, 0), max(high, 0)
        first = bisect_left(new_starts, starts[low] + grown)
        grown += len(splice.text) - (splice.end - splice.start)
        last = bisect_left(new_starts, starts[high] + grown)
        if regions and low < regions[-1][1]:
            low, _, first, _ = regions.pop()
        regions.append((low, high, first, last))
    return regions


def _starts(lines: Sequence[str]) -> list[int]:
    return list(accumulate(map(len, lines), initial=0))


def _changes(old: Sequence[str], new: Sequence[str], region: Change) -> list[Change]:
    a, b, c, d = region
    while a < b and c < d and old[a] == new[c]:
        a, c = a + 1, c + 1
    while a < b and c < d and old[b - 1] == new[d - 1]:
        b, d = b - 1, d - 1
    if a == b and c == d:
        return []
    if (b - a) * (d - c) <= COMPARED_PAIRS:
        codes = SequenceMatcher(None, old[a:b], new[c:d], autojunk=False).get_opcodes()
        return [(a + i, a + j, c + k, c + m) for tag, i, j, k, m in codes if tag != "equal"]
    if b - a != d - c:
        return [(a, b, c, d)]
    return [(a + i, a + i + 1, c + i, c + i + 1) for i in range(b - a) if old[a + i] != new[c + i]]


def _grouped(changes: Sequence[Change]) -> list[list[Change]]:
    """Join changes whose context would touch."""
    groups: list[list[Change]] = []
    for change in changes:
        if groups and change[0] - groups[-1][-1][1] <= 2 * CONTEXT:
            groups[-1].append(change)
        else:
            groups.append([change])
    return groups


def _hunk(old: Sequence[str], new: Sequence[str], group: Sequence[Change], room: int) -> Hunk:
    start, stop = group[0][0], group[-1][1]
    first = max(0, start - CONTEXT)
    lines: list[str] = []
    position = first
    for a, b, c, d in group:
        lines += (" " + _shown(line) for line in old[position:a])
        lines += _sides(old[a:b], new[c:d])
        position = b
        if len(lines) > room:
            break
    else:
        lines += (" " + _shown(line) for line in old[stop : stop + CONTEXT])
    new_first = group[0][2] - (start - first)
    return Hunk(first + 1, new_first + 1, tuple(lines[:room]))


def _sides(removed: Sequence[str], added: Sequence[str]) -> list[str]:
    """Draw both sides; where their line ends differ, say so, since nothing else would show it."""
    ends = {_end(line) for line in (*removed, *added)}
    marked = bool(removed and added) and len(ends) > 1
    return [
        sign + _shown(line) + (f" [{_end(line)}]" if marked else "")
        for sign, side in (("-", removed), ("+", added))
        for line in side
    ]


def _end(line: str) -> str:
    bare = without_end(line)
    return {"\n": "LF", "\r\n": "CRLF", "\r": "CR"}.get(line[len(bare) :], "no line end")


def _shown(line: str) -> str:
    bare = without_end(line)
    return bare if len(bare) <= SHOWN_WIDTH else f"{bare[:SHOWN_WIDTH]}… [{len(bare)} characters]"
