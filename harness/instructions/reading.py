"""Read one instruction file: bounded, never hanging, never from where a link has no business to lead."""

import codecs
import errno
import os
import stat
from pathlib import Path

from msgspec import Struct

INSTRUCTION_BYTES = 64 * 1024
"""An instruction file is sent on every turn; more than this is cut, and said to be."""

NO_TEXT = "is not UTF-8 or UTF-16 text"


class FileText(Struct, frozen=True):
    """What a file holds; `cut` tells that there is more of it than may be sent."""

    text: str
    cut: bool


class Refused(Struct, frozen=True):
    """Why a file is not used, to be read after its name: "is empty"."""

    reason: str


class Place(Struct, frozen=True):
    """A file that is there: `identity` is the same for every name of one file."""

    real: Path
    identity: tuple[int, int] | str
    owner: int


def locate(path: Path) -> Place | Refused:
    """Follow the links of a name that exists, and refuse all but a regular file; opens nothing."""
    try:
        info = path.stat()
    except OSError as error:
        match error.errno:
            case errno.ELOOP:
                return Refused("is a loop of links")
            case errno.ENOENT:
                return Refused("is a link to a file that does not exist")
            case _:
                return _unreadable(error)
    if stat.S_ISDIR(info.st_mode):
        return Refused("is a folder, not a file")
    if not stat.S_ISREG(info.st_mode):
        return Refused("is not a regular file")
    real = os.path.realpath(path)
    return Place(Path(real), (info.st_dev, info.st_ino) if info.st_ino else real, info.st_uid)


def read_text(place: Place) -> FileText | Refused:
    """Read and decode the first INSTRUCTION_BYTES; line ends become `\\n`."""
    try:
        content = _content(place.real)
    except OSError as error:
        return _unreadable(error)
    if content is None:
        return Refused("is not a regular file")
    cut = len(content) > INSTRUCTION_BYTES
    marked = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    decoder = codecs.getincrementaldecoder("utf-16" if marked else "utf-8-sig")()
    try:  # a character that the cut divides is left out; anything else that does not decode is refused
        text = decoder.decode(content[:INSTRUCTION_BYTES], final=not cut)
    except UnicodeDecodeError:
        return Refused(NO_TEXT)
    if "\0" in text:
        return Refused(f"{NO_TEXT} (it holds NUL characters)")
    return FileText(text.replace("\r\n", "\n"), cut)


def _content(real: Path) -> bytes | None:
    """Open without waiting for a writer: another file may have taken the name since it was looked at."""
    flags = os.O_RDONLY
    for name in ("O_NONBLOCK", "O_NOFOLLOW", "O_CLOEXEC", "O_BINARY"):
        flags |= getattr(os, name, 0)
    with open(os.open(real, flags), "rb") as file:  # noqa: PTH123 - a descriptor has no path
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return None
        return file.read(INSTRUCTION_BYTES + 1)


def _unreadable(error: OSError) -> Refused:
    return Refused(f"cannot be read: {error.strerror}")
