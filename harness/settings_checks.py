"""Check what was set: every complaint names where it is written, the key, and what would be right."""

import difflib
import math
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, TypeVar, get_args

import msgspec

from cutaway.harness.errors import ConfigError
from cutaway.harness.hooks.outcome import HookPoint
from cutaway.harness.settings import HookTable, Settings, Table, TestsTable, choices_of, known_keys

T = TypeVar("T", bound=Table)

MOST_HOOK_SECONDS = 3600.0


def settings_of(values: Mapping[str, Any], origin: str) -> Settings:
    """Check types and values; raises ConfigError naming the origin, the key and what was expected."""
    check_keys(values, known_keys(), origin)
    _check_tables(values, origin)
    settings = converted(values, Settings, origin)
    _check_values(settings, origin)
    return settings


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


def converted(values: Mapping[str, Any], table: type[T], origin: str) -> T:
    """Check the types of a table's values; raises ConfigError."""
    try:
        return msgspec.convert(dict(values), table, strict=False)
    except msgspec.ValidationError as error:
        message, _, where = str(error).partition(" - at `$.")
        key = where.rstrip("`")
        if words := choices_of(key) if table is Settings else ():
            message = f"Expected one of {', '.join(words)}"
        raise ConfigError(f"{origin}: {key}: {message}." if key else f"{origin}: {message}.") from error


def table_of(values: Any, table: type[T], where: str) -> T:
    """Check one table inside the settings, keys first; raises ConfigError."""
    if not isinstance(values, Mapping):
        raise ConfigError(f"{where}: Expected a table, got {values!r}.")
    check_keys(values, known_keys(table), where)
    return converted(values, table, where)


def _check_tables(values: Mapping[str, Any], origin: str) -> None:
    """Check the tables one by one, so that a complaint names the one that it is about."""
    if isinstance(tests := values.get("tests"), Mapping):
        check_keys(tests, known_keys(TestsTable), f"{origin}: tests")
    if isinstance(hooks := values.get("hooks"), Mapping):
        check_keys(hooks, get_args(HookPoint), f"{origin}: hooks", "event")
        for event, entries in hooks.items():
            _check_hooks(entries, f"{origin}: hooks.{event}")


def _check_hooks(entries: Any, where: str) -> None:
    if not isinstance(entries, list | tuple):
        raise ConfigError(f"{where}: Expected a list of tables. Write [[{where.rpartition(': ')[2]}]].")
    for number, entry in enumerate(entries, 1):
        hook = table_of(entry, HookTable, f"{where}, entry {number}")
        if not hook.command or (isinstance(hook.command, str) and not hook.command.strip()):
            raise ConfigError(f"{where}, entry {number}: command: It is empty.")
        if not 0 < hook.timeout <= MOST_HOOK_SECONDS:
            raise ConfigError(
                f"{where}, entry {number}: timeout: Expected seconds above 0 and up to "
                f"{MOST_HOOK_SECONDS:g}, got {hook.timeout:g}."
            )


def _check_values(settings: Settings, origin: str) -> None:
    """Refuse numbers that mean nothing and text that is none."""
    for key, right, expected in (
        ("limit", settings.limit >= 1, "a number of turns of at least 1"),
        ("max-cost", _positive(settings.max_cost), "an amount of USD above 0"),
        ("max-tokens", _positive(settings.max_tokens), "a number of tokens above 0"),
        ("max-minutes", _positive(settings.max_minutes), "a number of minutes above 0"),
        ("max-output-tokens", _positive(settings.max_output_tokens), "at least 1"),
        ("temperature", 0 <= (settings.temperature or 0) < math.inf, "a number from 0 up"),
        ("compaction-threshold", 0 < settings.compaction_threshold <= 1, "a share above 0 and up to 1"),
        (
            "keep-alive-max-cost",
            settings.keep_alive_max_cost == 0 or _positive(settings.keep_alive_max_cost),
            "an amount of USD from 0 up",
        ),
    ):
        if not right:
            value = getattr(settings, key.replace("-", "_"))
            raise ConfigError(f"{origin}: {key}: Expected {expected}, got {value}.")
    for key in ("provider", "base-url", "model", "theme", "allow", "deny", "hooks"):
        if not _is_text(getattr(settings, key.replace("-", "_"))):
            raise ConfigError(f"{origin}: {key}: It holds bytes that are not UTF-8.")


def _positive(number: Decimal | int | None) -> bool:
    return number is None or (Decimal(number).is_finite() and number > 0)


def _is_text(value: object) -> bool:
    """Tell whether it can be sent: an argument of the command line may hold any bytes."""
    try:
        msgspec.json.encode(value)
    except UnicodeEncodeError:
        return False
    return True
