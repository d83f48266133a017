"""All that stands in the prompt before the user's first word, as one line that unfolds."""

from dataclasses import dataclass

from cutaway.harness import events as e
from cutaway.harness.messages import Note
from cutaway.harness.prompt.tokens import BYTES_PER_TOKEN
from cutaway.tui import format as fmt
from cutaway.tui.transcript.blocks import TranscriptBlock
from cutaway.tui.transcript.safe_text import count_of


@dataclass(slots=True)
class _Part:
    name: str
    text: str
    tokens: int
    counted: bool

    @property
    def size(self) -> str:
        return fmt.tokens(self.tokens, estimated=not self.counted)


class PromptBlock:
    """Collects the parts as the records bring them; the first line of the block sums them up.

    A later part that joins a prompt already sent belongs to another block, where it became true.
    """

    def __init__(self, block_id: str) -> None:
        self.id = block_id
        self._parts: list[_Part] = []
        self._notes: list[_Part] = []

    def add_note(self, note: Note) -> None:
        """Take a text that came with the user's message; its tokens are estimated until they are counted."""
        estimate = round(len(note.text.encode(errors="replace")) / BYTES_PER_TOKEN)
        self._notes.append(_Part(note.source, note.text, estimate, counted=False))

    def count_note(self, source: str, tokens: int) -> bool:
        """Replace the estimate of the first note of that source which has one; False when there is none."""
        found = next((note for note in self._notes if note.name == source and not note.counted), None)
        if found is None:
            return False
        found.tokens, found.counted = tokens, True
        return True

    def add_part(self, part: e.SystemPart) -> None:
        """Take a part of the stable prompt."""
        name = part.name if part.origin == "instructions" else part.origin
        self._parts.append(_Part(name, part.content, part.tokens, counted=True))

    def add_tools(self, offered: e.ToolsOffered) -> None:
        """Take the tools that the model was told of."""
        tools = [
            f"{tool.name} ({fmt.tokens(tool.tokens)} tokens)\n{tool.description.strip()}"
            for tool in offered.tools
        ]
        total = sum(tool.tokens for tool in offered.tools)
        self._parts.append(_Part(count_of(len(tools), "tool"), "\n\n".join(tools), total, counted=True))

    @property
    def block(self) -> TranscriptBlock:
        """The parts as they are known now: one line, and below it each part in full."""
        parts = [*self._parts, *self._notes]
        summary = " · ".join(f"{part.name} {part.size}" for part in parts)
        texts = [f"── {part.name}, {part.size} tokens\n{part.text.strip()}" for part in parts]
        text = "\n\n".join([f"{summary} tokens", *texts])
        return TranscriptBlock(self.id, "note", text, "prompt", collapsed=True)
