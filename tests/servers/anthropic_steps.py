"""How an answer of the Messages API looks on the wire; the steps are those of the other server."""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from tests.servers.openai_steps import Json, Step

STATUS_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    504: "timeout_error",
    529: "overloaded_error",
}


def refusal(status: int, message: str, **headers: str) -> Step:
    """Refuse in the API's own error format; header names take `_` for `-`."""
    body = {"type": "error", "error": problem(STATUS_TYPES[status], message), "request_id": "req_test"}
    return Step(status=status, body=body, headers={k.replace("_", "-"): v for k, v in headers.items()})


def problem(type: str, message: str) -> Json:
    return {"type": type, "message": message}


def sign(thinking: str) -> str:
    """Sign a thought as the server does; a changed thought no longer fits."""
    return "sig-" + hashlib.sha256(thinking.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def seal(secret: str) -> str:
    """Make the data of a redacted thought."""
    return f"sealed-{sign(secret)}"


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def thinking(words: str) -> Json:
    return {"type": "thinking", "thinking": words, "signature": sign(words)}


def redacted(secret: str) -> Json:
    return {"type": "redacted_thinking", "data": seal(secret)}


def tool_use(id: str, name: str, input: Any = None, **arguments: Any) -> Json:
    """Write a call; `input` as text is streamed as it is, so that it can be torn or wrong."""
    return {"type": "tool_use", "id": id, "name": name, "input": arguments if input is None else input}


def said(
    *blocks: Json, stop: str | None = "end_turn", usage: Json | None = None, piece: int = 16, **step: Any
) -> Step:
    """Answer with these blocks in this order; None as `stop` leaves the end of the stream out."""
    counted = usage or {"input_tokens": 10, "output_tokens": 5}
    events = [message_start("test-model", 1, counted)]
    for index, block in enumerate(blocks):
        events += [event for event, _ in block_events(index, block, piece)]
    if stop is not None:
        events += message_end(stop, counted)
    return Step(chunks=events, **step)


def blocks_of(step: Step, number: int) -> list[Json]:
    """Give the blocks of a step that is written as thinking, text and calls."""
    blocks = [thinking(step.thinking)] if step.thinking else []
    blocks += [text(step.text)] if step.text else []
    for index, call in enumerate(step.calls):
        blocks.append(tool_use(call.get("id") or f"toolu_{number}_{index}", call["name"], call["arguments"]))
    return blocks


def stop_of(step: Step) -> str | None:
    return ("tool_use" if step.calls else "end_turn") if step.finish == "" else step.finish


def message_start(model: str, number: int, usage: Json, **more: Any) -> Json:
    head = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": model, "content": []}
    message = {**head, "stop_reason": None, "stop_sequence": None, "usage": {**usage, "output_tokens": 1}}
    return {"type": "message_start", "message": {**message, **more}}


def block_events(index: int, block: Json, piece: int) -> Iterator[tuple[Json, int]]:
    """Stream one block: its start, its deltas, its end; each with the count of characters shown."""
    empty = {"text": "", "thinking": "", "signature": "", "input": {}}
    shown = {key: empty.get(key, value) for key, value in block.items()}
    yield {"type": "content_block_start", "index": index, "content_block": shown}, 0
    for delta, count in _deltas(block, piece):
        yield {"type": "content_block_delta", "index": index, "delta": delta}, count
    yield {"type": "content_block_stop", "index": index}, 0


def _deltas(block: Json, piece: int) -> Iterator[tuple[Json, int]]:
    match block["type"]:
        case "text":
            for part in _pieces(block["text"], piece):
                yield {"type": "text_delta", "text": part}, len(part)
        case "thinking":
            for part in _pieces(block["thinking"], piece):
                yield {"type": "thinking_delta", "thinking": part}, len(part)
            if block.get("signature"):
                yield {"type": "signature_delta", "signature": block["signature"]}, 0
        case "tool_use":
            given = block["input"]
            arguments = given if isinstance(given, str) else json.dumps(given) if given else ""
            yield {"type": "input_json_delta", "partial_json": ""}, 0
            for part in _pieces(arguments, piece):
                yield {"type": "input_json_delta", "partial_json": part}, len(part)


def _pieces(words: str, size: int) -> Iterator[str]:
    for start in range(0, len(words), size):
        yield words[start : start + size]


def message_end(stop: str | None, usage: Json) -> list[Json]:
    """Give the last events; the counts are totals again, without the breakdown of writes."""
    counts = {key: value for key, value in usage.items() if key != "cache_creation"}
    delta = {"stop_reason": stop, "stop_sequence": None}
    return [{"type": "message_delta", "delta": delta, "usage": counts}, {"type": "message_stop"}]
