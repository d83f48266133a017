"""Take a log up again: what a dead process left open is closed once, by appending."""

from collections.abc import Callable
from pathlib import Path

from cutaway.harness import events as e
from cutaway.harness.history import Conversation
from cutaway.harness.ledger import Ledger
from cutaway.harness.prompt.tokens import BYTES_PER_TOKEN
from cutaway.harness.usage import Usage
from cutaway.tools.details import FileEdit, FileRead
from cutaway.tools.file_state import FileState
from cutaway.tools.paths import Workspace

ENDED = "cutaway ended before this was finished."
INTERRUPTED = (
    "Error: interrupted, because the program ended before this call was finished. It may have had a part "
    "of its effects and was not run again; look before you try it."
)

Emit = Callable[[e.Event], object]


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


def close_after_crash(emit: Emit, conversation: Conversation, ledger: Ledger) -> None:
    """Append the missing ends of everything that a dead process left open."""
    for asked in list(ledger.asking.values()):
        emit(e.PermissionCompleted(asked.request_id, asked.tool_call_id, "cancelled"))
    if limit := ledger.limit_asked:
        emit(e.LimitDecided(limit.request_id, "stop", limit.limit, "interrupt"))
    _close_model_call(emit, ledger)
    for call in conversation.open_calls:
        turn_id = ledger.calls[call.id].turn_id
        emit(e.ToolCompleted(call.id, turn_id, call.name, "interrupted", INTERRUPTED))
    turn, interaction = ledger.turn, ledger.interaction
    if turn is not None and turn.ended_at is None:
        emit(e.TurnEnded(turn.id, ENDED))
    if interaction is not None and interaction.ended is None:
        emit(e.InteractionEnded(interaction.id, "interrupted", ENDED, len(interaction.turns)))


def _close_model_call(emit: Emit, ledger: Ledger) -> None:
    """A request without an answer may have been paid for: an estimate, never nothing."""
    turn = ledger.turn
    if turn is None or turn.request is None or turn.response is not None or turn.failure is not None:
        return
    said = round(len(turn.text.encode()) / BYTES_PER_TOKEN)
    usage = Usage(fresh=sum(block.tokens for block in turn.blocks), output=said, estimated=True)
    emit(e.CallFailed(turn.request.request_id, turn.id, "ProcessEnded", ENDED, None, usage, None))
