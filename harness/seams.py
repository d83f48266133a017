"""What the loop is given: everything it reaches is passed in, so a test can pass something else."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Protocol

from cutaway.harness.answers import LimitAnswer, PermissionAnswer
from cutaway.harness.budgets import Budgets
from cutaway.harness.clock import Clock
from cutaway.harness.eventlog.bodies import BodyTape
from cutaway.harness.events import Event, LimitReached, PermissionRequested, Record
from cutaway.harness.history import Conversation
from cutaway.harness.hooks.runner import Hooks
from cutaway.harness.lane import Lane
from cutaway.harness.ledger import Ledger
from cutaway.harness.permissions.rules import Rules
from cutaway.harness.prompt.builder import PromptBuilder
from cutaway.harness.prompt.tokens import TokenCounter
from cutaway.harness.providers.base import Params, Provider
from cutaway.harness.registry import Registry
from cutaway.harness.settings import CacheStrategy, CacheTtl, Compaction
from cutaway.harness.usage import Price, Usage, cost_of
from cutaway.tools.base import WorkspaceFacts
from cutaway.tools.file_state import FileState
from cutaway.tools.paths import Workspace


@dataclass(frozen=True, slots=True)
class Caching:
    """Where to ask for a cache, and for how long."""

    strategy: CacheStrategy = "stable"
    ttl: CacheTtl = "5m"


@dataclass(slots=True)
class CompactionPolicy:
    """When to compact: `off`, `ask`, or `auto` from `threshold` (0 to 1) of the model's window on."""

    mode: Compaction = "ask"
    threshold: float = 0.8


class Asker(Protocol):
    """Who answers the questions: the screen, or the command line in its place.

    Both may wait as long as a person takes, are cancelled with the interaction, and return None when
    there is nobody to ask.
    """

    async def permission(self, request: PermissionRequested) -> PermissionAnswer | None: ...
    async def limit(self, reached: LimitReached) -> LimitAnswer | None: ...


@dataclass(frozen=True, slots=True)
class Model:
    """The model in use: how it is reached, what it costs and how much it takes in (None: not known)."""

    provider: Provider
    name: str
    price: Price | None = None
    window: int | None = None
    params: Params = field(default_factory=Params)

    def cost(self, usage: Usage) -> str | None:
        """Price a call at today's rate, as USD text; None when it is not known."""
        cost: Decimal | None = cost_of(usage, self.price)
        return None if cost is None else format(cost.normalize(), "f")


@dataclass(frozen=True, slots=True)
class Seams:
    """Passed to every function of the loop.

    `emit` records an event and folds it into `conversation` and `ledger` before it returns. `sync`
    makes the log durable. `facts` looks at the workspace anew. `lane` holds the messages that wait,
    `hooks` the user's own commands, `budgets` what may be used. Setting `wake` ends a wait before a retry.
    """

    emit: Callable[[Event], Record]
    sync: Callable[[], Awaitable[None]]
    model: Callable[[], Model]
    clock: Clock
    ask: Asker
    conversation: Conversation
    ledger: Ledger
    builder: PromptBuilder
    counter: TokenCounter
    tape: BodyTape
    registry: Registry
    rules: Rules
    workspace: Workspace
    files: FileState
    facts: Callable[[], WorkspaceFacts]
    spill: str
    lane: Lane
    hooks: Hooks
    budgets: Budgets
    compaction: CompactionPolicy
    caching: Caching
    session_id: str
    wake: asyncio.Event


def new_id() -> str:
    """A name that no other thing has."""
    return uuid.uuid4().hex[:12]
