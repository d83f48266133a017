"""What the fold holds of a call, a turn and an interaction; the screen reads these and computes nothing."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Literal

from cutaway.harness.blocks import Block
from cutaway.harness.cache.prices import Savings
from cutaway.harness.events import (
    AnswerKept,
    CallFailed,
    InteractionEnded,
    ModelRequested,
    ModelResponded,
    PermissionCompleted,
    PermissionRequested,
    RetryScheduled,
    ToolCompleted,
)
from cutaway.harness.messages import Note
from cutaway.harness.usage import Usage
from cutaway.tools.details import Detail, TestProgress

CallState = Literal[
    "proposed",
    "asking",
    "queued",
    "running",
    "done",
    "failed",
    "invalid",
    "refused",
    "interrupted",
    "not-run",
]
LoopStep = Literal["idle", "build", "call", "retry", "tools?", "asking", "execute", "limit"]

OUTPUT_KEPT = 64 * 1024
"""Characters of a running call's output that the fold keeps for the live view; the end is kept."""


@dataclass(slots=True)
class Spending:
    """Tokens and USD summed over calls; `unpriced` counts calls whose price is not known."""

    usage: Usage = field(default_factory=Usage)
    known_cost: Decimal = Decimal(0)
    calls: int = 0
    unpriced: int = 0

    def add(self, usage: Usage, cost: str | None) -> None:
        """Charge one call; an unknown cost stays unknown and is counted."""
        self.usage += usage
        self.calls += 1
        if cost is None:
            self.unpriced += 1
        else:
            self.known_cost += Decimal(cost)

    @property
    def cost(self) -> Decimal | None:
        """All money, or None as soon as one call has no known price."""
        return None if self.unpriced else self.known_cost

    @property
    def hit_rate(self) -> float | None:
        """Share of the sent tokens that the provider read from its cache; None before the first call."""
        return self.usage.cache_read / self.usage.input if self.usage.input else None


@dataclass(slots=True)
class CallView:
    """One tool call, from the model's words to its result."""

    id: str
    turn_id: str
    name: str
    arguments: str
    proposed_at: datetime
    state: CallState = "proposed"
    asked: PermissionRequested | None = None
    decided: PermissionCompleted | None = None
    decided_by: str = ""
    started_at: datetime | None = None
    completed: ToolCompleted | None = None
    output: str = ""
    tests: TestProgress | None = None
    progress_note: str = ""
    rerun: ToolCompleted | None = None
    """The newest result of the user's own re-run, which the model has not seen."""

    @property
    def detail(self) -> Detail | None:
        """The newest structure to show: of the re-run, the result, or the preview that was asked about."""
        for source in (self.rerun, self.completed):
            if source is not None and source.detail is not None:
                return source.detail
        return self.asked.preview if self.asked else None

    @property
    def waited_ms(self) -> float:
        """Milliseconds that the call waited for a person; not a part of its running time."""
        return self.decided.waited_ms if self.decided else 0.0

    @property
    def open(self) -> bool:
        return self.completed is None


@dataclass(slots=True)
class TurnView:
    """One model call, its response, and the calls that it asked for."""

    id: str
    interaction_id: str
    number: int
    limit: int
    started_at: datetime
    request: ModelRequested | None = None
    row: list[Block] = field(default_factory=list)
    """The prompt's blocks, shared between turns: this turn's are the first `block_count`."""
    block_count: int = 0
    new_from: int = 0
    """Index of the first block that the previous request did not have."""
    response: ModelResponded | None = None
    failure: CallFailed | None = None
    saved: Savings | None = None
    retries: list[RetryScheduled] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    cut: bool = False
    calls: list[CallView] = field(default_factory=list)
    why: str = ""
    ended_at: datetime | None = None

    @property
    def text(self) -> str:
        """The answer so far."""
        return "".join(self.pieces)

    @property
    def thinking(self) -> str:
        """The model's thinking so far, where the provider shows it."""
        return "".join(self.thoughts)

    def keep(self, kept: AnswerKept) -> None:
        """Take in what the log kept of a stream; it is no more than was streamed, where that was seen."""
        self.pieces = [self.text[: kept.content_from] + kept.content]
        self.thoughts = [self.thinking[: kept.thinking_from] + kept.thinking]

    @property
    def blocks(self) -> list[Block]:
        """The prompt in wire order."""
        return self.row[: self.block_count]


@dataclass(slots=True)
class SideCallView:
    """A model call that is no turn: its purpose is in the request."""

    request: ModelRequested
    response: ModelResponded | None = None
    failure: CallFailed | None = None
    started_at: datetime | None = None
    row: list[Block] = field(default_factory=list)
    saved: Savings | None = None

    @property
    def sheet(self) -> TurnView:
        """The same as a turn, to be looked at like one; its id is the request's, its number 0."""
        request = self.request
        return TurnView(
            request.request_id,
            "",
            0,
            0,
            self.started_at or datetime.fromtimestamp(0, UTC),
            request=request,
            row=self.row,
            block_count=len(self.row),
            new_from=request.blocks_kept,
            response=self.response,
            failure=self.failure,
            saved=self.saved,
            why=f"It is no turn of the loop: the harness asked for it ({request.purpose}).",
        )


@dataclass(slots=True)
class InteractionView:
    """From a user's message until the loop stopped."""

    id: str
    message: str
    notes: tuple[Note, ...]
    started_at: datetime
    turns: list[TurnView] = field(default_factory=list)
    spending: Spending = field(default_factory=Spending)
    ended: InteractionEnded | None = None
