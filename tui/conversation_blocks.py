"""Records as things to read: one pure value for each user message, injected text, call, turn and outcome."""

from typing import assert_never

from cutaway.harness import events as e
from cutaway.harness.details import CommandRun, FileEdit, TestRun
from cutaway.harness.ledger import CallState, CallView, InteractionView, TurnView
from cutaway.harness.messages import Note
from cutaway.harness.prompt.tokens import BYTES_PER_TOKEN
from cutaway.tui import format as fmt
from cutaway.tui.bounds import TITLES as BOUND_TITLES
from cutaway.tui.bounds import decided_words, reached_words
from cutaway.tui.call_words import outcome_of, ran_for, short_name, target_of
from cutaway.tui.transcript.blocks import CallState as ShownState
from cutaway.tui.transcript.blocks import TranscriptBlock
from cutaway.tui.transcript.safe_text import count_of

DIFF_LINES_OPEN = 30
"""A longer diff starts folded: the call's counts and the approval have shown it already."""

EXPLAIN_CHARACTERS = 400
"""Characters of each of them: a failure without line ends would fill screens."""

EXPLAIN_LINES = 8
"""Lines of a failure that stand under its call; all of them are in the tool-call pane."""

_SHOWN_STATES: dict[CallState, ShownState] = {
    "proposed": "proposed",
    "asking": "asking",
    "queued": "queued",
    "running": "running",
    "done": "done",
    "failed": "failed",
    "invalid": "failed",
    "refused": "refused",
    "interrupted": "cancelled",
    "not-run": "cancelled",
}
# The usual ends are one line; those that somebody has to see have a title.
_END_TITLES: dict[e.EndReason, str] = {
    "answered": "",
    "task-complete": "Task complete",
    "limit": "Stopped at the limit",
    "budget": "Stopped at the budget",
    "loop": "Stopped: no progress",
    "hook": "Stopped by a hook",
    "context": "Stopped: the context is full",
    "interrupted": "",
    "error": "Stopped by an error",
}
# Why the harness wrote a message that nobody typed.
_CAUSES: dict[e.MessageCause, str] = {
    "cut": "the answer was cut",
    "empty": "the answer was empty",
    "nudge": "autopilot asks whether it is done",
    "stop-hook": "a Stop hook lets it go on",
    "loop": "it repeats itself",
    "budget": "the budget runs out",
}
_SOURCES: dict[str, str] = {"hook": "what a hook said", "summary": "summary of what was said before"}


def estimated_tokens(text: str) -> str:
    """A size in tokens before anybody has counted them."""
    return f"{fmt.tokens(round(len(text.encode()) / BYTES_PER_TOKEN), estimated=True)} tokens"


def counted_tokens(count: int) -> str:
    return f"{fmt.tokens(count)} tokens"


def context_block(
    record_id: str, event: e.ContextEvent, hook: e.HookStarted | None = None
) -> TranscriptBlock | None:
    """What became of the prompt, or what a hook wanted; None when it wanted nothing.

    `hook` is the start of the hook that ends.
    """
    match event:
        case e.CompactionCompleted(success=True):
            before, after = fmt.tokens(event.tokens_before), fmt.tokens(event.tokens_after)
            title = f"compacted {before} → {after} tokens"
            return TranscriptBlock(
                record_id, "note", event.summary, title, fmt.money(event.cost), collapsed=True
            )
        case e.CompactionCompleted():
            return TranscriptBlock(record_id, "warning", f"Not compacted: {event.error}")
        case e.CompactionUndone():
            return TranscriptBlock(
                record_id, "info", "The compaction is undone: the whole history is sent again."
            )
        case e.SystemReset():
            said = "The system text and the instruction files are read anew with your next message."
            return TranscriptBlock(record_id, "info", said)
        case e.HookEnded():
            return _hook_block(record_id, event, hook)
        case e.CompactionStarted() | e.TitleChanged() | e.HookStarted():
            return None
        case _:
            assert_never(event)


