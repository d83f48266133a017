"""What each family of models is sent: only what it takes, and nothing where that is unknown."""

import pytest

from cutaway.harness.providers import anthropic_models
from cutaway.harness.providers.anthropic_models import FAMILIES, Json, family_of
from cutaway.harness.providers.base import Params
from tests.harness.providers.anthropic_kit import body
from tests.harness.providers.kit import HELLO, request
from tests.servers.anthropic_strict import fault_of

ADAPTIVE = {"type": "adaptive", "display": "summarized"}


def params_for(model: str, params: Params, *, own: bool = False) -> Json:
    return anthropic_models.params_for(request(model=model, params=params), own=own)


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("claude-opus-4-8", "claude-opus-4-8"),
        ("claude-opus-4-20250514", "claude-opus-4"),
        ("claude-haiku-4-5-20251001", "claude-haiku-4-5"),
        ("anthropic/claude-opus-5.5", "claude-opus-5-5"),
        ("us.anthropic.claude-sonnet-4-6-v1:0", "claude-sonnet-4-6"),
        ("claude-3-5-haiku-latest", "claude-3-5-haiku"),
        ("claude-opus-4-6@20260205", "claude-opus-4-6"),
    ],
)
def test_a_model_is_known_by_any_of_its_names(name: str, known: str) -> None:
    assert family_of(name) is FAMILIES[known]


@pytest.mark.parametrize("name", ["claude-opus-5-9", "claude-opus-50", "claude-sonnet-7", "glm-4.7", ""])
def test_a_model_that_is_not_listed_is_sent_no_thinking_and_no_effort(name: str) -> None:
    sent = params_for(name, Params(effort="high"))
    assert sent == {"max_tokens": 16_000}


@pytest.mark.parametrize(
    ("model", "effort", "expected"),
    [
        ("claude-opus-5-5", None, {"thinking": ADAPTIVE}),
        ("claude-opus-5-5", "xhigh", {"thinking": ADAPTIVE, "output_config": {"effort": "xhigh"}}),
        ("claude-opus-4-8", None, {}),
        ("claude-opus-4-8", "minimal", {"thinking": ADAPTIVE, "output_config": {"effort": "low"}}),
        ("claude-opus-4-6", "xhigh", {"thinking": ADAPTIVE, "output_config": {"effort": "high"}}),
        (
            "claude-opus-4-5",
            "max",
            {"thinking": {"type": "enabled", "budget_tokens": 16_384}, "output_config": {"effort": "high"}},
        ),
        ("claude-sonnet-4-5", "low", {"thinking": {"type": "enabled", "budget_tokens": 2048}}),
        ("claude-sonnet-4-5", None, {}),
        ("claude-3-5-haiku-latest", "high", {}),
        ("claude-opus-4-8", "ludicrous", {}),
    ],
)
def test_effort_is_said_in_the_way_that_the_model_knows(
    model: str, effort: str | None, expected: Json
) -> None:
    sent = params_for(model, Params(effort=effort))
    assert sent.pop("max_tokens") == family_of(model).output
    assert sent == expected


def test_thoughts_that_are_bound_are_dropped_rather_than_refused_when_the_past_changes() -> None:
    """A compaction would end the session otherwise; only the vendor's own address knows the word."""
    bound = {**ADAPTIVE, "block_binding": {"prefix_mismatch_behavior": "drop_block"}}
    assert params_for("claude-opus-5-5", Params(), own=True)["thinking"] == bound
    assert params_for("claude-opus-5-5", Params())["thinking"] == ADAPTIVE
    assert params_for("claude-opus-5", Params(), own=True)["thinking"] == ADAPTIVE


def test_a_thinking_budget_stays_below_the_output_limit() -> None:
    assert params_for("claude-sonnet-4-5", Params(5000, effort="high"))["thinking"]["budget_tokens"] == 4999
    assert "thinking" not in params_for("claude-sonnet-4-5", Params(1024, effort="high"))


def test_a_temperature_is_sent_only_where_it_is_taken() -> None:
    def temperature(model: str, effort: str | None = None) -> float | None:
        value: float | None = params_for(model, Params(temperature=0.0, effort=effort)).get("temperature")
        return value

    assert temperature("claude-sonnet-4-6") == temperature("glm-4.7") == 0.0
    assert temperature("claude-sonnet-4-6", "high") is None
    assert temperature("claude-opus-5-5") is temperature("claude-opus-4-8") is None
    assert temperature("claude-opus-99") is None


@pytest.mark.parametrize("model", FAMILIES)
@pytest.mark.parametrize("effort", [None, "low", "xhigh", "max"])
def test_every_listed_model_gets_a_request_that_the_api_takes(model: str, effort: str | None) -> None:
    for limit in (None, 100, 1025, 64_000):
        asked = Params(limit, 0.3, effort)
        assert fault_of(body(HELLO, model=model, params=asked)) is None
