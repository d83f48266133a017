"""Numbers on the screen are honest."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from cutaway.harness.ledger import Spending
from cutaway.harness.usage import Usage
from cutaway.tui import format as fmt


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, "0"),
        (999, "999"),
        (1000, "1.0k"),
        (12_345, "12.3k"),
        (99_999, "99.9k"),
        (128_000, "128k"),
        (1_234_567, "1.23M"),
    ],
)
def test_tokens_are_short_and_never_rounded_up(count: int, shown: str) -> None:
    assert fmt.tokens(count) == shown


def test_estimates_are_marked() -> None:
    assert fmt.tokens(1200, estimated=True) == "≈1.2k"
    assert fmt.money("0.5", estimated=True) == "≈$0.500"
    assert fmt.money("0", estimated=True) == "$0"  # a free model is free for any number of tokens
    assert fmt.usage_line(Usage(fresh=10, output=5, estimated=True)) == "≈10 in · ≈5 out"


@pytest.mark.parametrize(
    ("cost", "shown"),
    [
        (None, "price unknown"),
        ("0", "$0"),
        ("0.00000012", "<$0.0001"),
        ("0.00421", "$0.0042"),
        ("0.0421", "$0.042"),
        (Decimal("1234.5"), "$1,234.50"),
    ],
)
def test_an_unknown_price_is_never_a_zero(cost: Decimal | str | None, shown: str) -> None:
    assert fmt.money(cost) == shown


def test_a_sum_with_an_unknown_part_is_a_lower_bound() -> None:
    spending = Spending()
    assert fmt.spent(spending) == "nothing spent"
    spending.add(Usage(fresh=1), None)
    assert fmt.spent(spending) == "price unknown"
    spending.add(Usage(fresh=1), "0.25")
    assert fmt.spent(spending) == "≥$0.250 (1 of 2 calls: price unknown)"


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0.0, "0ms"),
        (0.084, "84ms"),
        (1.23, "1.2s"),
        (9.97, "9s"),
        (47.9, "47s"),
        (125, "2m 05s"),
        (11_220, "3h 07m"),
    ],
)
def test_durations_take_one_glance(seconds: float, shown: str) -> None:
    assert fmt.duration(seconds) == shown


def test_a_ticking_clock_shows_whole_seconds() -> None:
    assert [fmt.whole_seconds(seconds) for seconds in (-1, 4.7, 59, 125)] == ["0s", "4s", "59s", "2m 05s"]


def test_ages() -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    assert fmt.age(now - timedelta(seconds=2), now) == "just now"
    assert fmt.age(now - timedelta(minutes=3), now) == "3m ago"
    assert fmt.age(now - timedelta(days=2), now) == "2d ago"


def test_folders_keep_the_end_that_names_them() -> None:
    assert fmt.folder(str(Path.home() / "code")) == "~/code"
    long = fmt.folder("/a" * 60 + "/project", 20)
    assert len(long) == 20
    assert long.endswith("/project")
