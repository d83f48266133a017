"""Decide on one command line, word by word."""

import shlex
import sys
from collections.abc import Iterator

from msgspec.structs import replace

from cutaway.harness.errors import ConfigError
from cutaway.harness.events import Mode
from cutaway.harness.permissions.command_line import CommandLine, Part, Redirect
from cutaway.harness.permissions.commands import parse
from cutaway.harness.permissions.decision import Decision
from cutaway.harness.permissions.floor import floor_of_command
from cutaway.harness.permissions.folders import Folders
from cutaway.harness.permissions.options import READERS
from cutaway.harness.permissions.patterns import covers_line, covers_part, covers_path, forbids
from cutaway.harness.permissions.reach import Place, named_places, outside, redirect_places
from cutaway.harness.permissions.rules import COMMAND_TOOL, SESSION, Rule, Rules
from cutaway.harness.permissions.wrappers import Seen, see_through
from cutaway.tools.paths import Workspace, printable

MOST_WORDS = 1_000
"""Words, those of commands inside commands included; each takes about 0.1 ms, while the screen waits."""

_EDIT_TOOLS = ("create_file", "replace_string_in_file", "multi_replace_string_in_file", "apply_patch")


def decide_command(command: str, workspace: Workspace, mode: Mode, rules: Rules) -> Decision:
    """Decide whether a command may run in the workspace's root."""
    line, seen = _taken_apart(_as_run_here(parse(command, str(workspace.root))), workspace)
    if rule := _standing_against("deny", seen, rules) or _denied_file(seen, workspace, rules):
        return Decision("deny", f"The rule {rule.named} denies this command or a part of it.", rule.named)
    if mode == "plan":
        text = (
            "Plan mode only reads, so no command runs. Say what you would run; the user can change the mode."
        )
        return Decision("deny", text, "mode plan")
    if reason := floor_of_command(line, seen, workspace):
        return Decision(
            "ask", f"Every mode asks here: {reason}.{_also_writes(line, seen, workspace)}", "floor"
        )
    if rule := _standing_against("ask", seen, rules):
        return Decision("ask", f"The rule {rule.named} asks before this command.", rule.named)
    bare = next((rule for rule in rules.of("allow", COMMAND_TOOL) if not rule.specifier), None)
    if bare is not None or mode == "autopilot":
        return _freely(seen, workspace, mode, bare)
    return _by_rules(line, seen, workspace, mode, rules)


def _as_run_here(line: CommandLine) -> CommandLine:
    """Mark every line as not plain where another shell than bash runs it, with other rules of quoting."""
    if sys.platform == "win32" and not line.obstacle:
        return replace(line, obstacle="words that PowerShell may read in another way")
    return line


def _taken_apart(line: CommandLine, workspace: Workspace) -> tuple[CommandLine, list[Seen]]:
    """List all that the line would run; a line of too many words counts as one that cannot be judged."""
    seen: list[Seen] = []
    words = 0
    for item in see_through(line, (workspace.root,)):
        words += len(item.part.words) * len(item.folders or (workspace.root,))
        if words > MOST_WORDS:
            return replace(line, obstacle=f"more than {MOST_WORDS:,} words to judge", broken=True), seen
        seen.append(item)
    return line, seen


def _standing_against(outcome: str, seen: list[Seen], rules: Rules) -> Rule | None:
    for rule in rules.of("deny" if outcome == "deny" else "ask", COMMAND_TOOL):
        if rule.command is None or any(forbids(rule.command, item.part) for item in seen):
            return rule
    return None


def _denied_file(seen: list[Seen], workspace: Workspace, rules: Rules) -> Rule | None:
    """Find a deny rule of a file tool against a file that the command names or redirects to."""
    reads = list(rules.of("deny", "read_file"))
    writes = [rule for tool in _EDIT_TOOLS for rule in rules.of("deny", tool)]
    if not reads and not writes:
        return None
    for item in seen:
        named = list(named_places(item))
        written = [place for redirect in _files(item.part, "write") for place in _places(redirect, item)]
        read = [place for redirect in _files(item.part, "read") for place in _places(redirect, item)]
        touched = [*written, *(() if item.part.program in READERS else named)]
        for some_rules, places in ((reads, [*named, *read]), (writes, touched)):
            for rule in some_rules:
                if rule.specifier and any(_matches(rule, place, workspace) for place in places):
                    return rule
    return None


def _matches(rule: Rule, place: Place, workspace: Workspace) -> bool:
    return any(
        covers_path(rule.specifier, path, workspace, grants=False) for path in (place.path, place.real)
    )


def _files(part: Part, kind: str) -> Iterator[Redirect]:
    return (item for item in part.redirects if item.kind == kind and not item.harmless)


def _places(redirect: Redirect, item: Seen) -> list[Place]:
    return redirect_places(redirect, item.folders) or []


def _also_writes(line: CommandLine, seen: list[Seen], workspace: Workspace) -> str:
    """Name the files that a line which cannot be judged would write, as far as they can be read off."""
    if not line.broken:
        return ""
    names = [
        place.shown(workspace)
        for item in seen
        for redirect in _files(item.part, "write")
        for place in _places(redirect, item)
    ]
    return f" It would write to {', '.join(dict.fromkeys(names))}." if names else ""


