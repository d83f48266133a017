"""Where an interaction has to stop and ask: the tool-call limit, the budgets, a loop without progress."""

from dataclasses import dataclass
from decimal import Decimal
from typing import assert_never

from cutaway.harness import events as e
from cutaway.harness.answers import LimitAnswer
from cutaway.harness.budgets import Spent
from cutaway.harness.limits import autopilot_limit, next_limit
from cutaway.harness.messages import ToolCall
from cutaway.harness.seams import Seams, new_id
from cutaway.harness.usage import Usage

Ending = tuple[e.EndReason, str]
"""Why an interaction ends, in a word and a sentence."""


@dataclass(slots=True)
class Gate:
    """Counts the turns of one interaction and lets it go on, or not.

    A limit of L means exactly L turns. *Continue* adds nothing to the prompt.
    """

    seams: Seams
    interaction_id: str
    limit: int
    used: int = 0

    def begin_turn(self) -> str:
        """Count a turn and record its start; its id."""
        self.used += 1
        model = self.seams.model()
        priced = model.cost(Usage(fresh=1, output=1)) is not None
        if warning := self.seams.budgets.warning(model.name, priced):
            self.seams.emit(e.SessionWarning("budget", warning))
        turn_id = new_id()
        self.seams.emit(e.TurnStarted(turn_id, self.interaction_id, self.used, self.limit))
        return turn_id

    async def closed(self, pending: tuple[ToolCall, ...]) -> Ending | None:
        """Ask for what is used up; the end of the interaction when nobody lets it go on."""
        if self.used >= self.limit:
            await self._extend_turns(pending)
            if self.used >= self.limit:
                return "limit", f"The limit of {self.used} turns was reached and not extended."
        while (spent := self.seams.budgets.met(self.seams.ledger)) is not None:
            if not await self._extend_budget(spent, pending):
                return "budget", f"The budget was used up and not raised: {spent.words}."
        return None

    async def goes_round(self, rounds: int) -> Ending | None:
        """Ask whether a model that repeats itself may go on."""
        reached = self._reached("loop", (), used=str(rounds))
        answer = await self._ask(reached)
        if answer is not None and answer.choice != "stop":
            self._decide(reached, answer.choice, "user")
            return None
        self._decide(reached, "stop", "headless" if answer is None else "user")
        return "loop", f"The model made the same calls {rounds} times in a row with the same results."

    async def context_is_full(self, tokens: int, window: int | None) -> e.LimitChoice:
        """Ask whether to compact; where nobody can be asked it is done, since the work would end else."""
        reached = self._reached("context", (), used=str(tokens), most=str(window or ""))
        answer = await self._ask(reached)
        choice: e.LimitChoice = "continue" if answer is None else answer.choice
        self.seams.emit(
            e.LimitDecided(reached.request_id, choice, self.limit, "headless" if answer is None else "user")
        )
        return choice

    async def _extend_turns(self, pending: tuple[ToolCall, ...]) -> None:
        reached = self._reached("turns", pending)
        extended = autopilot_limit(self.limit) if self.seams.ledger.mode == "autopilot" else None
        if extended is not None:
            self.seams.emit(reached)
            self.limit = extended
            self._decide(reached, "continue", "autopilot")
            return
        answer = await self._ask(reached)
        if answer is None:
            self._decide(reached, "stop", "headless")
            return
        match answer.choice:
            case "stop" | "skip":
                pass
            case "autopilot" | "continue":
                self.limit = max(answer.limit or reached.next_limit, self.limit)
            case _:
                assert_never(answer.choice)
        self._decide(reached, answer.choice, "user")

    async def _extend_budget(self, spent: Spent, pending: tuple[ToolCall, ...]) -> bool:
        """Ask for a larger budget; a person's time for thinking is not counted against it."""
        budgets = self.seams.budgets
        following = max(budgets.next(spent.kind), spent.used * Decimal("1.1"))
        reached = self._reached(
            spent.kind, pending, used=str(spent.used), most=str(spent.most), next_most=str(following)
        )
        answer = await self._ask(reached)
        if answer is None or answer.choice == "stop":
            self._decide(reached, "stop", "headless" if answer is None else "user")
            return False
        most = max(answer.most or following, spent.used)
        budgets.raise_to(spent.kind, most)
        self._decide(reached, answer.choice, "user", new_most=str(most))
        return True

    def _reached(
        self,
        kind: e.LimitKind,
        pending: tuple[ToolCall, ...],
        *,
        used: str = "",
        most: str = "",
        next_most: str = "",
    ) -> e.LimitReached:
        ledger = self.seams.ledger
        spending = ledger.interaction.spending if ledger.interaction else ledger.spending
        return e.LimitReached(
            request_id=new_id(),
            interaction_id=self.interaction_id,
            limit=self.limit,
            next_limit=next_limit(self.limit),
            pending=pending,
            usage=spending.usage,
            cost=None if spending.cost is None else str(spending.cost),
            kind=kind,
            used=used,
            most=most,
            next_most=next_most,
        )

    async def _ask(self, reached: e.LimitReached) -> LimitAnswer | None:
        self.seams.emit(reached)
        with self.seams.budgets.asking():
            return await self.seams.ask.limit(reached)

    def _decide(
        self, reached: e.LimitReached, choice: e.LimitChoice, by: e.Decider, new_most: str = ""
    ) -> None:
        if choice == "autopilot":
            self.seams.emit(e.ModeChanged(self.seams.ledger.mode, "autopilot"))
        self.seams.emit(e.LimitDecided(reached.request_id, choice, self.limit, by, new_most))
