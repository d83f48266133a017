"""What the harness knows of the folder it works in: facts, git state."""

import asyncio
import os
import platform
import shutil
from collections.abc import Mapping
from datetime import date, datetime
from pathlib import Path

from msgspec import Struct

from cutaway.tools.base import WorkspaceFacts
from cutaway.tools.paths import printable

TREE_CHARACTERS = 2000
"""Characters of the folder listing in the prompt, as the Copilot agent has it."""


def facts_of(root: Path, test_command: tuple[str, ...] = ()) -> WorkspaceFacts:
    """Look at the folder now; never raises, a folder that has gone is simply not writable."""
    return WorkspaceFacts(
        root=str(root),
        has_git=git_folder(root) is not None,
        writable=os.access(root, os.W_OK),
        test_command=test_command,
    )


def git_folder(root: Path) -> Path | None:
    """Find the repository that holds `root`: the folder that has `.git`."""
    for folder in (root, *root.parents):
        if os.path.exists(folder / ".git"):  # noqa: PTH110 - the method raises where a folder is closed to us
            return folder
    return None


def workspace_text(root: Path) -> str:
    """Describe what stays true for the whole session; everything that changes is a note instead."""
    lines = [
        f"Workspace folder: {printable(str(root))}",
        f"Operating system: {platform.system()} {platform.machine()}",
        "Shell of run_in_terminal: " + ("bash" if shutil.which("bash") else "sh"),
        "Top of the folder when the session started (hidden names left out):",
        _tree(root),
    ]
    return "\n".join(lines)


def _tree(root: Path) -> str:
    try:
        with os.scandir(root) as found:
            entries = sorted(
                (entry.name, entry.is_dir(follow_symlinks=False)) for entry in found if entry.name[0] != "."
            )
    except OSError as error:
        return f"(cannot be listed: {error.strerror})"
    shown = ""
    for index, (name, is_folder) in enumerate(entries):
        line = f"  {printable(name)}{'/' if is_folder else ''}\n"
        if len(shown) + len(line) > TREE_CHARACTERS:
            return shown + f"  … {len(entries) - index} more"
        shown += line
    return shown.rstrip("\n") or "  (empty)"


class GitFacts(Struct, frozen=True):
    """Branch and changed files; `problem` says why nothing is known, '' when all is well."""

    branch: str = ""
    changed: int = 0
    problem: str = ""


async def git_facts(root: Path) -> GitFacts:
    """Ask git for branch and dirty state in a worker thread; reads only, locks nothing."""
    if git_folder(root) is None:
        return GitFacts(problem="not a git repository")
    if shutil.which("git") is None:
        return GitFacts(problem="the git program was not found; install it to see branch and changes")
    return await asyncio.to_thread(_ask_git, root)


_STATUS = ("status", "--porcelain", "--branch", "--untracked-files=normal", "--ignore-submodules=all")
_FILTERS = r"^filter\..*\.(clean|process|required)$"
_LISTING = ("config", "--null", "--show-scope", "--name-only", "--get-regexp", _FILTERS)
_TRUSTED = ("system", "global")
_ALWAYS_OFF = {"core.fsmonitor": "false", "core.hooksPath": os.devnull}


def _ask_git(root: Path) -> GitFacts:
    code, listed, error = _run_git(root, _LISTING, _ALWAYS_OFF)
    if code in (0, 1):  # 1 means that no filter is set
        words = listed.split("\0")
        found = zip(words[::2], words[1::2], strict=False)
        own = {
            key: "false" if key.endswith("required") else "" for scope, key in found if scope not in _TRUSTED
        }
        code, told, error = _run_git(root, _STATUS, {**_ALWAYS_OFF, **own})
    if code != 0:
        lines = error.strip().splitlines() or [f"exit code {code}"]
        return GitFacts(problem=f"git failed: {printable(lines[-1].strip()[:200])}")
    head, *changed = told.splitlines() or [""]
    branch = head.removeprefix("## ").removeprefix("No commits yet on ").split("...")[0]
    return GitFacts(branch=printable(branch), changed=len(changed))


def _run_git(root: Path, command: tuple[str, ...], off: Mapping[str, str]) -> tuple[int, str, str]:
    """Run git so that it starts no program that a repository's own settings name: code, output, errors.

    Such are (`off`) a file-system monitor, hooks and clean filters, and what fetches the objects that
    a partial clone lacks.
    """
    import git  # late: 56 ms, and it fails at import when the program is missing

    settings = {"GIT_CONFIG_COUNT": str(len(off))}
    for number, (key, value) in enumerate(off.items()):
        settings |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    closed = {"GIT_OPTIONAL_LOCKS": "0", "GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1"}
    try:
        code, output, error = git.Git(root).execute(
            ["git", *command],
            env={**settings, **closed, "GIT_TERMINAL_PROMPT": "0"},
            kill_after_timeout=5,
            with_extended_output=True,
            with_exceptions=False,
        )
    except (git.GitError, OSError, ValueError) as failure:
        return -1, "", str(failure)
    return code, str(output), str(error)


def today(now: datetime) -> date:
    """The user's own date at a moment of any zone."""
    return now.astimezone().date()
