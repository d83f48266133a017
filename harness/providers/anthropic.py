"""The Messages API of Anthropic as a wire: a request to canonical bytes, and the headers that it wants.

Facts of the API: platform.claude.com ("Messages", "Prompt caching", "Cache diagnostics", "Errors") and
the types of anthropic-sdk-python, as read in 2026-11.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import msgspec

from cutaway.harness.messages import scrub
from cutaway.harness.providers.anthropic_answer import AnthropicAnswer
from cutaway.harness.providers.anthropic_marks import Place, put_marks
from cutaway.harness.providers.anthropic_messages import encode_messages, text_block
from cutaway.harness.providers.anthropic_models import params_for
from cutaway.harness.providers.base import Request

Json = dict[str, Any]

NAME = "anthropic"
BASE_URL = "https://api.anthropic.com"
KEY_VARIABLE = "ANTHROPIC_API_KEY"
"""Sent as `x-api-key`."""
TOKEN_VARIABLE = "ANTHROPIC_AUTH_TOKEN"
"""Sent as a bearer token, for gateways."""
VERSION = "2023-06-01"
DIAGNOSIS = "cache-diagnosis-2026-04-07"
"""The beta that tells why the cache missed; with it the API keeps a fingerprint of each request."""


@dataclass(frozen=True, slots=True)
class AnthropicWire:
    """The Messages API. `diagnoses` is for the vendor's own address: gateways may refuse what it adds."""

    diagnoses: bool = False
    bearer: bool = False

    @property
    def path(self) -> str:
        return "/messages"

    @property
    def optional(self) -> Mapping[str, str]:
        """What the vendor may refuse: the diagnosis is the one thing that is asked for beside the answer."""
        return {"diagnostics": "previous_response", "anthropic-beta": "previous_response"}

    def headers(self, key: str) -> dict[str, str]:
        """Give the headers of every request; the key as `x-api-key`, or as a bearer token."""
        headers = {"anthropic-version": VERSION}
        if self.diagnoses:
            headers["anthropic-beta"] = DIAGNOSIS
        if key:
            headers |= {"Authorization": f"Bearer {key}"} if self.bearer else {"x-api-key": key}
        return headers

    def encode(self, request: Request, identity: str) -> bytes:
        """Encode a request as the bytes to send: compact, in one fixed order, the messages last."""
        body: Json = {"model": request.model, "stream": True}
        body |= params_for(request.model, request.params)
        if self.diagnoses and request.previous_response:
            body["diagnostics"] = {"previous_message_id": request.previous_response}
        tools = [
            {
                "name": tool.name,
                "description": scrub(tool.description),
                "input_schema": msgspec.json.decode(scrub(tool.input_schema)),
            }
            for tool in request.tools
        ]
        system = {index: text_block(text) for index, text in enumerate(request.system) if text.strip()}
        messages, markable = encode_messages(request.messages, request.model, identity)
        blocks: list[tuple[Place, Json]] = [((0, index), tool) for index, tool in enumerate(tools)]
        blocks += [((1, index), block) for index, block in system.items()]
        put_marks([*blocks, *markable], request.breakpoints)
        if tools:
            body["tools"] = tools
        if system:
            body["system"] = list(system.values())
        return msgspec.json.encode({**body, "messages": messages})

    def answer(self, request: Request, identity: str) -> AnthropicAnswer:
        return AnthropicAnswer(request, identity)


def anthropic_wire(base_url: str = "", *, bearer: bool = False) -> AnthropicWire:
    """Make the wire for an address ('' is the vendor's own); `bearer` sends the key as a token."""
    own = urlsplit(BASE_URL).hostname
    given = base_url if "://" in base_url else f"//{base_url}"
    return AnthropicWire(diagnoses=not base_url or urlsplit(given).hostname == own, bearer=bearer)
