"""What the Responses API refuses: one sentence for the first fault, else None."""

import json
import re
from collections.abc import Iterator
from typing import Any

from tests.servers.responses_steps import seal

Json = dict[str, Any]
NAME = re.compile(r"^[a-zA-Z0-9_-]{1,64}$")
FIELDS = {
    "model",
    "stream",
    "store",
    "include",
    "prompt_cache_key",
    "prompt_cache_options",
    "max_output_tokens",
    "reasoning",
    "temperature",
    "tools",
    "instructions",
    "input",
}
TOOL_FIELDS = {"type", "name", "description", "parameters", "strict"}
ITEM_FIELDS: dict[str, tuple[set[str], set[str]]] = {  # needed, allowed besides
    "message": ({"role", "content"}, {"type", "id", "status", "phase"}),
    "function_call": ({"call_id", "name", "arguments"}, {"type", "id", "status"}),
    "function_call_output": ({"call_id", "output"}, {"type", "id", "status"}),
    "reasoning": ({"id", "summary"}, {"type", "status", "content", "encrypted_content"}),
}
PARTS = {"user": "input_text", "developer": "input_text", "system": "input_text", "assistant": "output_text"}
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
NO_THOUGHTS, WITH_DIAGNOSIS = re.compile(r"gpt-4|gpt-3"), re.compile(r"gpt-(5\.[6-9]|[6-9])|test-model")
THINKS = re.compile(r"gpt-[5-9]|o\d")


def fault_of(body: Any) -> str | None:
    """Find the first thing in a request body that the API answers with 400."""
    if not isinstance(body, dict):
        return "We could not parse the JSON body of your request."
    return next(_faults(body), None)


def _faults(body: Json) -> Iterator[str]:
    for name in sorted(body.keys() - FIELDS):
        yield f"Unknown parameter: '{name}'."
    if not isinstance(body.get("model"), str) or not body["model"]:
        yield "Missing required parameter: 'model'."
        return
    if not isinstance(body.get("input"), list) or not body["input"]:
        yield "Invalid 'input': empty array. Expected an array with minimum length 1."
        return
    yield from _parameter_faults(body, body["model"])
    yield from _tool_faults(body)
    for index, item in enumerate(body["input"]):
        faults = list(_item_faults(item, f"input[{index}]"))
        yield from faults
        if faults:
            return
    yield from _pairing_faults(body["input"])
    yield from _order_faults(body["input"])


def _parameter_faults(body: Json, model: str) -> Iterator[str]:
    if body.get("include", []) not in ([], ["reasoning.encrypted_content"]):
        yield f"Invalid value: {body['include']!r}. Param 'include'."
    if body.get("include") and NO_THOUGHTS.match(model):
        yield "Encrypted content is not supported with this model. Param 'include'."
    if "temperature" in body and THINKS.match(model):
        yield "Unsupported parameter: 'temperature' is not supported with this model."
    if body.get("max_output_tokens", 16) < 16:
        yield "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16."
    if len(body.get("prompt_cache_key", "")) > 64:
        yield "Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64."
    if "prompt_cache_options" in body and not WITH_DIAGNOSIS.match(model):
        yield "Unsupported parameter: 'prompt_cache_options' is not supported with this model."
    thinking = body.get("reasoning", {})
    if thinking and NO_THOUGHTS.match(model):
        yield "Unsupported parameter: 'reasoning.summary' is not supported with this model."
    if thinking.keys() - {"effort", "summary"}:
        yield f"Unknown parameter in 'reasoning': {sorted(thinking)}."
    if thinking.get("effort", "low") not in EFFORTS:
        yield f"Invalid value: {thinking['effort']!r}. Param 'reasoning.effort'."
    if thinking.get("summary", "auto") not in ("auto", "concise", "detailed"):
        yield f"Invalid value: {thinking['summary']!r}. Param 'reasoning.summary'."
    if body.get("instructions") == "":
        yield "Invalid 'instructions': it must not be empty."


def _tool_faults(body: Json) -> Iterator[str]:
    names: set[str] = set()
    if body.get("tools") == []:
        yield "Invalid 'tools': empty array."
    for index, tool in enumerate(body.get("tools") or ()):
        name = tool.get("name")
        for unknown in sorted(tool.keys() - TOOL_FIELDS):
            yield f"Unknown parameter: 'tools[{index}].{unknown}'."
        if tool.get("type") != "function" or not isinstance(name, str) or not NAME.match(name):
            yield f"Invalid 'tools[{index}].name': string does not match pattern '{NAME.pattern}'."
        if name in names:
            yield f"Tool names must be unique: {name!r}."
        names.add(str(name))
        if not isinstance(tool.get("parameters"), dict) or not isinstance(tool.get("strict"), bool):
            yield f"Invalid schema for function {name!r}: expected an object, and whether it is strict."


