"""Which part of the screen learns of which event: the one place that has to know every event."""

from collections.abc import Iterable
from typing import Literal, assert_never

from cutaway.harness import events as e

Part = Literal["conversation", "calls", "meter", "status", "queue", "questions"]
Parts = frozenset[Part]

CONVERSATION: Parts = frozenset({"conversation"})
NOTHING: Parts = frozenset()


def parts_for(records: Iterable[e.Record]) -> Parts:
    """The parts that have to be drawn again after these records."""
    parts: set[Part] = set()
    for record in records:
        parts |= parts_of(record.event)
    return frozenset(parts)


def parts_of(event: e.Event) -> Parts:
    """The parts that an event concerns; an event of a later version concerns none."""
    if isinstance(event, e.UnknownEvent):
        return NOTHING
    if isinstance(event, e.TurnEvent):
        return _parts_of_turn(event)
    if isinstance(event, e.CallEvent):
        return _parts_of_call(event)
    if isinstance(event, e.ContextEvent):
        return frozenset({"conversation", "meter", "status"})
    return _parts_of_session(event)


def _parts_of_session(event: e.SessionEvent) -> Parts:
    match event:
        case e.SessionStarted() | e.ModelChanged():
            return frozenset({"conversation", "meter", "status"})
        case e.ModeChanged():
            return frozenset({"conversation", "status"})
        case e.SessionResumed() | e.SessionWarning() | e.SessionErrored() | e.TaskComplete() | e.Aborted():
            return CONVERSATION
        case e.SystemPart() | e.ToolsOffered() | e.InstructionsFound():
            return CONVERSATION
        case e.UserMessageSent():
            return frozenset({"conversation", "meter", "status"})
        case e.InteractionEnded() | e.SessionIdle():
            return frozenset({"conversation", "calls", "meter", "status", "questions"})
        case e.PendingMessages():
            return frozenset({"queue"})
        case _:
            assert_never(event)


def _parts_of_turn(event: e.TurnEvent) -> Parts:
    match event:
        case e.MessageDelta() | e.ReasoningDelta() | e.ToolCallDelta() | e.AnswerKept():
            return frozenset({"conversation", "status"})
        case e.AssistantAnswered():
            return frozenset({"conversation", "calls", "meter", "status"})
        case e.RetryScheduled() | e.CallFailed() | e.TurnEnded():
            return frozenset({"conversation", "meter", "status"})
        case e.TurnStarted() | e.ModelRequested() | e.ModelResponded() | e.UsageReported():
            return frozenset({"meter", "status"})
        case _:
            assert_never(event)


def _parts_of_call(event: e.CallEvent) -> Parts:
    match event:
        case e.PermissionRequested() | e.PermissionCompleted():
            return frozenset({"conversation", "calls", "meter", "status", "questions"})
        case e.LimitReached() | e.LimitDecided():
            return frozenset({"conversation", "meter", "status", "questions"})
        case e.ToolStarted() | e.ToolCompleted():
            return frozenset({"conversation", "calls", "meter", "status"})
        case e.ToolProgressed():
            return frozenset({"conversation", "calls"})
        case _:
            assert_never(event)
