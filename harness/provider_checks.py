"""Check the user's providers and models: addresses, prices, and that no key lies in the file."""

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from cutaway.harness.errors import ConfigError
from cutaway.harness.providers.dialects import CUSTOM, DIALECTS, SCRIPTED, dialect_named
from cutaway.harness.settings import ModelTable, PriceTable, ProviderTable, known_keys
from cutaway.harness.table_checks import check_keys, table_of

_KEY = re.compile(
    r"(sk-|pk-|rk-|gsk_|xai-|hf_|r8_|nvapi-|pplx-|csk-|fw_|tgp_|glpat-|ghp_|gho_|github_pat_|AIza|AKIA"
    r"|ya29\.|eyJ)[-_A-Za-z0-9.]{16,}"
)
"""How the keys of providers and of code hosts begin, as of 2026-11."""
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_RANDOM = re.compile(r"(?=.*[a-z])(?=.*\d)[A-Za-z0-9]{20,}|[0-9a-fA-F]{32,}")
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_SECRET_HEADER = re.compile(r"key|token|secret|auth|cookie|password", re.IGNORECASE)
_SECRET_KEYS = re.compile(r"(api-?)?(key|token|secret|password)s?", re.IGNORECASE)
_NEVER_HERE = (
    "Keys are never kept in this file. Put it into a variable of the environment, and name that variable here"
)
_OWN_HEADERS = frozenset({"content-type", "content-length", "accept", "host", "transfer-encoding"})


def refuse_keys(values: Any, where: str) -> None:
    """Refuse any text of the file that looks like a key, without showing it; raises ConfigError."""
    for place, text in _texts(values, ""):
        if _KEY.fullmatch(text.strip().removeprefix("Bearer ").strip()):
            raise ConfigError(f"{where}: {place}: This looks like a key. {_NEVER_HERE} (key-variable).")


def _texts(values: Any, place: str) -> Iterator[tuple[str, str]]:
    match values:
        case str():
            yield place, values
        case Mapping():
            for key, value in values.items():
                yield from _texts(value, f"{place}.{key}" if place else str(key))
        case list() | tuple():
            for value in values:
                yield from _texts(value, place)
        case _:
            pass


def check_provider(name: str, values: Any, where: str) -> None:
    """Check one provider; raises ConfigError."""
    known = [*(dialect.name for dialect in DIALECTS), SCRIPTED.name, CUSTOM.name]
    if name in known:
        raise ConfigError(f"{where}: {name} is a provider that cutaway knows. Give yours another name.")
    if not _NAME.fullmatch(name):
        raise ConfigError(f"{where}: A name may hold letters, digits, - and _, and begins with a letter.")
    if isinstance(values, Mapping):
        for key in values:
            if _SECRET_KEYS.fullmatch(key):
                raise ConfigError(f"{where}: unknown key {key!r}. {_NEVER_HERE}: key-variable.")
    table = table_of(values, ProviderTable, where)
    shared = dialect_named(table.dialect) if table.dialect else CUSTOM
    if shared is None:
        check_keys([table.dialect], [dialect.name for dialect in DIALECTS], f"{where}: dialect", "dialect")
    if not table.base_url and not (shared and shared.base_url):
        raise ConfigError(f"{where}: base-url is missing: the address, as https://host/v1.")
    _check_address(table.base_url, f"{where}: base-url")
    _check_variable(table.key_variable or "", f"{where}: key-variable")
    for header, text in table.headers.items():
        _check_header(header, text, f"{where}: headers.{header}")
    if table.key_header is not None and not _HEADER.fullmatch(table.key_header or "x"):
        raise ConfigError(f"{where}: key-header: {table.key_header!r} cannot be the name of a header.")


def _check_address(url: str, where: str) -> None:
    if not url:
        return
    try:
        parts = urlsplit(url if "://" in url else f"//{url}")
        bad = not parts.hostname or parts.port == 0 or parts.scheme not in ("", "http", "https")
    except ValueError:
        bad = True
    if bad or re.search(r"\s", url):
        raise ConfigError(f"{where}: This cannot be requested. Write it as http(s)://host[:port][/v1].")
    if parts.password or re.search(r"[?&][^=&]*(key|token|secret|sig)[^=&]*=", url, re.IGNORECASE):
        raise ConfigError(f"{where}: It holds a password or a key. {_NEVER_HERE} (key-variable).")


def _check_variable(name: str, where: str) -> None:
    if _RANDOM.fullmatch(name) or _KEY.fullmatch(name):
        raise ConfigError(f"{where}: This looks like a key itself. {_NEVER_HERE}.")
    if name and not _VARIABLE.fullmatch(name):
        raise ConfigError(f"{where}: {name!r} cannot be the name of a variable. Write the name alone, no $.")


def _check_header(name: str, text: str, where: str) -> None:
    if not _HEADER.fullmatch(name) or name.lower() in _OWN_HEADERS:
        raise ConfigError(f"{where}: This header cannot be set.")
    if not text.isascii() or not text.isprintable():
        raise ConfigError(f"{where}: A header holds printable ASCII only.")
    if "$" not in text and _SECRET_HEADER.search(name) and text.strip():
        raise ConfigError(f"{where}: This looks like a secret. {_NEVER_HERE}, as $NAME.")


def check_model(values: Any, where: str) -> None:
    """Check what is said of one model; raises ConfigError."""
    if isinstance(values, Mapping) and isinstance(price := values.get("price"), Mapping):
        table_of(price, PriceTable, f"{where}: price")
    table = table_of(values, ModelTable, where)
    for key in ("context-window", "max-output"):
        number = getattr(table, key.replace("-", "_"))
        if number is not None and number < 1:
            raise ConfigError(f"{where}: {key}: Expected a number of tokens above 0, got {number}.")
    for key in known_keys(PriceTable):
        amount = getattr(table.price, key.replace("-", "_"))
        if amount is not None and not (amount.is_finite() and amount >= 0):
            raise ConfigError(
                f"{where}: price.{key}: Expected USD per million tokens from 0 up, got {amount}."
            )
