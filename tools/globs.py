"""Glob patterns as people and models write them for files of a project."""

import re
from functools import lru_cache

_WILD = re.compile(r"[*?\[{]")
_MOST_ALTERNATIVES = 64
"""Patterns that braces may expand to; more is taken literally."""


class Glob:
    """A pattern over paths with `/`: `*`, `?`, `**`, `{a,b}` and `[…]`.

    Brackets are read in both ways, as a set and as themselves, since folders such as `[id]` are
    common. With `anywhere`, a pattern without a slash matches at any depth.
    """

    __slots__ = ("_tests", "pattern")

    def __init__(self, pattern: str, *, anywhere: bool = True, ignore_case: bool = False) -> None:
        self.pattern = pattern
        text = pattern.removeprefix("./").strip("/") if pattern.strip("/") else "**"
        if pattern.endswith("/"):
            text += "/**"
        if anywhere and "/" not in text:
            text = f"**/{text}"
        flags = re.DOTALL | (re.IGNORECASE if ignore_case else 0)
        readings = {
            translate(one, sets=sets) for one in (text, *expand_braces(text)) for sets in (False, True)
        }
        self._tests = tuple(re.compile(reading, flags) for reading in sorted(readings))

    def matches(self, path: str) -> bool:
        """Tell whether a relative path with `/` matches as a whole."""
        return any(test.fullmatch(path) for test in self._tests)


def is_wild(text: str) -> bool:
    """Tell whether a text holds anything that a glob would not take literally."""
    return _WILD.search(text) is not None


def split_base(pattern: str) -> tuple[str, str]:
    """Part a pattern into the folder it starts in ('' for the workspace) and the rest, never empty.

    `../x/**/*.py` starts in `../x`. Without wildcards the last name is the rest.
    """
    parts = pattern.split("/")
    wild = next((index for index, part in enumerate(parts) if is_wild(part)), len(parts) - 1)
    base, rest = "/".join(parts[:wild]), "/".join(parts[wild:])
    if pattern.startswith("/") and not base:
        base = "/"
    return base, rest or "**"


def expand_braces(pattern: str) -> list[str]:
    """Expand `{a,b}`, also nested; a brace without comma or partner stands for itself."""
    done: list[str] = []
    waiting = [pattern]
    while waiting:
        text = waiting.pop(0)
        found = re.search(r"\{([^{}]*,[^{}]*)\}", text)
        if found is None:
            done.append(text)
        elif len(waiting) + len(done) > _MOST_ALTERNATIVES:
            return [pattern]
        else:
            waiting += [text[: found.start()] + one + text[found.end() :] for one in found[1].split(",")]
    return done


_TOKENS = re.compile(r"/\*\*$|\*\*/|\*+|\?|\\.|\[[!^]?\]?[^\]]*\]|.", re.DOTALL)


@lru_cache(maxsize=512)
def translate(pattern: str, *, sets: bool) -> str:
    """Turn one glob without braces into a regular expression; `sets` reads `[…]` as a set."""
    pieces: list[str] = []
    for token in _TOKENS.findall(pattern):
        if token == "/**":
            pieces.append("/.+")
        elif token == "**/":
            pieces.append("(?:.*/)?")
        elif token == "**":
            pieces.append(".*")
        elif token[0] == "*":
            pieces.append("[^/]*")
        elif token == "?":
            pieces.append("[^/]")
        elif token[0] == "[" and len(token) > 1 and sets:
            pieces.append(_set(token))
        elif token[0] == "\\" and len(token) == 2:
            pieces.append(re.escape(token[1]))
        else:
            pieces.append(re.escape(token))
    return "".join(pieces)


def _set(token: str) -> str:
    inner = token[1:-1]
    negated = inner[:1] in ("!", "^")
    body = inner[1:] if negated else inner
    escaped = re.sub(r"([\\\[\]&~|^])", r"\\\1", body)
    text = f"(?!/)[{'^' if negated else ''}{escaped}]"
    try:
        re.compile(text)
    except re.error:  # such as a range that runs backwards
        return re.escape(token)
    return text
