"""Addresses and keys: what is sent where, and what of it may be shown."""

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import SplitResult, quote, unquote, urlsplit, urlunsplit

from cutaway.harness.errors import ConfigError
from cutaway.harness.providers.dialects import Dialect
from cutaway.harness.providers.wire import Wire

MASK = "***"
_VERSION = re.compile(r"v\d+[a-z0-9]*$", re.IGNORECASE)
_LOOPBACK = re.compile(r"(localhost|127(\.\d+){3}|::1|0\.0\.0\.0)$", re.IGNORECASE)
_SHORTEST_SECRET = 6  # masking shorter texts would garble words that merely contain them
_SECRET_NAME = re.compile(r"([?&][^=&]*(?:key|token|secret|sig|password)[^=&]*=)[^&]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One provider's address. `url` and `models_url` are requested, `shown` is for people.

    `identity` tells this server from any other that speaks the same dialect: thinking goes back
    only to where it came from. `secrets` are the texts that must never be shown. `authorized` tells
    that a key, or a user and password, is sent.
    """

    name: str
    dialect: Dialect
    url: str
    models_url: str
    shown: str
    identity: str
    local: bool
    authorized: bool
    headers: dict[str, str]
    secrets: tuple[str, ...]

    def mask(self, text: str) -> str:
        """Take the secrets out of text that comes from outside."""
        for secret in self.secrets:
            text = text.replace(secret, MASK)
        return text


def endpoint_for(
    dialect: Dialect,
    wire: Wire,
    base_url: str = "",
    key: str = "",
    *,
    model: str = "",
    headers: Mapping[str, str] | None = None,
    secrets: tuple[str, ...] = (),
) -> Endpoint:
    """Work out the addresses from a base URL, with or without `/v1`, the wire's path or a slash.

    User and password in the URL are sent as Basic authorization when there is no key, and never
    shown. `model` is for addresses that name it; `headers` are sent besides, `secrets` are what of them
    is not to be shown. Raises ConfigError for a URL that cannot be requested.
    """
    parts = _split(base_url or dialect.base_url)
    host = (parts.hostname or "").lower()
    place = f"[{host}]" if ":" in host else host
    place += f":{parts.port}" if parts.port else ""
    path = wire.path
    root = _root(parts.path, path, dialect.root, model)
    query = parts.query
    if dialect.api_version and not query and not _is_versioned(root):
        query = f"api-version={quote(dialect.api_version)}"

    def address(tail: str, more: str = "") -> str:
        return urlunsplit((parts.scheme, place, root + tail, "&".join(filter(None, (query, more))), ""))

    own = bool(dialect.base_url) and (not base_url or address(path) == endpoint_for(dialect, wire).url)
    anywhere = not dialect.base_url and bool(dialect.address_variable)
    named = own or anywhere or (dialect.local and bool(dialect.base_url))
    key = key.strip()
    basic, hidden = _authorization(parts, (key, *secrets))
    keyed = {**wire.headers(""), dialect.key_header: key} if key and dialect.key_header else wire.headers(key)
    return Endpoint(
        name=dialect.name if named else place,
        dialect=dialect,
        url=address(path),
        models_url=address("/models", dialect.models_query) if dialect.lists_models else "",
        shown=_SECRET_NAME.sub(rf"\g<1>{MASK}", address(path)),
        identity=dialect.name
        if own and not dialect.custom
        else urlunsplit((parts.scheme, place, root, "", "")),
        local=dialect.local or is_loopback(host),
        authorized=bool(basic or key or secrets),
        headers={**basic, **keyed, **(headers or {})},
        secrets=hidden,
    )


def is_loopback(host: str) -> bool:
    """Tell whether a host name means this machine, without asking a resolver."""
    return _LOOPBACK.match(host) is not None


def masked(url: str) -> str:
    """Show a base URL without the password and the keys in it."""
    return _SECRET_NAME.sub(rf"\g<1>{MASK}", _without_user(url))


def _split(url: str) -> SplitResult:
    url = url.strip()
    if "://" not in url:
        host = urlsplit(f"//{url}").hostname or ""
        url = f"{'http' if is_loopback(host) else 'https'}://{url}"
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        valid = False
    if not valid or re.search(r"[\s\x00-\x1f]", url):
        raise ConfigError(
            f"The base URL {_without_user(url)!r} cannot be used: it needs the form http(s)://host[:port][/v1]."
        )
    return parts


def _without_user(url: str) -> str:
    return re.sub(r"//[^/@]*@", f"//{MASK}@", url)


def _root(path: str, tail: str, usual: str, model: str) -> str:
    """Cut a path down to what the wire's own path is appended to; `usual` is for one without a version."""
    path = re.sub(r"/+$", "", path).removesuffix(tail).rstrip("/")
    place = usual.partition("{")[0]
    if _is_versioned(path) or (place != usual and place in f"{path}/"):
        return path
    return path + usual.replace("{model}", quote(model, safe=""))


def _is_versioned(path: str) -> bool:
    return any(_VERSION.match(segment) for segment in path.split("/"))


def _authorization(parts: SplitResult, hidden: tuple[str, ...]) -> tuple[dict[str, str], tuple[str, ...]]:
    headers: dict[str, str] = {}
    secrets = list(hidden)
    if parts.password or parts.username:
        pair = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
        basic = base64.b64encode(pair.encode()).decode()
        headers["Authorization"] = f"Basic {basic}"
        password = unquote(parts.password or "")
        secrets += [basic, pair, password, quote(password)]
    found = [secret for secret in dict.fromkeys(secrets) if len(secret) >= _SHORTEST_SECRET]
    return headers, tuple(sorted(found, key=len, reverse=True))
