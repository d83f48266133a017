"""What breaks the cached prefix has a price tag, which is read before it is taken."""

import dataclasses
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from textual.command import CommandPalette
from textual.pilot import Pilot
from textual.widgets import OptionList

from cutaway.harness import events as e
from cutaway.harness.cache.prices import PriceTag
from cutaway.harness.errors import ConfigError
from cutaway.harness.model_switch import ModelOffer, Switchable
from cutaway.harness.opening import new_session
from cutaway.harness.usage import Price
from cutaway.tui.activity import activity
from cutaway.tui.app import CutawayApp
from cutaway.tui.live_session import LiveSession
from cutaway.tui.price_words import price_words
from tests.harness.session_kit import QuickClock, opening, say
from tests.tui.kit import finished, opened, screen_text, until

WIDE, NARROW = (160, 48), (80, 24)
PRICE = Price(Decimal(3), Decimal("0.3"), Decimal("3.75"), Decimal(6), Decimal(15))
CHEAP = Price(Decimal(1), Decimal("0.1"), Decimal("1.25"), Decimal(2), Decimal(5))


class NowClock(QuickClock):
    """The time of the screen, so that the session's cache lives while it is looked at."""

    def now(self) -> datetime:
        return datetime.now(UTC) + timedelta(seconds=self.seconds)


class Shelf:
    """Two models; one of them cannot be had."""

    async def offers(self) -> Sequence[ModelOffer]:
        return (
            ModelOffer("scripted", "claude-sonnet-4-5", "anthropic", 200_000, PRICE),
            ModelOffer("anthropic", "claude-haiku-4-5", "anthropic", 200_000, CHEAP),
            ModelOffer("anthropic", "claude-unknown", "anthropic"),
        )

    async def change(self, session: Switchable, offer: ModelOffer) -> None:
        if offer.price is None:
            raise ConfigError("It cannot be [had].")
        session.set_model(dataclasses.replace(session.model, name=offer.model, price=offer.price))

    async def efforts(self, session: Switchable) -> Sequence[str]:
        return ("low", "high")


def app_of(root: Path, *, price: Price | None = PRICE, shelf: Shelf | None = None) -> CutawayApp:
    async def open_it() -> LiveSession:
        steps = [say(f"answer {number}") for number in range(6)]
        given = opening(root, steps, cache="anthropic", model="claude-sonnet-4-5")
        model = dataclasses.replace(given.model, price=price)
        provider = model.provider
        clock = NowClock()
        provider._clock = clock  # type: ignore[attr-defined]
        return new_session(dataclasses.replace(given, model=model, clock=clock))

    app = CutawayApp(open_it, root=root)
    app.main.switch = shelf
    return app


async def asked_once(pilot: Pilot[None], app: CutawayApp) -> None:
    await opened(pilot, app)
    await pilot.press(*"go", "enter")
    await finished(pilot, app)


async def listed(pilot: Pilot[None], app: CutawayApp, count: int) -> list[str]:
    """The lines of the list that is open, in single spaces."""
    await until(pilot, lambda: isinstance(app.screen, CommandPalette))
    options = app.screen.query_one(OptionList)
    await until(pilot, lambda: options.option_count == count)
    return [" ".join(str(options.get_option_at_index(at).prompt).split()) for at in range(count)]


