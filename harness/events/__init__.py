"""What happened, as frozen values; the event log is nothing but these in their envelopes.

Names and fields follow the Copilot CLI's log where one fits. Ephemeral events are shown live and
never written. Lifecycles come in threes, and each start has exactly one end.
"""

from typing import Any, get_args

from msgspec import Struct

from cutaway.harness.events.base import (
    EventBase,
    Mode,
)
from cutaway.harness.events.calls import (
    CallOutcome,
    Decider,
    LimitChoice,
    LimitDecided,
    LimitKind,
    LimitReached,
    PermissionCompleted,
    PermissionKind,
    PermissionRequested,
    ToolCompleted,
    ToolProgressed,
    ToolStarted,
)
from cutaway.harness.events.context import (
    CompactionCompleted,
    CompactionStarted,
    CompactionTrigger,
    CompactionUndone,
    SystemReset,
    TitleChanged,
)
from cutaway.harness.events.hooks import HookEnded, HookStarted
from cutaway.harness.events.session import (
    Aborted,
    Delivery,
    EndReason,
    InstructionsFound,
    InteractionEnded,
    MessageCause,
    ModeChanged,
    ModelChanged,
    PendingMessages,
    SessionErrored,
    SessionIdle,
    SessionResumed,
    SessionStarted,
    SessionWarning,
    SystemPart,
    TaskComplete,
    ToolDefinition,
    ToolsOffered,
    UserMessageSent,
)
from cutaway.harness.events.turn import (
    AnswerKept,
    AssistantAnswered,
    CallFailed,
    MessageDelta,
    ModelRequested,
    ModelResponded,
    Purpose,
    ReasoningDelta,
    RetryScheduled,
    Timings,
    ToolCallDelta,
    TurnEnded,
    TurnStarted,
    UsageReported,
)

__all__ = [
    "EVENT_TYPES",
    "Aborted",
    "AnswerKept",
    "AssistantAnswered",
    "CallEvent",
    "CallFailed",
    "CallOutcome",
    "CompactionCompleted",
    "CompactionStarted",
    "CompactionTrigger",
    "CompactionUndone",
    "ContextEvent",
    "Decider",
    "Delivery",
    "EndReason",
    "Event",
    "EventBase",
    "HookEnded",
    "HookStarted",
    "InTurnEvent",
    "InstructionsFound",
    "InteractionEnded",
    "KnownEvent",
    "LimitChoice",
    "LimitDecided",
    "LimitKind",
    "LimitReached",
    "MessageCause",
    "MessageDelta",
    "Mode",
    "ModeChanged",
    "ModelChanged",
    "ModelRequested",
    "ModelResponded",
    "PendingMessages",
    "PermissionCompleted",
    "PermissionKind",
    "PermissionRequested",
    "Purpose",
    "ReasoningDelta",
    "Record",
    "RetryScheduled",
    "SessionErrored",
    "SessionEvent",
    "SessionIdle",
    "SessionResumed",
    "SessionStarted",
    "SessionWarning",
    "SystemPart",
    "SystemReset",
    "TaskComplete",
    "Timings",
    "TitleChanged",
    "ToolCallDelta",
    "ToolCompleted",
    "ToolDefinition",
    "ToolProgressed",
    "ToolStarted",
    "ToolsOffered",
    "TurnEnded",
    "TurnEvent",
    "TurnStarted",
    "UnknownEvent",
    "UsageReported",
    "UserMessageSent",
]


class UnknownEvent(Struct, frozen=True):
    """An event of a type that this version does not know; kept as it is, `data` is JSON bytes."""

    type: str
    data: bytes


SessionEvent = (
    SessionStarted
    | SessionResumed
    | SessionWarning
    | SessionErrored
    | SessionIdle
    | InteractionEnded
    | ModeChanged
    | ModelChanged
    | TaskComplete
    | Aborted
    | SystemPart
    | ToolsOffered
    | InstructionsFound
    | UserMessageSent
    | PendingMessages
)
ContextEvent = (
    CompactionStarted
    | CompactionCompleted
    | CompactionUndone
    | SystemReset
    | TitleChanged
    | HookStarted
    | HookEnded
)
InTurnEvent = (
    ModelRequested
    | CallFailed
    | MessageDelta
    | ReasoningDelta
    | ToolCallDelta
    | AnswerKept
    | AssistantAnswered
    | ModelResponded
    | TurnEnded
)
TurnEvent = TurnStarted | RetryScheduled | UsageReported | InTurnEvent
CallEvent = (
    PermissionRequested
    | PermissionCompleted
    | ToolStarted
    | ToolProgressed
    | ToolCompleted
    | LimitReached
    | LimitDecided
)
KnownEvent = SessionEvent | ContextEvent | TurnEvent | CallEvent
Event = KnownEvent | UnknownEvent

EVENT_TYPES: dict[str, type[Any]] = {event.type: event for event in get_args(KnownEvent)}


class Record(Struct, frozen=True, rename="camel"):
    """An event in its envelope; `timestamp` is UTC in ISO 8601 with milliseconds."""

    id: str
    parent_id: str | None
    timestamp: str
    event: Event
    agent_id: str | None = None
