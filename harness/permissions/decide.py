"""The one decision point: may this call run, must somebody be asked, or is it refused."""

from pathlib import Path
from typing import assert_never

from cutaway.harness.events import Mode
from cutaway.harness.permissions.decide_command import decide_command
from cutaway.harness.permissions.decision import Decision, Outcome
from cutaway.harness.permissions.floor import floor_of_path
from cutaway.harness.permissions.patterns import covers_path, covers_url
from cutaway.harness.permissions.reach import Place
from cutaway.harness.permissions.rules import COMMAND_TOOL, Rule, Rules
from cutaway.tools.base import Access
from cutaway.tools.errors import ToolError
from cutaway.tools.paths import Workspace

_READABLE_DEVICES = frozenset({"/dev/null", "/dev/zero"})


def decide(tool_name: str, access: Access, workspace: Workspace, mode: Mode, rules: Rules) -> Decision:
    """Decide one call; changes nothing, and reads the disk only to follow links.

    Deny rules come first in every mode; then plan mode, the floor, ask rules, allow rules, the mode.
    """
    if rule := next((rule for rule in rules.of("deny", tool_name) if not rule.specifier), None):
        return Decision("deny", f"The rule {rule.named} denies {tool_name}.", rule.named)
    match access.effect:
        case "ask" | "control":
            return Decision("allow", f"{tool_name} touches nothing.", f"mode {mode}")
        case "read" | "write":
            return _decide_paths(tool_name, access, workspace, mode, rules)
        case "network":
            return _decide_urls(tool_name, access, mode, rules)
        case "execute":
            if tool_name == COMMAND_TOOL:
                return decide_command(" ".join(access.targets), workspace, mode, rules)
            return _decide_runner(tool_name, access, workspace, mode, rules)
        case _:
            assert_never(access.effect)


def _decide_paths(tool: str, access: Access, workspace: Workspace, mode: Mode, rules: Rules) -> Decision:
    try:
        places = [_place(text, workspace) for text in access.targets]
    except (ToolError, RuntimeError, ValueError) as error:  # the last two: `~nobody/x`, lone surrogates
        return Decision("deny", f"The path cannot be used: {error}", "invalid path")
    writes = access.effect == "write"
    verb = "write" if writes else "read"
    for place in places:
        if rule := _ruled("deny", tool, place, workspace, rules):
            return Decision("deny", f"The rule {rule.named} denies {place.shown(workspace)}.", rule.named)
    if writes and mode == "plan":
        return _refused_by_plan(tool)
    for place in places:
        if reason := floor_of_path(place.path, workspace, writes=writes):
            text = f"Every {verb} of {place.shown(workspace)} is asked about: {reason}."
            return Decision("ask", text, "floor")
    always = _path_rule(tool, places, workspace)
    decisions = [_decide_place(tool, place, workspace, mode, rules, always, writes) for place in places]
    for outcome in ("ask", "allow"):
        if found := next((decision for decision in decisions if decision.outcome == outcome), None):
            return found
    return Decision("allow", f"{tool} stays in the workspace.", f"mode {mode}")


def _place(text: str, workspace: Workspace) -> Place:
    path = workspace.resolve(text)
    return Place(text, path, workspace.real(path))


def _decide_place(
    tool: str, place: Place, workspace: Workspace, mode: Mode, rules: Rules, always: str, writes: bool
) -> Decision:
    shown, inside = place.shown(workspace), place.inside(workspace)
    verb = "write to" if writes else "read"
    if rule := _ruled("ask", tool, place, workspace, rules):
        return Decision("ask", f"The rule {rule.named} asks before {tool} uses {shown}.", rule.named)
    if rule := _ruled("allow", tool, place, workspace, rules):
        return Decision("allow", f"The rule {rule.named} allows {shown}.", rule.named)
    if not writes and str(place.real) in _READABLE_DEVICES:
        return Decision("allow", f"{shown} holds no data.", f"mode {mode}")
    if not inside:
        return Decision("ask", f"{tool} would {verb} {shown}, outside the workspace.", f"mode {mode}", always)
    if writes and mode not in ("accept-edits", "autopilot"):
        return Decision("ask", f"{tool} would write to {shown}; {mode} mode asks.", f"mode {mode}", always)
    return Decision("allow", f"{mode} mode lets {tool} {verb} {shown}.", f"mode {mode}")


