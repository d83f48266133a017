"""The conversation as it goes into the prompt: a fold of the events, never edited."""

from cutaway.harness import events as e
from cutaway.harness.messages import (
    AssistantMessage,
    Message,
    Note,
    NoteSource,
    ToolCall,
    ToolResult,
    UserMessage,
)

LOST = "Error: the record of this result is damaged and lost. The call was carried out or refused before."

STANDING: tuple[NoteSource, ...] = ("workspace", "instructions", "date", "mode")
"""Notes that stay true until the next of their source: a summary does not make them untold."""


class Conversation:
    """What has been said so far; equal events give equal conversations, live or resumed.

    Results are kept back until every call of their message has one and are then added in the order
    of the calls, so `messages` is valid for a strict provider at every moment.
    """

    def __init__(self) -> None:
        self.parts: list[e.SystemPart] = []
        self.tools: list[e.ToolDefinition] = []
        self.messages: list[Message] = []
        self.told: dict[NoteSource, str] = {}
        """The newest note of each source, so that only what changed is told again."""
        self.typed: list[str] = []
        """What the user wrote, in order: a compaction may forget it nowhere."""
        self.compacted: list[tuple[str, list[Message]]] = []
        """Each compaction in force and the messages that it replaced, the oldest first."""
        self._waiting: list[ToolCall] = []
        self._results: dict[str, ToolResult] = {}

    @property
    def open_calls(self) -> list[ToolCall]:
        """Calls that have no result yet, in the order asked."""
        return [call for call in self._waiting if call.id not in self._results]

    @property
    def standing(self) -> tuple[Note, ...]:
        """What was told beside the messages and is still true."""
        return tuple(Note(source, self.told[source]) for source in STANDING if source in self.told)

    def fold(self, event: e.Event) -> None:
        """Take one event in; those that say nothing to the model are ignored."""
        match event:
            case e.SystemPart():
                self.parts.append(event)
            case e.SystemReset():
                self.parts.clear()
                self.told.pop("instructions", None)
            case e.ToolsOffered():
                self.tools.extend(event.tools)
            case e.UserMessageSent():
                self._close_lost()
                self._tell(event.notes)
                if event.source == "user":
                    self.typed.append(event.content)
                self.messages.append(UserMessage(event.content, event.notes))
            case e.AssistantAnswered():
                self._answer(event)
            case e.CompactionCompleted(success=True):
                self._compact(event)
            case e.CompactionUndone():
                self._undo(event.compaction_id)
            case e.ToolCompleted() if not event.by_user:
                self._complete(event)
            case _:
                pass

    def _compact(self, event: e.CompactionCompleted) -> None:
        """Let a summary stand for the oldest messages; what had been told beside them stays true."""
        replaced = self.messages[: event.messages_replaced]
        notes = (Note("summary", event.summary), *self.standing)
        self.messages = [UserMessage("", notes), *self.messages[event.messages_replaced :]]
        self.compacted.append((event.compaction_id, replaced))

    def _undo(self, compaction_id: str) -> None:
        """Put back what the newest compaction replaced; an older one stands below a newer."""
        if self.compacted and self.compacted[-1][0] == compaction_id:
            _, replaced = self.compacted.pop()
            self.messages = [*replaced, *self.messages[1:]]

    def _tell(self, notes: tuple[Note, ...]) -> None:
        for note in notes:
            self.told[note.source] = note.text

    def _answer(self, event: e.AssistantAnswered) -> None:
        if not event.content and not event.tool_requests:
            return  # providers refuse an empty assistant message, and it says nothing
        self._close_lost()
        self.messages.append(
            AssistantMessage(event.content, event.tool_requests, event.reasoning, cut=event.cut)
        )
        self._waiting = list(event.tool_requests)
        self._results = {}

    def _close_lost(self) -> None:
        """Where a damaged log has lost results of earlier calls, say so in their place."""
        for call in self.open_calls:
            self._keep(ToolResult(call.id, call.name, LOST, is_error=True))

    def _complete(self, event: e.ToolCompleted) -> None:
        asked = {call.id for call in self._waiting}
        if event.tool_call_id not in asked or event.tool_call_id in self._results:
            return
        error = event.outcome != "done"
        self._keep(ToolResult(event.tool_call_id, event.tool_name, event.text, is_error=error))

    def _keep(self, result: ToolResult) -> None:
        self._results[result.call_id] = result
        if len(self._results) == len(self._waiting):
            self.messages.extend(self._results[call.id] for call in self._waiting)
            self._waiting, self._results = [], {}
