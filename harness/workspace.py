"""What the harness knows of the folder it works in: facts, git state, instruction files."""

import asyncio
import os
import platform
import shutil
from datetime import date
from pathlib import Path

from msgspec import Struct

from cutaway.tools.base import WorkspaceFacts
from cutaway.tools.paths import printable

INSTRUCTION_FILES = ("AGENTS.md", ".github/copilot-instructions.md", "CLAUDE.md")
"""Read in this order, each at most once; equal content is sent once."""

INSTRUCTION_BYTES = 64 * 1024
"""An instruction file is sent on every turn; more than this is cut, and said to be."""

TREE_CHARACTERS = 2000
"""Characters of the folder listing in the prompt, as the Copilot agent has it."""


class InstructionFile(Struct, frozen=True):
    """A file that may instruct the model; `text` is empty when it was not used, `reason` says why."""

    path: str
    text: str
    used: bool
    reason: str


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
        if (folder / ".git").exists():
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


def find_instructions(root: Path) -> list[InstructionFile]:
    """Read the instruction files at the root of the workspace; those that are absent are left out."""
    found: list[InstructionFile] = []
    seen: dict[str, str] = {}
    for name in INSTRUCTION_FILES:
        path = root / name
        if not os.path.lexists(path):
            continue
        file = _read_instructions(root, path, name)
        if file.used and (twin := seen.get(file.text)) is not None:
            file = InstructionFile(name, "", False, f"says the same as {twin}")
        seen.setdefault(file.text, name)
        found.append(file)
    return found


def _read_instructions(root: Path, path: Path, name: str) -> InstructionFile:
    real = Path(os.path.realpath(path))
    if not real.is_relative_to(root):
        return InstructionFile(name, "", False, "is a link that leads out of the workspace")
    if not real.is_file():
        return InstructionFile(name, "", False, "is not a regular file")
    try:
        with real.open("rb") as file:
            content = file.read(INSTRUCTION_BYTES + 1)
    except OSError as error:
        return InstructionFile(name, "", False, f"cannot be read: {error.strerror}")
    try:
        text = content[:INSTRUCTION_BYTES].decode(
            "utf-8-sig", "strict" if len(content) <= INSTRUCTION_BYTES else "ignore"
        )
    except UnicodeDecodeError:
        return InstructionFile(name, "", False, "is not UTF-8 text")
    if not text.strip():
        return InstructionFile(name, "", False, "is empty")
    if len(content) > INSTRUCTION_BYTES:
        text += f"\n[cut here: only the first {INSTRUCTION_BYTES // 1024} KiB are sent]"
        return InstructionFile(name, text, True, f"used, cut after {INSTRUCTION_BYTES // 1024} KiB")
    return InstructionFile(name, text, True, "used")


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


def _ask_git(root: Path) -> GitFacts:
    import git  # late: 56 ms, and it fails at import when the program is missing

    # No setting of the repository may start a program here: a file-system monitor is one.
    command = [
        "git",
        "-c",
        "core.fsmonitor=false",
        "status",
        "--porcelain",
        "--branch",
        "--untracked-files=normal",
    ]
    try:
        with git.Repo(root, search_parent_directories=True) as repository:
            status = str(
                repository.git.execute(command, env={"GIT_OPTIONAL_LOCKS": "0"}, kill_after_timeout=5)
            )
    except (git.GitError, OSError, ValueError) as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        return GitFacts(problem=f"git failed: {printable(lines[-1][:200])}")
    head, *changed = status.splitlines() or [""]
    branch = head.removeprefix("## ").removeprefix("No commits yet on ").split("...")[0]
    return GitFacts(branch=printable(branch), changed=len(changed))


def today() -> date:
    """The user's own date."""
    return date.today()
