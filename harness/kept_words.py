"""The words of an answer that is still streaming, on disk: a killed process loses a second, not an answer."""

import asyncio
from collections.abc import Callable

from cutaway.harness.events import AnswerKept

KEPT_EVERY = 1.0
"""Seconds of streaming that a killed process may lose."""


class KeptWords:
    """Records what has streamed of one answer, at most once in `KEPT_EVERY`; used from the loop's thread.

    An answer that takes less is recorded only once, as a whole.
    """

    __slots__ = ("_emit", "_said", "_thinking", "_thought", "_timer", "_turn_id", "_words")

    def __init__(self, emit: Callable[[AnswerKept], object], turn_id: str) -> None:
        self._emit = emit
        self._turn_id = turn_id
        self._words: list[str] = []
        self._thinking: list[str] = []
        self._said = self._thought = 0
        self._timer: asyncio.TimerHandle | None = None

    def say(self, text: str) -> None:
        """Take a piece of the answer."""
        self._words.append(text)
        self._wait()

    def think(self, text: str) -> None:
        """Take a piece of the model's thinking."""
        self._thinking.append(text)
        self._wait()

    def begin_anew(self) -> None:
        """Forget what waits: another attempt begins the answer from its first word."""
        self.close()
        self._words, self._thinking = [], []
        self._said = self._thought = 0

    def close(self) -> None:
        """Stop; the answer is recorded as a whole from here on."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _wait(self) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(KEPT_EVERY, self._keep)

    def _keep(self) -> None:
        self._timer = None
        words, thinking = "".join(self._words), "".join(self._thinking)
        self._words, self._thinking = [], []
        self._emit(AnswerKept(self._turn_id, self._said, words, self._thought, thinking))
        self._said += len(words)
        self._thought += len(thinking)