def _ruled(outcome: Outcome, tool: str, place: Place, workspace: Workspace, rules: Rules) -> Rule | None:
    """Find the rule for a path: an allow rule must cover name and real target, the others one of them."""
    for rule in rules.of(outcome, tool):
        if not rule.specifier:
            if outcome != "allow" or place.inside(workspace):
                return rule
            continue
        grants = outcome == "allow"
        covered = [
            covers_path(rule.specifier, path, workspace, grants=grants) for path in (place.path, place.real)
        ]
        if all(covered) if grants else any(covered):
            return rule
    return None


def _path_rule(tool: str, places: list[Place], workspace: Workspace) -> str:
    """Write the rule that covers exactly this call; '' for several files, links and odd names."""
    if len(places) != 1 or places[0].path != places[0].real:
        return ""
    shown = places[0].path
    text = shown.relative_to(workspace.root).as_posix() if places[0].inside(workspace) else shown.as_posix()
    odd = any(char in text for char in "*?") or not text.isprintable() or text != text.strip()
    return "" if odd or text.startswith("~") else f"{tool}({text})"


def _refused_by_plan(tool: str) -> Decision:
    return Decision(
        "deny",
        f"Plan mode only reads, so {tool} does not run. Say what you would do; the user can change the mode.",
        "mode plan",
    )


def _decide_urls(tool: str, access: Access, mode: Mode, rules: Rules) -> Decision:
    named = ", ".join(access.targets) or "the network"
    for outcome in ("deny", "ask", "allow"):
        covered = {url: rule for url in access.targets if (rule := _url_rule(outcome, tool, url, rules))}
        everything = len(covered) == len(set(access.targets)) and bool(covered)
        if everything or (covered and outcome != "allow"):
            rule = next(iter(covered.values()))
            return Decision(outcome, f"The rule {rule.named} decides on {named}.", rule.named)
    if mode == "autopilot":
        return Decision("allow", f"autopilot mode lets {tool} fetch {named}.", "mode autopilot")
    always = f"{tool}({access.targets[0]})" if len(access.targets) == 1 else ""
    printable = always.isprintable() and not always.endswith("/**)")
    return Decision("ask", f"{tool} would fetch {named}.", f"mode {mode}", always if printable else "")


def _url_rule(outcome: Outcome, tool: str, url: str, rules: Rules) -> Rule | None:
    found = (
        rule for rule in rules.of(outcome, tool) if not rule.specifier or covers_url(rule.specifier, url)
    )
    return next(found, None)


def _decide_runner(tool: str, access: Access, workspace: Workspace, mode: Mode, rules: Rules) -> Decision:
    """Decide on a tool that runs the project's own programs, such as its tests."""
    if mode == "plan":
        return _refused_by_plan(tool)
    named = ", ".join(access.targets)
    places = [_place(text, workspace) for text in access.targets if _is_a_path(text)]
    for outcome in ("deny", "ask"):
        if found := next((r for p in places if (r := _ruled(outcome, tool, p, workspace, rules))), None):
            return Decision(outcome, f"The rule {found.named} decides on {named}.", found.named)
    bare = next((rule for rule in rules.of("ask", tool) if not rule.specifier), None)
    if bare is not None:
        return Decision("ask", f"The rule {bare.named} asks before {tool} runs.", bare.named)
    for place in places:
        if not place.inside(workspace):
            return Decision(
                "ask", f"{tool} would run {place.shown(workspace)}, outside the workspace.", "floor"
            )
    if rule := _runner_rule(tool, places, workspace, rules):
        return Decision("allow", f"The rule {rule.named} allows {tool}.", rule.named)
    if mode == "autopilot":
        return Decision("allow", f"autopilot mode lets {tool} run.", "mode autopilot")
    return Decision("ask", f"{tool} runs programs of the project; {mode} mode asks.", f"mode {mode}", tool)


def _runner_rule(tool: str, places: list[Place], workspace: Workspace, rules: Rules) -> Rule | None:
    for rule in rules.of("allow", tool):
        if not rule.specifier:
            return rule
        if places and all(covers_path(rule.specifier, p.real, workspace, grants=True) for p in places):
            return rule
    return None


def _is_a_path(text: str) -> bool:
    """Tell whether a target names a file rather than a command line or a test's name."""
    path = Path(text)
    return "\0" not in text and not set(text) & set(" \t\n") and (path.is_absolute() or ".." in path.parts)
