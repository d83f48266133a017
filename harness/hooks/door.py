"""Let the user's hooks see a waiting message before the model does, whatever happens to it meanwhile."""

from dataclasses import dataclass

from cutaway.harness.events import Delivery
from cutaway.harness.hooks.outcome import HookOutcome
from cutaway.harness.hooks.runner import Hooks
from cutaway.harness.lane import Lane


@dataclass(frozen=True, slots=True)
class Heard:
    """A message that was taken out of the lane, and what the hooks said to exactly this text."""

    text: str
    outcome: HookOutcome

    @property
    def refused(self) -> str:
        """Why it goes no further; '' when it does."""
        return self.outcome.abort or "; ".join(self.outcome.blocked)


async def next_heard(hooks: Hooks, lane: Lane, *deliveries: Delivery) -> Heard | None:
    """Take out the next message that waits for one of these moments (any, when none are named).

    A message that was taken back or changed while a hook looked at it is not sent: the one that is
    next then is shown to the hooks in its place. None when nothing waits (any more).
    """
    while (text := lane.next_text(*deliveries)) is not None:
        outcome = HookOutcome()
        if hooks.listens("UserPromptSubmit"):
            outcome = await hooks.run("UserPromptSubmit", {"prompt": text})
        if lane.take(text):
            return Heard(text, outcome)
    return None
