"""A real HTTP server on loopback that speaks the Responses API from a script, as strict as the API is."""

import json
from dataclasses import dataclass, field
from typing import Any, ClassVar

from tests.servers.openai_server import OpenAIServer, Recorded
from tests.servers.openai_steps import Json, Step, usage_of
from tests.servers.responses_steps import (
    beginning,
    ending,
    item_events,
    items_of,
    numbered,
    reason_of,
    refusal,
)
from tests.servers.responses_strict import fault_of

RESPONSES = "/v1/responses"
UNVERIFIED = "Your organization must be verified to generate reasoning summaries."
COMPARED = (
    ("model", "model_changed"),
    ("prompt_cache_key", "prompt_cache_key_changed"),
    ("tools", "tools_changed"),
    ("reasoning", "reasoning_effort_changed"),
    ("instructions", "input_changed"),
)


@dataclass(slots=True)
class ResponsesServer(OpenAIServer):
    """Plays its script over the Responses API; the rest is as `OpenAIServer` has it.

    A step's `chunks` are sent as events named by their type, and nothing after them. `verified` False
    refuses summaries, `lacks` are top-level fields that this server does not know.
    """

    path: ClassVar[str] = RESPONSES
    verified: bool = True
    lacks: set[str] = field(default_factory=set)
    _known: dict[str, Json] = field(default_factory=dict)

    def _fault(self, request: Recorded) -> str | None:
        body = json.loads(request.body)
        for name in sorted(self.lacks & body.keys()):
            return f"Unknown parameter: '{name}'."
        if not self.verified and "summary" in body.get("reasoning", {}):
            return f"{UNVERIFIED} (param: reasoning.summary)"
        return fault_of(body)

    def _error(self, status: int, message: str, code: str) -> Step:
        forged = "could not be verified" in message
        return refusal(status, message, "invalid_encrypted_content" if forged else code)

    def _usage(self, step: Step, body: bytes, earlier: list[bytes]) -> Json:
        counted = usage_of(step, body, earlier)
        if step.usage is not None:
            return counted
        return {
            "input_tokens": counted["prompt_tokens"],
            "input_tokens_details": {**counted["prompt_tokens_details"], "cache_write_tokens": 0},
            "output_tokens": counted["completion_tokens"],
            "output_tokens_details": counted["completion_tokens_details"],
            "total_tokens": counted["total_tokens"],
        }

    def _end(self, step: Step, model: str, number: int, usage: Json, body: Json) -> Json:
        """Give the last event; it tells why the cache missed when the request asked for it."""
        more: Json = {}
        asked = body.get("prompt_cache_options", {}).get("comparison_response_id")
        if asked is not None:
            more["prompt_cache_diagnostics"] = diagnosis(self._known.get(asked), body)
        self._known[f"resp_{number}"] = body
        items = items_of(step, number)
        told = usage if step.report_usage else None
        return ending(model, number, items, told, reason_of(step), **more)

    def _whole(self, step: Step, model: str, number: int, usage: Json) -> Json:
        whole: Json = self._end(step, model, number, usage, self.requests[number - 1].json)["response"]
        return whole

    def _events(self, step: Step, model: str, number: int, usage: Json) -> list[tuple[bytes, int]]:
        if step.raw is not None:
            return [(step.raw, 0)]
        if step.chunks is not None:
            return [(event(value), 0) for value in step.chunks]
        made: list[tuple[Json, int]] = [(beginning(model, number), 0)]
        items = items_of(step, number)
        for index, item in enumerate(items):
            torn = bool(reason_of(step)) and index == len(items) - 1
            made += item_events(index, item, self._piece(step), torn=torn)
        sent = numbered([value for value, _ in made])
        return [(event(value), shown) for value, (_, shown) in zip(sent, made, strict=True)]

    def _ending(self, step: Step, model: str, number: int, usage: Json, request: Recorded) -> list[bytes]:
        if step.chunks is not None:
            return []
        return [event({**self._end(step, model, number, usage, request.json), "sequence_number": 99})]


def diagnosis(earlier: Json | None, body: Json) -> Json:
    """Compare a request with the one that an earlier response answered."""
    if earlier is None:
        return {"type": "comparison_response_not_found"}
    for name, reason in COMPARED:
        if earlier.get(name) != body.get(name):
            return {"type": "cache_miss", "reason": reason, "cache_missed_tokens": 9}
    if body["input"][: len(earlier["input"])] != earlier["input"]:
        return {"type": "cache_miss", "reason": "input_changed", "cache_missed_tokens": 9}
    return {"type": "cache_hit"}


def event(value: Any) -> bytes:
    """Write one event as the API does: named, with its type in the data again."""
    data = json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return b"event: %s\ndata: %s\n\n" % (value["type"].encode(), data)
