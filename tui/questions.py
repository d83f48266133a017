"""The questions of the harness, brought to the dock and taken away as the ledger has them."""

from collections.abc import Sequence

from cutaway.harness.events import LimitReached
from cutaway.harness.ledger import Ledger, TurnView
from cutaway.harness.messages import ToolCall
from cutaway.tui.widgets.approval import ApprovalWidget
from cutaway.tui.widgets.ask import AskDock
from cutaway.tui.widgets.limit import bound_question
from cutaway.tui.widgets.limit_words import BoundFacts

LONGEST_ROUND = 3
"""Turns of which the harness lets a round consist."""

KEPT_OF_A_PROMPT = 10
"""A compaction leaves about this part of a prompt at its end, and a short summary: for the forecast."""


class Questions:
    """Keeps the dock equal to what is open; a question that was closed elsewhere goes by itself."""

    def __init__(self, dock: AskDock) -> None:
        self._dock = dock
        self._docked: set[str] = set()

    def show(self, ledger: Ledger) -> None:
        """Dock what is newly asked, and drop what is no longer open."""
        limit = ledger.limit_asked
        asked = {*ledger.asking, *([limit.request_id] if limit is not None else [])}
        for request_id in self._docked - asked:
            self._dock.drop(request_id)
        for request_id, request in ledger.asking.items():
            if request_id not in self._docked:
                call = ledger.calls.get(request.tool_call_id)
                self._dock.ask(ApprovalWidget(request, call.arguments if call is not None else ""))
        if limit is not None and limit.request_id not in self._docked:
            self._dock.ask(bound_question(limit, bound_facts(limit, ledger)))
        self._docked = asked


def bound_facts(reached: LimitReached, ledger: Ledger) -> BoundFacts:
    """What the question at a bound says beside its event."""
    turns = ledger.interaction.turns if ledger.interaction is not None else []
    match reached.kind:
        case "loop":
            return BoundFacts(len(turns), repeated(turns))
        case "context":
            tag = ledger.cache.price_of_compaction(int(reached.used) // KEPT_OF_A_PROMPT)
            return BoundFacts(len(turns), compacting=tag.once)
        case _:
            return BoundFacts(len(turns))


def repeated(turns: Sequence[TurnView]) -> tuple[ToolCall, ...]:
    """The calls of the shortest round of turns that ends the list and came before it as well."""
    made = [[(call.name, call.arguments) for call in turn.calls] for turn in turns]
    for length in range(1, LONGEST_ROUND + 1):
        if len(made) >= 2 * length and made[-length:] == made[-2 * length : -length]:
            return tuple(
                ToolCall(call.id, call.name, call.arguments)
                for turn in turns[-length:]
                for call in turn.calls
            )
    return ()
