"""What no mode does without asking, whatever the rules say."""

import re
from collections.abc import Iterable
from pathlib import Path

from cutaway.harness.permissions.command_line import CommandLine
from cutaway.harness.permissions.commands import hidden_character
from cutaway.harness.permissions.dangers import why_dangerous
from cutaway.harness.permissions.options import PRINTERS, WRITERS, family, only_reads
from cutaway.harness.permissions.protected import may_be_protected, why_protected, why_secret
from cutaway.harness.permissions.reach import Place, named_places, redirect_places
from cutaway.harness.permissions.wrappers import Seen
from cutaway.tools.paths import Workspace

_MENTIONS = re.compile(
    r"(?:^|[^\w.-])(?:-\w)?(?:"
    r"\.git(?:[/\\](?:hooks|config|index|head|objects|refs|info|modules|worktrees)|[/\\]?(?=[\s'\";)&|]|$))"
    r"|\.(?:bashrc|bash_profile|zshrc|zshenv|zprofile|profile|envrc)(?![\w.])"
    r"|\.vscode[/\\](?:settings|tasks)\.json|\.ssh[/\\]|\.cutaway[/\\])",
    re.IGNORECASE,
)
"""Protected names inside the text of a program, as in `python -c "open('.git/hooks/x', 'w')"`."""


_WRAPPING = " \n'\"="
"""Characters around a name in a text, which are no part of it."""


def floor_of_path(path: Path, workspace: Workspace, *, writes: bool) -> str:
    """Say why this absolute path needs a person's word in every mode; '' when it does not."""
    return why_protected(path, workspace) if writes else why_secret(path, workspace)


def floor_of_command(line: CommandLine, seen: Iterable[Seen], workspace: Workspace) -> str:
    """Say why this command needs a person's word in every mode; '' when it does not."""
    if char := hidden_character(line.text):
        return f"it holds the character {char}, which can hide what a command does"
    if line.broken:
        return f"it cannot be judged: it is or holds {line.obstacle}"
    for item in seen:
        if reason := why_dangerous(item, workspace) or _writes(item, workspace) or _names(item, workspace):
            return reason
        if reason := _may_mean(item, line.text):
            return reason
    return ""


def _writes(seen: Seen, workspace: Workspace) -> str:
    for redirect in seen.part.redirects:
        if redirect.harmless or redirect.kind != "write":
            continue
        for place in redirect_places(redirect, seen.folders) or ():
            if reason := _of(place, workspace):
                return f"it writes to {place.shown(workspace)}: {reason}"
    return ""


def _of(place: Place, workspace: Workspace) -> str:
    return why_protected(place.path, workspace) or why_protected(place.real, workspace)


def _names(seen: Seen, workspace: Workspace) -> str:
    """Judge the arguments of a program that may write what they name, and the folder it works in."""
    part = seen.part
    places = list(named_places(seen))
    for place in places:
        if reason := why_secret(place.path, workspace) or why_secret(place.real, workspace):
            return f"it names {place.shown(workspace)}: {reason}"
    if only_reads(part) or part.program in PRINTERS or not part.words:
        return ""
    if seen.folders is None and part.program in WRITERS:
        return f"`{part.program}` would write in a folder that is known only when it runs"
    for folder in seen.folders or ():
        if reason := why_protected(folder, workspace) if folder != workspace.root else "":
            return f"it works in {workspace.display(folder)}: {reason}"
    for place in places:
        inside = place.inside(workspace)
        if reason := _of(place, workspace) if inside or part.program in WRITERS else "":
            return f"it names {place.shown(workspace)}: {reason}"
    return _mentioned("\n".join(_texts(seen)))


def _may_mean(seen: Seen, line: str) -> str:
    """Judge words that only the running shell completes: a variable may hold what the line names
    elsewhere, and a pattern such as `.g*` may stand for `.git`."""
    part = seen.part
    if only_reads(part) or part.program in PRINTERS:
        return ""
    for word in part.words[1:]:
        if word.expands and any(may_be_protected(name) for name in word.text.split("/")):
            return f"{word.text} may stand for a file that cutaway protects"
    return "" if all(word.known for word in part.words[1:]) else _mentioned(line)


def _mentioned(text: str) -> str:
    if found := _MENTIONS.search(text):
        return f"its text names `{found[0].strip(_WRAPPING)}`, which cutaway protects"
    return ""


def _texts(seen: Seen) -> Iterable[str]:
    """Yield the words; those of git with white space are messages, which it writes to no file."""
    plain = family(seen.part.program) != "git"
    yield from (text for text in seen.part.arguments if plain or not re.search(r"\s", text))
    yield from (item.target.text for item in seen.part.redirects if item.kind == "text")
