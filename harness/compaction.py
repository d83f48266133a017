"""Compaction: a summary stands for the oldest messages, and the log keeps all of them.

The call that summarises sends the exact prompt and one more message behind it, so that it reads what the
provider has cached. What the user typed is kept word for word beside the summary, and so is the list of
files: a summary may forget, these may not.
"""

from collections.abc import Sequence
from importlib.resources import files

from cutaway.harness import events as e
from cutaway.harness.errors import ContextTooLong, ProviderError
from cutaway.harness.messages import AssistantMessage, Message, Note, ToolCall, ToolResult, UserMessage
from cutaway.harness.model_call import call_aside
from cutaway.harness.providers.base import Request
from cutaway.harness.seams import Seams, new_id
from cutaway.tools.details import FileEdit, FileRead

SHRINKINGS: tuple[tuple[int, int], ...] = ((12, 1_000), (4, 200), (0, 0))
"""How a request that is too long is made smaller, at most so often: messages at the end that stay as they
are, and characters that older results and arguments keep."""

WORDS_KEPT = 4_000
"""Characters of each of the user's messages that are kept word for word; the newest keeps four times that."""

ALL_WORDS_KEPT = 40_000
"""Characters of all the user's messages together that are kept."""

TAIL_SHARE = 0.1
"""Share of the prompt that stays as it is at the end, so that the model can go on with what it was doing."""

FILES_LISTED = 100


async def compact(seams: Seams, trigger: e.CompactionTrigger, instructions: str = "") -> bool:
    """Put a summary in the place of the oldest messages; False, and nothing changed, when that failed.

    A cancellation leaves the conversation as it was, and is raised again.
    """
    stable, sizes = await seams.builder.sizes(seams.conversation)
    before = stable + sum(sizes)
    compaction_id = new_id()
    seams.emit(e.CompactionStarted(compaction_id, trigger, before, instructions))
    ended = e.CompactionCompleted(compaction_id, False, tokens_before=before, error="It was interrupted.")
    try:
        replaced = cut_at(seams.conversation.messages, sizes, trigger)
        if not replaced:
            ended = _failed(ended, "There is nothing to summarise yet.")
            return False
        if refused := await _refused_by_hooks(seams, trigger, instructions):
            ended = _failed(ended, f"A hook does not want it: {refused}")
            return False
        spent = seams.ledger.spending.known_cost, seams.ledger.spending.unpriced
        said = await _summarise(seams, instructions)
        summary = _with_what_is_known(seams, said)
        standing = "\n".join(note.text for note in seams.conversation.standing)
        after = stable + await seams.counter.count(f"{summary}\n{standing}") + sum(sizes[replaced:])
        if after >= before:
            ended = _failed(ended, "The summary is not shorter than what it would stand for.")
            return False
        cost = seams.ledger.spending.known_cost - spent[0]
        known = seams.ledger.spending.unpriced == spent[1]
        ended = e.CompactionCompleted(
            compaction_id, True, summary, replaced, before, after, str(cost) if known else None
        )
        return True
    except ProviderError as error:
        ended = _failed(ended, str(error))
        return False
    finally:
        seams.emit(ended)


def _failed(ended: e.CompactionCompleted, why: str) -> e.CompactionCompleted:
    return e.CompactionCompleted(ended.compaction_id, False, tokens_before=ended.tokens_before, error=why)


async def _refused_by_hooks(seams: Seams, trigger: e.CompactionTrigger, instructions: str) -> str:
    if not seams.hooks.listens("PreCompact"):
        return ""
    fields = {"trigger": "manual" if trigger == "user" else "auto", "custom_instructions": instructions}
    outcome = await seams.hooks.run("PreCompact", fields)
    return outcome.abort or "; ".join(outcome.blocked)


def cut_at(messages: Sequence[Message], sizes: Sequence[int], trigger: e.CompactionTrigger) -> int:
    """Choose how many messages the summary stands for, from the first on; 0 when there is nothing to gain.

    The user asks between two tasks, and all is summarised. In the middle of one the newest turns stay, at
    most `TAIL_SHARE` of the prompt; a call is never parted from its results.
    """
    end = len(messages)
    if trigger != "user":
        room = TAIL_SHARE * sum(sizes)
        while end > 0 and sum(sizes[end - 1 :]) <= room:
            end -= 1
        end = boundary(messages, end)
    return end if any(isinstance(message, AssistantMessage) for message in messages[:end]) else 0


def boundary(messages: Sequence[Message], index: int) -> int:
    """Move a cut back, or else forward, to where no call is parted from its results."""
    while 0 < index < len(messages) and isinstance(messages[index], ToolResult):
        index += 1
    return index


