"""The seam between the one transport and the wire formats: what is sent where, and how it is read."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from cutaway.harness.messages import AssistantMessage
from cutaway.harness.providers.base import CallDelta, Request, TextDelta, ThinkingDelta
from cutaway.harness.usage import Usage

Delta = TextDelta | ThinkingDelta | CallDelta


class Answer(Protocol):
    """One answer as far as it has arrived; events go in, deltas come out.

    `ended` tells that the server itself said that the answer is over, `stop_reason` its word for why.
    `id` is the server's name for the answer; `cache_reported` and `diagnosis` are those of `Completed`.
    """

    ended: bool
    stop_reason: str
    usage: Usage | None
    id: str
    cache_reported: bool
    diagnosis: str

    def take(self, event: str, data: Mapping[str, Any]) -> Iterator[Delta]:
        """Take one event in; `event` is the name that the stream gave it ('' for none).

        A whole unstreamed answer is taken in the same way. Parts of unknown shape are skipped. An error
        that the server tells inside the stream is for the transport.
        """
        ...

    def finish(self) -> Iterator[Delta]:
        """Take the end of the stream; what was held back until now."""
        ...

    @property
    def has_content(self) -> bool:
        """True when words of the answer, or a part of a call, have arrived."""
        ...

    @property
    def message(self) -> AssistantMessage:
        """The answer so far: calls whose arguments were cut off are left out and set `cut`."""
        ...


class Wire(Protocol):
    """One API's way to speak; pure but for the answer that it opens.

    `identity` names the server, so that thinking goes back only to where it came from.
    """

    @property
    def path(self) -> str:
        """What is appended to the base URL, as `/chat/completions`."""
        ...

    @property
    def optional(self) -> Mapping[str, str]:
        """Text fields of `Request` that are left out from then on when a server refuses them.

        By the word with which a refusal names them, as `{"diagnostics": "previous_response"}`; a word
        may also be the name of a header, which is then left out too.
        """
        ...

    def headers(self, key: str) -> dict[str, str]:
        """Give the headers that carry the key, and those that the API wants on each request."""
        ...

    def encode(self, request: Request, identity: str) -> bytes: ...
    def answer(self, request: Request, identity: str) -> Answer: ...
