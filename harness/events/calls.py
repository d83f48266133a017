"""Events of tool calls: who let them, how they went, and when the limit stopped them."""

from typing import ClassVar, Literal

from cutaway.harness.events.base import EventBase
from cutaway.harness.messages import ToolCall
from cutaway.harness.usage import Usage
from cutaway.tools.base import Access
from cutaway.tools.details import Detail, Progress


class PermissionRequested(EventBase, frozen=True):
    """A question to the user; `always` is the rule that "always for this session" would add.

    `rule` names the rule or mode that made the harness ask; '' in logs that do not hold it.
    """

    type: ClassVar[str] = "permission.requested"
    request_id: str
    tool_call_id: str
    tool_name: str
    access: Access
    reason: str
    preview: Detail | None = None
    always: str = ""
    rule: str = ""


PermissionKind = Literal["approved", "approved-for-session", "denied-by-user", "denied-no-user", "cancelled"]


class PermissionCompleted(EventBase, frozen=True):
    type: ClassVar[str] = "permission.completed"
    request_id: str
    tool_call_id: str
    kind: PermissionKind
    feedback: str = ""
    rule: str = ""
    waited_ms: float = 0.0


class ToolStarted(EventBase, frozen=True):
    """A call that runs now; `decided_by` names the rule, mode or person that let it."""

    type: ClassVar[str] = "tool.execution_start"
    tool_call_id: str
    turn_id: str
    tool_name: str
    arguments: str
    decided_by: str


class ToolProgressed(EventBase, frozen=True):
    type: ClassVar[str] = "tool.execution_progress"
    ephemeral: ClassVar[bool] = True
    tool_call_id: str
    progress: Progress


CallOutcome = Literal["done", "failed", "invalid", "refused", "interrupted", "not-run"]


class ToolCompleted(EventBase, frozen=True):
    """The one result of a call, whether or not it ran; `text` is what the model reads."""

    type: ClassVar[str] = "tool.execution_complete"
    tool_call_id: str
    turn_id: str
    tool_name: str
    outcome: CallOutcome
    text: str
    detail: Detail | None = None
    ran_ms: float = 0.0
    by_user: bool = False
    """True when a key on the screen ran it again: shown, and not a part of the prompt."""

    @property
    def success(self) -> bool:
        return self.outcome == "done"


LimitKind = Literal["turns", "cost", "tokens", "minutes", "loop", "context"]


class LimitReached(EventBase, frozen=True):
    """A bound is met and somebody has to say whether to go on; `cost` is USD text of this interaction.

    `kind` says which bound: `limit` and `next_limit` are turns in every case. Of a budget `used`, `most`
    and `next_most` are decimal texts in its unit (USD, tokens, minutes); of a loop `used` is the number
    of equal rounds; of a full context `used` and `most` are tokens, *continue* compacts, *skip* does not.
    """

    type: ClassVar[str] = "tool_limit.reached"
    request_id: str
    interaction_id: str
    limit: int
    next_limit: int
    pending: tuple[ToolCall, ...]
    usage: Usage
    cost: str | None
    kind: LimitKind = "turns"
    used: str = ""
    most: str = ""
    next_most: str = ""


LimitChoice = Literal["continue", "autopilot", "stop", "skip"]


Decider = Literal["user", "autopilot", "headless", "interrupt"]


class LimitDecided(EventBase, frozen=True):
    type: ClassVar[str] = "tool_limit.decided"
    request_id: str
    choice: LimitChoice
    new_limit: int
    by: Decider
    new_most: str = ""
    """The new budget in its unit, where the bound was one."""
