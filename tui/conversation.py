"""The conversation: records become blocks of the transcript, the same ones live, resumed and replayed."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Protocol, assert_never

from cutaway.harness import events as e
from cutaway.harness.ledger import Ledger
from cutaway.tui import conversation_blocks as make
from cutaway.tui.call_words import short_name
from cutaway.tui.prompt_block import PromptBlock
from cutaway.tui.transcript.blocks import TranscriptBlock
from cutaway.tui.transcript.safe_text import count_of


class Page(Protocol):
    """Where the blocks go; the transcript widget is one."""

    def append(self, block: TranscriptBlock) -> None: ...
    def update(self, block_id: str, **changes: Any) -> None: ...
    def stream(self, block_id: str, delta: str) -> None: ...
    def finish(self, block_id: str) -> None: ...
    def remove_block(self, block_id: str) -> None: ...


class Conversation:
    """Places blocks on a page as records arrive; every block can be made again from the log alone."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._shown: set[str] = set()
        self._placed: dict[str, TranscriptBlock] = {}
        self._streamed: dict[str, int] = {}
        self._waiting: tuple[str, list[str]] = ("", [])
        self._thinking: list[str] = []
        self._writing: dict[str, int] = {}
        self._uncounted: list[tuple[str, str]] = []
        self._retry: tuple[e.RetryScheduled, datetime] | None = None
        self._errored = False
        self._prompt: PromptBlock | None = None
        self._asked = False
        self._bound: e.LimitReached | None = None
        self._hooks: dict[str, e.HookStarted] = {}
        self.turn_of: dict[str, str] = {}
        """Block id to turn id, for all that belongs to a turn."""
        self.thinking_folded = True

    @property
    def empty(self) -> bool:
        return not self._shown

    def take(self, records: Iterable[e.Record], ledger: Ledger) -> None:
        """Show records that `ledger` has folded already."""
        for record in records:
            event = record.event
            match event:
                case e.MessageDelta():
                    self._collect(f"{event.turn_id}/answer", event.turn_id, event.delta_content)
                case e.ReasoningDelta():
                    self._collect(f"{event.turn_id}/thinking", event.turn_id, event.delta_content)
                case e.AnswerKept():
                    self._catch_up(event)
                case e.UnknownEvent():
                    continue
                case _:
                    self._flush()
                    self._place(record.id, event, ledger)
        self._flush()
        self._settle_retry(ledger)

    def tick(self, ledger: Ledger, now: datetime) -> None:
        """Let the countdown of a retry go on; called once a second while something runs."""
        if self._retry is not None and ledger.retrying is self._retry[0]:
            event, at = self._retry
            self._put(make.retry_block(event, event.delay - (now - at).total_seconds()))

    def fold_thinking(self) -> None:
        """Fold all thinking, or unfold it when it is folded; what comes later follows."""
        self.thinking_folded = not self.thinking_folded
        for block_id in self._thinking:
            self._page.update(block_id, collapsed=self.thinking_folded)

    def _collect(self, block_id: str, turn_id: str, delta: str) -> None:
        """Gather deltas of one block, so that a batch of hundreds is one change of the page."""
        if self._waiting[0] != block_id:
            self._flush()
            self._waiting = (block_id, [])
            self.turn_of[block_id] = turn_id
        self._waiting[1].append(delta)

    def _catch_up(self, kept: e.AnswerKept) -> None:
        """Show what was kept of a stream that was not seen, as when a log is taken up again."""
        self._flush()
        for name, start, text in (
            ("thinking", kept.thinking_from, kept.thinking),
            ("answer", kept.content_from, kept.content),
        ):
            block_id = f"{kept.turn_id}/{name}"
            seen = self._streamed.get(block_id, 0) - start
            self._collect(block_id, kept.turn_id, text[max(0, seen) :])

    def _flush(self) -> None:
        block_id, pieces = self._waiting
        self._waiting = ("", [])
        delta = "".join(pieces)
        if not delta:
            return
        if block_id not in self._shown:
            self._append(self._stream_block(block_id, ""))
        self._streamed[block_id] = self._streamed.get(block_id, 0) + len(delta)
        self._page.stream(block_id, delta)

    def _stream_block(self, block_id: str, text: str) -> TranscriptBlock:
        if block_id.endswith("/answer"):
            return TranscriptBlock(block_id, "answer", text)
        self._thinking.append(block_id)
        return TranscriptBlock(block_id, "thinking", text, collapsed=self.thinking_folded)

    def _append(self, block: TranscriptBlock) -> None:
        self._shown.add(block.id)
        self._page.append(block)

    def _put(self, block: TranscriptBlock) -> None:
        """Show a block, or bring the one that is shown up to date."""
        if block.id not in self._shown:
            self._placed[block.id] = block
            self._append(block)
            return
        before = self._placed.get(block.id)
        names = ("text", "title", "meta", "state")
        changes = {
            name: getattr(block, name)
            for name in names
            if before is None or getattr(before, name) != getattr(block, name)
        }
        self._placed[block.id] = block
        if changes:
            self._page.update(block.id, **changes)

    def _remove(self, block_id: str) -> None:
        self._shown.discard(block_id)
        self._page.remove_block(block_id)

    def _place(self, record_id: str, event: e.KnownEvent, ledger: Ledger) -> None:
        if isinstance(event, e.TurnEvent):
            self._place_turn(event, ledger)
        elif isinstance(event, e.CallEvent):
            self._place_call(record_id, event, ledger)
        elif isinstance(event, e.ContextEvent):
            self._place_context(record_id, event)
        else:
            self._place_session(record_id, event, ledger)

    def _place_session(self, record_id: str, event: e.SessionEvent, ledger: Ledger) -> None:
        match event:
            case e.UserMessageSent():
                self._place_message(record_id, event)
            case e.SystemPart():
                self._prompt_at(record_id).add_part(event)
                self._show_prompt()
            case e.ToolsOffered():
                self._prompt_at(record_id).add_tools(event)
                self._show_prompt()
            case e.InstructionsFound(used=False):
                self._append(
                    TranscriptBlock(record_id, "info", f"{event.path} is not used: it {event.reason}.")
                )
            case e.SessionResumed():
                self._append(make.resumed_block(record_id, event))
            case e.SessionWarning():
                self._append(TranscriptBlock(record_id, "warning", event.message))
            case e.SessionErrored():
                self._errored = True
                self._append(TranscriptBlock(record_id, "error", event.message, event.error_type))
            case e.InteractionEnded():
                self._end(record_id, event, ledger)
            case e.ModeChanged():
                said = f"Mode: {event.previous_mode} → {event.new_mode}."
                self._append(TranscriptBlock(record_id, "info", said))
            case e.ModelChanged():
                said = f"Model: {event.previous_model} → {event.new_model} ({event.provider})."
                self._append(TranscriptBlock(record_id, "info", said))
            case e.InstructionsFound() | e.SessionStarted() | e.TaskComplete() | e.Aborted():
                pass  # shown by the part, the empty page, the call, and the end that follow them
            case e.SessionIdle() | e.PendingMessages():
                pass
            case _:
                assert_never(event)

    def _place_context(self, record_id: str, event: e.ContextEvent) -> None:
        hook = self._hooks.pop(event.hook_invocation_id, None) if isinstance(event, e.HookEnded) else None
        if isinstance(event, e.HookStarted):
            self._hooks[event.hook_invocation_id] = event
        if (block := make.context_block(record_id, event, hook)) is not None:
            self._append(block)

    def _place_message(self, record_id: str, event: e.UserMessageSent) -> None:
        first = not self._asked and self._prompt is None
        for number, note in enumerate(event.notes):
            if first:
                self._prompt_at(record_id).add_note(note)
                self._show_prompt()
                continue
            block_id = f"{record_id}/note/{number}"
            self._append(make.note_block(block_id, note))
            self._uncounted.append((note.source, block_id))
        self._append(make.message_block(record_id, event))

    def _prompt_at(self, record_id: str) -> PromptBlock:
        """The block of what joins the prompt now; a request closes it."""
        if self._prompt is None:
            self._prompt = PromptBlock(f"{record_id}/prompt")
        return self._prompt

    def _show_prompt(self) -> None:
        if self._prompt is not None:
            self._put(self._prompt.block)

    def _end(self, record_id: str, event: e.InteractionEnded, ledger: Ledger) -> None:
        errored, self._errored = self._errored, False
        if event.reason == "error" and errored:
            return  # the error itself has just said it
        of = next((each for each in reversed(ledger.interactions) if each.id == event.interaction_id), None)
        self._append(make.ended_block(record_id, event, of))

    def _place_turn(self, event: e.TurnEvent, ledger: Ledger) -> None:
        match event:
            case e.ModelRequested():
                self._count_notes(event)
            case e.RetryScheduled():
                self._settle_retry(ledger)
                if ledger.retrying is event and ledger.retry_at is not None:
                    self._retry = (event, ledger.retry_at)
                    self._put(make.retry_block(event, event.delay))
                else:
                    self._put(make.retry_block(event, None))
            case e.ToolCallDelta():
                self._show_writing(event)
            case e.AssistantAnswered():
                self._answer(event)
            case e.TurnEnded():
                self._end_turn(event, ledger)
            case e.TurnStarted() | e.CallFailed() | e.ModelResponded() | e.UsageReported():
                pass  # the rule at the end of the turn says it
            case e.MessageDelta() | e.ReasoningDelta() | e.AnswerKept():
                pass  # streamed
            case _:
                assert_never(event)

    def _count_notes(self, event: e.ModelRequested) -> None:
        """Once the prompt is built the tokens of its notes are known, not estimated."""
        prompt, self._prompt, self._asked = self._prompt, None, True
        if prompt is not None:
            self.turn_of[prompt.id] = event.turn_id
        for block in event.blocks:
            if prompt is not None and block.origin == "note" and prompt.count_note(block.label, block.tokens):
                continue
            found = next((each for each in self._uncounted if each[0] == block.label), None)
            if block.origin == "note" and found is not None:
                self._uncounted.remove(found)
                self._page.update(found[1], meta=make.counted_tokens(block.tokens))
        if prompt is not None:
            self._put(prompt.block)

    def _show_writing(self, event: e.ToolCallDelta) -> None:
        """Say that a call is being written; its arguments are not read before they are whole."""
        block_id = f"{event.turn_id}/writing/{event.index}"
        size = self._writing.get(block_id, 0) + len(event.input_delta)
        self._writing[block_id] = size
        meta = f"writing, {count_of(size, 'character')}"
        if block_id not in self._shown:
            self.turn_of[block_id] = event.turn_id
            self._append(TranscriptBlock(block_id, "call", "", short_name(event.tool_name), meta, "proposed"))
        else:
            self._page.update(block_id, meta=meta)

    def _answer(self, event: e.AssistantAnswered) -> None:
        for block_id in self._writing:
            self._remove(block_id)
        self._writing.clear()
        if thoughts := "".join(part.text for part in event.reasoning):
            self._complete(f"{event.turn_id}/thinking", event.turn_id, thoughts)
        elif f"{event.turn_id}/thinking" in self._streamed:
            self._page.finish(f"{event.turn_id}/thinking")
        if event.content:
            self._complete(f"{event.turn_id}/answer", event.turn_id, event.content)
        if event.cut:
            cut = TranscriptBlock(f"{event.turn_id}/cut", "warning", "The answer was cut before its end.")
            self._append(cut)

    def _complete(self, block_id: str, turn_id: str, text: str) -> None:
        """Close a block with its whole text, whether it was streamed or comes from the log."""
        self.turn_of[block_id] = turn_id
        if block_id not in self._shown:
            self._append(self._stream_block(block_id, text))
            return
        self._page.finish(block_id)
        if self._streamed.pop(block_id, 0) != len(text):
            self._page.update(block_id, text=text)

    def _end_turn(self, event: e.TurnEnded, ledger: Ledger) -> None:
        for block_id in self._writing:
            self._remove(block_id)
        self._writing.clear()
        turn = ledger.turns.get(event.turn_id)
        if turn is None:
            return
        if (
            turn.response is not None
            and turn.response.usage.reasoning
            and f"{turn.id}/thinking" in self._shown
        ):
            meta = make.counted_tokens(turn.response.usage.reasoning)
            self._page.update(f"{turn.id}/thinking", meta=meta)
        self.turn_of[f"{turn.id}/rule"] = turn.id
        self._put(make.turn_block(turn))

    def _settle_retry(self, ledger: Ledger) -> None:
        if self._retry is not None and ledger.retrying is not self._retry[0]:
            self._put(make.retry_block(self._retry[0], None))
            self._retry = None

    def _place_call(self, record_id: str, event: e.CallEvent, ledger: Ledger) -> None:
        match event:
            case e.LimitReached() | e.LimitDecided():
                of = self._bound if self._bound and self._bound.request_id == event.request_id else None
                self._append(make.limit_block(record_id, event, of))
                self._bound = event if isinstance(event, e.LimitReached) else None
            case e.PermissionRequested() | e.PermissionCompleted() | e.ToolStarted() | e.ToolProgressed():
                self._show_call(event.tool_call_id, ledger)
            case e.ToolCompleted():
                self._show_call(event.tool_call_id, ledger)
                self._show_diff(event, ledger)
            case _:
                assert_never(event)

    def _show_call(self, call_id: str, ledger: Ledger) -> None:
        if (call := ledger.calls.get(call_id)) is not None:
            self.turn_of[call.id] = call.turn_id
            self._put(make.call_block(call))

    def _show_diff(self, event: e.ToolCompleted, ledger: Ledger) -> None:
        call = ledger.calls.get(event.tool_call_id)
        if call is not None and not event.by_user and (diff := make.diff_block(call)) is not None:
            self.turn_of[diff.id] = call.turn_id
            self._append(diff)
