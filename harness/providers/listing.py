"""What a server tells of its models when it lists them; each puts it under names of its own."""

import json
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

_WINDOWS = ("max_input_tokens", "context_length", "max_context_length", "context_window", "max_model_len")
"""Anthropic, OpenRouter, Mistral and LM Studio, Groq, vLLM, as of 2026-11."""
_OUTPUTS = ("max_completion_tokens", "max_tokens")
"""Groq and (one level down) OpenRouter, Anthropic."""


class ListedModel(Struct, frozen=True):
    """A model as its server lists it: windows in tokens; None where the server says nothing."""

    id: str
    context_window: int | None = None
    max_output: int | None = None
    tools: bool | None = None
    vision: bool | None = None
    reasoning: bool | None = None


def read_listing(body: str) -> tuple[ListedModel, ...]:
    """Read the answer to a request for models; raises ValueError when it is not JSON."""
    try:
        value = json.loads(body)
    except RecursionError as error:
        raise ValueError("too deep") from error
    listed = value.get("data", value.get("models")) if isinstance(value, dict) else value
    entries = listed if isinstance(listed, list) else []
    return tuple(model for entry in entries if isinstance(entry, dict) for model in _model(entry))


def _model(entry: Mapping[str, Any]) -> list[ListedModel]:
    id = entry.get("id") or entry.get("name")
    if not isinstance(id, str):
        return []
    provider = entry.get("top_provider")
    places = (entry, provider) if isinstance(provider, dict) else (entry,)
    return [
        ListedModel(
            id.removeprefix("models/"),
            _first_count(places, _WINDOWS),
            _first_count(places, _OUTPUTS),
            tools=_able(entry, "function_calling", "tools"),
            vision=_able(entry, "vision", "image"),
            reasoning=_able(entry, "thinking", "reasoning"),
        )
    ]


def _first_count(places: tuple[Mapping[str, Any], ...], names: tuple[str, ...]) -> int | None:
    found = (place.get(name) for place in places for name in names)
    return next((n for n in found if isinstance(n, int) and not isinstance(n, bool) and n > 0), None)


def _able(entry: Mapping[str, Any], capability: str, word: str) -> bool | None:
    """Tell whether a model can do something; None when the server has no place for saying it.

    Mistral and Anthropic have `capabilities` with an entry each; OpenRouter lists parameters and the
    kinds of input.
    """
    capabilities = entry.get("capabilities")
    if isinstance(capabilities, dict):
        for name in (capability, f"{word}_input", word):
            said = capabilities.get(name)
            said = said.get("supported") if isinstance(said, dict) else said
            if isinstance(said, bool):
                return said
    architecture = entry.get("architecture")
    kinds = architecture.get("input_modalities") if isinstance(architecture, dict) else None
    lists = [kinds] if word == "image" else [entry.get("supported_parameters")]
    return next((word in words for words in lists if isinstance(words, list)), None)
