"""Where our own files live, and that nobody else can read them."""

import os
import stat
from pathlib import Path

import platformdirs

from cutaway.harness.errors import ConfigError

HOME_VARIABLE = "CUTAWAY_HOME"


def data_dir() -> Path:
    """Return where sessions are kept: $CUTAWAY_HOME, or the platform's folder for a user's data."""
    return _home() or Path(platformdirs.user_data_dir("cutaway", appauthor=False))


def config_dir() -> Path:
    """Return where the user's `config.toml` lies: $CUTAWAY_HOME, or the platform's folder for it."""
    return _home() or Path(platformdirs.user_config_dir("cutaway", appauthor=False))


def _home() -> Path | None:
    home = os.environ.get(HOME_VARIABLE, "")
    return expanded(home, f"${HOME_VARIABLE}").absolute() if home.strip() else None


def expanded(folder: str, origin: str) -> Path:
    """Put the home folder in the place of `~`; raises ConfigError where nobody of that name has one."""
    try:
        return Path(folder).expanduser()
    except RuntimeError as error:
        raise ConfigError(f"{origin}: there is no home folder for {folder!r}. Write the path.") from error


def private_folder(folder: Path, *, below: Path) -> Path:
    """Make `folder`, and every folder between it and `below`, for the user alone (0700).

    `below` is the root that the user chose: it is made when missing, and otherwise left as it is,
    also when it is a link. What lies in it is ours, so a link there was put by somebody else: it is
    refused with a ConfigError. Raises OSError when the disk does not let us.
    """
    below.mkdir(mode=0o700, parents=True, exist_ok=True)
    here = below
    for part in folder.relative_to(below).parts:
        here = here / part
        try:
            here.mkdir(mode=0o700)
        except FileExistsError:
            _check_private(here)
    return folder


def _check_private(folder: Path) -> None:
    info = folder.lstat()
    if not stat.S_ISDIR(info.st_mode):
        kind = "a symbolic link" if stat.S_ISLNK(info.st_mode) else "not a folder"
        raise ConfigError(
            f"{folder} is {kind}, and cutaway keeps private data there. "
            f"Move it away, or name another place in {HOME_VARIABLE}."
        )
    if os.name == "posix" and info.st_mode & 0o077 and info.st_uid == os.getuid():
        folder.chmod(0o700)


def open_private(path: Path, flags: int) -> int:
    """Open a file of ours and return its descriptor: never through a link, and 0600 when it is new.

    A file that is opened to write and that others may read (a copy, say) is closed to them.
    """
    descriptor = os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0), 0o600)
    if os.name == "posix" and flags & (os.O_WRONLY | os.O_RDWR):
        info = os.fstat(descriptor)
        if info.st_mode & 0o077 and info.st_uid == os.getuid():
            os.fchmod(descriptor, 0o600)
    return descriptor


def sync_folder(folder: Path) -> None:
    """Make new names in a folder survive a power cut (where the platform can do that)."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
