"""`cutaway models`: what can be reached, and what is known of each model, as plain lines."""

import argparse
import difflib
import os
import sys
from collections.abc import Iterator, Sequence
from decimal import Decimal

import msgspec

from cutaway.harness.config import load_settings
from cutaway.harness.errors import ConfigError
from cutaway.harness.providers.custom import dialects_with
from cutaway.harness.reachable import ReachableModel, ReachableProvider, reachable
from cutaway.harness.target import workspace_root
from cutaway.harness.usage import LOCAL, Price
from cutaway.tui.format import tokens
from cutaway.tui.transcript.safe_text import count_of, one_line

FEW = 8
"""Models that are shown of each provider when nobody asks for more."""
_HEAD = (
    f"    {'':<34}{'window':>8}{'output':>8}"
    f"{'input':>9}{'read':>9}{'write 5m':>9}{'write 1h':>9}{'output':>9}  abilities"
)
_UNKNOWN = "?"


async def list_models(parsed: argparse.Namespace) -> int:
    """Print the report; exit code 0 when a model can be reached, 1 when none can."""
    configured = load_settings(workspace_root(parsed.cwd), {}, os.environ)
    settings = configured.settings
    names = [dialect.name for dialect in dialects_with(settings.providers)]
    if parsed.provider and parsed.provider not in names:
        near = difflib.get_close_matches(parsed.provider, names, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else f"Known are {', '.join(names)}."
        raise ConfigError(f"There is no provider {parsed.provider!r}. {hint}")
    found = await reachable(settings, os.environ, refresh=parsed.refresh, only=parsed.provider)
    for provider in found:
        for warning in (*provider.warnings, *([provider.problem] if provider.problem else [])):
            sys.stderr.write(f"cutaway models: {provider.name}: {one_line(warning)}\n")
    if parsed.json:
        for provider in found:
            sys.stdout.write(msgspec.json.encode(provider).decode() + "\n")
    else:
        most = None if parsed.all or parsed.provider else FEW
        for line in _lines(found, most, refreshed=parsed.refresh):
            sys.stdout.write(line + "\n")
    return 0 if any(provider.found for provider in found) else 1


def _lines(found: Sequence[ReachableProvider], most: int | None, *, refreshed: bool) -> Iterator[str]:
    there = [provider for provider in found if provider.found]
    if there:
        yield "USD per million tokens: ? is not known, + is more for long prompts; * is asked for by default."
        yield _HEAD
    for number, provider in enumerate(there):
        same = next((one for one in there[:number] if one.models and one.models == provider.models), None)
        yield from _provider(provider, most, same)
    missing = [provider for provider in found if not provider.found]
    if missing:
        yield "Not reachable" if there else "No model can be reached. Looked for"
        for provider in missing:
            yield f"  · {provider.title:<20}{one_line(provider.looked_for)}: {one_line(provider.reason)}"
    if not there:
        yield "Set one of the keys, start one of the servers, or write a [providers.NAME] into config.toml."
        yield "`cutaway demo` needs none of them."
    elif not refreshed and any(not one.listed and not one.local for one in there):
        yield "Models of providers with a key are those that the price data has; ask them with: --refresh"


def _provider(provider: ReachableProvider, most: int | None, same: ReachableProvider | None) -> Iterator[str]:
    title = f"  ✓ {one_line(provider.title)} ({provider.name}, {provider.api}) at {one_line(provider.url)}"
    if same is not None:
        yield f"{title}: the models of {same.name}"
        return
    if not provider.models:
        yield f"{title}: no model is known; name one with --model"
        return
    yield f"{title}; it lists:" if provider.listed else f"{title}; known are:"
    shown = provider.models[:most]
    for model in shown:
        yield _model(model)
    if rest := len(provider.models) - len(shown):
        yield f"    … and {count_of(rest, 'model')} more: cutaway models {provider.name}"
    sources = {model.price.source + _dated(model.price) for model in shown if model.price}
    for source in sorted(sources - {LOCAL.source}):
        yield f"    prices: {one_line(source)}"


def _dated(price: Price) -> str:
    return f", checked {price.date}" if price.date else ""


def _model(model: ReachableModel) -> str:
    name = one_line(model.name) + (" *" if model.usual else "")
    windows = "".join(
        f"{_UNKNOWN if count is None else tokens(count):>8}"
        for count in (model.context_window, model.max_output)
    )
    return f"    {name:<34}{windows}{_rates(model.price)}  {_abilities(model)}".rstrip()


def _rates(price: Price | None) -> str:
    if price == LOCAL:
        return f"{'on this machine':^45}"
    kinds = price or Price()
    rates = (kinds.fresh, kinds.cache_read, kinds.cache_write_5m, kinds.cache_write_1h, kinds.output)
    return "".join(f"{_rate(rate, tiered=bool(kinds.tiers)):>9}" for rate in rates)


def _rate(rate: Decimal | None, *, tiered: bool) -> str:
    if rate is None:
        return _UNKNOWN
    return f"{rate.normalize():f}{'+' if tiered else ''}"  # more for long prompts


def _abilities(model: ReachableModel) -> str:
    known = (("tools", model.tools), ("vision", model.vision), ("reasoning", model.reasoning))
    words = [word for word, able in known if able] + [f"no {word}" for word, able in known if able is False]
    if model.efforts:
        words.append("effort " + "/".join(model.efforts))
    return ", ".join(words)
