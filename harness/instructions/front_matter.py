"""The lines between `---` at the top of an instruction file: what it applies to, and what it is about."""

import re

from msgspec import Struct

from cutaway.harness.instructions.reading import Refused

_FENCE = re.compile(r"---[ \t]*\n")
_END = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
_KEY = re.compile(r"([A-Za-z][\w-]*)[ \t]*:(?:[ \t]+(.*)|[ \t]*)$")
_QUOTED = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')[ \t]*(?:#.*)?$""")

_NO_GLOB = ("{ ", "&", "!", "|", ">")
"""How YAML starts what is no plain text, and some tools a pattern that excludes."""

MOST_GLOBS = 100
GLOB_LENGTH = 500
"""Characters; both bound what a file of a repository can make us compute, far above what people write."""

HEAD_LENGTH = 4000
"""Characters between the two lines of ---, likewise."""


class FrontMatter(Struct, frozen=True):
    """`applies_to` holds globs, () when none is named; `body` is the text below."""

    applies_to: tuple[str, ...]
    description: str
    body: str


def parse_front_matter(text: str) -> FrontMatter | Refused:
    """Read `applyTo` and `description`; keys of others are passed over, what is broken is refused."""
    opened = _FENCE.match(text)
    if opened is None:
        return FrontMatter((), "", text)
    closed = _END.search(text, opened.end())
    if closed is None:
        return Refused("has front matter that no line of --- closes")
    if closed.start() > HEAD_LENGTH:
        return Refused(f"has front matter of more than {HEAD_LENGTH} characters")
    values = _values(text[opened.end() : closed.start()])
    globs: list[str] = []
    for value in values.get("applyTo", []):
        plain = _unquoted(value)
        if plain is None or plain.startswith(_NO_GLOB):
            return Refused(f"has front matter whose applyTo cannot be read: {value[:80]}")
        globs += split_globs(plain)
    if len(globs) > MOST_GLOBS or any(len(glob) > GLOB_LENGTH for glob in globs):
        return Refused(f"has over {MOST_GLOBS} patterns in applyTo, or one over {GLOB_LENGTH} characters")
    description = " ".join(_unquoted(value) or value for value in values.get("description", []))
    return FrontMatter(tuple(globs), " ".join(description.split()), text[closed.end() :])


def _values(head: str) -> dict[str, list[str]]:
    """The values of each key: one, or those of a list in brackets or in lines with a dash."""
    values: dict[str, list[str]] = {}
    current: list[str] = []
    for line in head.splitlines():
        if found := _KEY.match(line):
            current = values.setdefault(found[1], [])
            value = (found[2] or "").strip()
            listed = value.startswith("[") and value.endswith("]")
            current += split_globs(value[1:-1]) if listed else [value] if value else []
        elif line.strip().startswith("- "):
            current.append(line.strip()[2:].strip())
    return values


def _unquoted(value: str) -> str | None:
    """A YAML scalar as text; None when its quotes do not close."""
    if value[:1] not in ("'", '"'):
        return value.partition(" #")[0].strip()
    found = _QUOTED.match(value)
    if found is None:
        return None
    inner = found[1][1:-1]
    return inner.replace("''", "'") if value[0] == "'" else re.sub(r"\\(.)", r"\1", inner)


def split_globs(text: str) -> list[str]:
    """Part a list at its commas, but not inside of braces and quotes: `*.{ts,tsx},*.js` are two."""
    found, depth, start, quote = [], 0, 0, ""
    for index, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"" and not text[start:index].strip():
            quote = char
        elif char == "," and depth == 0:
            found.append(text[start:index])
            start = index + 1
        else:
            depth = max(0, depth + (char == "{") - (char == "}"))
    found.append(text[start:])
    return [one.strip() for one in found if one.strip()]
