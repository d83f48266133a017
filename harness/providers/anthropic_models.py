"""What each family of Claude models takes: output limit, thinking, effort, temperature; data, dated.

Sources: platform.claude.com, "Models overview", "Effort", "Thinking", "Prefix checks on thinking blocks"
and the migration guides, as read in 2026-11. A model that is not listed is sent none of it.
"""

import re
from typing import Any, Literal

from msgspec import Struct

from cutaway.harness.providers.base import Request

Json = dict[str, Any]
Thinking = Literal["none", "budget", "adaptive", "adaptive by default"]

OUTPUT = 32_000
"""Tokens asked for when nobody said how many: every model since Claude 4 gives them (Opus 4 no more),
and an answer that thinks and writes a whole file fits. What is not used costs nothing."""
UNKNOWN_OUTPUT = 16_000
"""The same for a model that is not listed, often one of another maker behind a compatible address."""
LEAST_BUDGET = 1024
"""The API refuses a smaller thinking budget."""
BUDGETS = {"low": 2048, "medium": 8192, "high": 16_384, "xhigh": 24_576, "max": 30_000}
"""Thinking tokens for models that know no effort; our choice, below `OUTPUT` as the API demands."""
LEVELS = ("low", "medium", "high", "xhigh", "max")
_ALIASES = {"none": "low", "minimal": "low"}
"""Words that other providers have for less than low."""


class Family(Struct, frozen=True):
    """What a model takes. `efforts` are the levels that it knows, `sampling` that it takes a temperature.

    `adaptive by default` thinks without being asked to; the summary of its thoughts must be asked for.
    `bound` thoughts are valid only after what they were thought after: when that changes, as in a
    compaction, the API refuses the request unless it is told to drop them.
    """

    output: int = OUTPUT
    thinking: Thinking = "none"
    efforts: tuple[str, ...] = ()
    sampling: bool = False
    bound: bool = False


_FIVE = Family(thinking="adaptive by default", efforts=LEVELS)
_BOUND = Family(thinking="adaptive by default", efforts=LEVELS, bound=True)
_FOUR_SEVEN = Family(thinking="adaptive", efforts=LEVELS)
_FOUR_SIX = Family(thinking="adaptive", efforts=("low", "medium", "high", "max"), sampling=True)
_FOUR = Family(thinking="budget", sampling=True)

FAMILIES: dict[str, Family] = {
    "claude-fable-5": _FIVE,
    "claude-fable-5-1": _BOUND,
    "claude-fable-5-2": _BOUND,
    "claude-mythos-5": _FIVE,
    "claude-mythos-5-1": _BOUND,
    "claude-mythos-5-2": _BOUND,
    "claude-opus-5": _FIVE,
    "claude-opus-5-5": _BOUND,
    "claude-sonnet-5": _FIVE,
    "claude-sonnet-5-5": _BOUND,
    "claude-haiku-5-5": Family(
        thinking="adaptive by default", efforts=("low", "medium", "high", "xhigh"), bound=True
    ),
    "claude-opus-4-8": _FOUR_SEVEN,
    "claude-opus-4-7": _FOUR_SEVEN,
    "claude-opus-4-6": _FOUR_SIX,
    "claude-sonnet-4-6": _FOUR_SIX,
    "claude-opus-4-5": Family(thinking="budget", efforts=("low", "medium", "high"), sampling=True),
    "claude-sonnet-4-5": _FOUR,
    "claude-haiku-4-5": _FOUR,
    "claude-opus-4-1": _FOUR,
    "claude-opus-4": _FOUR,
    "claude-sonnet-4": _FOUR,
    "claude-3-7-sonnet": _FOUR,
    "claude-3-5-sonnet": Family(output=8192, sampling=True),
    "claude-3-5-haiku": Family(output=8192, sampling=True),
    "claude-3-opus": Family(output=4096, sampling=True),
    "claude-3-haiku": Family(output=4096, sampling=True),
}
_NEW_CLAUDE = Family(output=UNKNOWN_OUTPUT)
_FOREIGN = Family(output=UNKNOWN_OUTPUT, sampling=True)
_OTHER_VERSION = re.compile(r"-?\d{1,2}(?!\d)")


def family_of(model: str) -> Family:
    """Find what a model takes by its name, with or without a maker before it and a date behind it."""
    name = model.lower().replace(".", "-")
    _, claude, rest = name.rpartition("claude-")
    name = claude + rest
    fitting = [
        known for known in FAMILIES if name.startswith(known) and not _OTHER_VERSION.match(name[len(known) :])
    ]
    if fitting:
        return FAMILIES[max(fitting, key=len)]
    return _NEW_CLAUDE if claude else _FOREIGN


def params_for(request: Request, *, own: bool) -> Json:
    """Give the fields of a request that say how to answer, in a fixed order; `max_tokens` is always there.

    `own` tells the vendor's own address, which knows what is in beta. A temperature does not go together
    with thinking, and newer models refuse it at all.
    """
    params, family = request.params, family_of(request.model)
    limit = params.max_output_tokens or family.output
    effort = _effort(params.effort, family)
    thinking = _thinking(family, effort, limit, summed=bool(request.thought_summary), own=own)
    body: Json = {"max_tokens": limit}
    if thinking:
        body["thinking"] = thinking
    if effort in family.efforts:
        body["output_config"] = {"effort": effort}
    if params.temperature is not None and family.sampling and not thinking:
        body["temperature"] = params.temperature
    return body


def _effort(asked: str | None, family: Family) -> str:
    """Give the nearest level that the model knows and that is not above the one asked for; '' for none."""
    level = _ALIASES.get(asked or "", asked or "")
    if level not in LEVELS or not family.efforts:
        return level if level in LEVELS else ""
    return max(
        (known for known in family.efforts if LEVELS.index(known) <= LEVELS.index(level)),
        key=LEVELS.index,
    )


def _thinking(family: Family, effort: str, limit: int, *, summed: bool, own: bool) -> Json | None:
    match family.thinking:
        case "adaptive by default" if summed:
            bound = {"block_binding": {"prefix_mismatch_behavior": "drop_block"}}
            return {"type": "adaptive", "display": "summarized", **(bound if own and family.bound else {})}
        case "adaptive" if effort:
            return {"type": "adaptive", "display": "summarized"} if summed else {"type": "adaptive"}
        case "budget" if effort and limit > LEAST_BUDGET:
            return {"type": "enabled", "budget_tokens": min(BUDGETS[effort], limit - 1)}
        case _:
            return None
