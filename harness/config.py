"""Settings in layers: defaults, the user's config.toml, the environment, flags; each knows its origin.

A project's own `.cutaway/config.toml` is not read: nothing from a folder acts before it is trusted.
"""

import difflib
import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec

from cutaway.harness.errors import ConfigError
from cutaway.harness.events import Mode
from cutaway.harness.limits import DEFAULT_LIMIT
from cutaway.harness.places import config_dir


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
        raise ConfigError(f"{origin}: {key}: {message}.") from error
    if settings.limit < 1:
        raise ConfigError(f"{origin}: limit: Expected a number of turns of at least 1, got {settings.limit}.")
    return settings


def _file_layers(path: Path, workspace: Path) -> list[tuple[str, dict[str, Any]]]:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read: {error}. Mend it, or move it away.") from error
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is not valid TOML: {error}.") from error
    layers = [(str(path), table)]
    folders = table.get("folder")
    for folder, values in folders.items() if isinstance(folders, dict) else ():
        if Path(os.path.realpath(Path(folder).expanduser())) == workspace and isinstance(values, dict):
            layers.append((f'{path} [folder."{folder}"]', values))
    return layers


def _check_keys(values: Mapping[str, Any], origin: str) -> None:
    known = known_keys()
    for key in values:
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else f" Known keys: {', '.join(known)}."
            raise ConfigError(f"{origin}: unknown key {key!r}.{hint}")
