"""What is said in a session: pure values, the same for every provider.

History is valid when it is written: every tool call of an assistant message is followed, in order,
by exactly one result before anything else is said.
"""

from typing import Literal

from msgspec import Struct

NoteSource = Literal[
    "workspace",
    "mode",
    "date",
    "files",
    "instructions",
    "reminder",
    "nudge",
    "resume",
    "limit",
    "hook",
    "summary",
]


class Note(Struct, frozen=True, rename="camel"):
    """Text that the harness adds to a user's message: shown as not the user's, with its source."""

    source: NoteSource
    text: str


def tagged(note: Note) -> str:
    """Write a note as the model reads it: visibly the harness's, with its source."""
    return f'<harness_note source="{note.source}">\n{note.text}\n</harness_note>'


class UserMessage(Struct, frozen=True, rename="camel", tag="user"):
    """What the user typed, and the notes that became true with it (sent before the text)."""

    text: str
    notes: tuple[Note, ...] = ()


class Reasoning(Struct, frozen=True, rename="camel"):
    """Thinking that must go back, verbatim, only to the provider and model that it came from.

    `key` is the wire's own name for it (`reasoning_content`, `reasoning`, `thinking`, …). `opaque` is
    JSON text of what the wire needs beside the words (a signature, an encrypted item), sent back as it
    came. `at` is its place in the answer: how many of its parts (the text, then each call) came before.
    """

    text: str
    key: str
    provider: str
    model: str
    opaque: str = ""
    at: int = 0


class ToolCall(Struct, frozen=True, rename="camel"):
    """A call as the model wrote it; `arguments` is JSON text ('{}' when it wrote nothing)."""

    id: str
    name: str
    arguments: str


class AssistantMessage(Struct, frozen=True, rename="camel", tag="assistant"):
    """A model's answer; `cut` tells that the stream or the output limit ended it early."""

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    reasoning: tuple[Reasoning, ...] = ()
    cut: bool = False


class ToolResult(Struct, frozen=True, rename="camel", tag="tool_result"):
    """The one answer to a tool call, as the model reads it."""

    call_id: str
    name: str
    text: str
    is_error: bool = False


Message = UserMessage | AssistantMessage | ToolResult


def scrub(text: str) -> str:
    """Make text encodable: lone surrogates, which JSON can carry in, become U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
