"""Settings in layers: defaults, the user's config.toml, the environment, flags; each knows its origin.

A project's own `.cutaway/config.toml` is not read: nothing from a folder acts before it is trusted.
"""

import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from cutaway.harness.errors import ConfigError
from cutaway.harness.places import config_dir, expanded
from cutaway.harness.provider_checks import refuse_keys
from cutaway.harness.settings import HookTable, ModelTable, ProviderTable, Settings, TestsTable, known_keys
from cutaway.harness.settings_checks import settings_of

__all__ = [
    "Configured",
    "HookTable",
    "ModelTable",
    "ProviderTable",
    "RuleText",
    "Settings",
    "TestsTable",
    "known_keys",
    "load_settings",
    "settings_of",
]


class RuleText(msgspec.Struct, frozen=True):
    """A rule as it was written, and where."""

    outcome: Literal["allow", "deny"]
    text: str
    origin: str


class Configured(msgspec.Struct, frozen=True):
    """The settings in force; `origins` says for each key where its value came from.

    `rules` are those of all layers together: a flag adds to the file's rules and replaces none.
    """

    settings: Settings
    origins: dict[str, str]
    rules: tuple[RuleText, ...] = ()


ENVIRONMENT = {
    "provider": "CUTAWAY_PROVIDER",
    "base-url": "CUTAWAY_BASE_URL",
    "model": "CUTAWAY_MODEL",
    "effort": "CUTAWAY_EFFORT",
    "mode": "CUTAWAY_MODE",
    "limit": "CUTAWAY_LIMIT",
    "max-cost": "CUTAWAY_MAX_COST",
    "max-tokens": "CUTAWAY_MAX_TOKENS",
    "max-minutes": "CUTAWAY_MAX_MINUTES",
    "cache-strategy": "CUTAWAY_CACHE_STRATEGY",
    "cache-ttl": "CUTAWAY_CACHE_TTL",
    "compaction": "CUTAWAY_COMPACTION",
    "compaction-threshold": "CUTAWAY_COMPACTION_THRESHOLD",
    "keep-alive": "CUTAWAY_KEEP_ALIVE",
    "keep-alive-max-cost": "CUTAWAY_KEEP_ALIVE_MAX_COST",
    "title": "CUTAWAY_TITLE",
    "theme": "CUTAWAY_THEME",
}
"""Settings that a variable can make."""


def load_settings(workspace: Path, flags: Mapping[str, Any], environment: Mapping[str, str]) -> Configured:
    """Merge the layers; raises ConfigError naming the file, the key and the nearest valid key."""
    merged: dict[str, Any] = {}
    origins = dict.fromkeys(known_keys(), "default")
    rules: list[RuleText] = []
    for origin, values in _layers(workspace, flags, environment):
        layer = settings_of(values, origin)
        rules += [RuleText("allow", text, origin) for text in layer.allow]
        rules += [RuleText("deny", text, origin) for text in layer.deny]
        merged |= {**values, **_joined(merged, values)}
        origins.update(dict.fromkeys(values, origin))
    return Configured(settings_of(merged, "the settings together"), origins, tuple(rules))


def _joined(before: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Join what a layer adds to and does not replace: hooks run after those before, names are kept."""
    joined: dict[str, Any] = {
        table: {**before[table], **values[table]}
        for table in ("providers", "models")
        if before.get(table) and values.get(table)
    }
    if before.get("hooks") and values.get("hooks"):
        joined["hooks"] = {
            event: [*before["hooks"].get(event, ()), *values["hooks"].get(event, ())]
            for event in dict.fromkeys([*before["hooks"], *values["hooks"]])
        }
    return joined


def _layers(
    workspace: Path, flags: Mapping[str, Any], environment: Mapping[str, str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each layer's origin and values, the weakest first."""
    yield from _file_layers(config_dir() / "config.toml", workspace)
    for key, name in ENVIRONMENT.items():
        if value := environment.get(name):
            yield f"${name}", {key: value}
    for key, value in flags.items():
        if value not in (None, (), []):
            yield f"--{'no-' if value is False else ''}{key}", {key: value}


def _file_layers(path: Path, workspace: Path) -> list[tuple[str, dict[str, Any]]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return []
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8 ({error}). Save it as UTF-8, or move it away.") from error
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}. Mend it, or move it away.") from error
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is not valid TOML: {error}.") from error
    refuse_keys(table, str(path))
    layers = [(str(path), table)]
    folders = table.get("folder")
    for folder, values in folders.items() if isinstance(folders, dict) else ():
        origin = f'{path} [folder."{folder}"]'
        if Path(os.path.realpath(expanded(folder, origin))) == workspace and isinstance(values, dict):
            layers.append((origin, values))
    return layers
