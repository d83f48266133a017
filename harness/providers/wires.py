"""Which wire a dialect is spoken over."""

from typing import assert_never
from urllib.parse import urlsplit

from cutaway.harness.providers.anthropic import anthropic_wire
from cutaway.harness.providers.dialects import Api, Dialect
from cutaway.harness.providers.openai_chat import ChatWire
from cutaway.harness.providers.openai_responses import responses_wire
from cutaway.harness.providers.wire import Wire


def wire_for(dialect: Dialect, base_url: str = "", *, bearer: bool = False) -> Wire:
    """Make the wire; what is in beta at a vendor's own address ('' for it) is not sent to another.

    `bearer` sends the key as a token where the API has another way.
    """
    address = base_url or dialect.base_url
    match dialect.api:
        case "chat":
            return ChatWire(dialect)
        case "responses":
            return responses_wire(address)
        case "anthropic":
            return anthropic_wire(address, bearer=bearer)
        case _:
            assert_never(dialect.api)


def api_at(url: str) -> Api:
    """Tell the API from an address that was requested, as a log keeps it."""
    path = urlsplit(url).path.rstrip("/")
    if path.endswith("/messages"):
        return "anthropic"
    return "responses" if path.endswith("/responses") else "chat"
