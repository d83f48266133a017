"""What a session of three interactions pays, beside the cheapest that is possible at that provider."""

import pytest

from tests.harness.cache.long_session import long_session

CLAUDE = ("anthropic", "claude-sonnet-4-5")


def test_stable_marks_pay_hardly_more_than_the_cheapest_possible() -> None:
    """The cheapest reads all that was sent before, and writes all that is new once."""
    ours = long_session(*CLAUDE)
    assert ours.ratio <= 1.05
    assert ours.most_marks <= 4
    assert ours.paid < ours.without_cache / 3


def test_copilots_marks_never_pay_less() -> None:
    """Where everything is only added to they do as well: their walk mostly finds the last mark again."""
    assert long_session(*CLAUDE, "copilot").paid >= long_session(*CLAUDE).paid


@pytest.mark.parametrize(
    ("provider", "model"), [("openai", "gpt-4.1"), ("openai", "gpt-5.6"), ("deepseek", "deepseek-flash")]
)
def test_nearly_all_that_can_be_read_is_read_where_the_cache_is_automatic(provider: str, model: str) -> None:
    ours = long_session(provider, model)
    assert ours.share >= 0.97
    assert ours.most_marks == 0
