"""The rules of each provider's cache: data with a source and a date, found by the names that requests use."""

import re

import pytest

from cutaway.harness.cache.rules import UNKNOWN, CacheRules, known_rules, rules_for
from cutaway.harness.providers.dialects import DIALECTS
from tests.harness.cache.cache_kit import NAMES

ids = [rules.name for rules in known_rules()]


@pytest.mark.parametrize("rules", known_rules(), ids=ids)
def test_each_set_says_where_it_is_from_and_is_whole(rules: CacheRules) -> None:
    assert rules.source and re.fullmatch(r"20\d\d-\d\d(-\d\d)?", rules.date)
    match rules.kind:
        case "marks":
            assert (rules.most_marks, rules.look_back) == (4, 20)
            assert 0 < rules.life("5m") < rules.life("1h")
        case "prefix":
            assert rules.minimum and rules.step and rules.life("5m") and not rules.most_marks
        case "none" | "unknown":
            assert not rules.certain


def test_their_names_are_apart_and_each_is_reached() -> None:
    """The first that fits is taken, so none may hide another."""
    assert len(set(ids)) == len(ids)
    assert {name: rules_for(*NAMES[name]).name for name in ids} == dict(zip(ids, ids, strict=True))


@pytest.mark.parametrize(
    ("model", "minimum"),
    [
        ("claude-opus-5-5", 512),
        ("claude-sonnet-5-5", 1024),
        ("claude-opus-4-8", 1024),
        ("claude-opus-4-6-20260205", 4096),
        ("claude-opus-4-1-20250805", 1024),
        ("claude-sonnet-4-20250514", 1024),
        ("claude-haiku-4-5-20251001", 4096),
        ("claude-3-5-haiku-20241022", 2048),
    ],
)
def test_the_shortest_prefix_depends_on_the_model(model: str, minimum: int) -> None:
    assert rules_for("anthropic", model).minimum == minimum


@pytest.mark.parametrize(
    ("model", "ends"), [("gpt-4.1", False), ("gpt-5.1", False), ("gpt-5.6-codex", True), ("gpt-6", True)]
)
def test_newer_models_of_openai_match_at_the_end_of_a_prompt_only(model: str, ends: bool) -> None:
    rules = rules_for("openai-responses", model)
    assert (rules.ends, rules.writes, rules.step) == (ends, ends, 1 if ends else 128)


def test_what_is_not_known_stays_unknown() -> None:
    assert rules_for("somebody", "gpt-5.6") is UNKNOWN
    assert UNKNOWN.kind == "unknown" and not UNKNOWN.certain and UNKNOWN.life("1h") == 0


def test_rules_are_for_providers_that_exist() -> None:
    names = [*(dialect.name for dialect in DIALECTS), "local", "scripted"]
    assert all(any(re.search(rules.provider, name) for name in names) for rules in known_rules())
