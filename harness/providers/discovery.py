"""Find the models that can be reached: keys in the environment, servers on this machine."""

import asyncio
import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec import Struct, structs

from cutaway.harness.clock import Clock
from cutaway.harness.errors import AuthenticationFailed, ConfigError, HarnessError, ProviderError
from cutaway.harness.providers.base import Provider
from cutaway.harness.providers.credentials import (
    Environment,
    address_in,
    credentials_for,
    missing_variables,
    wanted_variables,
)
from cutaway.harness.providers.dialects import (
    ANTHROPIC,
    CUSTOM,
    DIALECTS,
    OPENAI,
    SCRIPTED,
    Dialect,
    dialect_named,
)
from cutaway.harness.providers.endpoint import endpoint_for
from cutaway.harness.providers.http import HttpProvider, TimeLimits
from cutaway.harness.providers.listing import ListedModel
from cutaway.harness.providers.scripted import ScriptedProvider, load_script
from cutaway.harness.providers.wires import api_at, wire_for

PROBE_SECONDS = 0.3
"""A server on this machine answers in milliseconds; a first start may not wait longer."""
SCRIPT_VARIABLE = "CUTAWAY_SCRIPT"


class Finding(Struct, frozen=True):
    """What was looked for, whether it is there, and why not.

    `models` are those that a local server lists, or a provider's usual one; `listed` says what a server
    told of each, and is empty when it was not asked.
    """

    provider: str
    title: str
    looked_for: str
    found: bool
    reason: str
    url: str
    models: tuple[str, ...] = ()
    listed: tuple[ListedModel, ...] = ()


class NoModelReachable(ConfigError):
    """Nothing was named and nothing was found; `findings` say what was looked for."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        looked = "\n".join(f"  {one.provider}: {one.looked_for}: {one.reason}" for one in findings)
        super().__init__(
            f"No model was found. Looked for:\n{looked}\n"
            "Set one of the keys, start a local server, or give --base-url and --model."
        )
        self.findings = tuple(findings)


@dataclass(frozen=True, slots=True)
class Resolved:
    """A provider that can be used, and the model to ask."""

    provider: Provider
    model: str


async def discover(
    environment: Environment, dialects: Sequence[Dialect] = DIALECTS, timeout: float = PROBE_SECONDS
) -> tuple[Finding, ...]:
    """Look for keys and, all at once, for local servers; the order is that of `dialects`.

    Nothing is sent with a key: a key is only seen to be set.
    """
    return tuple(
        await asyncio.gather(
            *(
                _probe(dialect, environment, timeout) if dialect.local else _key_finding(dialect, environment)
                for dialect in dialects
            )
        )
    )


async def _key_finding(dialect: Dialect, environment: Environment) -> Finding:
    wanted = " and ".join(wanted_variables(dialect))
    missing = missing_variables(dialect, environment)
    if missing:
        is_are = "are" if len(missing) > 1 else "is"
        names = " and ".join(missing)
        which = names if names != wanted else "they" if len(missing) > 1 else "the variable"
        reason = f"{which} {is_are} not set"
    else:
        count = len(wanted_variables(dialect))
        reason = ("it wants no key", "the variable is set", "all that it wants is set")[min(count, 2)]
    models = (dialect.default_model,) if not missing and dialect.default_model else ()
    url = address_in(dialect, environment) or dialect.base_url
    return Finding(dialect.name, dialect.title, wanted or url, not missing, reason, url, models)


async def _probe(dialect: Dialect, environment: Environment, timeout: float) -> Finding:
    """Ask a local server for its models."""
    url = address_in(dialect, environment) or dialect.base_url
    looked_for = f"a server at {url}"
    wire = wire_for(dialect, url)
    try:
        provider = HttpProvider(
            endpoint_for(dialect, wire, url), wire, limits=TimeLimits(timeout, timeout, timeout)
        )
    except ConfigError as error:
        return Finding(dialect.name, dialect.title, looked_for, False, str(error).rstrip("."), url)
    try:
        listed = await asyncio.wait_for(provider.list_models(timeout), timeout * 2)
    except (ProviderError, TimeoutError) as error:
        hint = f"; {dialect.start_hint}" if dialect.start_hint else ""
        return Finding(dialect.name, dialect.title, looked_for, False, f"{_why(error)}{hint}", url)
    finally:
        await provider.aclose()
    reason = f"it answers, with {len(listed)} model{'' if len(listed) == 1 else 's'}"
    models = tuple(one.id for one in listed)
    return Finding(dialect.name, dialect.title, looked_for, True, reason, url, models, listed)


def _why(error: HarnessError | TimeoutError) -> str:
    if isinstance(error, TimeoutError):
        return "it did not answer in time"
    if getattr(error, "refused", False):
        return "nothing listens there"
    return str(error).rstrip(".")


async def list_models(provider: Provider, timeout: float = 10.0) -> tuple[str, ...]:
    """List what a provider's server says it has; empty where nothing can be asked."""
    return await provider.models(timeout) if isinstance(provider, HttpProvider) else ()


