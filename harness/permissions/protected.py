"""Places where a write could change what runs, who may do what, or the machine itself."""

import os
import unicodedata
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from cutaway.harness.places import config_dir, data_dir
from cutaway.tools.paths import Workspace

_EDITOR_FOLDERS = frozenset({".vscode", ".cursor", ".zed", ".claude"})
_EDITOR_FILES = frozenset({"settings.json", "settings.local.json", "tasks.json", "launch.json", "mcp.json"})
_NAMES = {
    ".git": "it belongs to git, which runs hooks and commands from there",
    "git~1": "it belongs to git, which runs hooks and commands from there",
    ".cutaway": "it holds cutaway's own settings for this project",
    ".husky": "by custom it holds the hooks that git runs",
    ".githooks": "by custom it holds the hooks that git runs",
    ".envrc": "direnv runs it",
    ".mcp.json": "it names programs that assistants start",
}
_HOME_FILES = (
    *(".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".inputrc"),
    *(".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login"),
    *(".config/fish", ".config/nushell", ".config/powershell", ".config/environment.d", ".pam_environment"),
    *(".xprofile", ".xinitrc", ".xsession", ".gitconfig", ".config/git", ".vimrc", ".config/nvim", ".emacs"),
    *(
        ".config/systemd",
        ".config/autostart",
        "Library/LaunchAgents",
        ".local/bin",
        "bin",
        ".npmrc",
        ".netrc",
    ),
    *(".pypirc", ".pythonrc.py", ".docker/config.json", ".kube", ".config/gh", ".claude.json", ".claude"),
)
_SECRET_FOLDERS = (".ssh", ".gnupg", ".aws", ".config/gcloud", ".azure")
_SYSTEM = (
    *("/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/opt", "/proc", "/root", "/run", "/sbin"),
    *("/srv", "/sys", "/usr", "/var", "/System", "/Library", "/Applications", "/private/etc", "/private/var"),
    *("C:/Windows", "C:/Program Files", "C:/Program Files (x86)", "C:/ProgramData"),
)
_SYSTEM_BUT_SHARED = ("/var/folders", "/private/var/folders", "/var/tmp", "/private/var/tmp", "/dev/shm")
"""Temporary folders that lie in system folders: outside the workspace, but not critical."""


def why_protected(path: Path, workspace: Workspace) -> str:
    """Say why no mode may write to this absolute path without asking; '' when it is a normal file.

    The path is judged as it is given and where it leads, by components and without case.
    """
    for candidate in dict.fromkeys((path, workspace.real(path))):
        for reason in (_by_name(candidate), _by_place(candidate), _inside_git_folder(candidate, workspace)):
            if reason:
                return reason
        if not candidate.is_relative_to(workspace.root) and (place := critical_place(candidate)):
            return f"{place} is a part of the system"
    return ""


def why_secret(path: Path, workspace: Workspace) -> str:
    """Say why no mode may read this path without asking: keys lie there; '' when it is a normal file."""
    home = Path.home()
    for candidate in dict.fromkeys((path, workspace.real(path))):
        for name in _SECRET_FOLDERS:
            if _lies_in(candidate, home / name):
                return f"~/{name} holds keys"
        if _lies_in(candidate, config_dir()):
            return "cutaway's own settings lie there"
    return ""


def critical_place(path: Path) -> str:
    """Name the system folder in which a path lies; '' when it lies in none."""
    if path == Path(path.anchor):
        return str(path)
    if any(_lies_in(path, Path(shared)) for shared in _SYSTEM_BUT_SHARED):
        return ""
    return next((name for name in _SYSTEM if _lies_in(path, Path(name)) and not _is_home(path)), "")


def _is_home(path: Path) -> bool:
    """Tell whether a path lies below the home folder, which may be `/root`."""
    return _lies_in(path, Path.home()) and not _same(path, Path.home())


def holds_everything(path: Path, workspace: Workspace) -> str:
    """Say what would be lost if a folder and all below it were deleted or re-owned; '' if not much."""
    real = workspace.real(path)
    if real == workspace.root:
        return "that is the whole workspace"
    if workspace.root.is_relative_to(real):
        return "the workspace lies in it"
    if Path.home().is_relative_to(real) or _same(real, Path.home()):
        return "the home folder lies in it"
    if real.is_relative_to(workspace.root):
        return ""
    return f"{place} is a part of the system" if (place := critical_place(real)) else ""


def _by_name(path: Path) -> str:
    names = [folded(part) for part in path.parts]
    for name in names:
        if name in _NAMES:
            return _NAMES[name]
    if names[-1] in _EDITOR_FILES and _EDITOR_FOLDERS.intersection(names[:-1]):
        return "the editor or an assistant runs what it says"
    return ""


def may_be_protected(pattern: str) -> bool:
    """Tell whether one name of a path, with wildcards, may stand for a protected one.

    Bash lets no wildcard stand for the dot that a name begins with.
    """
    wild = any(mark in pattern for mark in "*?[")
    names = (*_NAMES, *_EDITOR_FOLDERS)
    return wild and pattern.startswith(".") and any(fnmatchcase(n, pattern.casefold()) for n in names)


def _by_place(path: Path) -> str:
    home = Path.home()
    for name in _SECRET_FOLDERS:
        if _lies_in(path, home / name):
            return f"~/{name} holds keys"
    for own in _own_folders():
        if _lies_in(path, own):
            return "cutaway's own settings and sessions lie there"
    for name in _HOME_FILES:
        start = home / name
        if _lies_in(path, start) or (start.is_symlink() and _lies_in(path, Path(os.path.realpath(start)))):
            return f"~/{name} decides what programs do at their start"
    return ""


def _own_folders() -> Iterator[Path]:
    import platformdirs

    yield config_dir()
    yield data_dir()
    yield Path(platformdirs.user_config_dir("cutaway", appauthor=False))
    yield Path(platformdirs.user_data_dir("cutaway", appauthor=False))


def _inside_git_folder(path: Path, workspace: Workspace) -> str:
    """Recognise a git folder by what it holds: a `.git` file may point to one of any name."""
    if not path.is_relative_to(workspace.root):
        return ""
    folder = workspace.root
    for name in path.relative_to(workspace.root).parts:  # from above, to stop where nothing is yet
        folder = folder / name
        if not os.path.lexists(folder):
            return ""
        if _holds_git(folder):
            return f"{workspace.display(folder)} is a git folder, and git runs hooks from there"
    return ""


def _holds_git(folder: Path) -> bool:
    try:
        return all((folder / name).exists() for name in ("HEAD", "objects", "refs"))
    except OSError:  # a folder that cannot be read, or a name that is too long
        return False


def folded(name: str) -> str:
    """Reduce a name to what some file system would take it for: no case, no invisible characters, no
    final dots and spaces, no stream after a colon."""
    visible = "".join(char for char in name if unicodedata.category(char) != "Cf")
    return visible.casefold().partition(":")[0].rstrip(". ") or name


def _lies_in(path: Path, folder: Path) -> bool:
    """Compare by components and without case, so that `/etcetera` does not lie in `/etc`."""
    ours, theirs = _parts(path), _parts(folder)
    return ours[: len(theirs)] == theirs


def _same(path: Path, other: Path) -> bool:
    return _parts(path) == _parts(other)


def _parts(path: Path) -> tuple[str, ...]:
    return tuple(part.casefold() for part in path.parts)