async def _summarise(seams: Seams, instructions: str) -> str:
    """Ask for the summary; a request that is too long is made shorter and sent again, at most three times."""
    text = (files("cutaway.harness.prompt") / "texts" / "compaction.md").read_text(encoding="utf-8").strip()
    if instructions:
        text += f"\n\nThe user says for this summary: {instructions}"
    ask = UserMessage("", (Note("summary", text),))
    try:
        return _text_of(seams, await call_aside(seams, "compaction", (ask,)))
    except ContextTooLong as error:
        failure = error
    for kept, room in SHRINKINGS:
        messages = tuple(shrunk(seams.conversation.messages, kept, room))
        model = seams.model()
        calls = any(isinstance(message, ToolResult) for message in messages)
        alone = Request(
            model.name,
            tuple(seams.conversation.tools) if calls else (),  # calls are taken with their tools only
            tuple(part.content for part in seams.conversation.parts if part.origin == "system"),
            (*messages, ask),
            model.params,
        )
        try:
            return _text_of(seams, await call_aside(seams, "compaction", (), alone=alone))
        except ContextTooLong as error:
            failure = error
    raise failure


def _text_of(seams: Seams, answer: AssistantMessage) -> str:
    """The summary; raises ProviderError when there is none, so that the old history is kept."""
    if not answer.text.strip():
        raise ProviderError("The model gave no summary.", provider=seams.model().provider.name)
    return answer.text.strip()


def shrunk(messages: Sequence[Message], kept: int, room: int) -> list[Message]:
    """Cut results before the last `kept` messages to `room` characters; with no room, leave the tools out.

    What the user typed stays: the goal must reach whoever summarises.
    """
    first_whole = boundary(messages, max(0, len(messages) - kept))
    found: list[Message] = []
    for index, message in enumerate(messages):
        if index >= first_whole:
            found.append(message)
        elif isinstance(message, ToolResult):
            if room:
                found.append(ToolResult(message.call_id, message.name, _short(message.text, room)))
        elif isinstance(message, AssistantMessage):
            calls = tuple(
                ToolCall(c.id, c.name, _short_arguments(c.arguments, room)) for c in message.tool_calls
            )
            if room:
                found.append(AssistantMessage(message.text, calls))
            elif message.text.strip():
                found.append(AssistantMessage(message.text))
        else:
            found.append(UserMessage(_short(message.text, 4 * WORDS_KEPT), message.notes if room else ()))
    return found


def _short(text: str, room: int) -> str:
    return text if len(text) <= room else f"{text[:room]}\n[cut here: {len(text) - room:,} characters more]"


def _short_arguments(arguments: str, room: int) -> str:
    """Arguments stay a JSON object, or the wire would not take them."""
    return arguments if len(arguments) <= room else "{}"


def _with_what_is_known(seams: Seams, said: str) -> str:
    """Put beside the summary what it must not lose: the user's words, and the files."""
    parts = ["The conversation until here was summarised, because it got long."]
    if words := _words_of(seams.conversation.typed):
        parts.append(f"What the user wrote, word for word:\n{words}")
    parts.append(f"Summary:\n{said}")
    if listed := _files_seen(seams):
        parts.append("Files (read them again before you rely on details):\n" + "\n".join(listed))
    return "\n\n".join(parts)


def _words_of(typed: Sequence[str]) -> str:
    """All that the user typed; where it is very much, the first message (the goal) and the newest."""
    words = [_short(text, WORDS_KEPT) for text in typed[:-1]]
    words += [_short(text, 4 * WORDS_KEPT) for text in typed[-1:]]
    left, room = 0, ALL_WORDS_KEPT - sum(map(len, words[:1]))
    kept: list[str] = []
    for text in reversed(words[1:]):
        room -= len(text)
        if room < 0 and kept:
            left += 1
        else:
            kept.append(text)
    middle = [f"[{left} messages left out here]"] if left else []
    return "\n---\n".join([*words[:1], *middle, *reversed(kept)])


def _files_seen(seams: Seams) -> list[str]:
    """One line a file: its path and what was last done with it, the newest last."""
    seen: dict[str, str] = {}
    for call in seams.ledger.calls.values():
        detail = call.completed.detail if call.completed else None
        match detail:
            case FileEdit():
                seen.pop(detail.path, None)
                seen[detail.path] = "created" if detail.created else "edited"
            case FileRead():
                if seen.get(detail.path) not in ("edited", "created"):
                    seen.pop(detail.path, None)
                    seen[detail.path] = "read"
            case _:
                pass
    lines = [f"- {path}: {what}" for path, what in seen.items()]
    return (
        [f"- … {len(lines) - FILES_LISTED} more", *lines[-FILES_LISTED:]]
        if len(lines) > FILES_LISTED
        else lines
    )
