"""What the tests of the Responses API share: the vendor at a loopback address, and short ways to say it."""

import json
from typing import Any

import msgspec

from cutaway.harness.messages import AssistantMessage, Message, Reasoning, ToolCall, ToolResult
from cutaway.harness.providers.base import Request
from cutaway.harness.providers.dialects import RESPONSES
from cutaway.harness.providers.openai_responses import NAME, ResponsesWire
from cutaway.harness.providers.openai_responses_items import ITEM, origin_of
from tests.harness.providers.kit import Asking, request
from tests.servers.openai_steps import Json
from tests.servers.responses_server import ResponsesServer
from tests.servers.responses_steps import reasoning

OWN = ResponsesWire(diagnoses=True)


def asking_responses(
    server: ResponsesServer, wire: ResponsesWire = OWN, *, own: bool = True, **changes: Any
) -> Asking:
    """Ask a server that is taken for the vendor's own address, or for somebody else's."""
    dialect = msgspec.structs.replace(RESPONSES, base_url=server.url) if own else RESPONSES
    return Asking(server, dialect, wire=wire, **changes)


def asked(*messages: Message, **changes: Any) -> Request:
    return msgspec.structs.replace(request(*messages), **changes)


def body(*messages: Message, wire: ResponsesWire = OWN, **changes: Any) -> Json:
    """Encode a request as if for the vendor."""
    value: Json = json.loads(wire.encode(asked(*messages, **changes), NAME))
    return value


def sent(*messages: Message, **changes: Any) -> list[Json]:
    value: list[Json] = body(*messages, **changes)["input"]
    return value


def kept(item: Json, at: int = 0, *, words: str = "", **changes: Any) -> Reasoning:
    """Write an item of this provider and model as an answer keeps it."""
    made = Reasoning(words, ITEM, origin_of(NAME), "test-model", json.dumps(item), at)
    return msgspec.structs.replace(made, **changes)


def thought(*summary: str, id: str = "rs_1", at: int = 0, **changes: Any) -> Reasoning:
    return kept(reasoning(*summary, id=id), at, words="".join(summary), **changes)


def mark(first: int, last: int, phase: str | None = None) -> Reasoning:
    return kept({"type": "message", "phase": phase, "span": [first, last]})


def asks(*ids: str, text: str = "", thoughts: tuple[Reasoning, ...] = ()) -> AssistantMessage:
    """Write an answer that calls `read_file` once for each id."""
    calls = tuple(ToolCall(id, "read_file", '{"path":"a.txt"}') for id in ids)
    return AssistantMessage(text, calls, thoughts)


def result(id: str, text: str = "ok") -> ToolResult:
    return ToolResult(id, "read_file", text)
