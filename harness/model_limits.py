"""What whole families of models can do, by how their names begin; data, dated.

Sources, as read in 2026-11: platform.claude.com "Models overview" and the pages of the models,
developers.openai.com "Models" and "Reasoning", ai.google.dev "Gemini models". Nothing is said of a model
that is not listed.
"""

import re

from msgspec import Struct

from cutaway.harness.providers.anthropic_models import family_of

_NONE_UP = ("none", "low", "medium", "high")
_XHIGH = (*_NONE_UP, "xhigh")
_MAX = (*_XHIGH, "max")


class Limits(Struct, frozen=True):
    """`max_output` in tokens, None where unknown; `efforts` rise, and are empty where unknown."""

    max_output: int | None = None
    vision: bool | None = None
    tools: bool | None = None
    reasoning: bool | None = None
    efforts: tuple[str, ...] = ()


def _able(max_output: int | None, efforts: tuple[str, ...] = (), *, reasoning: bool = True) -> Limits:
    return Limits(max_output, vision=True, tools=True, reasoning=reasoning, efforts=efforts)


LIMITS: dict[str, Limits] = {
    **dict.fromkeys(("claude-fable-5", "claude-fable-5-1", "claude-fable-5-2"), _able(128_000)),
    **dict.fromkeys(("claude-mythos-5", "claude-mythos-5-1", "claude-mythos-5-2"), _able(128_000)),
    **dict.fromkeys(("claude-opus-5", "claude-opus-5-5"), _able(128_000)),
    **dict.fromkeys(("claude-sonnet-5", "claude-sonnet-5-5", "claude-haiku-5-5"), _able(128_000)),
    **dict.fromkeys(("claude-opus-4-8", "claude-opus-4-7", "claude-opus-4-6"), _able(128_000)),
    "claude-sonnet-4-6": _able(None),
    **dict.fromkeys(("claude-opus-4-5", "claude-sonnet-4-5", "claude-haiku-4-5"), _able(64_000)),
    **dict.fromkeys(("claude-opus-4-1", "claude-opus-4-0", "claude-opus-4"), _able(32_000)),
    **dict.fromkeys(("claude-sonnet-4-0", "claude-sonnet-4", "claude-3-7-sonnet"), _able(64_000)),
    **dict.fromkeys(("claude-3-5-sonnet", "claude-3-5-haiku"), _able(8192, reasoning=False)),
    **dict.fromkeys(("claude-3-opus", "claude-3-haiku"), _able(4096, reasoning=False)),
    "gpt-6": _able(128_000, _MAX),
    "gpt-5.6": _able(128_000, _MAX),
    "gpt-5.5": _able(128_000, _XHIGH),
    "gpt-5.4": _able(128_000, _XHIGH),
    "gpt-5.3": _able(128_000, _XHIGH),
    "gpt-5.2": _able(128_000, _XHIGH),
    "gpt-5.1": _able(128_000, _NONE_UP),
    "gpt-5": _able(128_000, ("minimal", "low", "medium", "high")),
    "gpt-5-chat": _able(16_384, reasoning=False),
    "gpt-4.1": _able(32_768, reasoning=False),
    "gpt-4o": _able(16_384, reasoning=False),
    "o4-mini": _able(100_000, ("low", "medium", "high")),
    "o3": _able(100_000, ("low", "medium", "high")),
    "o1": _able(100_000, ("low", "medium", "high")),
    "gemini-2.5": _able(65_536, _NONE_UP),
    "gemini-3": _able(65_536, ("minimal", "low", "medium", "high")),
}
_OTHER_VERSION = re.compile(r"[.\d]|-\d{1,2}(?!\d)")
_OTHER_KIND = re.compile(
    r"audio|realtime|transcribe|tts|image|live|embed|search|deep-research|moderation|whisper|mini-high"
)


def limits_of(model: str) -> Limits:
    """Find what is known of a model by its name, with or without a maker before it."""
    name = model.lower().rpartition("/")[2]
    if "claude-" in name:
        name = name[name.index("claude-") :].replace(".", "-")
    fitting = [
        known for known in LIMITS if name.startswith(known) and not _OTHER_VERSION.match(name[len(known) :])
    ]
    if not fitting or _OTHER_KIND.search(name):
        return Limits()
    found = LIMITS[max(fitting, key=len)]
    if name.startswith("claude-"):
        return Limits(found.max_output, found.vision, found.tools, found.reasoning, family_of(name).efforts)
    return found
