"""Find the models that can be reached: keys in the environment, servers on this machine."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec import Struct, structs

from cutaway.harness.clock import Clock
from cutaway.harness.errors import AuthenticationFailed, ConfigError, HarnessError, ProviderError
from cutaway.harness.providers.base import Provider
from cutaway.harness.providers.dialects import CUSTOM, DIALECTS, OPENAI, SCRIPTED, Dialect, dialect_named
from cutaway.harness.providers.endpoint import endpoint_for
from cutaway.harness.providers.http import HttpProvider, TimeLimits
from cutaway.harness.providers.openai_chat import ChatWire
from cutaway.harness.providers.scripted import ScriptedProvider, load_script

PROBE_SECONDS = 0.3
"""A server on this machine answers in milliseconds; a first start may not wait longer."""
SCRIPT_VARIABLE = "CUTAWAY_SCRIPT"

Environment = Mapping[str, str]


class Finding(Struct, frozen=True):
    """What was looked for, whether it is there, and why not; `models` is empty when not asked."""

    provider: str
    title: str
    looked_for: str
    found: bool
    reason: str
    url: str
    models: tuple[str, ...] = ()


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
                _probe(dialect, timeout) if dialect.local else _key_finding(dialect, environment)
                for dialect in dialects
            )
        )
    )


async def _key_finding(dialect: Dialect, environment: Environment) -> Finding:
    found = bool(environment.get(dialect.key_variable, "").strip())
    reason = "the variable is set" if found else "the variable is not set"
    models = (dialect.default_model,) if found and dialect.default_model else ()
    return Finding(dialect.name, dialect.title, dialect.key_variable, found, reason, dialect.base_url, models)


async def _probe(dialect: Dialect, timeout: float) -> Finding:
    """Ask a local server for its models."""
    looked_for = f"a server at {dialect.base_url}"
    wire = ChatWire(dialect)
    provider = HttpProvider(endpoint_for(dialect, wire), wire, limits=TimeLimits(timeout, timeout, timeout))
    try:
        models = await asyncio.wait_for(provider.models(timeout), timeout * 2)
    except (ProviderError, TimeoutError) as error:
        hint = f"; {dialect.start_hint}" if dialect.start_hint else ""
        return Finding(
            dialect.name, dialect.title, looked_for, False, f"{_why(error)}{hint}", dialect.base_url
        )
    finally:
        await provider.aclose()
    reason = f"it answers, with {len(models)} model{'' if len(models) == 1 else 's'}"
    return Finding(dialect.name, dialect.title, looked_for, True, reason, dialect.base_url, models)


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
    count: Callable[[str], int] | None = None,
    clock: Clock | None = None,
) -> Resolved:
    """Make the provider that was named, or the first one that is found, and settle its model.

    `name` may also be a host and port, as `Provider.name` gives it for a server of the user's own.
    For `scripted`, `base_url` or CUTAWAY_SCRIPT is the path of the script, and `count` counts its
    tokens. Raises ConfigError, or AuthenticationFailed that names the missing variable.
    """
    if name == SCRIPTED.name:
        return _scripted(base_url or environment.get(SCRIPT_VARIABLE, ""), model, count, clock)
    if not name and not base_url:
        finding = _first(await discover(environment))
        name, model = finding.provider, model or next(iter(finding.models), None)
    dialect, base_url = _dialect(name or OPENAI.name, base_url)
    wire = ChatWire(dialect)
    endpoint = endpoint_for(dialect, wire, base_url, _key(dialect, base_url, environment))
    if not endpoint.local and endpoint.name == dialect.name and not endpoint.authorized:
        raise AuthenticationFailed(
            f"{dialect.title} needs a key: set {dialect.key_variable}, or choose another provider "
            "with --provider.",
            provider=dialect.name,
        )
    provider = HttpProvider(endpoint, wire, clock=clock)
    try:
        return Resolved(provider, model or await _default_model(provider, dialect, base_url))
    except HarnessError:
        await provider.aclose()
        raise


def _first(findings: Sequence[Finding]) -> Finding:
    found = next((one for one in findings if one.found and one.models), None)
    if found is None:
        raise NoModelReachable(findings)
    return found


def _dialect(name: str, base_url: str | None) -> tuple[Dialect, str]:
    """Find how to speak with a provider by its name, and where."""
    dialect = dialect_named(name)
    if dialect is OPENAI and base_url:
        probe = endpoint_for(OPENAI, ChatWire(OPENAI), base_url)
        return (OPENAI if probe.name == OPENAI.name else CUSTOM), base_url
    if dialect is not None:
        return dialect, base_url or ""
    if "." in name or ":" in name or "/" in name:
        return CUSTOM, base_url or name
    known = ", ".join([*(dialect.name for dialect in DIALECTS), SCRIPTED.name])
    raise ConfigError(f"There is no provider {name!r}. Known are {known}; or give --base-url.")


def _key(dialect: Dialect, base_url: str, environment: Environment) -> str:
    """Find the key; one that cannot be sent in a header is refused here, without being shown."""
    key = environment.get(dialect.key_variable, "").strip() if dialect.key_variable else ""
    if key and not (key.isascii() and key.isprintable() and " " not in key):
        raise AuthenticationFailed(
            f"The key in {dialect.key_variable} holds characters that no key has. Copy it again.",
            provider=dialect.name,
        )
    return key


async def _default_model(provider: HttpProvider, dialect: Dialect, base_url: str) -> str:
    """Settle the model when none was named: the provider's usual one, else the first that it lists."""
    if dialect.default_model and not base_url:
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
