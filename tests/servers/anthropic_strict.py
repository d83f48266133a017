"""What the Messages API refuses: one sentence for the first fault, else None."""

import re
from collections.abc import Iterator
from typing import Any

from tests.servers.anthropic_cache import blocks_of
from tests.servers.anthropic_steps import sign

Json = dict[str, Any]
ID, NAME = re.compile(r"^[a-zA-Z0-9_-]+$"), re.compile(r"^[a-zA-Z0-9_-]{1,64}$")
FIELDS = {
    "model",
    "stream",
    "max_tokens",
    "thinking",
    "output_config",
    "temperature",
    "diagnostics",
    "tools",
    "system",
    "messages",
}
LIVES = ("1h", "5m")


def fault_of(body: Any, *, paused: bool = False) -> str | None:
    """Find the first thing in a request body that the API answers with 400.

    `paused` tells that the answer before stopped with `pause_turn`: then it may stand at the end.
    """
    if not isinstance(body, dict):
        return "The request body is not valid JSON"
    return next(_faults(body, paused), None)


def _faults(body: Json, paused: bool) -> Iterator[str]:
    for name in sorted(body.keys() - FIELDS):
        yield f"{name}: Extra inputs are not permitted"
    for name in ("model", "max_tokens", "messages"):
        if name not in body:
            yield f"{name}: Field required"
            return
    yield from _parameter_faults(body)
    yield from _tool_faults(body)
    if body.get("system") == []:
        yield "system: List should have at least 1 item"
    for index, block in enumerate(body.get("system") or ()):
        yield from _text_faults(block, f"system.{index}")
    yield from _shape_faults(body["messages"], paused)
    yield from _pairing_faults(body["messages"])
    yield from _mark_faults(body)


def _parameter_faults(body: Json) -> Iterator[str]:
    limit, thinking = body["max_tokens"], body.get("thinking") or {}
    if not isinstance(limit, int) or limit < 1:
        yield "max_tokens: Input should be greater than or equal to 1"
    match thinking.get("type"):
        case "enabled":
            budget = thinking.get("budget_tokens", 0)
            if budget < 1024:
                yield "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"
            if budget >= limit:
                yield "`max_tokens` must be greater than `thinking.budget_tokens`"
        case None | "adaptive" | "disabled":
            pass
        case kind:
            yield f"thinking: Input tag {kind!r} found does not match any of the expected tags"
    if thinking and body.get("temperature", 1) != 1:
        yield "`temperature` may only be set to 1 when thinking is enabled."
    effort = (body.get("output_config") or {}).get("effort", "high")
    if effort not in ("low", "medium", "high", "xhigh", "max"):
        yield f"output_config.effort: Input should be a known level, got {effort!r}"


def _tool_faults(body: Json) -> Iterator[str]:
    names: set[str] = set()
    for index, tool in enumerate(body.get("tools") or ()):
        name = tool.get("name")
        if not isinstance(name, str) or not NAME.match(name):
            yield f"tools.{index}.custom.name: String should match pattern '{NAME.pattern}'"
        if name in names:
            yield "tools: Tool names must be unique."
        names.add(str(name))
        schema = tool.get("input_schema")
        if not isinstance(schema, dict) or schema.get("type") != "object":
            yield f"tools.{index}.custom.input_schema.type: Input should be 'object'"


def _shape_faults(messages: list[Json], paused: bool) -> Iterator[str]:
    if not messages:
        yield "messages: at least one message is required"
    for index, message in enumerate(messages):
        role, content, where = str(message.get("role")), message.get("content"), f"messages.{index}"
        if role not in ("user", "assistant"):
            yield f"{where}.role: Input should be 'user' or 'assistant'"
        if role != ("user", "assistant")[index % 2]:
            yield 'messages: roles must alternate between "user" and "assistant", "user" first'
        if not isinstance(content, list) or not content:
            yield f"{where}: all messages must have non-empty content"
            return
        for number, block in enumerate(content):
            yield from _block_faults(block, role, f"{where}.content.{number}")
        if content[-1].get("type") in ("thinking", "redacted_thinking"):
            yield f"{where}: The final block in an assistant message cannot be `thinking`."
    if messages and messages[-1]["role"] == "assistant" and not paused:
        yield "This model does not support assistant message prefill: it must end with a user message."


