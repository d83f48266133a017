"""What is known of a model without asking anybody: its window, what it can do, and its dated price.

Prices and windows are those that the package genai-prices carries; nothing is fetched. What the user's
settings say comes before. Unknown is None, never 0.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from importlib.resources import files

from msgspec import Struct, structs

from cutaway.harness.model_limits import limits_of
from cutaway.harness.prices import BadPrice, price_of
from cutaway.harness.providers.dialects import DIALECTS, SCRIPTED, Dialect
from cutaway.harness.providers.endpoint import is_loopback
from cutaway.harness.settings import ModelTable
from cutaway.harness.usage import LOCAL, Price

_CHECKED = re.compile(r"(?:verified|checked|as of)(?: on)? (20\d\d-\d\d-\d\d)")
_NO_CHAT = re.compile(
    r"^ft:|audio|realtime|transcri|tts|image|\blive|-live|embed|moderation|whisper|ocr|voxtral|guard|orpheus|robotics"
    r"|omni|nano-banana|davinci|curie|babbage|\bada\b|computer-use|deep-research|search"
)
"""Models that the data has and that no conversation with tools can be held with."""


class ModelFacts(Struct, frozen=True):
    """Windows in tokens, abilities and a price, None where unknown; `local` models cost no money per token.

    `efforts` are the levels that the model takes, rising, and empty where unknown. `warnings` say what in
    the data was not used.
    """

    context_window: int | None = None
    max_output: int | None = None
    price: Price | None = None
    local: bool = False
    vision: bool | None = None
    tools: bool | None = None
    reasoning: bool | None = None
    efforts: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def lookup(
    provider: str,
    model: str,
    models: Mapping[str, ModelTable] | None = None,
    dialects: Sequence[Dialect] = DIALECTS,
) -> ModelFacts:
    """Find what is known of a model at a provider, by the names that `Provider.name` and a request use.

    `models` are those of the user's settings. The first call imports the data (about a third of a
    second): call it off the start-up path.
    """
    facts = _known(provider, model, dialects)
    for key in (model, f"{provider}/{model}"):
        if models and key in models:
            facts = _overridden(facts, models[key])
    return facts


def is_local(provider: str, dialects: Sequence[Dialect] = DIALECTS) -> bool:
    """Tell whether a provider, by its name, runs on this machine or is a script."""
    if provider == SCRIPTED.name:
        return True
    dialect = _named(provider, dialects)
    if dialect is not None:
        return dialect.local
    return is_loopback(re.sub(r":\d+$", "", provider).strip("[]"))


def known_models(provider: str, dialects: Sequence[Dialect] = DIALECTS) -> tuple[str, ...]:
    """Name the models of a provider that the data has, but those on their way out; none of local ones."""
    if is_local(provider, dialects):
        return ()
    from genai_prices.data_snapshot import get_snapshot

    owner = _owner(provider, dialects)
    found = next((one for one in get_snapshot().providers if one.id == owner), None)
    dialect = _named(provider, dialects)
    names = re.compile(dialect.model_names if dialect else "")
    return tuple(
        model.id
        for model in (found.models if found else ())
        if not model.deprecated and names.match(model.id) and not _NO_CHAT.search(model.id)
    )


def _known(provider: str, model: str, dialects: Sequence[Dialect]) -> ModelFacts:
    if is_local(provider, dialects):
        return ModelFacts(local=True)
    limits = limits_of(model)
    facts = ModelFacts(
        max_output=limits.max_output,
        vision=limits.vision,
        tools=limits.tools,
        reasoning=limits.reasoning,
        efforts=limits.efforts,
    )
    from genai_prices.data_snapshot import get_snapshot

    owner = _owner(provider, dialects)
    try:
        _, found = get_snapshot().find_provider_model(model, None, owner, None)
    except LookupError:
        return facts
    facts = structs.replace(facts, context_window=found.context_window)
    source = f"genai-prices {version('genai-prices')}"
    try:
        price = price_of(found.get_prices(datetime.now(UTC)), model, source, data_date())
    except BadPrice as bad:
        warning = f"The price of {model} in {source} is not used: {bad}."
        return structs.replace(facts, warnings=(warning,))
    return structs.replace(facts, price=price)


def _overridden(facts: ModelFacts, table: ModelTable) -> ModelFacts:
    """Put what the user set in the place of what is known."""
    able = table.capabilities
    return structs.replace(
        facts,
        context_window=table.context_window or facts.context_window,
        max_output=table.max_output or facts.max_output,
        price=_set_price(LOCAL if facts.local else facts.price, table),
        vision=facts.vision if able is None else "vision" in able,
        tools=facts.tools if able is None else "tools" in able,
        reasoning=facts.reasoning if able is None else "reasoning" in able,
        efforts=facts.efforts if table.efforts is None else table.efforts,
    )


def _set_price(known: Price | None, table: ModelTable) -> Price | None:
    """Join the user's rates with the known ones; the source says that both are in it."""
    own = table.price
    rates = {
        "fresh": own.input,
        "cache_read": own.cache_read,
        "cache_write_5m": own.cache_write_5m,
        "cache_write_1h": own.cache_write_1h,
        "output": own.output,
    }
    rates = {kind: rate for kind, rate in rates.items() if rate is not None}
    if not rates:
        return known
    base = known or Price()
    mixed = known is not None and len(rates) < 5
    return structs.replace(
        base,
        **rates,
        source=f"config.toml, the rest {base.source}" if mixed else "config.toml",
        date=base.date if mixed else "",
        tiers=tuple(structs.replace(tier, **rates) for tier in base.tiers),
    )


def _named(provider: str, dialects: Sequence[Dialect]) -> Dialect | None:
    return next((dialect for dialect in dialects if dialect.name == provider), None)


def _owner(provider: str, dialects: Sequence[Dialect]) -> str:
    """Find under whose name the data has a provider's prices; a provider of the user's own has none."""
    dialect = _named(provider, dialects)
    if dialect is None:
        return provider
    return dialect.prices or ("" if dialect.custom else dialect.name)


@cache
def data_date() -> str:
    """Give the newest day on which the data says that prices were checked ('' when it says none).

    The package carries no date of its own, so this is the one statement about its age in it.
    """
    try:
        text = (files("genai_prices") / "data.py").read_text(encoding="utf-8")
    except OSError:
        return ""
    today = datetime.now(UTC).date().isoformat()
    return max((day for day in _CHECKED.findall(text) if day <= today), default="")
