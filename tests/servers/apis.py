"""The three APIs as one table: a server for each, and what it writes in words of its own."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from tests.servers import anthropic_steps, responses_steps
from tests.servers.anthropic_server import AnthropicServer
from tests.servers.openai_server import OpenAIServer
from tests.servers.openai_steps import Choose, Json, Step, error
from tests.servers.responses_server import ResponsesServer

Row = tuple[str, Json]
"""One thing that was said: the role, and the message, block or item as it was sent, without a mark."""


@dataclass(frozen=True, slots=True)
class Api:
    """An API by the name of its provider: `model` is one that thinks, `busy` what an overload answers."""

    provider: str
    server: Callable[[], OpenAIServer]
    model: str
    cut: str
    busy: Callable[[], Step]
    limited: Callable[[], Step]
    said: Callable[[Json], list[Row]]
    stable: tuple[str, ...]

    def steps(self, script: list[Step]) -> list[Step | Choose]:
        """Write a script in the words of this API: a cut answer is called otherwise in each."""
        return [replace(step, finish=self.cut) if step.finish == "length" else step for step in script]

    def fixed(self, body: Json) -> Json:
        """What stands before all that was said, without marks."""
        return {name: unmarked(body.get(name)) for name in self.stable}


def unmarked(value: Any) -> Any:
    """Take the cache marks out of a body, or of a part of it."""
    if isinstance(value, dict):
        return {key: unmarked(one) for key, one in value.items() if key != "cache_control"}
    return [unmarked(one) for one in value] if isinstance(value, list) else value


def marks_of(body: Json) -> list[Json]:
    """The cache marks of a body, in the order of the wire."""
    return list(_marks(body))


def _marks(value: Any) -> Iterator[Json]:
    if isinstance(value, dict):
        if "cache_control" in value:
            yield value["cache_control"]
        for one in value.values():
            yield from _marks(one)
    elif isinstance(value, list):
        for one in value:
            yield from _marks(one)


def _messages(body: Json) -> list[Row]:
    return [(message["role"], message) for message in body["messages"] if message["role"] != "system"]


def _blocks(body: Json) -> list[Row]:
    return [
        (message["role"], unmarked(block)) for message in body["messages"] for block in message["content"]
    ]


def _items(body: Json) -> list[Row]:
    return [(item.get("role", item.get("type", "")), item) for item in body["input"]]


SOON = "0.01"
"""Seconds to wait before the next attempt, so that a test need not; a real server says more."""

CHAT = Api(
    "openai",
    OpenAIServer,
    "gpt-5.1",
    "length",
    lambda: error(503, "The server is overloaded.", retry_after=SOON),
    lambda: error(429, "Rate limit reached.", code="rate_limit_exceeded", retry_after=SOON),
    _messages,
    ("model", "tools"),
)
MESSAGES = Api(
    "anthropic",
    AnthropicServer,
    "claude-sonnet-4-5",
    "max_tokens",
    lambda: anthropic_steps.refusal(529, "Overloaded", retry_after=SOON),
    lambda: anthropic_steps.refusal(429, "Rate limit reached.", retry_after=SOON),
    _blocks,
    ("model", "tools", "system"),
)
RESPONSES = Api(
    "openai-responses",
    ResponsesServer,
    "gpt-5.1",
    "length",
    lambda: error(503, "The server is overloaded.", retry_after=SOON),
    lambda: replace(
        responses_steps.refusal(429, "Rate limit reached.", "rate_limit_exceeded"),
        headers={"retry-after": SOON},
    ),
    _items,
    ("model", "tools", "instructions"),
)
APIS = (CHAT, MESSAGES, RESPONSES)