def _hook_block(record_id: str, event: e.HookEnded, hook: e.HookStarted | None) -> TranscriptBlock | None:
    said = "\n".join((*event.blocked, *event.context))
    decided = f"says {event.permission}" if event.permission else ""
    if not (said or decided or event.changed_input):
        return None
    title = f"hook {hook.hook_type}: {hook.command}" if hook is not None else "hook"
    facts = [
        "blocked" if event.blocked else "",
        decided,
        "changed the arguments" if event.changed_input else "",
        fmt.duration(event.ran_ms / 1000),
    ]
    return TranscriptBlock(record_id, "note", said, title, " · ".join(filter(None, facts)), collapsed=True)


def message_block(record_id: str, event: e.UserMessageSent) -> TranscriptBlock:
    """A message: the user's own, or one that the harness wrote and that must not look like it."""
    if event.source == "harness":
        return TranscriptBlock(
            record_id,
            "note",
            event.content,
            f"injected · {_CAUSES[event.cause] if event.cause is not None else 'message to the model'}",
            estimated_tokens(event.content),
        )
    meta = {"start": "", "steer": "sent while it ran", "queued": ""}[event.delivery]
    return TranscriptBlock(record_id, "user", event.content, meta=meta)


def note_block(block_id: str, note: Note) -> TranscriptBlock:
    """Text that joined the prompt with a user's message."""
    return TranscriptBlock(
        block_id,
        "note",
        note.text,
        f"injected · {_SOURCES.get(note.source, note.source)}",
        estimated_tokens(note.text),
        collapsed=True,
    )


def call_block(call: CallView) -> TranscriptBlock:
    """A call as far as it has come: the target on its line, and below it why it did not work."""
    target = target_of(call.name, call.arguments)
    explained = explanation_of(call)
    first_line = target.replace("\n", "⏎")
    return TranscriptBlock(
        call.id,
        "call",
        f"{first_line}\n{explained}" if explained else first_line,
        short_name(call.name),
        facts_of(call),
        _SHOWN_STATES[call.state],
    )


def facts_of(call: CallView) -> str:
    """Counts, time, and who let it: short, for the end of the line."""
    words = "".join(part if isinstance(part, str) else part[0] for part in outcome_of(call))
    facts = [words] if words else []
    if ran := ran_for(call):
        facts.append(ran)
    if call.decided is not None and call.decided.waited_ms >= 1000:
        facts.append(f"waited {fmt.duration(call.waited_ms / 1000)} for you")
    if call.rerun is not None:
        facts.append("run again by you")
    return " · ".join(facts)


def explanation_of(call: CallView) -> str:
    """What a reader needs when a call did not simply succeed."""
    if call.state in ("proposed", "asking", "queued", "running") or call.completed is None:
        return ""
    match call.detail:
        case TestRun() as run if run.failures:
            failing = [f"✗ {failure.id}  {failure.message}".rstrip() for failure in run.failures]
            return _first(failing)
        case CommandRun() as run if run.exit_code != 0:
            return _last(run.output.rstrip("\n").split("\n")) if run.output.strip() else ""
        case _:
            return "" if call.state == "done" else _first(call.completed.text.rstrip("\n").split("\n"))


def _short(line: str) -> str:
    more = len(line) - EXPLAIN_CHARACTERS
    return line if more <= 0 else f"{line[:EXPLAIN_CHARACTERS]}… {count_of(more, 'more character')}"


def _first(lines: list[str]) -> str:
    more = len(lines) - EXPLAIN_LINES
    return "\n".join(
        [*map(_short, lines[:EXPLAIN_LINES]), *([f"… {count_of(more, 'more line')}"] if more > 0 else [])]
    )


def _last(lines: list[str]) -> str:
    more = len(lines) - EXPLAIN_LINES
    kept = [_short(line) for line in lines[-EXPLAIN_LINES:]]
    return "\n".join([*([f"… {count_of(more, 'line')} before"] if more > 0 else []), *kept])


