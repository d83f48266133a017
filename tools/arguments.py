"""Arguments of a tool call: schema for the model, parsing that heals what is safe to heal.

Types are msgspec Structs. Simple types are coerced ("3" to 3), a JSON text where a list or an
object belongs is parsed, unknown extra keys are dropped with a note; anything else is an
ArgumentError that names the path, what was expected and what was given.
"""

import json
from collections.abc import Mapping
from typing import Any, Generic, TypeVar, cast

import msgspec

from cutaway.tools.errors import ArgumentError

T = TypeVar("T")


class ParsedArguments(msgspec.Struct, Generic[T], frozen=True):
    """A value of the tool's argument type, and what had to be healed on the way (for the model)."""

    value: T
    notes: tuple[str, ...] = ()


def input_schema(arguments: type[Any]) -> dict[str, Any]:
    """Describe an argument type as one JSON Schema object without references."""
    schema = msgspec.json.schema(arguments)
    definitions = schema.pop("$defs", {})
    return cast("dict[str, Any]", _inline(schema, definitions))


def _inline(node: Any, definitions: Mapping[str, Any]) -> Any:
    if isinstance(node, list):
        return [_inline(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if reference := node.get("$ref"):
        merged = {
            **definitions[reference.rsplit("/", 1)[1]],
            **{k: v for k, v in node.items() if k != "$ref"},
        }
        return _inline(merged, definitions)
    choices = [choice for choice in node.get("anyOf", []) if choice != {"type": "null"}]
    if len(choices) == 1:  # an optional argument: it may be left out, so null need not be described
        rest = {key: value for key, value in node.items() if key not in ("anyOf", "default")}
        return _inline({**choices[0], **rest}, definitions)
    return {
        key: _inline(value, definitions)
        for key, value in node.items()
        if not (key == "title" and isinstance(value, str))
    }


def parse_arguments(text: str, arguments: type[T]) -> ParsedArguments[T]:
    """Read the JSON text that the model wrote; empty text counts as no arguments.

    Raises ArgumentError, whose message the model can act on.
    """
    raw = _read_object(text)
    notes = _unknown_keys(raw, arguments)
    for _ in range(16):  # each round heals one value; more than a few is not a slip
        try:
            return ParsedArguments(msgspec.convert(raw, arguments, strict=False), tuple(notes))
        except msgspec.ValidationError as error:
            message, path = _split(str(error))
            healed = _heal(raw, message, path)
            if healed is None:
                raise ArgumentError(_explain(message, path, raw, arguments)) from error
            notes.append(healed)
    raise ArgumentError("Too many arguments have the wrong type. Send them as the schema says.")


def _read_object(text: str) -> dict[str, Any]:
    if not text.strip():
        return {}
    try:
        raw = json.loads(text)
        if isinstance(raw, str):  # arguments encoded twice
            raw = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise ArgumentError(f"The arguments are not valid JSON ({error}). Send one JSON object.") from error
    if raw is None:
        return {}
    if not isinstance(raw, dict):
        raise ArgumentError(f"The arguments must be one JSON object, not {_named(raw)}.")
    return raw


def _unknown_keys(raw: dict[str, Any], arguments: type[Any]) -> list[str]:
    known = {item.encode_name for item in msgspec.structs.fields(arguments)}
    return [f"Unknown argument {key!r} was ignored." for key in raw if key not in known]


def _split(message: str) -> tuple[str, str]:
    text, _, path = message.partition(" - at `")
    return text, path.rstrip("`")


def _heal(raw: dict[str, Any], message: str, path: str) -> str | None:
    """Mend one value in place where that loses nothing; say what was done, or None."""
    found = _holder(raw, path)
    if found is None:
        return None
    holder, key = found
    value = holder[key]
    if isinstance(value, str) and ("`array" in message or "`object" in message):
        try:
            holder[key] = json.loads(value)
        except (ValueError, RecursionError):
            return None
        return f"{path} came as a JSON text and was parsed." if isinstance(holder[key], list | dict) else None
    if "Expected `str`" in message and isinstance(value, int | float) and not isinstance(value, bool):
        holder[key] = json.dumps(value)
        return f"{path} came as a number and was taken as text."
    if value is None and isinstance(holder, dict):
        del holder[key]
        return f"{path} was null and was left out."
    return None


def _holder(raw: Any, path: str) -> tuple[Any, Any] | None:
    """Find the container and the key that a path like `$.items[0].name` names."""
    keys = path.removeprefix("$").replace("[", ".").replace("]", "").split(".")[1:]
    if not keys:
        return None
    node = raw
    try:
        for key in keys[:-1]:
            node = node[int(key)] if isinstance(node, list) else node[key]
        last: Any = int(keys[-1]) if isinstance(node, list) else keys[-1]
        node[last]
    except (ValueError, KeyError, IndexError, TypeError):
        return None
    return node, last


def _explain(message: str, path: str, raw: dict[str, Any], arguments: type[Any]) -> str:
    where = f"at {path.removeprefix('$.')}: " if path and path != "$" else ""
    names = ", ".join(
        item.encode_name + ("" if item.required else "?") for item in msgspec.structs.fields(arguments)
    )
    given = ", ".join(f"{key}: {_named(value)}" for key, value in raw.items()) or "nothing"
    return f"Invalid arguments: {where}{message}. Expected {{{names}}}; given {{{given}}}."


def _named(value: Any) -> str:
    names = {
        dict: "an object",
        list: "a list",
        str: "a string",
        bool: "a boolean",
        int: "a number",
        float: "a number",
    }
    return "null" if value is None else names.get(type(value), type(value).__name__)
