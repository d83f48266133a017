"""What can be reached now, with what is known of each model: for whoever has to choose one."""

import asyncio
import re
from collections.abc import Mapping, Sequence

from msgspec import Struct

from cutaway.harness.catalog import ModelFacts, known_models, lookup
from cutaway.harness.config import Settings
from cutaway.harness.errors import HarnessError
from cutaway.harness.providers.credentials import address_in
from cutaway.harness.providers.custom import dialects_with
from cutaway.harness.providers.dialects import Api, Dialect
from cutaway.harness.providers.discovery import PROBE_SECONDS, Finding, discover, provider_for
from cutaway.harness.providers.listing import ListedModel
from cutaway.harness.usage import LOCAL, Price

_VERSION = re.compile(r"(?<!\d)\d{1,2}(?![\db])")
"""Numbers in a name that are neither dates nor sizes."""
_ASKING = 10.0
"""Seconds that a provider may take to list its models."""


class ReachableModel(Struct, frozen=True):
    """A model; windows in tokens, None where unknown. `usual` is what is asked for when none is named."""

    name: str
    context_window: int | None
    max_output: int | None
    price: Price | None
    vision: bool | None
    tools: bool | None
    reasoning: bool | None
    efforts: tuple[str, ...]
    usual: bool


class ReachableProvider(Struct, frozen=True):
    """A provider, whether it is there and why not, and its models.

    `listed` tells that its server named them just now; else they are those that the price data has.
    `problem` is why it could not be asked. `warnings` say what of the data was not used.
    """

    name: str
    title: str
    api: Api
    url: str
    looked_for: str
    local: bool
    found: bool
    reason: str
    listed: bool
    models: tuple[ReachableModel, ...]
    problem: str = ""
    warnings: tuple[str, ...] = ()


async def reachable(
    settings: Settings,
    environment: Mapping[str, str],
    *,
    refresh: bool = False,
    only: str = "",
    timeout: float = PROBE_SECONDS,
) -> tuple[ReachableProvider, ...]:
    """Look for providers and say what is known of their models; local servers are asked.

    Nothing is sent with a key unless `refresh` asks for it: then each provider whose key is set lists
    its models. `only` names one provider.
    """
    dialects = dialects_with(settings.providers)
    wanted = [dialect for dialect in dialects if not only or dialect.name == only]
    findings = await discover(environment, wanted, timeout)
    return tuple(
        await asyncio.gather(
            *(
                _described(dialect, finding, settings, environment, dialects, refresh=refresh)
                for dialect, finding in zip(wanted, findings, strict=True)
            )
        )
    )


async def _described(
    dialect: Dialect,
    finding: Finding,
    settings: Settings,
    environment: Mapping[str, str],
    dialects: Sequence[Dialect],
    *,
    refresh: bool,
) -> ReachableProvider:
    listed, problem = finding.listed, ""
    if finding.found and refresh and not dialect.local and dialect.lists_models:
        listed, problem = await _asked(dialect, environment)
    models: tuple[ReachableModel, ...] = ()
    warnings: tuple[str, ...] = ()
    if finding.found:
        models, warnings = await asyncio.to_thread(_models, dialect, finding, settings, dialects, listed)
    return ReachableProvider(
        name=dialect.name,
        title=dialect.title,
        api=dialect.api,
        url=finding.url,
        looked_for=finding.looked_for,
        local=dialect.local,
        found=finding.found,
        reason=finding.reason,
        listed=bool(listed),
        models=models,
        problem=problem,
        warnings=warnings,
    )


async def _asked(dialect: Dialect, environment: Mapping[str, str]) -> tuple[tuple[ListedModel, ...], str]:
    """Ask a provider for its models, with its key; what was said instead when it does not list them."""
    try:
        provider = provider_for(dialect, address_in(dialect, environment), "", environment)
    except HarnessError as error:
        return (), str(error)
    try:
        return await provider.list_models(_ASKING), ""
    except HarnessError as error:
        return (), str(error)
    finally:
        await provider.aclose()


def _models(
    dialect: Dialect,
    finding: Finding,
    settings: Settings,
    dialects: Sequence[Dialect],
    listed: Sequence[ListedModel],
) -> tuple[tuple[ReachableModel, ...], tuple[str, ...]]:
    """Join what the server, the data and the settings say of each model; the usual one stands first."""
    told = {model.id: model for model in listed}
    known = known_models(dialect.name, dialects) if dialect.lists_models else ()
    names = list(told) or [*finding.models, *known]
    own = [key.removeprefix(f"{dialect.name}/") for key in settings.models if _is_of(key, dialect, dialects)]
    ordered = dict.fromkeys(sorted([*names, *own], key=lambda name: _newest_first(name, dialect)))
    models: list[ReachableModel] = []
    warnings: list[str] = []
    for name in ordered:
        facts = lookup(dialect.name, name, settings.models, dialects)
        warnings += facts.warnings
        models.append(_model(name, facts, told.get(name, ListedModel(name)), dialect))
    return tuple(models), tuple(warnings)


def _is_of(key: str, dialect: Dialect, dialects: Sequence[Dialect]) -> bool:
    """Tell whether a model of the settings says that it is at this provider."""
    provider, slash, _ = key.partition("/")
    return bool(slash) and provider == dialect.name and any(one.name == provider for one in dialects)


def _newest_first(name: str, dialect: Dialect) -> tuple[bool, bool, list[int], str]:
    """Sort the usual model first, previews last, and higher versions before lower ones."""
    version = [-int(number) for number in _VERSION.findall(name)]
    return name != dialect.default_model, "preview" in name or ":free" in name, [*version, 0], name


def _model(name: str, facts: ModelFacts, told: ListedModel, dialect: Dialect) -> ReachableModel:
    """What the settings and the data say comes before what the server says, which may leave much out."""
    return ReachableModel(
        name=name,
        context_window=facts.context_window or told.context_window,
        max_output=facts.max_output or told.max_output,
        price=facts.price or (LOCAL if facts.local else None),
        vision=_first(facts.vision, told.vision),
        tools=_first(facts.tools, told.tools),
        reasoning=_first(facts.reasoning, told.reasoning),
        efforts=facts.efforts,
        usual=name == dialect.default_model,
    )


def _first(*answers: bool | None) -> bool | None:
    return next((answer for answer in answers if answer is not None), None)
