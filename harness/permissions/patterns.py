"""What the text in a rule's parentheses matches: paths, URLs or commands."""

import os
import re
from functools import lru_cache
from pathlib import Path

from msgspec import Struct

from cutaway.harness.permissions.command_line import Part, Word
from cutaway.harness.permissions.commands import parse
from cutaway.harness.permissions.options import RUNNERS, family, unsafe_option, why_no_prefix
from cutaway.tools.paths import Workspace


class CommandPattern(Struct, frozen=True):
    """Words that a command must have: exactly these (`rest` False), or these and any that follow."""

    parts: tuple[Part, ...]
    rest: bool


def command_pattern(text: str, *, grants: bool) -> CommandPattern:
    """Read a command pattern; `grants` tells that it is for an allow rule, which must be narrow.

    Raises ValueError, whose message says what is wrong and what to write instead.
    """
    line = parse(text)
    if line.obstacle:
        raise ValueError(f"a rule holds plain words only, and this has {line.obstacle}")
    last = line.parts[-1].words[-1:]
    rest = last == (Word("*", expands=True),)
    if not rest:
        return CommandPattern(line.parts, rest=False)
    if len(line.parts) > 1:
        raise ValueError("`*` covers the arguments of one command; write one rule for each command")
    fixed = line.parts[0].words[:-1]
    if not fixed:
        raise ValueError("`*` alone covers every command; leave the parentheses out if you mean that")
    if any(word.text == "*" and word.expands for word in fixed):
        raise ValueError("only the last word may be `*`")
    if grants and (reason := why_no_prefix(fixed)):
        raise ValueError(f"{reason}; write the whole command without `*`")
    return CommandPattern((Part(fixed),), rest=True)


def covers_part(pattern: CommandPattern, part: Part, *, moved: bool) -> bool:
    """Tell whether an allow rule covers one simple command of a plain line.

    `moved` tells that a `cd` came before it, which makes another thing of a relative program, of git
    (hooks of another repository) and of any command that is allowed as a whole only.
    """
    if len(pattern.parts) > 1 or not part.words:
        return False
    fixed = pattern.parts[0].words
    if not pattern.rest:
        return part.words == fixed and not moved and _same_input(pattern.parts[0], part)
    if moved and (part.program == "git" or "/" in part.words[0].text):
        return False
    return part.words[: len(fixed)] == fixed and not unsafe_option(part.words, len(fixed))


def _same_input(wanted: Part, part: Part) -> bool:
    """Tell whether an exact command also reads nothing else: `python` is not `python < x`."""
    if part.inputs != wanted.inputs:
        return False
    return not (part.piped and family(part.program) in RUNNERS)


def covers_line(pattern: CommandPattern, parts: tuple[Part, ...]) -> bool:
    """Tell whether an allow rule holds exactly this whole line (redirects of output judged apart)."""
    if pattern.rest or len(pattern.parts) != len(parts):
        return False
    return all(
        (a.words, a.joined, a.inputs) == (b.words, b.joined, b.inputs)
        for a, b in zip(pattern.parts, parts, strict=True)
    )


def forbids(pattern: CommandPattern, part: Part) -> bool:
    """Tell whether a deny or ask rule stands against a simple command, wherever it was found.

    Such a rule holds for any arguments that follow its words, with or without `*`, for the program
    by any path, and for words that only the running shell knows.
    """
    for wanted in pattern.parts:
        words = part.words[: len(wanted.words)]
        if len(words) < len(wanted.words) or not part.program:
            continue
        rest = zip(wanted.words[1:], words[1:], strict=True)
        if part.program == wanted.program and all(a.text == b.text or not b.known for a, b in rest):
            return True
    return False


def covers_path(pattern: str, path: Path, workspace: Workspace, *, grants: bool) -> bool:
    """Tell whether a path pattern matches one absolute path.

    Relative patterns start at the workspace. A pattern of a deny or ask rule ignores case, and one
    without a slash matches at any depth.
    """
    if not grants and "/" not in pattern:
        pattern = f"**/{pattern}"
    if pattern.startswith("~"):
        pattern = str(Path.home()) + pattern[1:]
    if Path(pattern).is_absolute():
        given = Path(os.path.normpath(pattern))
        wanted = dict.fromkeys((given, _with_links_followed(given, workspace)))
        return any(_compiled(item.as_posix(), not grants).fullmatch(path.as_posix()) for item in wanted)
    relative, start = os.path.normpath(pattern).replace(os.sep, "/"), workspace.root
    while relative == ".." or relative.startswith("../"):
        relative, start = relative[3:] or ".", start.parent
    if not path.is_relative_to(start):
        return False
    return _compiled(relative, not grants).fullmatch(path.relative_to(start).as_posix()) is not None


def _with_links_followed(pattern: Path, workspace: Workspace) -> Path:
    """Follow links in the folders that a pattern spells out (`/tmp` may be one), but for the workspace's
    own, where a link could have been put to widen the rule."""
    spelled = [*reversed(pattern.parents), pattern]
    first = next((item for item in spelled if set(item.name) & set("*?")), pattern)
    folder = first.parent
    if folder.is_relative_to(workspace.root):
        return pattern
    return Path(os.path.realpath(folder)) / pattern.relative_to(folder)


@lru_cache(maxsize=256)
def _compiled(pattern: str, any_case: bool) -> re.Pattern[str]:
    """Translate `*` (within a name), `**` (any depth) and `?`; brackets stand for themselves."""
    pieces: list[str] = []
    for token in re.findall(r"/\*\*$|\*\*/|\*\*|\*|\?|[^*?/]+|/", pattern):
        match token:
            case "/**":
                pieces.append("(?:/.*)?")
            case "**/":
                pieces.append("(?:.*/)?")
            case "**":
                pieces.append(".*")
            case "*":
                pieces.append("[^/]*")
            case "?":
                pieces.append("[^/]")
            case _:
                pieces.append(re.escape(token))
    return re.compile("".join(pieces), re.DOTALL | (re.IGNORECASE if any_case else 0))


def covers_url(pattern: str, url: str) -> bool:
    """Tell whether a URL is the pattern, or starts with one that ends in `/**`."""
    if pattern.endswith("/**"):
        start = pattern[:-2]
        return "://" in start[:-1] and start.count("/") >= 3 and url.startswith(start)
    return url == pattern