def _item_faults(item: Json, where: str) -> Iterator[str]:
    kind = item.get("type", "message" if "role" in item else None)
    if kind not in ITEM_FIELDS:
        yield f"Invalid value: {kind!r}. Param '{where}.type'."
        return
    needed, besides = ITEM_FIELDS[kind]
    for name in sorted(needed - item.keys()):
        yield f"Missing required parameter: '{where}.{name}'."
        return
    for name in sorted(item.keys() - needed - besides):
        yield f"Unknown parameter: '{where}.{name}'."
    for name in sorted(name for name, value in item.items() if value is None):
        yield f"Invalid type for '{where}.{name}': got null instead."
    match kind:
        case "message":
            yield from _message_faults(item, where)
        case "reasoning":
            yield from _reasoning_faults(item, where)
        case "function_call" | "function_call_output":
            yield from _call_faults(item, where, kind)


def _message_faults(item: Json, where: str) -> Iterator[str]:
    expected = PARTS.get(item["role"])
    content = item["content"]
    if expected is None:
        yield f"Invalid value: {item['role']!r}. Param '{where}.role'."
    if not isinstance(content, list) or not content:
        yield f"Invalid '{where}.content': it must not be empty."
        return
    for number, part in enumerate(content):
        if part.get("type") != expected:
            yield f"Invalid value: {part.get('type')!r}. Param '{where}.content[{number}].type'."
        if not part.get("text") or part.keys() - {"type", "text"}:
            yield f"Invalid '{where}.content[{number}].text': it must not be empty."
    if "phase" in item and (
        item["role"] != "assistant" or item["phase"] not in ("commentary", "final_answer")
    ):
        yield f"Invalid value: {item['phase']!r}. Param '{where}.phase'."


def _reasoning_faults(item: Json, where: str) -> Iterator[str]:
    if not isinstance(item["summary"], list):
        yield f"Invalid type for '{where}.summary': expected an array."
        return
    if "encrypted_content" not in item:
        yield f"Item with id '{item['id']}' not found. Items are not persisted when `store` is set to false."
        return
    words = "\n".join(part["text"] for part in item["summary"])
    if item["encrypted_content"] != seal(item["id"], words):
        yield f"The encrypted content for item {item['id']} could not be verified."


def _call_faults(item: Json, where: str, kind: str) -> Iterator[str]:
    id = item["call_id"]
    if not isinstance(id, str) or not 1 <= len(id) <= 64:
        yield f"Invalid '{where}.call_id': expected a string with length 1 to 64."
    if kind == "function_call_output":
        if not isinstance(item["output"], str):
            yield f"Invalid type for '{where}.output': expected a string."
        return
    if not isinstance(item["name"], str) or not NAME.match(item["name"]):
        yield f"Invalid '{where}.name': string does not match pattern '{NAME.pattern}'."
    if not _is_object_text(item["arguments"]):
        yield f"Invalid '{where}.arguments': expected a string that holds a JSON object."


def _is_object_text(arguments: Any) -> bool:
    if not isinstance(arguments, str):
        return False
    try:
        return isinstance(json.loads(arguments), dict)
    except ValueError:
        return False


def _pairing_faults(items: list[Json]) -> Iterator[str]:
    """Each call has exactly one output, in order, before anything else is said by the user."""
    waiting: list[str] = []
    seen: set[str] = set()
    for item in items:
        match item.get("type"):
            case "function_call":
                if item["call_id"] in seen:
                    yield f"Duplicate function call with call_id {item['call_id']}."
                seen.add(item["call_id"])
                waiting.append(item["call_id"])
            case "function_call_output":
                if not waiting or waiting.pop(0) != item["call_id"]:
                    yield f"No tool call found for function call output with call_id {item['call_id']}."
                    return
            case "message" if waiting and item["role"] == "user":
                break
    if waiting:
        yield f"No tool output found for function call {waiting[0]}."


def _order_faults(items: list[Json]) -> Iterator[str]:
    """A thought leads, through other thoughts at most, to what the model said or called."""
    thought = ""
    for item in [*items, {"type": "end"}]:
        if item.get("type") == "reasoning":
            thought = item["id"]
            continue
        leads = item.get("type") == "function_call" or item.get("role") == "assistant"
        if thought and not leads:
            yield f"Item '{thought}' of type 'reasoning' was provided without its required following item."
        thought = ""
