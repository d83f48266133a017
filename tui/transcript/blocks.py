"""What a transcript shows, as pure values, made alike from a live, a resumed or a replayed log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

BlockKind = Literal[
    "user", "answer", "thinking", "call", "note", "turn", "error", "warning", "info", "diff", "output"
]
"""`note` is text that the program put into the prompt; `turn` is the thin rule that ends a turn;
`output` is what a tool printed, shown as it is."""

CallState = Literal["proposed", "asking", "queued", "running", "done", "failed", "refused", "cancelled"]


@dataclass(frozen=True, slots=True)
class TranscriptBlock:
    """One thing in the conversation that the cursor can stand on, fold and copy."""

    id: str
    """Unique in one transcript; chosen by the caller."""
    kind: BlockKind
    text: str = ""
    """The source text, and what a copy gives. For a call: the target, and from the second line on details."""
    title: str = ""
    """A call's tool name, a note's source, a diff's path, a turn rule's facts, an error's headline."""
    meta: str = ""
    """Short facts beside the title: a duration, a token count, `+3 -1`."""
    state: CallState | None = None
    """Only for calls."""
    collapsed: bool = False