def _freely(seen: list[Seen], workspace: Workspace, mode: Mode, bare: Rule | None) -> Decision:
    """Let all run that stays in the workspace, as far as its words tell."""
    name = bare.named if bare is not None else f"mode {mode}"
    for item in seen:
        for redirect in (*_files(item.part, "write"), *_files(item.part, "read")):
            places = redirect_places(redirect, item.folders)
            if places is None:
                return Decision("ask", f"It redirects {_unclear(redirect)}, known only when it runs.", name)
            if place := next((place for place in places if not place.inside(workspace)), None):
                verb = "writes to" if redirect.kind == "write" else "reads"
                return Decision("ask", f"It {verb} {place.shown(workspace)}, outside the workspace.", name)
        if found := outside(item, workspace) or _folder_outside(item.folders, workspace):
            return Decision("ask", f"It names {found.shown(workspace)}, outside the workspace.", name)
    return Decision("allow", f"{name} lets this command run.", name)


def _unclear(redirect: Redirect) -> str:
    way = "to" if redirect.kind == "write" else "from"
    return f"{way} `{printable(redirect.target.text.replace(chr(0), '…'))}`"


def _folder_outside(folders: Folders, workspace: Workspace) -> Place | None:
    places = (Place(str(folder), folder, workspace.real(folder)) for folder in folders or ())
    return next((place for place in places if not place.inside(workspace)), None)


def _by_rules(
    line: CommandLine, seen: list[Seen], workspace: Workspace, mode: Mode, rules: Rules
) -> Decision:
    """Let a plain line run when a rule covers every part of it, and every file it redirects."""
    name = f"mode {mode}"
    for item in seen:
        if problem := _redirect_problem(item, workspace, mode, rules):
            return Decision("ask", problem, name)
    if line.obstacle:
        return Decision("ask", f"No rule can cover this command: it holds {line.obstacle}.", name)
    allowing = [rule for rule in rules.of("allow", COMMAND_TOOL) if rule.command is not None]
    for rule in allowing:
        if rule.command is not None and covers_line(rule.command, line.parts):
            return Decision("allow", f"The rule {rule.named} allows exactly this command.", rule.named)
    used: list[Rule] = []
    always = _exact_rule(line)
    for item in (item for item in seen if not item.inner):
        found = _rule_for(item, workspace, allowing)
        if isinstance(found, str):
            return Decision("ask", found, name, always)
        used.append(found)
    names = ", ".join(dict.fromkeys(rule.named for rule in used))
    return Decision("allow", f"Allowed by {names}.", names)


def _rule_for(item: Seen, workspace: Workspace, allowing: list[Rule]) -> Rule | str:
    """Find the rule that covers one part, or say why none does."""
    shown = _quoted(item.part)
    moved = item.folders != (workspace.root,)
    for rule in allowing:
        if rule.command is None or not covers_part(rule.command, item.part, moved=moved):
            continue
        if not rule.command.rest:
            return rule
        if place := outside(item, workspace) or _folder_outside(item.folders, workspace):
            return (
                f"`{shown}` names {place.shown(workspace)}, outside the workspace: {rule.named} ends there."
            )
        return rule
    return f"No rule allows `{shown}`."


def _redirect_problem(item: Seen, workspace: Workspace, mode: Mode, rules: Rules) -> str:
    """Say why a redirect of this command must be asked about; '' when there is nothing to ask."""
    for redirect in (*_files(item.part, "write"), *_files(item.part, "read")):
        writes = redirect.kind == "write"
        places = redirect_places(redirect, item.folders)
        if places is None:
            return f"It redirects {_unclear(redirect)}, known only when it runs."
        for place in places:
            free = place.inside(workspace) and (not writes or mode == "accept-edits")
            if free or _redirect_rule(place, workspace, rules, "create_file" if writes else "read_file"):
                continue
            where = "" if place.inside(workspace) else ", outside the workspace"
            return f"It {'writes to' if writes else 'reads'} {place.shown(workspace)}{where}."
    return ""


def _redirect_rule(place: Place, workspace: Workspace, rules: Rules, tool: str) -> bool:
    return any(
        all(covers_path(rule.specifier, path, workspace, grants=True) for path in (place.path, place.real))
        if rule.specifier
        else place.inside(workspace)
        for rule in rules.of("allow", tool)
    )


def _exact_rule(line: CommandLine) -> str:
    """Write the rule that covers exactly this line, or '' when it would read badly or cover more."""
    text = f"{COMMAND_TOOL}({line.text.strip()})"
    if "\n" in text or any(part.redirects for part in line.parts):
        return ""
    try:
        pattern = Rule.parse(text, "allow", SESSION).command
    except ConfigError:
        return ""
    return text if pattern is not None and covers_line(pattern, line.parts) else ""


def _quoted(part: Part) -> str:
    return printable(shlex.join(word.text for word in part.words))
