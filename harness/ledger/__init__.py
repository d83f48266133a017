"""The pure fold of the records into what the meter and the inspector show."""

from cutaway.harness.ledger.fold import Ledger
from cutaway.harness.ledger.views import (
    CallState,
    CallView,
    InteractionView,
    LoopStep,
    SideCallView,
    Spending,
    TurnView,
)

__all__ = [
    "CallState",
    "CallView",
    "InteractionView",
    "Ledger",
    "LoopStep",
    "SideCallView",
    "Spending",
    "TurnView",
]
