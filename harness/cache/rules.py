"""What a provider's cache does, as data with a source and a date; what is not known is not guessed."""

import re
from functools import cache
from importlib.resources import files
from typing import Literal

import msgspec
from msgspec import Struct

from cutaway.harness.cache.values import CacheTtl

CacheKind = Literal["marks", "prefix", "none", "unknown"]
Section = Literal["tools", "system", "messages"]
"""The parts of a prompt in wire order."""


class CacheRules(Struct, frozen=True, rename="kebab", forbid_unknown_fields=True):
    """How one cache works; the fields are explained in `rules.toml`.

    `certain` is false where predictions can only be guesses, `reports` where the usage seldom tells.
    """

    name: str
    kind: CacheKind
    provider: str = ""
    model: str = ""
    most_marks: int = 0
    minimum: int = 1
    step: int = 1
    look_back: int = 0
    writes: bool = False
    ends: bool = False
    settings_from: Section = "tools"
    reports: bool = True
    certain: bool = True
    life_5m: int = 0
    life_1h: int = 0
    source: str = ""
    date: str = ""

    def life(self, ttl: CacheTtl) -> int:
        """Seconds that an entry of that kind lives after its last use; 0 where there is no cache."""
        return self.life_1h or self.life_5m if ttl == "1h" else self.life_5m


UNKNOWN = CacheRules("not known", "unknown", certain=False, reports=False)


class _File(Struct, frozen=True):
    rules: tuple[CacheRules, ...]


@cache
def known_rules() -> tuple[CacheRules, ...]:
    """All rules, the more special before the general."""
    text = (files("cutaway.harness.cache") / "rules.toml").read_bytes()
    return msgspec.toml.decode(text, type=_File).rules


@cache
def rules_for(provider: str, model: str) -> CacheRules:
    """Find the rules of a model at a provider, by the names that requests use; `UNKNOWN` when none fit."""
    for rules in known_rules():
        if re.search(rules.provider, provider) and re.search(rules.model, model):
            return rules
    return UNKNOWN