def diff_block(call: CallView) -> TranscriptBlock | None:
    """What an edit did to its file; None for any other call, or an edit that changed nothing."""
    edit = call.completed.detail if call.completed is not None else None
    if not isinstance(edit, FileEdit) or not edit.hunks or call.state != "done":
        return None
    lines: list[str] = []
    for hunk in edit.hunks:
        if len(edit.hunks) > 1 or hunk.new_start > 1:
            lines.append(f"@@ line {hunk.new_start} @@")
        lines.extend(hunk.lines)
    long = len(lines) > DIFF_LINES_OPEN
    return TranscriptBlock(
        f"{call.id}/diff", "diff", "\n".join(lines), edit.path if long else "", collapsed=long
    )


def turn_block(turn: TurnView) -> TranscriptBlock:
    """The rule under a turn: what it sent, what the cache gave, what it cost, how long it took."""
    facts: list[str] = []
    if (response := turn.response) is not None:
        facts = ["simulated"] if response.simulated else []
        facts += [
            fmt.usage_line(response.usage),
            fmt.money(response.cost, estimated=response.usage.estimated),
        ]
        facts.append(fmt.duration(response.timings.total / 1000))
    elif (failure := turn.failure) is not None:
        facts = [failure.error_type]
        if failure.usage.input or failure.usage.output:
            facts += [fmt.usage_line(failure.usage), fmt.money(failure.cost, estimated=True)]
    return TranscriptBlock(f"{turn.id}/rule", "turn", "", f"turn {turn.number}", " · ".join(facts))


def retry_block(event: e.RetryScheduled, remaining: float | None) -> TranscriptBlock:
    """A failed attempt: a countdown while the next one waits, a plain fact afterwards (None)."""
    reason = event.reason.rstrip(". ")
    if event.status_code is not None and f"({event.status_code})" not in reason:
        reason = f"{reason} ({event.status_code})"
    if remaining is None:
        text = f"{reason}. Tried again."
    else:
        wait = f"Attempt {event.attempt + 1} of {event.max_attempts} in {fmt.whole_seconds(round(remaining))}"
        text = f"{reason}.\n{wait} · ctrl+r tries now · esc stops"
    return TranscriptBlock(f"{event.request_id}/retry/{event.attempt}", "warning", text)


def ended_block(
    record_id: str, event: e.InteractionEnded, interaction: InteractionView | None
) -> TranscriptBlock:
    """Why the loop stopped; what the interaction took, where the rule above does not say it already."""
    lines = [event.explanation]
    if event.turns > 1:
        facts = [count_of(event.turns, "turn")]
        if interaction is not None and interaction.spending.calls:
            spending = interaction.spending
            facts += [fmt.usage_line(spending.usage), fmt.spent(spending)]
        lines.append(" · ".join(facts))
    return TranscriptBlock(record_id, "info", "\n".join(lines), _END_TITLES[event.reason])


def limit_block(
    record_id: str, event: e.LimitReached | e.LimitDecided, reached: e.LimitReached | None = None
) -> TranscriptBlock:
    """A bound, and what was decided about it; `reached` is what was asked."""
    match event:
        case e.LimitReached():
            return TranscriptBlock(record_id, "warning", reached_words(event), BOUND_TITLES[event.kind])
        case e.LimitDecided():
            return TranscriptBlock(record_id, "info", decided_words(reached, event))
        case _:
            assert_never(event)


def resumed_block(record_id: str, event: e.SessionResumed) -> TranscriptBlock:
    """A process took the session up again."""
    facts = [count_of(event.event_count, "event")]
    if event.closed_calls:
        facts.append(f"{count_of(len(event.closed_calls), 'call')} closed as interrupted")
    if event.skipped_lines:
        facts.append(f"{count_of(event.skipped_lines, 'damaged line')} left out")
    return TranscriptBlock(record_id, "info", f"Resumed: {', '.join(facts)}.")
