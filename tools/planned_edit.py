"""An edit of one file worked out in memory: what was there, what shall be, and how to show it."""

from dataclasses import dataclass
from pathlib import Path

from cutaway.tools.base import ToolContext
from cutaway.tools.details import Detail, FileEdit
from cutaway.tools.errors import ToolError
from cutaway.tools.file_state import FileState
from cutaway.tools.find_file import open_file, unreadable
from cutaway.tools.text_file import TextFile, decode_file
from cutaway.tools.write_file import changed_meanwhile, create_file, replace_file

EDIT_LIMIT = 64 << 20
"""Bytes up to which a file is edited; it is held in memory several times over."""


@dataclass(frozen=True, slots=True)
class PlannedEdit:
    """New bytes for one file; `detail` holds the digests between which the edit leads."""

    path: Path
    content: bytes
    detail: FileEdit
    stale: bool = False
    """True when the file changed, elsewhere than in this edit, since the model last saw it."""
    echo: str = ""
    """Lines that the model should see because they are not exactly what it sent."""

    def write(self) -> None:
        """Make it so, unless the file is no longer what it was (ToolError, nothing changed)."""
        if self.detail.created:
            create_file(self.path, self.content, shown=self.detail.path)
        elif self.detail.before_digest != self.detail.after_digest:
            replace_file(
                self.path, self.content, before_digest=self.detail.before_digest, shown=self.detail.path
            )


def load_text(path: Path, shown: str) -> TextFile:
    """Read a file for editing; ToolError when it is not text or too large."""
    with open_file(path, shown) as stream:
        try:
            content = stream.read(EDIT_LIMIT + 1)
        except OSError as error:
            raise unreadable(shown, error) from error
    if len(content) > EDIT_LIMIT:
        raise ToolError(
            f"{shown} is larger than {EDIT_LIMIT >> 20} MB, too large to edit here. It was not changed. "
            "Use a terminal command such as sed."
        )
    return decode_file(content, shown)


def require_as_shown(detail: FileEdit, preview: Detail | None) -> None:
    """Refuse when the file is no longer what the user saw in the preview (ToolError)."""
    if isinstance(preview, FileEdit) and preview.before_digest != detail.before_digest:
        raise changed_meanwhile(detail.path)


def remember(planned: PlannedEdit, files: FileState) -> None:
    """Note what the model knows after an edit: all of the file, if it knew all of it before."""
    detail = planned.detail
    whole = detail.created or files.knows_whole(planned.path, detail.before_digest)
    files.saw(planned.path, detail.after_digest, whole=whole)


def is_open_to_view(path: Path, context: ToolContext) -> bool:
    """Tell whether an error about a failed preview may say what the file holds.

    A preview runs before anyone was asked: of a file outside the workspace that the model has not
    read, not even the failure of an edit may be told, for it tells what is not in there.
    """
    return context.workspace.contains(path) or context.files.has_seen(path)
