"""Events of hooks: which command was told what, and what it wanted."""

from typing import ClassVar

from cutaway.harness.events.base import EventBase


class HookStarted(EventBase, frozen=True):
    """A command of the user's is told of something; `input` is the JSON text on its stdin."""

    type: ClassVar[str] = "hook.start"
    hook_invocation_id: str
    hook_type: str
    command: str
    input: str


class HookEnded(EventBase, frozen=True):
    """What the command wanted: reasons to block, text for the model, a word on a permission.

    `success` is false when it could not be run to its end or ended with a code that is neither 0 nor 2.
    """

    type: ClassVar[str] = "hook.end"
    hook_invocation_id: str
    success: bool
    exit_code: int
    ran_ms: float
    blocked: tuple[str, ...] = ()
    context: tuple[str, ...] = ()
    permission: str = ""
    warnings: tuple[str, ...] = ()
    changed_input: bool = False
