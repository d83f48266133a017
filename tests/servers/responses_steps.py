"""How an answer of the Responses API looks on the wire; the steps are those of the other server."""

import hashlib
import json
from collections.abc import Iterator
from itertools import count
from typing import Any

from tests.servers.openai_steps import Json, Step

NULLS = ("error", "incomplete_details", "prompt_cache_diagnostics")
INPUT = {"input_tokens": 10, "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0}}
USAGE = {**INPUT, "output_tokens": 5, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 15}


def refusal(status: int, message: str, code: str | None = None, param: str | None = None) -> Step:
    """Refuse in the API's own error format."""
    error = {"message": message, "type": "invalid_request_error", "param": param, "code": code}
    return Step(status=status, body={"error": error})


def seal(id: str, words: str) -> str:
    """Encrypt a thought as the server does; a changed one no longer fits."""
    return "gAAAA" + hashlib.sha256(f"{id}\n{words}".encode("utf-8", "surrogatepass")).hexdigest()


def text(words: str, *, id: str = "msg_1", phase: str | None = None) -> Json:
    part = {"type": "output_text", "text": words, "annotations": [], "logprobs": []}
    head: Json = {"id": id, "type": "message", "status": "completed", "role": "assistant"}
    return {**head, **({"phase": phase} if phase else {}), "content": [part]}


def refuses(words: str) -> Json:
    return {**text("", id="msg_refusal"), "content": [{"type": "refusal", "refusal": words}]}


def reasoning(*summary: str, id: str = "rs_1") -> Json:
    """Write a thought with the parts of its summary; `status` is null as the API sends it."""
    parts = [{"type": "summary_text", "text": words} for words in summary]
    head = {"id": id, "type": "reasoning", "status": None, "summary": parts}
    return {**head, "encrypted_content": seal(id, "\n".join(summary))}


def function_call(call_id: str, name: str, input: Any = None, **arguments: Any) -> Json:
    """Write a call; `input` as text is streamed as it is, so that it can be torn or wrong."""
    given = input if isinstance(input, str) else json.dumps(arguments if input is None else input)
    head = {"id": f"fc_{call_id}", "type": "function_call", "status": "completed"}
    return {**head, "call_id": call_id, "name": name, "arguments": given}


def said(*items: Json, reason: str = "", usage: Json | None = None, piece: int = 16, **step: Any) -> Step:
    """Answer with these items in this order; a `reason` leaves the answer, and its last item, incomplete."""
    return Step(chunks=events(*items, reason=reason, usage=usage, piece=piece), **step)


def events(
    *items: Json, reason: str = "", usage: Json | None = None, piece: int = 16, end: bool = True
) -> list[Json]:
    """Give the events of an answer; without `end` the stream stops after the items."""
    made = [beginning("test-model", 1), {"type": "response.in_progress", "response": {"id": "resp_1"}}]
    for index, item in enumerate(items):
        torn = bool(reason) and index == len(items) - 1
        made += [event for event, _ in item_events(index, item, piece, torn=torn)]
    if end:
        made.append(ending("test-model", 1, list(items), USAGE if usage is None else usage, reason))
    return numbered(made)


def numbered(made: list[Json]) -> list[Json]:
    numbers = count()
    return [{**event, "sequence_number": next(numbers)} for event in made]


def response(model: str, number: int, status: str, **more: Any) -> Json:
    head = {"id": f"resp_{number}", "object": "response", "created_at": 1, "status": status, "model": model}
    return {**head, **dict.fromkeys(NULLS), "output": [], "usage": None, **more}


def beginning(model: str, number: int) -> Json:
    return {"type": "response.created", "response": response(model, number, "in_progress")}


def ending(
    model: str, number: int, items: list[Json], usage: Json | None, reason: str = "", **more: Any
) -> Json:
    status = "incomplete" if reason else "completed"
    details = {"reason": reason} if reason else None
    whole = response(model, number, status, output=items, usage=usage, incomplete_details=details, **more)
    return {"type": f"response.{status}", "response": whole}


def failing(code: str, message: str) -> Json:
    failed = {**response("test-model", 1, "failed"), "error": {"code": code, "message": message}}
    return {"type": "response.failed", "response": failed}


def items_of(step: Step, number: int) -> list[Json]:
    """Give the items of a step that is written as thinking, text and calls."""
    items = [reasoning(step.thinking, id=f"rs_{number}")] if step.thinking else []
    items += [text(step.text, id=f"msg_{number}")] if step.text else []
    for index, call in enumerate(step.calls):
        made = function_call(
            call.get("id") or f"call_{number}_{index}", call["name"], call.get("arguments", {})
        )
        items.append(made)
    return items


def reason_of(step: Step) -> str:
    return {"length": "max_output_tokens"}.get(step.finish or "", step.finish or "")


def item_events(index: int, item: Json, piece: int, *, torn: bool = False) -> Iterator[tuple[Json, int]]:
    """Stream one item: its start, its deltas, its end; each with the count of characters shown.

    An item that the output limit tore ends without the events that give it whole.
    """
    at = {"output_index": index, "item_id": item["id"]}
    empty = {"content": [], "summary": [], "arguments": "", "encrypted_content": "half"}
    begun = {key: empty.get(key, value) for key, value in item.items()}
    yield {"type": "response.output_item.added", "output_index": index, "item": begun}, 0
    for event, shown in _pieces_of(item, piece):
        if not (torn and event["type"].endswith(".done")):
            yield {**event, **at}, shown
    whole = {**item, "status": "incomplete"} if torn else item
    yield {"type": "response.output_item.done", "output_index": index, "item": whole}, 0


def _pieces_of(item: Json, piece: int) -> Iterator[tuple[Json, int]]:
    match item["type"]:
        case "message":
            for place, part in enumerate(item["content"]):
                yield from _part_events("output_text", "content_index", place, part, piece)
        case "reasoning":
            for place, part in enumerate(item["summary"]):
                yield from _part_events("reasoning_summary_text", "summary_index", place, part, piece)
            for place, part in enumerate(item.get("content") or ()):
                yield from _part_events("reasoning_text", "content_index", place, part, piece)
        case "function_call":
            name, given = "response.function_call_arguments", item["arguments"]
            for words in _cut(given, piece):
                yield {"type": f"{name}.delta", "delta": words, "obfuscation": "xyz"}, len(words)
            yield {"type": f"{name}.done", "arguments": given}, 0


def _part_events(kind: str, key: str, place: int, part: Json, piece: int) -> Iterator[tuple[Json, int]]:
    field = "refusal" if part["type"] == "refusal" else "text"
    name = f"response.{'refusal' if field == 'refusal' else kind}"
    around = "reasoning_summary_part" if key == "summary_index" else "content_part"
    empty = {**part, field: ""}
    yield {"type": f"response.{around}.added", key: place, "part": empty}, 0
    for words in _cut(part[field], piece):
        yield {"type": f"{name}.delta", key: place, "delta": words, "obfuscation": "xyz"}, len(words)
    yield {"type": f"{name}.done", key: place, field: part[field]}, 0
    yield {"type": f"response.{around}.done", key: place, "part": part}, 0


def _cut(words: str, size: int) -> Iterator[str]:
    for start in range(0, len(words), size):
        yield words[start : start + size]
