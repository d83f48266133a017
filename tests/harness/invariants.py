"""What must hold of every log, however its interactions ended: lifecycles have one start and one end."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence

from cutaway.harness import events as e
from cutaway.harness.events import Event, Record
from cutaway.harness.history import Conversation
from cutaway.harness.providers.base import Request
from cutaway.harness.providers.dialects import SCRIPTED
from cutaway.harness.providers.openai_chat import encode_chat
from tests.servers.strict import fault_of


def check_log(records: Sequence[Record]) -> None:
    """Every start has exactly one end, in that order, and the history is one that a strict server takes."""
    events = [record.event for record in records if not isinstance(record.event, e.UnknownEvent)]
    interactions = dict.fromkeys(_of(events, e.UserMessageSent, "interaction_id"))
    _paired(list(interactions), _of(events, e.InteractionEnded, "interaction_id"))
    _paired(_of(events, e.TurnStarted, "turn_id"), _of(events, e.TurnEnded, "turn_id"))
    ended = [event.request_id for event in events if isinstance(event, e.ModelResponded | e.CallFailed)]
    _paired(_of(events, e.ModelRequested, "request_id"), ended)
    questions = _of(events, e.PermissionRequested, "request_id")
    _paired(questions, _of(events, e.PermissionCompleted, "request_id"))
    _paired(_of(events, e.HookStarted, "hook_invocation_id"), _of(events, e.HookEnded, "hook_invocation_id"))
    compactions = _of(events, e.CompactionStarted, "compaction_id")
    _paired(compactions, _of(events, e.CompactionCompleted, "compaction_id"))
    _paired(_of(events, e.LimitReached, "request_id"), _of(events, e.LimitDecided, "request_id"))
    answers = [event for event in events if isinstance(event, e.AssistantAnswered)]
    results = [event for event in events if isinstance(event, e.ToolCompleted) and not event.by_user]
    given = [result.tool_call_id for result in results]
    _paired([call.id for answer in answers for call in answer.tool_requests], given)
    started = _of(events, e.ToolStarted, "tool_call_id")
    assert set(started) <= set(given) and len(set(started)) == len(started), "a call was run twice"
    _check_order(events)
    _check_history(events)


def _of(events: Iterable[Event], kind: type[Event], name: str) -> list[str]:
    return [getattr(event, name) for event in events if isinstance(event, kind)]


def _paired(starts: list[str], ends: list[str]) -> None:
    assert len(set(starts)) == len(starts), f"started twice: {Counter(starts).most_common(2)}"
    assert Counter(starts) == Counter(ends), f"starts {starts} and ends {ends}"


def _check_order(events: Sequence[Event]) -> None:
    """Nothing of an interaction comes after its end, and nothing of a turn after its own."""
    turn = interaction = ""
    for event in events:
        match event:
            case e.UserMessageSent():
                assert interaction in ("", event.interaction_id), "a message in a foreign interaction"
                interaction = event.interaction_id
            case e.InteractionEnded():
                assert turn == "" and interaction == event.interaction_id
                interaction = ""
            case e.TurnStarted():
                assert turn == "" and interaction == event.interaction_id
                turn = event.turn_id
            case e.TurnEnded():
                assert turn == event.turn_id
                turn = ""
            case e.ModelRequested() | e.ModelResponded() | e.CallFailed() if not event.turn_id:
                pass  # a side call may run beside a turn
            case e.ModelRequested() | e.AssistantAnswered() | e.ModelResponded() | e.CallFailed():
                assert turn == event.turn_id
            case e.ToolStarted() | e.ToolCompleted() if not getattr(event, "by_user", False):
                assert turn == event.turn_id
            case _:
                pass


def _check_history(events: Sequence[Event]) -> None:
    conversation = Conversation()
    for event in events:
        conversation.fold(event)
    assert not conversation.open_calls
    request = Request(
        "m",
        tuple(conversation.tools),
        tuple(part.content for part in conversation.parts),
        tuple(conversation.messages),
    )
    if request.messages:
        assert fault_of(json.loads(encode_chat(request, SCRIPTED, SCRIPTED.name))) is None