def _block_faults(block: Json, role: str, where: str) -> Iterator[str]:
    match block.get("type"), role:
        case "text", _:
            yield from _text_faults(block, where)
        case "tool_use", "assistant":
            if not ID.match(str(block.get("id"))):
                yield f"{where}.tool_use.id: String should match pattern '{ID.pattern}'"
            if not NAME.match(str(block.get("name"))):
                yield f"{where}.tool_use.name: String should match pattern '{NAME.pattern}'"
            if not isinstance(block.get("input"), dict):
                yield f"{where}.tool_use.input: Input should be a valid dictionary"
        case "tool_result", "user":
            content = block.get("content", "")
            if isinstance(content, str) and content and not content.strip():
                yield f"{where}.tool_result: text content blocks must contain non-whitespace text"
            if block.get("is_error") and not content:
                yield f"{where}.tool_result: content cannot be empty if `is_error` is true"
        case "thinking", "assistant":
            if block.get("signature") != sign(block.get("thinking", "")):
                yield f"{where}: Invalid `signature` in `thinking` block"
        case "redacted_thinking", "assistant":
            if not str(block.get("data")).startswith("sealed-sig-"):
                yield f"{where}: Invalid `data` in `redacted_thinking` block"
        case kind, _:
            yield f"{where}: Input tag {kind!r} found in a message of the {role} is not expected"


def _text_faults(block: Json, where: str) -> Iterator[str]:
    words = block.get("text")
    if not isinstance(words, str) or not words.strip():
        if "cache_control" in block:
            yield f"{where}.text: cache_control cannot be set for empty text blocks"
        yield f"{where}: text content blocks must contain non-whitespace text"


def _pairing_faults(messages: list[Json]) -> Iterator[str]:
    """Each call has one result, first in the next message; ids are unique."""
    seen: set[str] = set()
    open_calls: list[str] = []
    for index, message in enumerate(messages):
        kinds = [block["type"] for block in message["content"]]
        results = [block["tool_use_id"] for block in message["content"] if block["type"] == "tool_result"]
        if missing := [id for id in open_calls if id not in results]:
            yield (
                f"messages.{index - 1}: `tool_use` ids were found without `tool_result` blocks immediately "
                f"after: {', '.join(missing)}."
            )
        if extra := [id for id in results if id not in open_calls]:
            yield f"messages.{index}: unexpected `tool_use_id` found in `tool_result` blocks: {extra[0]}."
        if len(results) != len({*results}):
            yield f"messages.{index}: each tool_use must have a single result."
        if kinds[: len(results)] != ["tool_result"] * len(results):
            yield f"messages.{index}: `tool_result` blocks must come first in the content."
        open_calls = [block["id"] for block in message["content"] if block["type"] == "tool_use"]
        if len({*open_calls} | seen) != len(open_calls) + len(seen):
            yield f"messages.{index}: `tool_use` ids must be unique"
        seen |= {*open_calls}
    if open_calls:
        yield f"`tool_use` ids were found without `tool_result` blocks at the end: {', '.join(open_calls)}."


def _mark_faults(body: Json) -> Iterator[str]:
    marked = [block for block in blocks_of(body) if "cache_control" in block]
    if len(marked) > 4:
        yield f"A maximum of 4 blocks with cache_control may be provided. Found {len(marked)}."
    lives = [block["cache_control"].get("ttl", "5m") for block in marked]
    if any(block["cache_control"].get("type") != "ephemeral" for block in marked) or {*lives} - {*LIVES}:
        yield "cache_control: Input should be ephemeral, with a ttl of '5m' or '1h'"
    if sorted(lives) != lives:
        yield "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block."
    for block in marked:
        if block.get("type") in ("thinking", "redacted_thinking"):
            yield f"{block['type']}.cache_control: Extra inputs are not permitted"
