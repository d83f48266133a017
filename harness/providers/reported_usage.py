"""What Chat Completions servers report of tokens, made disjoint.

`prompt_tokens` includes cached and written ones at every provider that was looked at (OpenAI's SDK
`completion_usage.py`, DeepSeek's and OpenRouter's guides, as of 2026-11).
"""

from collections.abc import Mapping
from typing import Any

from cutaway.harness.usage import Usage


def usage_in(chunk: Mapping[str, Any]) -> Usage | None:
    """Find the usage in a chunk, wherever the server puts it; None when it says nothing of worth.

    Each report replaces the one before: servers that report twice report totals.
    """
    choices = chunk.get("choices")
    places = (
        chunk.get("usage"),
        _at(choices[0] if isinstance(choices, list) and choices else None, "usage"),  # Moonshot
        _at(chunk.get("x_groq"), "usage"),
    )
    found = next((place for place in places if isinstance(place, dict)), None)
    return None if found is None else read_usage(found)


def tells_cache(chunk: Mapping[str, Any]) -> bool:
    """Tell whether the usage in a chunk says anything about the cache; a zero is a statement."""
    usage = chunk.get("usage")
    told = (
        _at(_at(usage, "prompt_tokens_details"), "cached_tokens"),
        _at(usage, "prompt_cache_hit_tokens"),
    )
    return any(count is not None for count in told)


def read_usage(report: Mapping[str, Any]) -> Usage | None:
    """Make a report disjoint; None when it has no counts (a prompt of 0 tokens is none)."""
    prompt, output = _count(report, "prompt_tokens"), _count(report, "completion_tokens")
    hit, miss = _count(report, "prompt_cache_hit_tokens"), _count(report, "prompt_cache_miss_tokens")
    prompt = prompt or hit + miss  # DeepSeek
    if not prompt and not output:
        return None
    details = report.get("prompt_tokens_details")
    read = min(_count(details, "cached_tokens") or hit, prompt)
    written = min(_count(details, "cache_write_tokens"), prompt - read)
    reasoning = _count(report.get("completion_tokens_details"), "reasoning_tokens")
    beside = _count(report, "total_tokens") - prompt - output
    if beside > 0 and reasoning in (0, beside):
        output, reasoning = output + beside, beside  # xAI and Gemini count thoughts in the total only
    return Usage(
        fresh=prompt - read - written,
        cache_read=read,
        cache_write_5m=written,
        output=output,
        reasoning=min(reasoning, output),
    )


def _count(place: Any, key: str) -> int:
    value = _at(place, key)
    return max(int(value), 0) if isinstance(value, int | float) and value == value else 0


def _at(place: Any, key: str) -> Any:
    return place.get(key) if isinstance(place, dict) else None
