"""Check one table of the settings; every complaint names where it is written, the key, and what is right."""

import difflib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import msgspec

from cutaway.harness.errors import ConfigError
from cutaway.harness.settings import Table, known_keys

T = TypeVar("T", bound=Table)


def check_keys(values: Iterable[str], known: Iterable[str], origin: str, noun: str = "key") -> None:
    """Refuse a word that is not known; raises ConfigError with the nearest ones."""
    known = list(known)
    for key in values:
        if key not in known:
            near = difflib.get_close_matches(key, known, n=2)
            hint = (
                f" Did you mean {' or '.join(map(repr, near))}?"
                if near
                else f" Known {noun}s: {', '.join(known)}."
            )
            raise ConfigError(f"{origin}: unknown {noun} {key!r}.{hint}")


def converted(
    values: Mapping[str, Any],
    table: type[T],
    origin: str,
    choices: Callable[[str], Iterable[str]] = lambda key: (),
) -> T:
    """Check the types of a table's values; `choices` gives a key's words. Raises ConfigError."""
    try:
        return msgspec.convert(dict(values), table, strict=False)
    except msgspec.ValidationError as error:
        message, _, where = str(error).partition(" - at `$.")
        key = where.rstrip("`")
        if words := ", ".join(choices(key)):
            message = f"Expected one of {words}"
        raise ConfigError(f"{origin}: {key}: {message}." if key else f"{origin}: {message}.") from error


def table_of(values: Any, table: type[T], where: str) -> T:
    """Check one table inside the settings, keys first; raises ConfigError."""
    if not isinstance(values, Mapping):
        raise ConfigError(f"{where}: Expected a table, got {values!r}.")
    check_keys(values, known_keys(table), where)
    return converted(values, table, where)
