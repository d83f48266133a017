"""Events of what the prompt is made of: its compaction, and that undone; the session's title."""

from typing import ClassVar, Literal

from cutaway.harness.events.base import EventBase

CompactionTrigger = Literal["user", "threshold", "too-long"]


class CompactionStarted(EventBase, frozen=True):
    """The conversation is about to be summarised; `tokens` is the prompt as it stands."""

    type: ClassVar[str] = "session.compaction_start"
    compaction_id: str
    trigger: CompactionTrigger
    tokens: int
    instructions: str = ""


class CompactionCompleted(EventBase, frozen=True):
    """The end of a compaction; when it succeeded, `summary` stands for the first `messages_replaced`.

    The messages are those of the prompt at that moment, so that an equal log gives an equal prompt.
    `cost` is USD text of the call that summarised, None when unknown. A failure changes nothing.
    """

    type: ClassVar[str] = "session.compaction_complete"
    compaction_id: str
    success: bool
    summary: str = ""
    messages_replaced: int = 0
    tokens_before: int = 0
    tokens_after: int = 0
    cost: str | None = None
    error: str = ""


class CompactionUndone(EventBase, frozen=True):
    """The messages that a compaction replaced are sent again, with what was said since behind them."""

    type: ClassVar[str] = "session.compaction_undone"
    compaction_id: str


class SystemReset(EventBase, frozen=True):
    """The system text and instruction files are read anew before the next message: the user asked for it."""

    type: ClassVar[str] = "system.reset"
    reason: str = ""


class TitleChanged(EventBase, frozen=True):
    """A name for the session, from a side call."""

    type: ClassVar[str] = "session.title_changed"
    title: str
