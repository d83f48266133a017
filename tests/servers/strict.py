"""What the real Chat Completions API refuses: one sentence for the first fault, else None."""

import json
import re
from collections.abc import Iterator
from typing import Any

NAME = re.compile(r"^[a-zA-Z0-9_-]{1,64}$")


def fault_of(body: Any) -> str | None:
    """Find the first thing in a request body that a strict provider answers with 400."""
    if not isinstance(body, dict):
        return "The body must be a JSON object."
    messages = body.get("messages")
    if not isinstance(body.get("model"), str) or not body["model"]:
        return "you must provide a model parameter"
    if not isinstance(messages, list) or not messages:
        return "[] is too short - 'messages'"
    if "max_tokens" in body and "max_completion_tokens" in body:
        return "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported."
    faults = (*_tool_faults(body), *_message_faults(messages), *_pairing_faults(messages))
    return next(iter(faults), None)


def _tool_faults(body: dict[str, Any]) -> Iterator[str]:
    names: set[str] = set()
    if body.get("tools") == []:
        yield "[] is too short - 'tools'"
    for index, tool in enumerate(body.get("tools") or ()):
        function = tool.get("function") or {}
        name = function.get("name")
        if tool.get("type") != "function" or not isinstance(name, str) or not NAME.match(name):
            yield f"Invalid 'tools[{index}].function.name': expected {NAME.pattern}, got {name!r}."
        if name in names:
            yield f"Tool names must be unique: {name!r}."
        names.add(str(name))
        if not isinstance(function.get("parameters"), dict):
            yield f"Invalid schema for function {name!r}: expected an object."


def _message_faults(messages: list[dict[str, Any]]) -> Iterator[str]:
    for index, message in enumerate(messages):
        where = f"messages[{index}]"
        content = message.get("content")
        match message.get("role"):
            case "system" | "developer" | "user":
                if not isinstance(content, str | list) or not content:
                    yield f"Invalid '{where}.content': it must not be empty."
            case "assistant":
                if not content and not message.get("tool_calls"):
                    yield f"Invalid '{where}': 'content' or 'tool_calls' must be set."
                yield from _call_faults(message, where)
            case "tool":
                if not isinstance(content, str | list):
                    yield f"Invalid '{where}.content': expected a string."
            case role:
                yield f"Invalid '{where}.role': {role!r}."


def _call_faults(message: dict[str, Any], where: str) -> Iterator[str]:
    calls = message.get("tool_calls")
    if calls == []:
        yield f"[] is too short - '{where}.tool_calls'"
    for index, call in enumerate(calls or ()):
        at = f"{where}.tool_calls[{index}]"
        function = call.get("function") or {}
        if call.get("type") != "function":
            yield f"Invalid '{at}.type': {call.get('type')!r}."
        if not isinstance(function.get("name"), str) or not NAME.match(function["name"]):
            yield f"Invalid '{at}.function.name': expected {NAME.pattern}, got {function.get('name')!r}."
        if not _is_object_text(function.get("arguments")):
            yield f"Invalid '{at}.function.arguments': expected a string that holds a JSON object."


def _is_object_text(arguments: Any) -> bool:
    if not isinstance(arguments, str):
        return False
    try:
        return isinstance(json.loads(arguments), dict)
    except ValueError:
        return False


def _pairing_faults(messages: list[dict[str, Any]]) -> Iterator[str]:
    """Each call has exactly one result, in order, directly after the assistant message; ids are unique."""
    seen: set[str] = set()
    waiting: list[str] = []
    for index, message in enumerate(messages):
        if message.get("role") == "tool":
            if not waiting or message.get("tool_call_id") != waiting.pop(0):
                yield (
                    f"messages[{index}] with role 'tool' must be a response to a preceding message with "
                    "'tool_calls', in their order."
                )
                return
            continue
        if waiting:
            yield (
                "An assistant message with 'tool_calls' must be followed by tool messages responding to "
                f"each 'tool_call_id'. Without a response before messages[{index}]: {', '.join(waiting)}"
            )
            return
        ids = [str(call.get("id") or "") for call in message.get("tool_calls") or ()]
        if "" in ids or len({*ids} | seen) != len(ids) + len(seen):
            yield f"messages[{index}].tool_calls: ids must be unique and not empty: {ids}"
            return
        seen |= {*ids}
        waiting = ids
    if waiting:
        yield f"Tool calls without a response at the end: {', '.join(waiting)}"