@pytest.mark.parametrize(
    ("once", "tokens", "said"),
    [
        ("0.042", 9, "costs ≈$0.042 once"),
        (None, 9, "costs once: unknown"),
        ("-0.1", 9, "costs nothing more"),
        (None, 0, "costs nothing yet"),
    ],
)
def test_a_price_is_said_with_what_is_known_of_it(once: str | None, tokens: int, said: str) -> None:
    assert price_words(PriceTag("model", tokens, None if once is None else Decimal(once))) == said


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_each_effort_has_its_price_and_is_set_when_chosen(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    app = app_of(tmp_path, shelf=Shelf())
    async with app.run_test(size=size) as pilot:
        await asked_once(pilot, app)
        await pilot.press("alt+t")
        lines = await listed(pilot, app, 3)
        assert "as the provider likes" in lines[0] and "in use" in lines[0]
        assert all("costs ≈$0.00" in line and "once" in line for line in lines[1:])
        await pilot.press("down", "down", "enter")
        assert app.session is not None
        await until(pilot, lambda: app.session and app.session.model.params.effort == "high")


async def test_a_model_is_chosen_from_those_that_can_be_reached(tmp_path: Path) -> None:
    app = app_of(tmp_path, shelf=Shelf())
    async with app.run_test(size=WIDE) as pilot:
        await asked_once(pilot, app)
        await pilot.press("alt+m")
        lines = await listed(pilot, app, 3)
        assert "in use" in lines[0] and "window 200k · $3 in, $15 out a million" in lines[0]
        assert "$1 in, $5 out a million · costs ≈$0.00" in lines[1]
        assert "window unknown · price unknown · costs once: unknown" in lines[2]
        await pilot.press(*"haiku")
        await listed(pilot, app, 1)
        await pilot.press("enter")
        await until(pilot, lambda: app.main.ledger.model == "claude-haiku-4-5")
        await until(pilot, lambda: "answers from the next turn on" in screen_text(app))


async def test_a_model_that_cannot_be_had_leaves_the_one_in_use(tmp_path: Path) -> None:
    app = app_of(tmp_path, shelf=Shelf())
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await asked_once(pilot, app)
        await pilot.press("alt+m")
        await listed(pilot, app, 3)
        await pilot.press(*"unknown")
        await listed(pilot, app, 1)
        await pilot.press("enter")
        await until(pilot, lambda: "It cannot be [had]." in screen_text(app))
        assert app.main.ledger.model == "claude-sonnet-4-5"


async def test_a_session_with_no_model_but_its_own_says_so(tmp_path: Path) -> None:
    app = app_of(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, app)
        await pilot.press("alt+m")
        await until(pilot, lambda: "no model but its own" in screen_text(app))
        assert not app.main.offers("model") and app.main.offers("effort")


async def test_the_key_says_the_price_first_and_reloads_when_it_comes_again(tmp_path: Path) -> None:
    app = app_of(tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, app)
        await pilot.press("f10")
        await until(pilot, lambda: "read with your first message" in screen_text(app))
        await asked_once(pilot, app)
        await pilot.press("f10")
        await until(pilot, lambda: "costs ≈$0.00" in screen_text(app))
        session = app.session
        assert session is not None
        assert not [record for record in session.records if isinstance(record.event, e.SystemReset)]
        await pilot.press("f10")
        await until(
            pilot, lambda: [1 for record in session.records if isinstance(record.event, e.SystemReset)]
        )


async def test_the_palette_says_the_price_and_does_it_at_once(tmp_path: Path) -> None:
    app = app_of(tmp_path, price=None)
    async with app.run_test(size=WIDE) as pilot:
        await asked_once(pilot, app)
        for name in ("reload the", "compact the"):
            await pilot.press("ctrl+p")
            await pilot.press(*name)
            (line,) = await listed(pilot, app, 1)
            assert "costs once: unknown" in line
            await pilot.press("escape")
            await until(pilot, lambda: app.screen is app.main)
        await pilot.press("ctrl+p", *"reload the")
        await listed(pilot, app, 1)
        await pilot.press("enter")
        session = app.session
        assert session is not None
        await until(
            pilot, lambda: [1 for record in session.records if isinstance(record.event, e.SystemReset)]
        )


async def test_what_it_costs_to_go_on_is_said_when_the_cache_is_over(tmp_path: Path) -> None:
    app = app_of(tmp_path)
    async with app.run_test(size=NARROW) as pilot:
        await asked_once(pilot, app)
        ledger = app.main.ledger
        assert app.main._expiry is not None
        assert activity(ledger, datetime.now(UTC)) == ""
        late = activity(ledger, datetime.now(UTC) + timedelta(seconds=301))
        assert late.startswith("cache expired · going on costs ≈$0.00") and late.endswith("once")
