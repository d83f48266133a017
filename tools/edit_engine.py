"""Finding the one place that an edit means, by steps that can be proved, and splicing only there.

The ladder: exact; line ends aside; white space at line ends aside (whole lines); one and the same
indentation added to or taken from every line (whole lines). Each step must find exactly one place
unless every place is wanted; nothing looser is ever applied, it only words the error.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate, pairwise

from cutaway.tools.details import EditRung
from cutaway.tools.edit_hints import explain_missing
from cutaway.tools.errors import ToolError

ALIGNED_PAIRS = 1_000_000
"""Old lines times new lines up to which they are aligned; beyond, they are paired in order."""

LISTED_PLACES = 8


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace `old` by `new`, both as the model writes them: with LF, and never as a template."""

    old: str
    new: str
    replace_all: bool = False


@dataclass(frozen=True, slots=True)
class Splice:
    """Put `text` in the place of [start, end), in characters of the text that was resolved against."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Resolution:
    """Where an edit goes: disjoint splices in order, and the step of the ladder that found them."""

    rung: EditRung
    splices: tuple[Splice, ...]
    lines: tuple[int, ...]
    """The 1-based line at which each splice starts."""
    note: str = ""


class EditError(ToolError):
    """An edit that cannot be placed; `reason` quotes nothing of the file, the message may."""

    def __init__(self, reason: str, evidence: str = "") -> None:
        super().__init__(f"{reason}\n{evidence}" if evidence else reason)
        self.reason = reason


def resolve(text: str, edit: Edit) -> Resolution:
    """Place an edit in `text` (line ends as on disk); raises EditError and changes nothing."""
    if not edit.old:
        raise EditError(
            "oldString is empty, so there is no place to edit. To insert, give an existing line as oldString "
            "and that line with the new ones as newString; create_file makes new files."
        )
    flat = Flat.of(text)
    old, new = flat.like(edit.old), flat.like(edit.new)
    if old == new:
        same = "are identical" if edit.old == edit.new else "differ only in line ends, which are always kept"
        raise EditError(f"oldString and newString {same}: nothing would change. Check whether it is done.")
    matches = _by_text(flat, old, new, edit.replace_all) or _at_open_end(flat, old, new)
    rung: EditRung = "line-end"
    if matches and all(text[flat.raw(m.start) : flat.raw(m.end)] == edit.old for m in matches):
        rung = "exact"
    if not matches and old.strip():
        matches, rung = _by_lines(flat, old, new, shifted=False), "trailing-space"
        if not matches:
            matches, rung = _by_lines(flat, old, new, shifted=True), "indentation"
    if not matches:
        raise EditError(*explain_missing(flat.text, old, new))
    if len(matches) > 1:
        if not edit.replace_all:
            raise _ambiguous(flat, matches, rung)
        matches = _disjoint(matches)
    splices = tuple(Splice(flat.raw(m.start), flat.raw(m.end), _spelled(flat, text, m)) for m in matches)
    if all(text[s.start : s.end] == s.text for s in splices):
        raise EditError("This edit would change nothing: the file has newString there already.")
    return Resolution(rung, splices, flat.lines(matches), _doubled(flat, matches[0]))


def apply(text: str, splices: Sequence[Splice]) -> str:
    """Splice; `splices` are disjoint, in order, and belong to this very text."""
    parts, position = [], 0
    for splice in splices:
        parts += [text[position : splice.start], splice.text]
        position = splice.end
    return "".join([*parts, text[position:]])


def rewrite(text: str, content: str) -> str:
    """Give a text wholly new content (with LF), in the line ends of the text where it has any."""
    flat = Flat.of(text)
    if "\n" not in flat.text:
        return content
    return _spelled(flat, text, Match(0, len(flat.text), flat.text, flat.like(content)))


@dataclass(frozen=True, slots=True)
class Match:
    """A place in flat characters, with the texts to align there and the shift of their indentation."""

    start: int
    end: int
    old: str
    new: str
    add: str = ""
    remove: str = ""


@dataclass(frozen=True, slots=True)
class Flat:
    """A text with LF for every line end, and the way back to the original.

    `newline` is what ends a line that is not CRLF (a lone CR does so only where there is no LF);
    `crlf` holds the flat offsets of the line ends that are CRLF; `uniform` is the one line end of
    the whole text, None when it has several.
    """

    text: str
    newline: str
    crlf: tuple[int, ...]
    uniform: str | None

    @classmethod
    def of(cls, text: str) -> "Flat":
        if "\r" not in text:
            return cls(text, "\n", (), "\n")
        if "\n" not in text:
            return cls(text.replace("\r", "\n"), "\r", (), "\r")
        lengths = accumulate(len(part) + 1 for part in text.split("\r\n")[:-1])
        crlf = tuple(length - 1 for length in lengths)
        ends = text.count("\n")
        uniform = "\r\n" if len(crlf) == ends else None if crlf else "\n"
        return cls(text.replace("\r\n", "\n"), "\n", crlf, uniform)

    def like(self, text: str) -> str:
        """Flatten another text in the same way."""
        text = text.replace("\r\n", "\n")
        return text.replace("\r", "\n") if self.newline == "\r" else text

    def raw(self, offset: int) -> int:
        return offset + bisect_left(self.crlf, offset)

    def lines(self, matches: Sequence[Match]) -> tuple[int, ...]:
        """The 1-based line at which each of the matches (in order) starts."""
        starts = [0, *(match.start for match in matches)]
        counts = (self.text.count("\n", low, high) for low, high in pairwise(starts))
        return tuple(accumulate(counts, initial=1))[1:]

    def end_near(self, start: int, end: int) -> str:
        """The line end that follows a place, or else the one before it."""
        at = self.text.find("\n", end)
        at = self.text.rfind("\n", 0, start) if at < 0 else at
        index = bisect_left(self.crlf, at)
        return "\r\n" if self.crlf[index : index + 1] == (at,) else self.newline


def _by_text(flat: Flat, old: str, new: str, replace_all: bool) -> list[Match]:
    """Every place; when one is sought, enough of them, and those that overlap make it doubtful."""
    matches: list[Match] = []
    at = flat.text.find(old)
    while at >= 0 and (replace_all or len(matches) <= LISTED_PLACES):
        matches.append(Match(at, at + len(old), old, new))
        at = flat.text.find(old, at + (len(old) if replace_all else 1))
    return matches


def _at_open_end(flat: Flat, old: str, new: str) -> list[Match]:
    """Take the end of a file without a final line end for one; it is not added."""
    closed = old.removesuffix("\n")
    if closed == old or not closed or not flat.text.endswith(closed):
        return []
    size = len(flat.text)
    return [Match(size - len(closed), size, closed, new.removesuffix("\n"))]


def _by_lines(flat: Flat, old: str, new: str, *, shifted: bool) -> list[Match]:
    lines = flat.text.removesuffix("\n").split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    closed = old.endswith("\n")
    wanted = [line.rstrip(" \t") for line in old.removesuffix("\n").split("\n")]
    bare = [line.rstrip(" \t") for line in lines]
    keys = [line.lstrip(" \t") for line in bare] if shifted else bare
    sought = [line.lstrip(" \t") for line in wanted] if shifted else wanted
    matches = []
    for index in range(len(lines) - len(wanted) + 1):
        if keys[index] != sought[0] or keys[index : index + len(sought)] != sought:
            continue
        shift = _shift(wanted, bare[index : index + len(wanted)]) if shifted else ("", "")
        if shift is None:
            continue
        last = index + len(wanted)
        end = starts[last] - 1
        if closed and end < len(flat.text):
            matches.append(Match(starts[index], end + 1, old, new, *shift))
        else:
            pair = (old.removesuffix("\n"), new.removesuffix("\n")) if closed else (old, new)
            matches.append(Match(starts[index], end, *pair, *shift))
    return matches


def _shift(wanted: Sequence[str], found: Sequence[str]) -> tuple[str, str] | None:
    """The white space to add to, or to remove from, every wanted line that is not blank."""
    shifts = set()
    for mine, real in zip(wanted, found, strict=True):
        if not mine:
            continue
        if real.endswith(mine):
            shifts.add((real.removesuffix(mine), ""))
        elif mine.endswith(real):
            shifts.add(("", mine.removesuffix(real)))
        else:
            return None
    return shifts.pop() if len(shifts) == 1 else None


def _spelled(flat: Flat, text: str, match: Match) -> str:
    """Write the new text as the file would: unchanged lines as they are there, ends like theirs."""
    if flat.uniform and match.old == flat.text[match.start : match.end]:
        return match.new.replace("\n", flat.uniform)
    raw = text[flat.raw(match.start) : flat.raw(match.end)]
    parts = raw.split(flat.newline)
    crlf = [part.endswith("\r") for part in parts[:-1]]
    ends = ["\r\n" if pair else flat.newline for pair in crlf]
    kept = [part[:-1] if pair else part for part, pair in zip(parts, [*crlf, False], strict=True)]
    lines = match.new.split("\n")
    end = flat.end_near(match.start, match.end)
    written = []
    for number, (line, (partner, equal)) in enumerate(
        zip(lines, _aligned(match.old.split("\n"), lines), strict=True)
    ):
        written.append(kept[partner] if equal else _reindented(line, match, number))
        if number < len(lines) - 1:
            end = ends[partner] if 0 <= partner < len(ends) else end
            written.append(end)
    return "".join(written)


def _reindented(line: str, match: Match, number: int) -> str:
    if not line.strip(" \t"):
        return line
    if not line.startswith(match.remove):
        raise EditError(
            f"oldString is in the file with less indentation on every line, but line {number + 1} of "
            "newString is not indented that far. Send both with the indentation that the file has."
        )
    return match.add + line[len(match.remove) :]


def _aligned(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, bool]]:
    """For each new line, the old line that it stands for (-1: none), and whether they are equal."""
    if len(old) * len(new) > ALIGNED_PAIRS:
        blocks = [("replace", 0, len(old), 0, len(new))]
    else:
        blocks = list(SequenceMatcher(None, old, new, autojunk=False).get_opcodes())
    pairs: list[tuple[int, bool]] = []
    for _, low, high, first, last in blocks:
        for index in range(first, last):
            partner = low + index - first
            pairs.append((partner, old[partner] == new[index]) if partner < high else (-1, False))
    return pairs


def _disjoint(matches: Sequence[Match]) -> list[Match]:
    taken: list[Match] = []
    for match in matches:
        if not taken or match.start >= taken[-1].end:
            taken.append(match)
    return taken


def _ambiguous(flat: Flat, matches: Sequence[Match], rung: EditRung) -> EditError:
    listed = flat.lines(matches[:LISTED_PLACES])
    many = len(matches) > LISTED_PLACES
    times = f"more than {LISTED_PLACES} times" if many else f"{len(matches)} times"
    lines = ", ".join(map(str, dict.fromkeys(listed))) + (", …" if many else "")
    aside = {
        "exact": "",
        "line-end": " (line ends aside)",
        "trailing-space": " (white space at line ends aside)",
        "indentation": " (indentation aside)",
    }
    return EditError(
        f"oldString is in the file {times}{aside[rung]}, at lines {lines}. Add lines around it until it is "
        "unique, or set replaceAll to change every place. Nothing was changed."
    )


def _doubled(flat: Flat, match: Match) -> str:
    """Warn when what an insertion adds was there before: the edit may have been made twice."""
    before, found, after = match.new.partition(match.old)
    if not found or "\n" not in match.new or not (before + after).strip():
        return ""
    start = match.start - len(before)
    if start < 0 or not flat.text.startswith(match.new, start):
        return ""
    return "newString was in the file already at this place; check that its lines are not doubled now"
