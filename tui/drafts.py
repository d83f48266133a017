"""What stands in the prompt: typed text with large pastes folded into chips, and the drafts before it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from cutaway.tui.transcript.safe_text import count_of, visible

FOLD_LINES = 10
FOLD_CHARACTERS = 1_000
"""A paste beyond either is folded: more would push the conversation off a small screen."""

HISTORY_KEPT = 500
"""Drafts remembered in one run."""

CHIP = re.compile(r"\[[\d,]+ (?:lines?|characters?) pasted(?: #\d+)?\]")


@dataclass(frozen=True, slots=True)
class Draft:
    """A message as it is shown; `pastes` maps each chip in `shown` to the text that it stands for."""

    shown: str = ""
    pastes: Mapping[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The whole message, every chip expanded."""
        return CHIP.sub(lambda match: self.pastes.get(match.group(), match.group()), self.shown)

    @property
    def empty(self) -> bool:
        return not self.text.strip()


def lf(text: str) -> str:
    """Line ends as LF: terminals paste CR or CRLF where the text had LF."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def needs_folding(text: str) -> bool:
    """Whether a text is too large for the prompt, or holds characters that must not reach the terminal."""
    return len(text) > FOLD_CHARACTERS or text.count("\n") >= FOLD_LINES or visible(text) != text


def chip_for(text: str, taken: Mapping[str, str]) -> str:
    """A chip that names the size of a paste; equal text gets the same chip, other text another number."""
    lines = text.count("\n") + (not text.endswith("\n"))
    size = count_of(lines, "line") if lines > 1 else count_of(len(text), "character")
    number = 1
    while True:
        chip = f"[{size} pasted]" if number == 1 else f"[{size} pasted #{number}]"
        if taken.get(chip, text) == text:
            return chip
        number += 1


def draft_of(text: str, taken: Mapping[str, str] | None = None) -> Draft:
    """Show a whole text again, folded where it must be; `taken` are the chips that already mean something."""
    text = lf(text)
    if not needs_folding(text):
        return Draft(text)
    chip = chip_for(text, taken or {})
    return Draft(chip, {chip: text})


def joined(first: str, rest: Draft) -> Draft:
    """Put a text in front of a draft."""
    front = draft_of(first, rest.pastes)
    shown = f"{front.shown}\n{rest.shown}" if rest.shown else front.shown
    return Draft(shown, {**rest.pastes, **front.pastes})


class DraftHistory:
    """Earlier drafts, newest last, and the one being written below them; edits on the way are kept."""

    def __init__(self) -> None:
        self._sent: list[Draft] = []
        self._edited: dict[int, Draft] = {}
        self._at = 0

    def add(self, draft: Draft) -> None:
        """Remember a draft that leaves the prompt; a repetition is remembered once."""
        if not draft.empty and (not self._sent or self._sent[-1].text != draft.text):
            self._sent.append(draft)
            del self._sent[:-HISTORY_KEPT]
        self._edited.clear()
        self._at = len(self._sent)

    def older(self, current: Draft) -> Draft | None:
        """Step back and keep `current` where it stood; None at the oldest."""
        return self._go(self._at - 1, current)

    def newer(self, current: Draft) -> Draft | None:
        """Step forward, at last to the unsent draft; None when it is already there."""
        return self._go(self._at + 1, current)

    def _go(self, to: int, current: Draft) -> Draft | None:
        if not 0 <= to <= len(self._sent):
            return None
        self._edited[self._at] = current
        self._at = to
        return self._edited.get(to) or (self._sent[to] if to < len(self._sent) else Draft())
