"""What a wire made of the messages of a conversation that only grows, so that a turn costs what is new."""

from collections.abc import Callable, Hashable, Sequence
from operator import is_
from typing import Generic, TypeVar

from cutaway.harness.messages import Message

T = TypeVar("T")

Encoder = Callable[[Message], T]
"""Encodes one message after another; what it makes depends on nothing behind the message."""


class Memo(Generic[T]):
    """Keeps what was made of each message of the last request, for as long as the next begins with them.

    Messages are compared by identity: they are frozen, and a conversation holds on to its own.
    """

    __slots__ = ("_encoder", "_key", "_made", "_messages")

    def __init__(self) -> None:
        self._key: Hashable = None
        self._messages: list[Message] = []
        self._made: list[T] = []
        self._encoder: Encoder[T] | None = None

    def of(self, key: Hashable, messages: Sequence[Message], begin: Callable[[], Encoder[T]]) -> list[T]:
        """What is made of each message; `begin` gives an encoder for a conversation from its start.

        `key` is all else that the encoding depends on. The values are shared: they must not be changed.
        """
        grows = len(messages) >= len(self._messages) and all(map(is_, self._messages, messages))
        if self._encoder is None or key != self._key or not grows:
            self._key, self._messages, self._made, self._encoder = key, [], [], begin()
        for message in messages[len(self._messages) :]:
            self._made.append(self._encoder(message))
            self._messages.append(message)
        return self._made
