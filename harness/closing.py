"""Every start gets its one end: close what was open when something stopped, by appending."""

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from cutaway.harness import events as e
from cutaway.harness.blocks import Block
from cutaway.harness.history import Conversation
from cutaway.harness.ledger import CallView, Ledger
from cutaway.harness.prompt.tokens import BYTES_PER_TOKEN
from cutaway.harness.usage import Usage

Emit = Callable[[e.Event], object]


class Stop(Struct, frozen=True):
    """What stopped it: a word for the model call, a sentence for people, and one for the model.

    `result` becomes the result of every call that has none.
    """

    kind: str
    why: str
    result: str


INTERRUPTED = Stop(
    "Interrupted",
    "You interrupted it.",
    "Error: interrupted by the user before it finished. It may have had a part of its effects; "
    "look before you try it again.",
)
PROCESS_ENDED = Stop(
    "ProcessEnded",
    "cutaway ended before this was finished.",
    "Error: interrupted, because the program ended before this call was finished. It may have had a part "
    "of its effects and was not run again; look before you try it.",
)
NEVER_BEGUN = "Error: not run. It was interrupted before this call began, so nothing was done."

OUTPUT_TOLD = 4000
"""Characters of a stopped command's output that the model is told: enough to see how far it came."""

FAULT_RESULT = (
    "Error: this call has no result, because the program that runs your tools failed. It may have had a "
    "part of its effects; look before you try it again."
)


def close_turn_parts(emit: Emit, conversation: Conversation, ledger: Ledger, stop: Stop) -> None:
    """End what a turn has open: questions, the model call, tool calls; the turn itself stays open."""
    for asked in list(ledger.asking.values()):
        emit(e.PermissionCompleted(asked.request_id, asked.tool_call_id, "cancelled"))
    if limit := ledger.limit_asked:
        emit(e.LimitDecided(limit.request_id, "stop", limit.limit, "interrupt"))
    _close_model_call(emit, ledger, stop)
    close_calls(emit, conversation, ledger, "interrupted", stop.result)


def close_calls(
    emit: Emit, conversation: Conversation, ledger: Ledger, outcome: e.CallOutcome, text: str
) -> None:
    """Give every call that has no result this one, so that the history stays valid.

    One that had not begun is said to have done nothing; one that had keeps what it wrote so far.
    """
    for call in conversation.open_calls:
        view = ledger.calls[call.id]
        said = _what_became_of(view, text) if outcome == "interrupted" else text
        emit(e.ToolCompleted(call.id, view.turn_id, call.name, outcome, said))


def _what_became_of(view: CallView, text: str) -> str:
    if view.started_at is None:
        return NEVER_BEGUN
    return f"{text}\nIts output until then ends with:\n{view.output[-OUTPUT_TOLD:]}" if view.output else text


def close_all(emit: Emit, conversation: Conversation, ledger: Ledger, stop: Stop) -> None:
    """End also the turn and the interaction, as a process does that finds them open in a log."""
    _close_beside(emit, ledger, stop)
    close_turn_parts(emit, conversation, ledger, stop)
    turn, interaction = ledger.turn, ledger.interaction
    if turn is not None and turn.ended_at is None:
        emit(e.TurnEnded(turn.id, stop.why))
    if interaction is not None and interaction.ended is None:
        emit(e.InteractionEnded(interaction.id, "interrupted", stop.why, len(interaction.turns)))


def _close_beside(emit: Emit, ledger: Ledger, stop: Stop) -> None:
    """End what runs beside the turns: hooks, side calls, a compaction that stays without effect."""
    for hook in list(ledger.hooks_running):
        emit(e.HookEnded(hook, success=False, exit_code=-1, ran_ms=0.0, warnings=(stop.why,)))
    for call in ledger.side_calls:
        if call.response is None and call.failure is None:
            usage = _estimate(call.request, call.row, "")
            request_id = call.request.request_id
            emit(e.CallFailed(request_id, "", stop.kind, stop.why, None, usage, None))
    if (begun := ledger.compacting) is not None:
        emit(e.CompactionCompleted(begun.compaction_id, False, tokens_before=begun.tokens, error=stop.why))


def _close_model_call(emit: Emit, ledger: Ledger, stop: Stop) -> None:
    """A request without an answer may have been paid for: an estimate, never nothing."""
    turn = ledger.turn
    if turn is None or turn.request is None or turn.response is not None or turn.failure is not None:
        return
    if turn.text:
        emit(e.AssistantAnswered(turn.id, turn.text, cut=True))
    usage = _estimate(turn.request, turn.blocks, turn.text)
    emit(e.CallFailed(turn.request.request_id, turn.id, stop.kind, stop.why, None, usage, None))


def _estimate(request: e.ModelRequested, row: Sequence[Block], text: str) -> Usage:
    """What a request was expected to use, or what we count where nothing was predicted."""
    usage = Usage(fresh=sum(block.tokens for block in row))
    if request.prediction is not None:
        usage = request.prediction.usage
    return replace(usage, output=round(len(text.encode()) / BYTES_PER_TOKEN), estimated=True)
