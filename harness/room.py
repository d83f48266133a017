"""Room in the model's window: see that the prompt fits, and what to do when it soon will not."""

from dataclasses import dataclass

from cutaway.harness import events as e
from cutaway.harness.compaction import compact
from cutaway.harness.errors import ContextTooLong
from cutaway.harness.gate import Ending, Gate
from cutaway.harness.messages import AssistantMessage
from cutaway.harness.model_call import call_model
from cutaway.harness.seams import Seams

AGAIN = 1.1
"""How much the prompt has to grow until a compaction that failed or was not wanted is thought of again."""


@dataclass(slots=True)
class Room:
    """Watches the prompt of one interaction; nothing is done where the window is not known."""

    gate: Gate
    quiet_until: float = 0.0

    async def make(self, seams: Seams) -> Ending | None:
        """Compact before a turn when the prompt nears the window; the end when the user stops there."""
        window, policy = seams.model().window, seams.compaction
        if window is None or policy.mode == "off":
            return None
        tokens = await context_tokens(seams)
        if tokens < policy.threshold * window or tokens < self.quiet_until:
            return None
        return await self._compact(seams, "threshold", tokens, window)

    async def answer(self, seams: Seams, turn_id: str) -> AssistantMessage:
        """Call the model; when the provider finds the prompt too long, compact and call once more."""
        try:
            return await call_model(seams, turn_id)
        except ContextTooLong as error:
            if seams.compaction.mode == "off":
                raise
            before = len(seams.conversation.compacted)
            tokens = error.sent or await context_tokens(seams)
            ending = await self._compact(seams, "too-long", tokens, error.limit or seams.model().window)
            if ending is not None or len(seams.conversation.compacted) == before:
                raise
        return await call_model(seams, turn_id)

    async def _compact(
        self, seams: Seams, trigger: e.CompactionTrigger, tokens: int, window: int | None
    ) -> Ending | None:
        if seams.compaction.mode == "ask":
            choice = await self.gate.context_is_full(tokens, window)
            if choice == "stop":
                return "context", "The conversation nears the end of the model's window and was stopped."
            if choice == "autopilot":
                seams.compaction.mode = "auto"
            if choice == "skip":
                self.quiet_until = tokens * AGAIN
                return None
        done = await compact(seams, trigger)
        left = await context_tokens(seams) if done else tokens
        self.quiet_until = left * AGAIN  # what does not get below the threshold is not tried every turn
        return None


async def context_tokens(seams: Seams) -> int:
    """How many tokens the next prompt has: our count, set right by what the provider last reported."""
    stable, sizes = await seams.builder.sizes(seams.conversation)
    counted = stable + sum(sizes)
    turn = seams.ledger.turn
    if turn is None or turn.response is None or turn.response.usage.estimated:
        return counted
    ours = sum(block.tokens for block in turn.blocks)
    return round(counted * turn.response.usage.input / ours) if ours else counted
