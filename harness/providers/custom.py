"""Providers of the user's own settings, as dialects beside those that are known."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from msgspec import structs

from cutaway.harness.providers.dialects import ANTHROPIC, CUSTOM, DIALECTS, RESPONSES, Dialect, dialect_named
from cutaway.harness.providers.endpoint import is_loopback
from cutaway.harness.settings import ProviderTable

_BY_API = {"chat": CUSTOM, "responses": RESPONSES, "anthropic": ANTHROPIC}


def dialects_with(providers: Mapping[str, ProviderTable]) -> tuple[Dialect, ...]:
    """All providers, the user's own first: whoever writes one down wants it."""
    return (*(_dialect(name, table) for name, table in providers.items()), *DIALECTS)


def _dialect(name: str, table: ProviderTable) -> Dialect:
    """Make the dialect of a table whose values have been checked; what it shares is not its address."""
    shared = dialect_named(table.dialect) if table.dialect else None
    base = shared or _BY_API[table.api or "chat"]
    url = table.base_url or base.base_url
    host = (urlsplit(url if "://" in url else f"//{url}").hostname or "").lower()
    fields: dict[str, Any] = {
        "name": name,
        "title": table.title or name,
        "base_url": url,
        "custom": True,
        "api": table.api or base.api,
        "local": is_loopback(host) if table.local is None else table.local,
        "address_variable": "",
        "token_variable": "",
        "default_model": table.model,
        "headers": tuple(table.headers.items()),
        "key_variable": table.key_variable if table.key_variable is not None else "",
        "prices": table.prices or "",
        "start_hint": "",
    }
    if shared is not None and table.key_variable is None and not table.base_url:
        fields["key_variable"] = shared.key_variable  # the same provider under another name
    for field, value in (
        ("key_header", table.key_header),
        ("api_version", table.api_version),
        ("max_tokens_field", table.max_tokens_field),
        ("stream_options", table.stream_options),
        ("parallel_calls", table.parallel_tool_calls),
    ):
        if value is not None:
            fields[field] = value
    return structs.replace(base, **fields)
