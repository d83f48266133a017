"""What a question says, apart from how it is asked: pure, so that it can be read without a screen."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from cutaway.harness.answers import Answer
from cutaway.tui.rows import Row


class Wording(Protocol):
    """The words of one question; the widget that asks it lays them out and hears the keys."""

    @property
    def title(self) -> str:
        """The question in a few words of our own."""
        ...

    @property
    def subject(self) -> str:
        """What asks, at the right of the title; '' for nothing."""
        ...

    @property
    def whole(self) -> bool:
        """True when a yes counts only after the end of the body was in sight."""
        ...

    def body(self) -> Sequence[Row]:
        """All that the answer depends on, in full."""
        ...

    def foot(self) -> Sequence[Row]:
        """What stays in sight when the body scrolls, if there is room for both."""
        ...

    def keys(self, *, lit: bool) -> Sequence[Row]:
        """The keys that answer, and what each does; `lit` while the question has the keys."""
        ...

    def refusal(self) -> Answer:
        """What `ctrl+c` answers."""
        ...


@dataclass(frozen=True, slots=True)
class Line:
    """A line to type below a question; `answer` gives what to answer, or what is wrong with the text."""

    label: Row
    answer: Callable[[str], Answer | str]