async def resolve_provider(
    name: str | None,
    base_url: str | None,
    model: str | None,
    environment: Environment,
    *,
    dialects: Sequence[Dialect] = DIALECTS,
    count: Callable[[str], int] | None = None,
    clock: Clock | None = None,
) -> Resolved:
    """Make the provider that was named, or the first one that is found, and settle its model.

    `name` may also be a host and port, as `Provider.name` gives it for a server of the user's own.
    `dialects` are the providers that are known, those of the user's settings among them.
    For `scripted`, `base_url` or CUTAWAY_SCRIPT is the path of the script, and `count` counts its
    tokens. Raises ConfigError, or AuthenticationFailed that names the missing variable.
    """
    if name == SCRIPTED.name:
        return _scripted(base_url or environment.get(SCRIPT_VARIABLE, ""), model, count, clock)
    if not name and not base_url:
        finding = _first(await discover(environment, dialects), model)
        name, model = finding.provider, model or next(iter(finding.models), None)
    dialect, base_url = _dialect(name or OPENAI.name, base_url or "", dialects)
    base_url = base_url or address_in(dialect, environment)
    provider = provider_for(dialect, base_url, model or "", environment, clock)
    try:
        return Resolved(provider, model or await _default_model(provider, dialect, base_url))
    except HarnessError:
        await provider.aclose()
        raise


def provider_for(
    dialect: Dialect, base_url: str, model: str, environment: Environment, clock: Clock | None = None
) -> HttpProvider:
    """Make the provider of a dialect at an address ('' is its own); raises AuthenticationFailed."""
    moved = bool(base_url) and base_url != dialect.base_url
    missing = missing_variables(dialect, environment)
    if not dialect.base_url and not base_url and dialect.address_variable in missing:
        raise AuthenticationFailed(
            f"{dialect.title} needs an address: set {dialect.address_variable}, or give --base-url.",
            provider=dialect.name,
        )
    if not model and "{model}" in dialect.root:
        raise ConfigError(f"{dialect.title} lists no models. Name your deployment with --model.")
    held = credentials_for(dialect, environment, moved=moved)
    wire = wire_for(dialect, base_url, bearer=held.bearer)
    endpoint = endpoint_for(
        dialect, wire, base_url, held.key, model=model, headers=held.headers, secrets=held.secrets
    )
    needs_key = bool(dialect.key_variable) and not endpoint.local and endpoint.name == dialect.name
    if needs_key and not endpoint.authorized:
        raise AuthenticationFailed(
            f"{dialect.title} needs a key: set {dialect.key_variable}, or choose another provider "
            "with --provider.",
            provider=dialect.name,
        )
    return HttpProvider(endpoint, wire, clock=clock)


def _first(findings: Sequence[Finding], model: str | None) -> Finding:
    """Take the first provider that is there; a model that a server says it has leads to that server."""
    there = [one for one in findings if one.found and one.models]
    if not there:
        raise NoModelReachable(findings)
    return next((one for one in there if model in one.models), there[0])


def _dialect(name: str, base_url: str, dialects: Sequence[Dialect]) -> tuple[Dialect, str]:
    """Find how to speak with a provider by its name, and where."""
    dialect = next((one for one in dialects if one.name == name), None) or dialect_named(name)
    if dialect is OPENAI and base_url:
        probe = endpoint_for(OPENAI, wire_for(OPENAI), base_url)
        return (OPENAI if probe.name == OPENAI.name else _unnamed(base_url)), base_url
    if dialect is not None:
        return dialect, base_url
    if "." in name or ":" in name or "/" in name:
        return _unnamed(base_url or name), base_url or name
    known = [*(dialect.name for dialect in dialects), SCRIPTED.name]
    near = difflib.get_close_matches(name, known, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise ConfigError(
        f"There is no provider {name!r}.{hint} Known are {', '.join(known)}; or give --base-url."
    )


def _unnamed(url: str) -> Dialect:
    """How to speak with a server that has no name: its address may tell, as one that a log kept does."""
    keys = {"chat": OPENAI, "responses": OPENAI, "anthropic": ANTHROPIC}[api_at(url)]
    return structs.replace(
        CUSTOM, api=api_at(url), key_variable=keys.key_variable, token_variable=keys.token_variable
    )


async def _default_model(provider: HttpProvider, dialect: Dialect, base_url: str) -> str:
    """Settle the model when none was named: the provider's usual one, else the first that it lists."""
    if dialect.default_model and provider.name == dialect.name:
        return dialect.default_model
    models = await provider.models()
    if not models:
        raise ConfigError(f"{provider.name} at {provider.url} lists no model. Name one with --model.")
    return models[0]


def _scripted(
    path: str, model: str | None, count: Callable[[str], int] | None, clock: Clock | None
) -> Resolved:
    if not path:
        raise ConfigError(
            f"The provider 'scripted' needs a script: give its path as --base-url, or in {SCRIPT_VARIABLE}."
        )
    if count is None:
        raise ConfigError("The provider 'scripted' cannot be used here: nothing counts its tokens.")
    script = load_script(Path(path).expanduser())
    script = structs.replace(script, model=model or script.model)
    return Resolved(ScriptedProvider(script, count=count, clock=clock), script.model)
