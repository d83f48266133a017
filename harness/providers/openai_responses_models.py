"""What OpenAI's models take over the Responses API: thinking, temperature, cache diagnosis; data, dated.

Sources: developers.openai.com, "Reasoning", "Prompt cache diagnostics" and the pages of the models, and
the types of openai-python 3.57, as read in 2026-11. A model that is not listed is asked for no more
than was set.
"""

import re
from typing import Any

from msgspec import Struct

from cutaway.harness.providers.base import Params

Json = dict[str, Any]

LEAST_OUTPUT = 16
"""Tokens; the API refuses a smaller limit."""
DIAGNOSES_SINCE = (5, 6)
"""The first GPT version that says why its cache missed."""


class Family(Struct, frozen=True):
    """What a model takes.

    `encrypted` models give their thoughts as items to send back and refuse to when they have none,
    `summaries` tells that the words of the thoughts must be asked for, `sampling` that a temperature
    is taken.
    """

    encrypted: bool = True
    summaries: bool = False
    sampling: bool = True


_PLAIN = Family(encrypted=False)
_THINKING = Family(summaries=True, sampling=False)
_OTHER = Family()

FAMILIES: dict[str, Family] = {
    "gpt-3.5": _PLAIN,
    "gpt-4": _PLAIN,
    "chatgpt-4o": _PLAIN,
    "chat-latest": _PLAIN,
    "gpt-5-chat": _PLAIN,
    "gpt-oss": _OTHER,
    "gpt-": _THINKING,
    "o1": _THINKING,
    "o3": _THINKING,
    "o4": _THINKING,
    "codex-": _THINKING,
}
"""By how the name begins; the longest that fits counts."""
_VERSION = re.compile(r"gpt-(\d+)(?:\.(\d+))?(?!\d)")


def family_of(model: str) -> Family:
    """Find what a model takes by its name, with or without a maker before it."""
    name = _bare(model)
    fitting = [start for start in FAMILIES if name.startswith(start)]
    return FAMILIES[max(fitting, key=len)] if fitting else _OTHER


def diagnoses(model: str) -> bool:
    """Tell whether a model says why its cache missed, when it is asked."""
    version = _VERSION.match(_bare(model))
    return version is not None and (int(version[1]), int(version[2] or 0)) >= DIAGNOSES_SINCE


def params_for(model: str, params: Params, summary: str) -> Json:
    """Give the fields of a request that say how to answer, in a fixed order."""
    family = family_of(model)
    body: Json = {}
    if params.max_output_tokens is not None:
        body["max_output_tokens"] = max(params.max_output_tokens, LEAST_OUTPUT)
    reasoning: Json = {}
    if params.effort is not None and family.encrypted:
        reasoning["effort"] = params.effort
    if summary and family.summaries:
        reasoning["summary"] = summary
    if reasoning:
        body["reasoning"] = reasoning
    if params.temperature is not None and family.sampling:
        body["temperature"] = params.temperature
    return body


def _bare(model: str) -> str:
    return model.lower().rpartition("/")[2]
