"""Thinking that a model writes into its answer, told from the answer itself."""

from typing import Literal

OPEN, CLOSE = "<think>", "</think>"
Kind = Literal["text", "thinking"]

THINK_TAG = "think-tag"
"""The key of thinking that came inside the text; it is shown and never sent back."""


class ThinkTags:
    """Splits `<think>…</think>` off the start of an answer, wherever the chunks are cut.

    Only the very start counts, after white space: tags further on are words about tags, or code.
    """

    __slots__ = ("_held", "_state")

    def __init__(self) -> None:
        self._state: Literal["start", "thinking", "after", "text"] = "start"
        self._held = ""

    @property
    def unclosed(self) -> bool:
        """True while the thought has no end."""
        return self._state == "thinking"

    def feed(self, text: str) -> list[tuple[Kind, str]]:
        """Take the next piece; what it is certain to be."""
        found: list[tuple[Kind, str]] = []
        self._held += text
        if self._state == "start":
            self._begin()
        if self._state == "thinking":
            found += self._think()
        if self._state == "after":
            self._held = self._held.lstrip()
            if self._held:
                self._state = "text"
        if self._state == "text" and self._held:
            found.append(("text", self._held))
            self._held = ""
        return found

    def finish(self) -> list[tuple[Kind, str]]:
        """Take the end of the answer; what was held back because it could have been a tag."""
        rest, self._held = self._held, ""
        if not rest:
            return []
        return [("thinking" if self._state == "thinking" else "text", rest)]

    def _begin(self) -> None:
        start = self._held.lstrip()
        if start.startswith(OPEN):
            self._held, self._state = start.removeprefix(OPEN), "thinking"
        elif not OPEN.startswith(start):
            self._state = "text"

    def _think(self) -> list[tuple[Kind, str]]:
        thought, closed, rest = self._held.partition(CLOSE)
        if closed:
            self._held, self._state = rest, "after"
        else:
            kept = _tail_of_tag(thought)
            self._held = thought[len(thought) - kept :]
            thought = thought[: len(thought) - kept]
        return [("thinking", thought)] if thought else []


def _tail_of_tag(text: str) -> int:
    """How many characters at the end may be the start of the closing tag."""
    return next((n for n in range(min(len(CLOSE) - 1, len(text)), 0, -1) if CLOSE.startswith(text[-n:])), 0)
