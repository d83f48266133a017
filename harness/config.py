"""Settings in layers: defaults, the user's config.toml, the environment, flags; each knows its origin.

A project's own `.cutaway/config.toml` is not read: nothing from a folder acts before it is trusted.
"""

import difflib
import math
import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec

from cutaway.harness.errors import ConfigError
from cutaway.harness.events import Mode
from cutaway.harness.limits import DEFAULT_LIMIT
from cutaway.harness.places import config_dir, expanded


class TestsTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[tests]`: `command` runs a project's tests when they are not pytest or unittest."""

    __test__ = False

    command: tuple[str, ...] = ()


class Settings(msgspec.Struct, frozen=True, rename="kebab", forbid_unknown_fields=True):
    """Everything that can be set; '' and None leave the choice to cutaway.

    `folder` holds tables for single workspaces, by absolute path, with the same keys.
    """

    provider: str = ""
    base_url: str = ""
    model: str = ""
    mode: Mode = "interactive"
    limit: int = DEFAULT_LIMIT
    max_output_tokens: int | None = None
    temperature: float | None = None
    theme: str = ""
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    tests: TestsTable = TestsTable()
    keys: dict[str, str] = {}
    folder: dict[str, dict[str, Any]] = {}


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
    "mode": "CUTAWAY_MODE",
    "limit": "CUTAWAY_LIMIT",
    "theme": "CUTAWAY_THEME",
}
"""Settings that a variable can make."""


def load_settings(workspace: Path, flags: Mapping[str, Any], environment: Mapping[str, str]) -> Configured:
    """Merge the layers; raises ConfigError naming the file, the key and the nearest valid key."""
    merged: dict[str, Any] = {}
    origins = dict.fromkeys(known_keys(), "default")
    rules: list[RuleText] = []
    for origin, values in _layers(workspace, flags, environment):
        _check_keys(values, origin)
        layer = settings_of(values, origin)
        rules += [RuleText("allow", text, origin) for text in layer.allow]
        rules += [RuleText("deny", text, origin) for text in layer.deny]
        merged.update(values)
        origins.update(dict.fromkeys(values, origin))
    return Configured(settings_of(merged, "the settings together"), origins, tuple(rules))


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
            yield f"--{key}", {key: value}


def known_keys() -> list[str]:
    """All keys of config.toml, in order."""
    return [field.encode_name for field in msgspec.structs.fields(Settings)]


def settings_of(values: Mapping[str, Any], origin: str) -> Settings:
    """Check types; raises ConfigError naming the origin, the key and what was expected."""
    try:
        settings = msgspec.convert(dict(values), Settings, strict=False)
    except msgspec.ValidationError as error:
        message, _, where = str(error).partition(" - at `$.")
        key = where.rstrip("`") or "settings"
        if key == "mode":
            message = f"Expected one of {', '.join(get_args(Mode))}"
        if key == "tests" and "unknown field" in message:
            _check_keys(values["tests"], f"{origin}: tests", TestsTable)
        raise ConfigError(f"{origin}: {key}: {message}.") from error
    _check_values(settings, origin)
    return settings


def _check_values(settings: Settings, origin: str) -> None:
    """Refuse numbers that mean nothing and text that is none."""
    wrong = ""
    if settings.limit < 1:
        wrong = f"limit: Expected a number of turns of at least 1, got {settings.limit}"
    elif settings.max_output_tokens is not None and settings.max_output_tokens < 1:
        wrong = f"max-output-tokens: Expected at least 1, got {settings.max_output_tokens}"
    elif settings.temperature is not None and not 0 <= settings.temperature < math.inf:
        wrong = f"temperature: Expected a number from 0 up, got {settings.temperature}"
    else:
        names = ("provider", "base_url", "model", "theme", "allow", "deny")
        bad = next((name for name in names if not _is_text(getattr(settings, name))), "")
        wrong = f"{bad.replace('_', '-')}: It holds bytes that are not UTF-8" if bad else ""
    if wrong:
        raise ConfigError(f"{origin}: {wrong}.")


def _is_text(value: object) -> bool:
    """Tell whether it can be sent: an argument of the command line may hold any bytes."""
    try:
        msgspec.json.encode(value)
    except UnicodeEncodeError:
        return False
    return True


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
    layers = [(str(path), table)]
    folders = table.get("folder")
    for folder, values in folders.items() if isinstance(folders, dict) else ():
        origin = f'{path} [folder."{folder}"]'
        if Path(os.path.realpath(expanded(folder, origin))) == workspace and isinstance(values, dict):
            layers.append((origin, values))
    return layers


def _check_keys(
    values: Mapping[str, Any], origin: str, table: type[Settings | TestsTable] = Settings
) -> None:
    known = [field.encode_name for field in msgspec.structs.fields(table)]
    for key in values:
        if key not in known:
            near = difflib.get_close_matches(key, known, n=2)
            hint = (
                f" Did you mean {' or '.join(map(repr, near))}?"
                if near
                else f" Known keys: {', '.join(known)}."
            )
            raise ConfigError(f"{origin}: unknown key {key!r}.{hint}")
