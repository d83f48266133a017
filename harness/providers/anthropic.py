"""The Messages API of Anthropic as a wire: a request to canonical bytes, and the headers that it wants.

Facts of the API: platform.claude.com ("Messages", "Prompt caching", "Cache diagnostics", "Errors") and
the types of anthropic-sdk-python, as read in 2026-11.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import msgspec

from cutaway.harness.messages import scrub
from cutaway.harness.providers.anthropic_answer import AnthropicAnswer
from cutaway.harness.providers.anthropic_marks import Place, put_marks
from cutaway.harness.providers.anthropic_messages import encode_messages, text_block
from cutaway.harness.providers.anthropic_models import params_for
from cutaway.harness.providers.base import Request
from cutaway.harness.providers.dialects import ANTHROPIC
from cutaway.harness.providers.memo import Memo

Json = dict[str, Any]

NAME = ANTHROPIC.name
BASE_URL = ANTHROPIC.base_url
KEY_VARIABLE = ANTHROPIC.key_variable
VERSION = "2023-06-01"
BETAS = ("cache-diagnosis-2026-04-07", "thinking-binding-controls-2026-08-01")
"""The first tells why the cache missed, and has the API keep a fingerprint of each request for that; the
second has thoughts dropped that no longer fit what is before them, where a refusal would end the session."""


@dataclass(frozen=True, slots=True)
class AnthropicWire:
    """The Messages API. `own` is the vendor's own address: others may refuse what is in beta there."""

    own: bool = False
    bearer: bool = False
    _memo: Memo[list[Json]] = field(default_factory=Memo, compare=False, repr=False)

    @property
    def path(self) -> str:
        return "/messages"

    @property
    def optional(self) -> Mapping[str, str]:
        """What can be done without: the diagnosis of a miss, and what is said about thoughts."""
        return {
            "anthropic-beta": "previous_response",
            "diagnostics": "previous_response",
            "block_binding": "thought_summary",
            "display": "thought_summary",
        }

    def headers(self, key: str) -> dict[str, str]:
        """Give the headers of every request; the key as `x-api-key`, or as a bearer token."""
        headers = {"anthropic-version": VERSION}
        if self.own:
            headers["anthropic-beta"] = ",".join(BETAS)
        if key:
            headers |= {"Authorization": f"Bearer {key}"} if self.bearer else {"x-api-key": key}
        return headers

    def encode(self, request: Request, identity: str) -> bytes:
        """Encode a request as the bytes to send: compact, in one fixed order, the messages last.

        Only the name of the answer before comes after them: it is another each time, and the log keeps of
        a body what its beginning does not share with the one before.
        """
        body: Json = {"model": request.model, "stream": True}
        body |= params_for(request, own=self.own)
        tools = [
            {
                "name": tool.name,
                "description": scrub(tool.description),
                "input_schema": msgspec.json.decode(scrub(tool.input_schema)),
            }
            for tool in request.tools
        ]
        system = {index: text_block(text) for index, text in enumerate(request.system) if text.strip()}
        messages, markable = encode_messages(request.messages, request.model, identity, self._memo)
        blocks: list[tuple[Place, Json]] = [((0, index), tool) for index, tool in enumerate(tools)]
        blocks += [((1, index), block) for index, block in system.items()]
        marked = put_marks([*blocks, *markable], request.breakpoints)
        if tools:
            body["tools"] = tools
        if system:
            body["system"] = list(system.values())
        body["messages"] = messages
        if self.own and request.previous_response:
            body["diagnostics"] = {"previous_message_id": request.previous_response}
        encoded = msgspec.json.encode(body)
        for block in marked:  # the next request shares these blocks, and has marks of its own
            del block["cache_control"]
        return encoded

    def answer(self, request: Request, identity: str) -> AnthropicAnswer:
        return AnthropicAnswer(request, identity)


def anthropic_wire(base_url: str = "", *, bearer: bool = False) -> AnthropicWire:
    """Make the wire for an address ('' is the vendor's own); `bearer` sends the key as a token."""
    own = urlsplit(BASE_URL).hostname
    given = base_url if "://" in base_url else f"//{base_url}"
    return AnthropicWire(own=not base_url or urlsplit(given).hostname == own, bearer=bearer)
