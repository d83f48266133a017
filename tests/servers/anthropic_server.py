"""A real HTTP server on loopback that speaks the Messages API from a script, as strict as the API is."""

import json
from dataclasses import dataclass, field
from typing import Any, ClassVar

from tests.servers.anthropic_cache import PromptCache
from tests.servers.anthropic_steps import (
    block_events,
    blocks_of,
    message_end,
    message_start,
    refusal,
    stop_of,
)
from tests.servers.anthropic_strict import fault_of
from tests.servers.openai_server import MODELS, OpenAIServer, Recorded
from tests.servers.openai_steps import Json, Step

MESSAGES = "/v1/messages"
DIAGNOSIS, BINDING = "cache-diagnosis-2026-04-07", "thinking-binding-controls-2026-08-01"


@dataclass(slots=True)
class AnthropicServer(OpenAIServer):
    """Plays its script over the Messages API; the rest is as `OpenAIServer` has it.

    A step's `chunks` are sent as events named by their type, and nothing after them. Usage is what
    `cache` counts, unless the step says it. With `beta` False what is in beta is refused as unknown.
    """

    path: ClassVar[str] = MESSAGES
    cache: PromptCache = field(default_factory=PromptCache)
    beta: bool = True
    _paused: bool = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def _fault(self, request: Recorded) -> str | None:
        body = json.loads(request.body)
        if "anthropic-version" not in request.headers:
            return "anthropic-version: header is required"
        asked = request.headers.get("anthropic-beta", "")
        if "diagnostics" in body and (not self.beta or DIAGNOSIS not in asked):
            return "diagnostics: Extra inputs are not permitted"
        if "block_binding" in body.get("thinking", {}) and (not self.beta or BINDING not in asked):
            return "thinking.adaptive.block_binding: Extra inputs are not permitted"
        return fault_of(body, paused=self._paused)

    def _error(self, status: int, message: str, code: str) -> Step:
        return refusal(status, message)

    def _unknown(self, model: str) -> str:
        return f"model: {model}"

    def _refusal(self, request: Recorded) -> Step | None:
        path = request.path.removesuffix("?limit=1000")
        if path not in (MESSAGES, MODELS):
            return refusal(404, "Not Found")
        sent = request.headers.get("x-api-key", "") or request.headers.get("authorization", "")
        if self.key is not None and sent not in (self.key, f"Bearer {self.key}"):
            return refusal(401, "invalid x-api-key")
        if path == MODELS:
            data = [{"type": "model", "id": model} for model in self.models]
            return Step(body={"data": data, "has_more": False})
        return None

    def _usage(self, step: Step, body: bytes, earlier: list[bytes]) -> Json:
        output = sum(map(len, (step.text, step.thinking, json.dumps(list(step.calls))))) // 4
        self._paused = '"pause_turn"' in json.dumps([stop_of(step), step.chunks])
        counted = self.cache.usage(json.loads(body), output)
        return counted if step.usage is None else step.usage

    def _whole(self, step: Step, model: str, number: int, usage: Json) -> Json:
        message: Json = message_start(model, number, usage)["message"]
        return {**message, "content": blocks_of(step, number), "stop_reason": stop_of(step), "usage": usage}

    def _events(self, step: Step, model: str, number: int, usage: Json) -> list[tuple[bytes, int]]:
        if step.raw is not None:
            return [(step.raw, 0)]
        if step.chunks is not None:
            return [(event(value), 0) for value in step.chunks]
        events = [(event(message_start(model, number, usage)), 0), (event({"type": "ping"}), 0)]
        for index, block in enumerate(blocks_of(step, number)):
            events += [
                (event(value), shown) for value, shown in block_events(index, block, self._piece(step))
            ]
        return events

    def _ending(self, step: Step, model: str, number: int, usage: Json, request: Recorded) -> list[bytes]:
        if step.chunks is not None:
            return []
        return [event(value) for value in message_end(stop_of(step), usage)]


def event(value: Any) -> bytes:
    """Write one event as the API does: named, with its type in the data again."""
    data = json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return b"event: %s\ndata: %s\n\n" % (value["type"].encode(), data)
