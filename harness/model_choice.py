"""From a name to a model that can be asked: at the start of a session, and when it is changed in one."""

import asyncio
import difflib
from collections.abc import Callable, Mapping, Sequence

from cutaway.harness.catalog import ModelFacts, known_models, lookup
from cutaway.harness.clock import Clock
from cutaway.harness.config import Settings
from cutaway.harness.errors import ConfigError, ProviderError
from cutaway.harness.providers.base import Params, Provider
from cutaway.harness.providers.custom import dialects_with
from cutaway.harness.providers.dialects import SCRIPTED, Dialect
from cutaway.harness.providers.discovery import discover, resolve_provider
from cutaway.harness.providers.efforts import nearest_effort
from cutaway.harness.providers.http import HttpProvider
from cutaway.harness.seams import Model
from cutaway.harness.usage import LOCAL, Price

_ASKING = 5.0
"""Seconds that the list of a provider's models may take while somebody waits for a change."""
_NEAR = 3


async def open_model(
    settings: Settings,
    environment: Mapping[str, str],
    *,
    provider: str = "",
    base_url: str = "",
    model: str = "",
    effort: str | None = None,
    count: Callable[[str], int] | None = None,
    clock: Clock | None = None,
) -> Model:
    """Make the model that was named, or the first that is found; raises HarnessError.

    What is '' is left to cutaway. `effort` None takes that of the settings.
    """
    dialects = dialects_with(settings.providers)
    resolved = await resolve_provider(
        provider or None,
        base_url or None,
        model or None,
        environment,
        dialects=dialects,
        count=count,
        clock=clock,
    )
    return await _model(resolved.provider, resolved.model, settings, dialects, effort)


async def resolve_model(
    wanted: str,
    settings: Settings,
    environment: Mapping[str, str],
    *,
    current: Model | None = None,
    effort: str | None = None,
    count: Callable[[str], int] | None = None,
    clock: Clock | None = None,
) -> Model:
    """Make a model from `MODEL` or `PROVIDER/MODEL`, to go on with in a running session.

    A bare name is looked for at the provider in use, then at the others that can be reached; one that
    is known nowhere raises ConfigError with near names. After `PROVIDER/` any name is taken. The
    connection of the model in use is kept where it can be. `effort` None keeps the present one. Raises
    AuthenticationFailed where a key is missing.
    """
    wanted = wanted.strip()
    if not wanted:
        raise ConfigError("No model was named. Write MODEL or PROVIDER/MODEL; see: cutaway models")
    dialects = dialects_with(settings.providers)
    if effort is None and current is not None:
        effort = current.params.effort
    if current is not None and await _has(current, wanted, settings, dialects):
        if isinstance(current.provider, HttpProvider) and "{model}" in current.provider.endpoint.dialect.root:
            return await open_model(
                settings,
                environment,
                provider=current.provider.name,
                model=wanted,
                effort=effort,
                clock=clock,
            )
        return await _model(current.provider, wanted, settings, dialects, effort)
    provider, _, name = wanted.partition("/")
    if not (name and provider in (SCRIPTED.name, *(one.name for one in dialects))):
        provider, name = await _provider_of(wanted, settings, environment, dialects), wanted
    return await open_model(
        settings, environment, provider=provider, model=name, effort=effort, count=count, clock=clock
    )


async def with_effort(model: Model, effort: str | None, settings: Settings) -> Model:
    """Give the same model another effort, by the levels that it has; None leaves it to the provider."""
    params = Params(model.params.max_output_tokens, model.params.temperature, effort)
    return await _model(model.provider, model.name, settings, dialects_with(settings.providers), None, params)


async def _model(
    provider: Provider,
    name: str,
    settings: Settings,
    dialects: Sequence[Dialect],
    effort: str | None,
    params: Params | None = None,
) -> Model:
    facts = await asyncio.to_thread(lookup, provider.name, name, settings.models, dialects)
    params = params or Params(settings.max_output_tokens, settings.temperature, effort or settings.effort)
    if params.effort is not None:
        level = nearest_effort(params.effort, facts.efforts)
        params = Params(params.max_output_tokens, params.temperature, level)
    return Model(provider, name, price_in(facts), facts.context_window, params)


def price_in(facts: ModelFacts) -> Price | None:
    """What a token costs: nothing on the user's own machine, unless the settings say otherwise."""
    return facts.price or (LOCAL if facts.local else None)


async def _has(current: Model, wanted: str, settings: Settings, dialects: Sequence[Dialect]) -> bool:
    """Tell whether the provider in use has a model; its server is asked only when the data does not know."""
    provider = current.provider
    if not isinstance(provider, HttpProvider):
        return "/" not in wanted
    if wanted == current.name or wanted in settings.models or f"{provider.name}/{wanted}" in settings.models:
        return True
    if wanted in await asyncio.to_thread(known_models, provider.name, dialects):
        return True
    try:
        return wanted in await provider.models(_ASKING)
    except ProviderError:
        return False


async def _provider_of(
    wanted: str, settings: Settings, environment: Mapping[str, str], dialects: Sequence[Dialect]
) -> str:
    """Find the first reachable provider that is known to have a model."""
    there = [finding for finding in await discover(environment, dialects) if finding.found]
    offered: dict[str, str] = {}
    for finding in there:
        known = await asyncio.to_thread(known_models, finding.provider, dialects)
        for name in (*finding.models, *known):
            offered.setdefault(name, finding.provider)
    if wanted in offered:
        return offered[wanted]
    near = difflib.get_close_matches(wanted, offered, n=_NEAR, cutoff=0.5)
    hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
    places = ", ".join(finding.provider for finding in there) or "nothing"
    raise ConfigError(
        f"No model {wanted!r} is known at what can be reached ({places}).{hint} "
        f"For a name that is not listed write PROVIDER/{wanted}; see: cutaway models"
    )
