"""The Responses API of OpenAI as a wire: a request to canonical bytes, answered by items.

Nothing is stored at the provider: each request holds the whole conversation, and thoughts go back
encrypted. Facts of the API: developers.openai.com ("Responses", "Reasoning", "Prompt caching") and the
types of openai-python 3.57, as read in 2026-11.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import msgspec

from cutaway.harness.messages import scrub
from cutaway.harness.providers.base import Request
from cutaway.harness.providers.dialects import RESPONSES
from cutaway.harness.providers.memo import Memo
from cutaway.harness.providers.openai_responses_answer import ResponsesAnswer
from cutaway.harness.providers.openai_responses_items import PATH, encode_items
from cutaway.harness.providers.openai_responses_models import diagnoses, family_of, params_for

Json = dict[str, Any]

NAME = RESPONSES.name
ENCRYPTED = "reasoning.encrypted_content"
LONGEST_CACHE_KEY = 64
"""Characters; the API refuses a longer `prompt_cache_key`."""


@dataclass(frozen=True, slots=True)
class ResponsesWire:
    """The Responses API. `diagnoses` is for the vendor's own address: others may refuse what it adds."""

    diagnoses: bool = False
    _memo: Memo[list[Json]] = field(default_factory=Memo, compare=False, repr=False)

    @property
    def path(self) -> str:
        return PATH

    @property
    def optional(self) -> Mapping[str, str]:
        """What can be done without.

        Summaries need a verified organisation, encrypted thoughts are at times not known again by the
        server that wrote them (openai/codex#8119), and other servers lack the rest.
        """
        return {
            "encrypted_content": "thought_return",
            "include": "thought_return",
            "summary": "thought_summary",
            "comparison_response_id": "previous_response",
            "prompt_cache_options": "previous_response",
            "prompt_cache_key": "cache_key",
        }

    def headers(self, key: str) -> dict[str, str]:
        """Give the key as a bearer token."""
        return {"Authorization": f"Bearer {key}"} if key else {}

    def encode(self, request: Request, identity: str) -> bytes:
        """Encode a request as the bytes to send: compact, in one fixed order, the input last.

        Only the name of the answer before comes after it: it is another each time, and the log keeps of a
        body what its beginning does not share with the one before.
        """
        model, returned = request.model, bool(request.thought_return)
        body: Json = {"model": model, "stream": True, "store": False}
        if returned and family_of(model).encrypted:
            body["include"] = [ENCRYPTED]
        if request.cache_key:
            body["prompt_cache_key"] = scrub(request.cache_key)[:LONGEST_CACHE_KEY]
        body |= params_for(model, request.params, request.thought_summary)
        if request.tools:
            body["tools"] = [
                {
                    "type": "function",
                    "name": tool.name,
                    "description": scrub(tool.description),
                    "parameters": msgspec.json.decode(scrub(tool.input_schema)),
                    "strict": False,
                }
                for tool in request.tools
            ]
        instructions = "\n\n".join(part for part in request.system if part)
        if instructions:
            body["instructions"] = scrub(instructions)
        body["input"] = encode_items(request.messages, model, identity if returned else None, self._memo)
        if self.diagnoses and request.previous_response and diagnoses(model):
            body["prompt_cache_options"] = {"comparison_response_id": request.previous_response}
        return msgspec.json.encode(body)

    def answer(self, request: Request, identity: str) -> ResponsesAnswer:
        return ResponsesAnswer(request, identity)


def responses_wire(base_url: str = "") -> ResponsesWire:
    """Make the wire for an address ('' is the vendor's own)."""
    own = urlsplit(RESPONSES.base_url).hostname
    given = base_url if "://" in base_url else f"//{base_url}"
    return ResponsesWire(diagnoses=not base_url or urlsplit(given).hostname == own)
