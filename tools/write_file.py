"""Writing a file so that it holds either all of the old or all of the new bytes, never less."""

import asyncio
import errno
import hashlib
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import ParamSpec, TypeVar

from cutaway.tools.draft import Draft
from cutaway.tools.errors import ToolError
from cutaway.tools.find_file import open_file, require_regular, unreadable

P = ParamSpec("P")
R = TypeVar("R")

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


async def in_thread(function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
    """Run file work off the event loop; a cancellation waits until the file is whole again."""
    task = asyncio.ensure_future(asyncio.to_thread(function, *args, **kwargs))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise


def digest_on_disk(path: Path, shown: str) -> str:
    """Digest a file as it is now, in bounded memory; raises ToolError when it cannot be read."""
    with open_file(path, shown) as stream:
        try:
            return hashlib.file_digest(stream, "sha256").hexdigest()
        except OSError as error:
            raise unreadable(shown, error) from error


def check_writable(path: Path, shown: str) -> None:
    """Raise ToolError if the existing file at `path` (links followed) may not be changed."""
    real = Path(os.path.realpath(path))
    try:
        mode = real.stat().st_mode
    except OSError as error:
        raise _failed(shown, error) from error
    require_regular(mode, shown)
    if not mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
        raise ToolError(
            f"{shown} is read-only (mode {stat.S_IMODE(mode):04o}) and was not changed. Someone chose that: "
            "ask the user before making it writable."
        )
    if not os.access(real, os.W_OK):
        raise ToolError(f"No permission to write {shown}; it was not changed. Ask the user to grant it.")


def replace_file(path: Path, content: bytes, *, before_digest: str, shown: str) -> None:
    """Give an existing file new content, if it still holds what `before_digest` names.

    Links are written through; mode, owner and extended attributes stay. The new bytes go to a
    draft beside it, are synced, and take its place in one step. Only a file with several
    hard links (or one that is a mount point or has an owner that cannot be given) is written in
    place, its space reserved first and its old bytes put back on failure. Raises ToolError with
    the file unchanged.
    """
    check_writable(path, shown)
    real = Path(os.path.realpath(path))
    try:
        status = real.stat()
        if status.st_nlink > 1 or not _swap(real, content, status, before_digest, shown):
            _require_unchanged(real, before_digest, shown)
            _overwrite(real, content)
    except OSError as error:
        raise _failed(shown, error) from error


def create_file(path: Path, content: bytes, *, shown: str) -> None:
    """Create a file that must not exist yet, with its missing folders; mode by the umask.

    Raises ToolError, and then neither the file nor any new folder is left behind.
    """
    real = Path(os.path.realpath(path))
    made: list[Path] = []
    try:
        _make_folders(real.parent, made)
        _place(real, content)
    except BaseException as error:
        for folder in reversed(made):
            with suppress(OSError):
                folder.rmdir()
        if isinstance(error, FileExistsError) and os.path.lexists(real):
            raise ToolError(f"{shown} exists by now and was not changed. Read it first.") from error
        if isinstance(error, OSError):
            raise _failed(shown, error) from error
        raise


def _make_folders(folder: Path, made: list[Path]) -> None:
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for each in reversed(missing):
        each.mkdir()
        made.append(each)


def _place(real: Path, content: bytes) -> None:
    with Draft(real.parent, 0o666) as draft:
        _write_synced(draft.descriptor, content)
        draft.become_new(real)
    _sync_folder(real.parent)


def _swap(real: Path, content: bytes, status: os.stat_result, before_digest: str, shown: str) -> bool:
    """Put the new bytes in place by renaming; False (nothing changed) where that would lose something."""
    with Draft(real.parent, 0o600) as draft:
        _write_synced(draft.descriptor, content)
        if not _take_over(real, draft, status):
            return False
        _require_unchanged(real, before_digest, shown)
        try:
            draft.replace(real)
        except OSError as error:
            if error.errno == errno.EBUSY:  # the file is a mount point
                return False
            raise
    _sync_folder(real.parent)
    return True


def _take_over(real: Path, draft: Draft, status: os.stat_result) -> bool:
    """Give the draft the owner, mode and attributes of the real file; False if it may not have them."""
    if hasattr(os, "fchown"):
        made = os.fstat(draft.descriptor)
        if (made.st_uid, made.st_gid) != (status.st_uid, status.st_gid):
            try:
                os.fchown(draft.descriptor, status.st_uid, status.st_gid)
            except PermissionError:
                return False
    mode = stat.S_IMODE(status.st_mode)
    if os.chmod in os.supports_fd:
        os.chmod(draft.descriptor, mode)  # noqa: PTH101 (it may have no name yet)
    else:
        draft.path.chmod(mode)
    if hasattr(os, "listxattr"):
        with suppress(OSError):
            for name in os.listxattr(real):
                with suppress(OSError):  # some are the system's own, and set by it
                    os.setxattr(draft.descriptor, name, os.getxattr(real, name))
    return True


def _overwrite(real: Path, content: bytes) -> None:
    descriptor = os.open(real, os.O_RDWR | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(descriptor, "r+b", buffering=0) as stream:
        old = stream.readall() or b""
        try:
            if len(content) > len(old) and hasattr(os, "posix_fallocate"):
                os.posix_fallocate(descriptor, len(old), len(content) - len(old))
            stream.seek(0)
            _write_synced(descriptor, content)
            stream.truncate(len(content))
        except BaseException:
            stream.seek(0)
            _write_synced(descriptor, old)
            stream.truncate(len(old))
            raise
        os.fsync(descriptor)


def _write_synced(descriptor: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]
    os.fsync(descriptor)


def _sync_folder(folder: Path) -> None:
    with suppress(OSError):  # not possible everywhere; the file itself is synced
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _require_unchanged(real: Path, before_digest: str, shown: str) -> None:
    if digest_on_disk(real, shown) != before_digest:
        raise changed_meanwhile(shown)


def changed_meanwhile(shown: str) -> ToolError:
    """Say that someone else wrote the file between the look at it and the write."""
    return ToolError(
        f"{shown} was changed by someone else while this edit was being prepared; it was not written. "
        "Read it again, then make the edit that is still right."
    )


def _failed(shown: str, error: OSError) -> ToolError:
    if error.errno in FULL:
        cause, then = (
            "no space is left (or a size limit is reached)",
            "Tell the user to free space, then retry",
        )
    elif isinstance(error, PermissionError) or error.errno == errno.EROFS:
        cause, then = "its folder may not be written to", "Ask the user to grant it, or use another place"
    elif isinstance(error, NotADirectoryError | FileExistsError):
        cause, then = "a part of its path is a file, not a folder", "Choose another path"
    elif error.errno == errno.ENAMETOOLONG:
        cause, then = "the name is too long", "Choose a shorter one"
    elif error.errno == errno.ELOOP:
        cause, then = "its links lead in a circle", "Give the path of the real file"
    else:
        cause, then = error.strerror or type(error).__name__, "Check the path"
    return ToolError(f"{shown} could not be written: {cause}. Nothing was changed. {then}.")
