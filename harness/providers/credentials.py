"""Keys and addresses from the environment: what is sent to a provider besides the request."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from cutaway.harness.errors import AuthenticationFailed
from cutaway.harness.providers.dialects import Dialect

Environment = Mapping[str, str]

_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_ANYWHERE = re.compile(r"^0\.0\.0\.0(?=:|/|$)|(?<=//)0\.0\.0\.0(?=:|/|$)")


@dataclass(frozen=True, slots=True)
class Credentials:
    """A key ('' for none), whether it goes as a bearer token, and headers with what of them is secret."""

    key: str
    bearer: bool
    headers: dict[str, str]
    secrets: tuple[str, ...]


def credentials_for(dialect: Dialect, environment: Environment, *, moved: bool) -> Credentials:
    """Find what a provider wants; `moved` tells that it is asked at another address than its own.

    Raises AuthenticationFailed for a key that cannot be sent in a header, without showing it, and for a
    header that names a variable which is not set.
    """
    key = _usable(dialect, dialect.key_variable, environment)
    token = _usable(dialect, dialect.token_variable, environment)
    bearer = bool(token) and (moved or not key)
    headers: dict[str, str] = {}
    secrets: list[str] = []
    for name, text in dialect.headers:
        for variable in variables_in(text):
            value = _usable(dialect, variable, environment, plain=False)
            if not value:
                raise AuthenticationFailed(
                    f"{dialect.title} wants the header {name} with the variable {variable}, "
                    "which is not set. Set it.",
                    provider=dialect.name,
                )
            secrets.append(value)
        headers[name] = _VARIABLE.sub(lambda found: environment[found[1] or found[2]].strip(), text)
    return Credentials(token if bearer else key, bearer, headers, tuple(secrets))


def variables_in(text: str) -> list[str]:
    """List the variables that a header's value names."""
    return [found[1] or found[2] for found in _VARIABLE.finditer(text)]


def wanted_variables(dialect: Dialect) -> list[str]:
    """Name what must be set so that a provider can be reached."""
    named = [dialect.key_variable] if dialect.key_variable else []
    named += [dialect.address_variable] if not dialect.base_url and dialect.address_variable else []
    return named + [variable for _, text in dialect.headers for variable in variables_in(text)]


def missing_variables(dialect: Dialect, environment: Environment) -> list[str]:
    """Name what is not set of it."""
    has_token = bool(dialect.token_variable and environment.get(dialect.token_variable, "").strip())
    return [
        name
        for name in wanted_variables(dialect)
        if not environment.get(name, "").strip() and not (has_token and name == dialect.key_variable)
    ]


def address_in(dialect: Dialect, environment: Environment) -> str:
    """The address that the environment gives a provider, '' for none; 0.0.0.0 is only meant to listen on."""
    given = environment.get(dialect.address_variable, "").strip() if dialect.address_variable else ""
    return _ANYWHERE.sub("127.0.0.1", given)


def _usable(dialect: Dialect, variable: str, environment: Environment, *, plain: bool = True) -> str:
    """Read a variable that goes into a header; a key holds no space, the rest of a header may."""
    value = environment.get(variable, "").strip() if variable else ""
    if value and not (value.isascii() and value.isprintable() and not (plain and " " in value)):
        raise AuthenticationFailed(
            f"The key in {variable} holds characters that no key has. Copy it again.",
            provider=dialect.name,
        )
    return value
