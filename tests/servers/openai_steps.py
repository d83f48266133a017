"""What a scripted Chat Completions server answers with, and how that looks on the wire."""

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]


class Gate:
    """Holds an answer back until the test opens it; safe between threads."""

    def __init__(self) -> None:
        self._opened: Future[None] = Future()

    def open(self) -> None:
        if not self._opened.done():
            self._opened.set_result(None)

    async def passed(self) -> None:
        """Wait, in any event loop, until somebody opens it."""
        await asyncio.shield(asyncio.wrap_future(self._opened))


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One answer. By default 200 and a well-formed stream of `thinking`, `text` and `calls`.

    `chunks` (objects sent as events, then `[DONE]`) or `raw` (the stream's very bytes) replace the
    well-formed stream; `status`, `headers` and `body` replace the whole answer. `stream=False`
    answers with one JSON document. `breaks` closes the connection where the end of the stream would
    be; `stall` sends nothing there until the client leaves. `delay` is in seconds, `rate` in
    characters a second (None: the server's), `piece` the characters of one event (None: about a token).
    """

    text: str = ""
    thinking: str = ""
    thinking_key: str = "reasoning_content"
    calls: Sequence[Json] = ()
    finish: str | None = ""
    usage: Json | None = None
    report_usage: bool = True
    chunks: Sequence[Json] | None = None
    raw: bytes | None = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: str | Json | None = None
    stream: bool = True
    breaks: bool = False
    stall: bool = False
    delay: float = 0.0
    rate: float | None = None
    piece: int | None = None
    before: Gate | None = None
    """Waits before the status line."""
    hold: Gate | None = None
    """Waits after the content, before the end of the stream."""


Choose = Callable[[Json], Step]
"""Picks the step from the request's body (for servers that judge what they are sent)."""


def call(name: str, *, id: str = "", **arguments: Any) -> Json:
    """Write a tool call as a script has it; an empty id becomes a unique one when it is played."""
    return {"name": name, "arguments": arguments, "id": id}


def step_from_json(value: Json) -> Step:
    """Read a step of a script file; unknown keys are an error."""
    raw = value.get("raw")
    return Step(**{**value, "raw": raw.encode() if isinstance(raw, str) else None})


def error(status: int, message: str, *, code: str | None = None, **headers: str) -> Step:
    """Refuse in the API's own error format; header names take `_` for `-`."""
    body = {"error": {"message": message, "type": "error", "param": None, "code": code}}
    return Step(status=status, body=body, headers={k.replace("_", "-"): v for k, v in headers.items()})


def deltas(step: Step, number: int, piece: int) -> Iterator[tuple[Json, int]]:
    """Cut the answer into deltas, each with the count of characters that it shows."""
    yield {"role": "assistant", "content": None if step.calls and not step.text else ""}, 0
    for key, text in ((step.thinking_key, step.thinking), ("content", step.text)):
        for part in _pieces(text, piece):
            yield {key: part}, len(part)
    for index, made in enumerate(step.calls):
        arguments = made.get("arguments", {})
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        head = {"name": made["name"], "arguments": ""}
        identity = {"index": index, "id": made.get("id") or f"call_{number}_{index}", "type": "function"}
        yield {"tool_calls": [{**identity, "function": head}]}, 0
        for part in _pieces(text, piece):
            yield {"tool_calls": [{"index": index, "function": {"arguments": part}}]}, len(part)


def _pieces(text: str, size: int) -> Iterator[str]:
    for start in range(0, len(text), size):
        yield text[start : start + size]


def chunk(model: str, number: int, delta: Json | None, finish: str | None = None, **more: Any) -> Json:
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    head = {"id": f"chatcmpl-{number}", "object": "chat.completion.chunk", "created": 1, "model": model}
    return {**head, "choices": choices, **more}


def whole(step: Step, model: str, number: int, usage: Json) -> Json:
    """Give the answer as one document, for servers that do not stream."""
    calls = [
        {
            "id": made.get("id") or f"call_{number}_{index}",
            "type": "function",
            "function": {"name": made["name"], "arguments": _argument_text(made.get("arguments", {}))},
        }
        for index, made in enumerate(step.calls)
    ]
    message: Json = {"role": "assistant", "content": step.text or None}
    if step.thinking:
        message[step.thinking_key] = step.thinking
    if calls:
        message["tool_calls"] = calls
    choice = {"index": 0, "message": message, "finish_reason": finish_of(step)}
    return {"id": f"chatcmpl-{number}", "model": model, "choices": [choice], "usage": usage}


def _argument_text(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def finish_of(step: Step) -> str | None:
    return ("tool_calls" if step.calls else "stop") if step.finish == "" else step.finish


def usage_of(step: Step, body: bytes, earlier: Sequence[bytes]) -> Json:
    """Report the step's usage, else four bytes a token, cached where an earlier body began alike."""
    if step.usage is not None:
        return step.usage
    shared = max((_shared(body, other) for other in earlier), default=0) // 4 // 128 * 128
    output = sum(len(part) for part in (step.text, step.thinking, json.dumps(list(step.calls)))) // 4
    prompt = max(len(body) // 4, 1)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": output,
        "total_tokens": prompt + output,
        "prompt_tokens_details": {"cached_tokens": min(shared, prompt)},
        "completion_tokens_details": {"reasoning_tokens": len(step.thinking) // 4},
    }


def _shared(one: bytes, other: bytes) -> int:
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low
