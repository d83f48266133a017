"""Check what was set: every complaint names where it is written, the key, and what would be right."""

import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, get_args

import msgspec

from cutaway.harness.errors import ConfigError
from cutaway.harness.hooks.outcome import HookPoint
from cutaway.harness.provider_checks import check_model, check_provider
from cutaway.harness.settings import HookTable, Settings, TestsTable, choices_of, known_keys
from cutaway.harness.table_checks import check_keys, converted, table_of

MOST_HOOK_SECONDS = 3600.0


def settings_of(values: Mapping[str, Any], origin: str) -> Settings:
    """Check types and values; raises ConfigError naming the origin, the key and what was expected."""
    check_keys(values, known_keys(), origin)
    _check_tables(values, origin)
    settings = converted(values, Settings, origin, choices_of)
    _check_values(settings, origin)
    return settings


def _check_tables(values: Mapping[str, Any], origin: str) -> None:
    """Check the tables one by one, so that a complaint names the one that it is about."""
    if isinstance(tests := values.get("tests"), Mapping):
        check_keys(tests, known_keys(TestsTable), f"{origin}: tests")
    if isinstance(hooks := values.get("hooks"), Mapping):
        check_keys(hooks, get_args(HookPoint), f"{origin}: hooks", "event")
        for event, entries in hooks.items():
            _check_hooks(entries, f"{origin}: hooks.{event}")
    if isinstance(providers := values.get("providers"), Mapping):
        for name, table in providers.items():
            check_provider(name, table, f"{origin}: providers.{name}")
    if isinstance(models := values.get("models"), Mapping):
        for name, table in models.items():
            check_model(table, f'{origin}: models."{name}"')


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
