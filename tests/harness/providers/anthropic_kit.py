"""What the tests of the Messages API share: the vendor at a loopback address, and short ways to say it."""

import json
from typing import Any

import msgspec

from cutaway.harness.messages import AssistantMessage, Message, Reasoning, ToolCall, ToolResult
from cutaway.harness.providers.anthropic import BASE_URL, KEY_VARIABLE, NAME, AnthropicWire
from cutaway.harness.providers.dialects import Dialect
from tests.harness.providers.kit import Asking, request
from tests.servers.anthropic_server import AnthropicServer
from tests.servers.anthropic_steps import seal, sign
from tests.servers.openai_steps import Json

DIALECT = Dialect(name=NAME, title="Anthropic", base_url=BASE_URL, key_variable=KEY_VARIABLE)
OWN = AnthropicWire(own=True)


def asking_anthropic(
    server: AnthropicServer, wire: AnthropicWire = OWN, *, own: bool = True, **changes: Any
) -> Asking:
    """Ask a server that is taken for the vendor's own address, or for somebody else's."""
    dialect = msgspec.structs.replace(DIALECT, base_url=server.url) if own else DIALECT
    return Asking(server, dialect, wire=wire, **changes)


def thought(words: str, at: int = 0, **changes: Any) -> Reasoning:
    """Write a signed thought of this provider and model."""
    opaque = json.dumps({"signature": sign(words), **changes.pop("more", {})})
    made = Reasoning(words, "thinking", NAME, "test-model", opaque, at)
    return msgspec.structs.replace(made, **changes)


def redacted(secret: str, at: int = 0) -> Reasoning:
    return Reasoning("", "thinking", NAME, "test-model", json.dumps({"data": seal(secret)}), at)


def asks(*ids: str, text: str = "", thoughts: tuple[Reasoning, ...] = ()) -> AssistantMessage:
    """Write an answer that calls `read_file` once for each id."""
    calls = tuple(ToolCall(id, "read_file", '{"path":"a.txt"}') for id in ids)
    return AssistantMessage(text, calls, thoughts)


def result(id: str, text: str = "ok", *, failed: bool = False) -> ToolResult:
    return ToolResult(id, "read_file", text, failed)


def body(*messages: Message, wire: AnthropicWire = OWN, **changes: Any) -> Json:
    """Encode a request as if for the vendor."""
    value: Json = json.loads(wire.encode(request(*messages, **changes), NAME))
    return value


def sent(*messages: Message, **changes: Any) -> list[Json]:
    value: list[Json] = body(*messages, **changes)["messages"]
    return value


def marks(value: Json) -> list[tuple[str, str]]:
    """List the marked blocks of a body, in order: what they are, and how long they live."""
    found: list[tuple[str, str]] = []
    for section in ("tools", "system"):
        for number, block in enumerate(value.get(section, ())):
            found += [(f"{section}.{number}", ttl) for ttl in _life(block)]
    for at, message in enumerate(value["messages"]):
        for number, block in enumerate(message["content"]):
            found += [(f"{at}.{number}.{block['type']}", ttl) for ttl in _life(block)]
    return found


def _life(block: Json) -> list[str]:
    return [block["cache_control"].get("ttl", "5m")] if "cache_control" in block else []


def without_marks(value: Json) -> list[Json]:
    """Give the messages of a body as they would be without any mark."""
    return [
        {**message, "content": [_plain(block) for block in message["content"]]}
        for message in value["messages"]
    ]


def _plain(block: Json) -> Json:
    return {key: value for key, value in block.items() if key != "cache_control"}
