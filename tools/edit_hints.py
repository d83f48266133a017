"""Why an old text is not in a file: the nearest real lines, with their white space made visible."""

import difflib
import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence

from cutaway.tools.paths import printable

SHOWN_LINES = 14
SHOWN_WIDTH = 200
COMPARED_LINES = 5000
"""Lines of a file that are compared with the old text when no line of it is there."""

VOTES_PER_LINE = 200
"""A line more frequent than this (a brace, say) tells nothing about where the text belongs."""

TELLING = 8
"""Characters of a new text below which finding it in the file proves nothing."""

_NUMBERED = re.compile(r"\s*\d+(?:│|\||:|→|\t)")
_LEGEND = "(→ is a tab, · a space at either end of a line)"


def explain_missing(text: str, old: str, new: str) -> tuple[str, str]:
    """Say why `old` has no place in `text` (all with LF), and quote what comes nearest.

    Returns a reason that quotes nothing of the file, and the evidence that does ('' for none).
    """
    missing = "oldString is not in the file; nothing was changed."
    if len(new.strip()) >= TELLING and (at := text.find(new)) >= 0:
        line = text.count("\n", 0, at) + 1
        missing += f" But newString is, at line {line}: this edit seems to be already applied."
    if slip := _slip(text, old):
        return f"{missing} {slip}", ""
    lines = text.removesuffix("\n").split("\n") if text else []
    wanted = old.removesuffix("\n").split("\n")
    start = _nearest(lines, wanted)
    if start is None:
        return (
            f"{missing} None of its lines is among the {len(lines)} lines of the file. Read the file, and "
            "copy the text to replace from it.",
            "",
        )
    reason = f"{missing} Copy the text to replace from the file, character by character."
    return reason, _evidence(lines, wanted, start)


def visible(line: str) -> str:
    """Show a line with its tabs and outer spaces as signs, control characters escaped, and cut."""
    body = line.strip(" \t")
    at = line.find(body) if body else len(line)
    outer = str.maketrans({" ": "·", "\t": "→"})
    shown = (
        line[:at].translate(outer)
        + printable(body.replace("\t", "→"))
        + line[at + len(body) :].translate(outer)
    )
    return shown if len(shown) <= SHOWN_WIDTH else shown[:SHOWN_WIDTH] + "…"


def _slip(text: str, old: str) -> str:
    """Name a well-known slip of copying, where undoing it finds the text."""
    lines = old.removesuffix("\n").split("\n")
    if all(_NUMBERED.match(line) for line in lines):
        bare = "\n".join(_NUMBERED.sub("", line, count=1) for line in lines)
        if bare.strip() and bare in text:
            return "It starts its lines with the line numbers of a reading. Send it without them."
    unescaped = old.replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"')
    if unescaped != old and unescaped.strip() and unescaped in text:
        return "It is there with real line ends, tabs or quotes where oldString has backslashes. Escape once."
    return ""


def _nearest(lines: Sequence[str], wanted: Sequence[str]) -> int | None:
    """The line (0-based) at which most of the wanted text would lie, weighed by what it tells."""
    places = defaultdict(list)
    for index, line in enumerate(lines):
        places[_key(line)].append(index)
    votes: dict[int, int] = defaultdict(int)
    for offset, line in enumerate(wanted):
        key = _key(line)
        found = places.get(key, []) if key else []
        if len(found) <= VOTES_PER_LINE:
            for index in found:
                votes[max(0, index - offset)] += len(key)
    if votes:
        return max(votes, key=lambda start: (votes[start], -start))
    offset, longest = max(enumerate(wanted), key=lambda pair: len(pair[1].strip()))
    candidates = [line.strip()[:SHOWN_WIDTH] for line in lines[:COMPARED_LINES]]
    near = difflib.get_close_matches(longest.strip()[:SHOWN_WIDTH], candidates, n=1, cutoff=0.6)
    return max(0, candidates.index(near[0]) - offset) if near else None


def _key(line: str) -> str:
    return "".join(_plain(line).split())


def _plain(text: str) -> str:
    """Fold look-alikes: kinds of quotes, dashes and spaces, and other compatible characters."""
    if text.isascii():
        return text
    alike = str.maketrans("‘’‚‛“”„‟‐‑‒–—―−", "''''\"\"\"\"-------")
    return unicodedata.normalize("NFKC", text.translate(alike))


def _evidence(lines: Sequence[str], wanted: Sequence[str], start: int) -> str:
    stop = min(len(lines), start + min(len(wanted), SHOWN_LINES))
    width = len(str(stop))
    shown = [f"{number + 1:>{width}}│{visible(lines[number])}" for number in range(start, stop)]
    said = [f"The nearest lines in the file {_LEGEND}:", *shown]
    for offset, mine in enumerate(wanted):
        real = lines[start + offset] if start + offset < len(lines) else None
        if real is None:
            said.append(f"The file ends before line {offset + 1} of oldString.")
            break
        if real.rstrip() != mine.rstrip():
            said.append(
                f"The first difference is at line {start + offset + 1}{_kind(mine, real)}; there oldString "
                f"has:\n{' ' * width}│{visible(mine)}"
            )
            break
    return "\n".join(said)


def _kind(mine: str, real: str) -> str:
    if mine.split() == real.split():
        tabs = ("\t" in mine) != ("\t" in real)
        return " (only tabs and spaces differ)" if tabs else " (only white space differs)"
    if _plain(mine).split() == _plain(real).split():
        return " (look-alike characters differ: quotes, dashes, spaces or composed letters)"
    if mine.casefold().split() == real.casefold().split():
        return " (only upper and lower case differ)"
    return ""
