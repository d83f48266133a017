"""Everything that can be set, as pure values; how it is read and checked is in `config`."""

from decimal import Decimal
from typing import Any, Literal, get_args, get_type_hints

import msgspec

from cutaway.harness.events import Mode
from cutaway.harness.limits import DEFAULT_LIMIT
from cutaway.harness.providers.dialects import Api

Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]
"""The words that providers have for how much a model thinks; each takes some of them."""
CacheStrategy = Literal["stable", "copilot"]
CacheTtl = Literal["5m", "1h"]
Capability = Literal["tools", "vision", "reasoning"]
Compaction = Literal["off", "ask", "auto"]


class Table(msgspec.Struct, frozen=True, rename="kebab", forbid_unknown_fields=True):
    """A table of config.toml: its keys are written with hyphens, and no others are taken."""


class TestsTable(Table, frozen=True):
    """`[tests]`: `command` runs a project's tests when they are not pytest or unittest."""

    __test__ = False

    command: tuple[str, ...] = ()


class HookTable(Table, frozen=True):
    """`[[hooks.EVENT]]`: a command of the user's; a text goes to the shell, a list to the program itself.

    `timeout` in seconds; `matcher` is a glob over tool names, '' for all.
    """

    command: str | tuple[str, ...]
    timeout: float = 30.0
    matcher: str = ""


class ProviderTable(Table, frozen=True):
    """`[providers.NAME]`: a provider of the user's own.

    `dialect` names a known provider whose ways it shares; what is set here besides replaces them. `api`
    says which API it speaks (the dialect's, or Chat Completions). Keys are never written here:
    `key_variable` names the variable that holds the key, `$NAME` in a header's value another. `prices`
    names the provider whose prices it takes. `model` is asked for when none is named.
    """

    api: Api | None = None
    dialect: str = ""
    base_url: str = ""
    title: str = ""
    model: str = ""
    key_variable: str | None = None
    key_header: str | None = None
    headers: dict[str, str] = {}
    prices: str | None = None
    local: bool | None = None
    api_version: str | None = None
    max_tokens_field: str | None = None
    stream_options: bool | None = None
    parallel_tool_calls: bool | None = None


class PriceTable(Table, frozen=True):
    """`[models."NAME".price]`: USD per million tokens of each kind; what is not set stays as it is known."""

    input: Decimal | None = None
    cache_read: Decimal | None = None
    cache_write_5m: Decimal | None = None
    cache_write_1h: Decimal | None = None
    output: Decimal | None = None


class ModelTable(Table, frozen=True):
    """`[models."NAME"]`: what the user knows better of a model, as `MODEL` or `PROVIDER/MODEL`.

    Windows in tokens. `capabilities`, when set, are all that the model has.
    """

    context_window: int | None = None
    max_output: int | None = None
    price: PriceTable = PriceTable()
    capabilities: tuple[Capability, ...] | None = None
    efforts: tuple[Effort, ...] | None = None


class Settings(Table, frozen=True):
    """Everything that can be set; '' and None leave the choice to cutaway.

    `max_cost` and `keep_alive_max_cost` in USD, `max_tokens` counts all that is sent and received,
    `max_minutes` those in which cutaway works; all from the opening of a session on.
    `compaction_threshold` is a share of the context window. `folder` holds tables for single
    workspaces, by absolute path, with the same keys.
    """

    provider: str = ""
    base_url: str = ""
    model: str = ""
    effort: Effort | None = None
    mode: Mode = "interactive"
    limit: int = DEFAULT_LIMIT
    max_cost: Decimal | None = None
    max_tokens: int | None = None
    max_minutes: Decimal | None = None
    max_output_tokens: int | None = None
    temperature: float | None = None
    cache_strategy: CacheStrategy = "stable"
    cache_ttl: CacheTtl = "5m"
    compaction: Compaction = "ask"
    compaction_threshold: float = 0.8
    keep_alive: bool = False
    keep_alive_max_cost: Decimal = Decimal("0.25")
    title: bool = False
    theme: str = ""
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    tests: TestsTable = TestsTable()
    providers: dict[str, ProviderTable] = {}
    models: dict[str, ModelTable] = {}
    hooks: dict[str, tuple[HookTable, ...]] = {}
    keys: dict[str, str] = {}
    folder: dict[str, dict[str, Any]] = {}


def known_keys(table: type[Table] = Settings) -> list[str]:
    """All keys of config.toml, or of one of its tables, in order."""
    return [field.encode_name for field in msgspec.structs.fields(table)]


def choices_of(key: str) -> tuple[str, ...]:
    """The words that a setting can have; empty when it is not one of a few words."""
    hint = get_type_hints(Settings).get(key.replace("-", "_"))
    places = (hint, *get_args(hint))
    return tuple(word for place in places for word in get_args(place) if isinstance(word, str))
