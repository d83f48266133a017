"""Fold records, one at a time and in constant time each, into the views."""

from datetime import datetime
from typing import assert_never

from cutaway.harness import events as e
from cutaway.harness.blocks import Block
from cutaway.harness.ledger.cache import CacheLedger
from cutaway.harness.ledger.views import (
    OUTPUT_KEPT,
    CallView,
    InteractionView,
    LoopStep,
    SideCallView,
    Spending,
    TurnView,
)
from cutaway.harness.usage import Usage
from cutaway.tools.details import OutputChunk, ProgressNote, TestProgress

_NO_REQUEST = e.ModelRequested("", "", "turn", "", "", "", "", 0, (), "{}", "", 0, 0, "")


class Ledger:
    """The state that the records add up to; equal records give equal ledgers, live or replayed."""

    def __init__(self) -> None:
        self.started: e.SessionStarted | None = None
        self.mode: e.Mode = "interactive"
        self.provider = ""
        self.model = ""
        self.window: int | None = None
        self.limit = 0
        self.step: LoopStep = "idle"
        self.interactions: list[InteractionView] = []
        self.turns: dict[str, TurnView] = {}
        self.calls: dict[str, CallView] = {}
        self.spending = Spending()
        self.simulated = False
        """True once any response came from a script: then the session's figures are not a provider's."""
        self.parts: list[e.SystemPart] = []
        self.tools: list[e.ToolDefinition] = []
        self.instructions: list[e.InstructionsFound] = []
        self.pending: tuple[str, ...] = ()
        self.pending_deliveries: tuple[e.Delivery, ...] = ()
        self.asking: dict[str, e.PermissionRequested] = {}
        self.limit_asked: e.LimitReached | None = None
        self.retrying: e.RetryScheduled | None = None
        self.retry_at: datetime | None = None
        self.warnings: list[e.SessionWarning] = []
        self.error: e.SessionErrored | None = None
        self.title = ""
        self.compacting: e.CompactionStarted | None = None
        self.compactions: list[e.CompactionCompleted] = []
        """Those in force, the oldest first."""
        self.hooks_running: dict[str, e.HookStarted] = {}
        self.cache = CacheLedger()
        self.side_calls: list[SideCallView] = []
        self._row: list[Block] = []
        self._requests: dict[str, TurnView] = {}

    @property
    def interaction(self) -> InteractionView | None:
        """The newest interaction."""
        return self.interactions[-1] if self.interactions else None

    @property
    def turn(self) -> TurnView | None:
        """The newest turn."""
        for interaction in reversed(self.interactions):
            if interaction.turns:
                return interaction.turns[-1]
        return None

    def sheet(self, id: str) -> TurnView | None:
        """A turn by its id, or a side call by its request's."""
        aside = (call.sheet for call in self.side_calls if call.request.request_id == id)
        return self.turns.get(id) or next(aside, None)

    @property
    def context(self) -> list[Block]:
        """The prompt as it was last sent, in wire order."""
        return self._row

    @property
    def busy(self) -> bool:
        """True from a user's message until the loop has stopped."""
        return bool(self.interactions) and self.interactions[-1].ended is None

    def fold(self, record: e.Record) -> None:
        """Take one record in."""
        event = record.event
        if isinstance(event, e.UnknownEvent):
            return
        at = datetime.fromisoformat(record.timestamp)
        if isinstance(event, e.ModelResponded):
            self.simulated = self.simulated or event.simulated
        if isinstance(event, e.TurnEvent):
            self._fold_turn(event, at)
        elif isinstance(event, e.CallEvent):
            self._fold_call(event, at)
        elif isinstance(event, e.ContextEvent):
            self._fold_context(event)
        else:
            self._fold_session(event, at)

    def _fold_session(self, event: e.SessionEvent, at: datetime) -> None:
        match event:
            case e.SessionStarted():
                self.started = event
                self.mode, self.limit = event.mode, event.limit
                self.provider, self.model = event.provider, event.model
                self.window = event.context_window
            case e.SessionWarning():
                self.warnings.append(event)
            case e.SessionErrored():
                self.error = event
            case e.SessionIdle():
                self.step = "idle"
            case e.InteractionEnded():
                if self.interactions:
                    self.interactions[-1].ended = event
                self.step, self.retrying, self.retry_at = "idle", None, None
            case e.ModeChanged():
                self.mode = event.new_mode
            case e.ModelChanged():
                self.model, self.provider = event.new_model, event.provider
                self.window = event.context_window
            case e.SystemPart():
                self.parts.append(event)
            case e.ToolsOffered():
                self.tools.extend(event.tools)
            case e.InstructionsFound():
                self.instructions.append(event)
            case e.UserMessageSent():
                self._fold_message(event, at)
            case e.PendingMessages():
                self.pending, self.pending_deliveries = event.messages, event.deliveries
            case e.SessionResumed() | e.TaskComplete() | e.Aborted():
                pass
            case _:
                assert_never(event)

    def _fold_context(self, event: e.ContextEvent) -> None:
        match event:
            case e.CompactionStarted():
                self.compacting = event
            case e.CompactionCompleted():
                self.compacting = None
                if event.success:
                    self.compactions.append(event)
                    self.cache.compacted()
            case e.CompactionUndone():
                self.cache.compacted()
                self.compactions = [
                    one for one in self.compactions if one.compaction_id != event.compaction_id
                ]
            case e.SystemReset():
                self.parts, self.instructions = [], []
            case e.TitleChanged():
                self.title = event.title
            case e.HookStarted():
                self.hooks_running[event.hook_invocation_id] = event
            case e.HookEnded():
                self.hooks_running.pop(event.hook_invocation_id, None)
            case _:
                assert_never(event)

    def _fold_message(self, event: e.UserMessageSent, at: datetime) -> None:
        if event.source == "user" and event.content in self.pending:  # it has left the queue with this
            index = self.pending.index(event.content)
            self.pending = (*self.pending[:index], *self.pending[index + 1 :])
            late = self.pending_deliveries
            self.pending_deliveries = (*late[:index], *late[index + 1 :])
        if self.interactions and self.interactions[-1].id == event.interaction_id:
            return
        self.error = None
        self.interactions.append(InteractionView(event.interaction_id, event.content, event.notes, at))

    def _fold_turn(self, event: e.TurnEvent, at: datetime) -> None:
        if isinstance(event, e.TurnStarted):
            turn = TurnView(event.turn_id, event.interaction_id, event.number, event.limit, at)
            self.turns[event.turn_id] = turn
            if self.interactions:
                self.interactions[-1].turns.append(turn)
            self.step, self.limit = "build", event.limit
            return
        if isinstance(event, e.RetryScheduled):
            self._fold_retry(event, at)
            return
        if isinstance(event, e.UsageReported):
            return
        found = self.turns.get(event.turn_id)
        if found is None:  # a side call has no turn of its own: only its price counts
            self._fold_aside(event, at)
            return
        self._fold_into_turn(found, event, at)

    def _fold_into_turn(self, turn: TurnView, event: e.InTurnEvent, at: datetime) -> None:
        match event:
            case e.ModelRequested():
                self._fold_request(turn, event)
                self.cache.requested(event, self._row, at.timestamp())
            case e.CallFailed():
                turn.failure = event
                self.cache.failed(event)
                self._charge(event.usage, event.cost)
            case e.MessageDelta():
                turn.pieces.append(event.delta_content)
                self._answering()
            case e.ReasoningDelta():
                turn.thoughts.append(event.delta_content)
                self._answering()
            case e.ToolCallDelta():
                self._answering()
            case e.AnswerKept():
                turn.keep(event)
            case e.AssistantAnswered():
                turn.pieces, turn.cut = [event.content], event.cut
                if event.reasoning:
                    turn.thoughts = [part.text for part in event.reasoning]
                for call in event.tool_requests:
                    view = CallView(call.id, turn.id, call.name, call.arguments, at)
                    turn.calls.append(view)
                    self.calls[call.id] = view
                self.step = "tools?"
            case e.ModelResponded():
                turn.response, turn.saved = event, self.cache.responded(event)
                self._charge(event.usage, event.cost)
            case e.TurnEnded():
                turn.why, turn.ended_at = event.why, at
                self.step = "tools?"
            case _:
                assert_never(event)

    def _fold_aside(self, event: e.InTurnEvent, at: datetime) -> None:
        """A side call has no turn of its own; its price counts, and it may read and write the cache."""
        match event:
            case e.ModelRequested():
                blocks = [*self._row[: event.blocks_kept], *event.blocks]
                self.cache.requested(event, blocks, at.timestamp())
                self.side_calls.append(SideCallView(event, started_at=at, row=blocks))
            case e.ModelResponded():
                call = self._side_call(event.request_id)
                call.response, call.saved = event, self.cache.responded(event)
                self._charge(event.usage, event.cost)
            case e.CallFailed():
                self.cache.failed(event)
                self._side_call(event.request_id).failure = event
                self._charge(event.usage, event.cost)
            case _:
                pass

    def _side_call(self, request_id: str) -> SideCallView:
        """The newest side call of that id; a log that has lost the request shows none."""
        found = (call for call in reversed(self.side_calls) if call.request.request_id == request_id)
        return next(found, SideCallView(_NO_REQUEST))

    def _answering(self) -> None:
        self.step, self.retrying, self.retry_at = "call", None, None

    def _fold_retry(self, event: e.RetryScheduled, at: datetime) -> None:
        self.retrying, self.retry_at, self.step = event, at, "retry"
        if turn := self._requests.get(event.request_id):
            turn.retries.append(event)
            turn.pieces, turn.thoughts = [], []  # the next attempt begins the answer anew

    def _fold_request(self, turn: TurnView, event: e.ModelRequested) -> None:
        if event.blocks_kept < len(self._row):
            self._row = self._row[: event.blocks_kept]
        self._row.extend(event.blocks)
        turn.request, turn.row, turn.failure = event, self._row, None
        turn.block_count, turn.new_from = len(self._row), event.blocks_kept
        self._requests[event.request_id] = turn
        self.step = "call"

    def _charge(self, usage: Usage, cost: str | None) -> None:
        self.spending.add(usage, cost)
        if self.interactions:
            self.interactions[-1].spending.add(usage, cost)

    def _fold_call(self, event: e.CallEvent, at: datetime) -> None:
        match event:
            case e.LimitReached():
                self.limit_asked, self.step = event, "limit"
            case e.LimitDecided():
                self.limit_asked, self.limit, self.step = None, event.new_limit, "tools?"
            case e.PermissionRequested():
                self.asking[event.request_id] = event
                self.step = "asking"
                if call := self.calls.get(event.tool_call_id):
                    call.asked, call.state = event, "asking"
            case e.PermissionCompleted():
                self.asking.pop(event.request_id, None)
                self.step = "execute"
                if call := self.calls.get(event.tool_call_id):
                    call.decided, call.state = event, "queued"
            case e.ToolStarted():
                self.step = "execute"
                if call := self.calls.get(event.tool_call_id):
                    call.started_at, call.state, call.decided_by = at, "running", event.decided_by
            case e.ToolProgressed():
                if call := self.calls.get(event.tool_call_id):
                    _show_progress(call, event)
            case e.ToolCompleted():
                if call := self.calls.get(event.tool_call_id):
                    _complete(call, event)
            case _:
                assert_never(event)


def _show_progress(call: CallView, event: e.ToolProgressed) -> None:
    match event.progress:
        case OutputChunk(text=text):
            call.output = (call.output + text)[-OUTPUT_KEPT:]
        case TestProgress():
            call.tests = event.progress
        case ProgressNote(message=message):
            call.progress_note = message
        case _:
            assert_never(event.progress)


def _complete(call: CallView, event: e.ToolCompleted) -> None:
    if event.by_user:
        call.rerun = event
    else:
        call.completed = event
        call.state = event.outcome
    if event.detail is not None:
        call.output = ""  # the detail holds it from here on
