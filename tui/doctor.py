"""`cutaway doctor`: every setting with its origin, what can be reached, and what is missing."""

import os
import platform
import shlex
import shutil
import sys
from collections.abc import Iterator

from cutaway.harness.config import Configured, TestsTable, known_keys, load_settings
from cutaway.harness.eventlog.store import SessionStore
from cutaway.harness.instructions.find import find_instructions
from cutaway.harness.opening import installed_version
from cutaway.harness.places import config_dir, data_dir
from cutaway.harness.providers.custom import dialects_with
from cutaway.harness.providers.discovery import Finding, discover
from cutaway.harness.providers.endpoint import masked
from cutaway.harness.target import workspace_root
from cutaway.harness.workspace import git_facts
from cutaway.tui.transcript.safe_text import one_line


async def doctor(folder: str) -> int:
    """Print the report; exit code 0 when a model can be reached, 1 when none can."""
    root = workspace_root(folder)
    configured = load_settings(root, {}, os.environ)
    findings = await discover(os.environ, dialects_with(configured.settings.providers))
    git = await git_facts(root)
    system = f"{platform.system()} {platform.machine()}"
    state = git.problem or f"branch {git.branch}, {git.changed} changed files"
    for line in (
        f"cutaway     {installed_version()} on Python {platform.python_version()}, {system}",
        f"workspace   {one_line(str(root))}",
        f"git         {one_line(state)}",
        f"sessions    {one_line(str(data_dir()))} ({len(SessionStore().list())} stored)",
        f"settings    {one_line(str(config_dir() / 'config.toml'))}",
        f"ripgrep     {shutil.which('rg') or 'from the installed wheel, else searched by Python'}",
        "",
        "Settings",
        *_settings(configured),
        "",
        "Instruction files",
        *([f"  {file.path}: {file.reason}" for file in find_instructions(root)] or ["  (none)"]),
        "",
        "Models",
        *_models(findings),
    ):
        sys.stdout.write(line + "\n")
    return 0 if any(finding.found for finding in findings) or configured.settings.base_url else 1


def _settings(configured: Configured) -> Iterator[str]:
    for key in known_keys():
        value = getattr(configured.settings, key.replace("-", "_"))
        shown = one_line(masked(_words(value))) or "(none)"
        yield f"  {key:<21}{shown:<28} from {one_line(configured.origins[key])}"


def _words(value: object) -> str:
    """A value as a user would write it; '' when nothing is set."""
    match value:
        case None:
            return ""
        case TestsTable(command=command):
            return f"command {shlex.join(command)}" if command else ""
        case tuple():
            return ", ".join(map(str, value))
        case bool():
            return "yes" if value else "no"
        case dict():
            return ", ".join(
                f"{key} ({len(entry)})" if isinstance(entry, tuple) else str(key)
                for key, entry in value.items()
            )
        case _:
            return str(value)


def _models(findings: tuple[Finding, ...]) -> Iterator[str]:
    for finding in findings:
        mark = "✓" if finding.found else "·"
        models = f" ({', '.join(one_line(model) for model in finding.models[:5])})" if finding.models else ""
        said = f"{one_line(finding.looked_for)}: {one_line(finding.reason)}{models}"
        yield f"  {mark} {one_line(finding.title):<20}{said}"
    if not any(finding.found for finding in findings):
        yield "  No model was found. Set one of the keys, or start one of the servers above."
        yield "  `cutaway demo` needs neither."
