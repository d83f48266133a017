"""Events of a session as a whole, and of what joins its prompt."""

from typing import ClassVar, Literal

from msgspec import Struct

from cutaway.harness.events.base import EventBase, Mode
from cutaway.harness.messages import Note


class SessionStarted(EventBase, frozen=True):
    type: ClassVar[str] = "session.start"
    session_id: str
    version: str
    cwd: str
    provider: str
    model: str
    mode: Mode
    limit: int
    start_time: str
    context_window: int | None = None


class SessionResumed(EventBase, frozen=True):
    """A process took the log up again; `closed_calls` are those that it had to answer as interrupted."""

    type: ClassVar[str] = "session.resume"
    resume_time: str
    event_count: int
    version: str
    closed_calls: tuple[str, ...] = ()
    skipped_lines: int = 0


class SessionWarning(EventBase, frozen=True):
    """Something that the user should know and that did not stop the work."""

    type: ClassVar[str] = "session.warning"
    warning_type: str
    message: str


class SessionErrored(EventBase, frozen=True):
    """What ended an interaction early; `message` names the thing, the cause and the next step."""

    type: ClassVar[str] = "session.error"
    error_type: str
    message: str
    status_code: int | None = None
    provider_call_id: str = ""


class SessionIdle(EventBase, frozen=True):
    """Always the last event of an interaction."""

    type: ClassVar[str] = "session.idle"
    ephemeral: ClassVar[bool] = True
    aborted: bool = False


EndReason = Literal[
    "answered", "task-complete", "limit", "budget", "loop", "hook", "context", "interrupted", "error"
]


class InteractionEnded(EventBase, frozen=True):
    """Why the loop stopped, in one word and one sentence; persisted, just before `session.idle`."""

    type: ClassVar[str] = "interaction.end"
    interaction_id: str
    reason: EndReason
    explanation: str
    turns: int


class ModeChanged(EventBase, frozen=True):
    type: ClassVar[str] = "session.mode_changed"
    previous_mode: Mode
    new_mode: Mode


class ModelChanged(EventBase, frozen=True):
    type: ClassVar[str] = "session.model_change"
    previous_model: str
    new_model: str
    provider: str
    context_window: int | None = None
    effort: str = ""


class TaskComplete(EventBase, frozen=True):
    """The model's own call of `task_complete`, valid and executed."""

    type: ClassVar[str] = "session.task_complete"
    summary: str = ""


class Aborted(EventBase, frozen=True):
    type: ClassVar[str] = "abort"
    reason: str


class SystemPart(EventBase, frozen=True):
    """One part of the stable prompt, in wire order; written once, sent again unchanged."""

    type: ClassVar[str] = "system.message"
    origin: Literal["system", "instructions", "workspace"]
    name: str
    content: str
    tokens: int


class ToolDefinition(Struct, frozen=True, rename="camel"):
    """A tool as the model is told of it; `input_schema` is JSON text, frozen when first offered."""

    name: str
    description: str
    input_schema: str
    tokens: int = 0


class ToolsOffered(EventBase, frozen=True):
    """Tools that joined the prompt: all at the first turn, late ones after those already there."""

    type: ClassVar[str] = "tools.offered"
    tools: tuple[ToolDefinition, ...]


class InstructionsFound(EventBase, frozen=True):
    """An instruction file and what became of it (`reason` says why, also when it was skipped)."""

    type: ClassVar[str] = "instructions.found"
    path: str
    used: bool
    reason: str
    tokens: int = 0


MessageCause = Literal["cut", "empty", "nudge", "stop-hook", "loop", "budget"]


class UserMessageSent(EventBase, frozen=True):
    """A message that joins the prompt; `source` tells whether a person typed it.

    `cause` says why the harness wrote one that nobody typed.
    """

    type: ClassVar[str] = "user.message"
    interaction_id: str
    content: str
    notes: tuple[Note, ...] = ()
    source: Literal["user", "harness"] = "user"
    delivery: Literal["start", "steer", "queued"] = "start"
    cause: MessageCause | None = None


Delivery = Literal["now", "after-tools", "after-interaction"]


class PendingMessages(EventBase, frozen=True):
    """What waits in the queue lane now, oldest first; kept, so that a crash loses no message.

    `deliveries` says of each when it goes out; those that it does not reach go after the interaction.
    """

    type: ClassVar[str] = "pending_messages.modified"
    messages: tuple[str, ...]
    deliveries: tuple[Delivery, ...] = ()
