"""What a session that is taken up again has to know of the world beside its log."""

from pathlib import Path

from cutaway.harness.ledger import Ledger
from cutaway.tools.details import FileEdit, FileRead
from cutaway.tools.file_state import FileState
from cutaway.tools.paths import Workspace


def recall_files(ledger: Ledger, workspace: Workspace) -> FileState:
    """Rebuild what the model has seen of each file from the results in the log."""
    files = FileState()
    for call in ledger.calls.values():
        detail = call.completed.detail if call.completed else None
        match detail:
            case FileRead():
                files.saw(workspace.resolve(detail.path), detail.digest, whole=detail.whole)
            case FileEdit():
                _recall_edit(files, workspace.resolve(detail.path), detail)
            case _:
                pass
    return files


def _recall_edit(files: FileState, path: Path, edit: FileEdit) -> None:
    """An agent's own edit leaves the file known, and known as a whole if it was so before."""
    whole = edit.created or files.knows_whole(path, edit.before_digest)
    files.saw(path, edit.after_digest, whole=whole)
