"""The part of the main screen that changes what the prompt begins with, and says first what that costs."""

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Protocol

from textual import work
from textual.command import CommandPalette
from textual.timer import Timer

from cutaway.harness.errors import HarnessError
from cutaway.harness.model_switch import ModelOffer, Switchable
from cutaway.tui import format as figures
from cutaway.tui.activity import activity
from cutaway.tui.choices import Choice, EffortChoices, ModelChoices
from cutaway.tui.price_words import price_words
from cutaway.tui.screens.sending import HINT_SECONDS, SendingScreen
from cutaway.tui.widgets.meter_rows import cache_left

LEVELS = ("minimal", "low", "medium", "high")
"""Efforts that are offered where those of the model are not known; a provider may refuse one."""


class Switch(Protocol):
    """Where other models come from; `harness.model_switch.ModelSwitch` is one."""

    async def offers(self) -> Sequence[ModelOffer]: ...
    async def change(self, session: Switchable, offer: ModelOffer) -> None: ...
    async def efforts(self, session: Switchable) -> Sequence[str]: ...


class ChangingScreen(SendingScreen):
    """Changes model, effort and instructions; each breaks the cached prefix, so each has a price tag."""

    switch: Switch | None = None
    """None where the session has no model but its own, as in the demo."""
    _expiry: Timer | None = None
    _asked_until = 0.0

    def price_of(self, action: str) -> str:
        """What an action costs beside doing nothing, in words; '' for one that breaks no prefix."""
        now, cache = _seconds(), self.ledger.cache
        match action:
            case "effort":
                return price_words(cache.price_of_effort(now))
            case "reload_instructions":
                return price_words(cache.price_of_reloading(now))
            case "compact":
                return price_words(cache.price_of_compaction(now=now))
            case _:
                return ""

    # the model

    def action_model(self) -> None:
        if self.switch is None or self.outgoing.session is None:
            self.hint("this session has no model but its own")
        else:
            self.app.push_screen(
                CommandPalette(providers=[ModelChoices], placeholder="Change the model to …")
            )

    async def model_choices(self) -> Sequence[Choice]:
        """What can be reached, with what sending everything to it costs."""
        session = self.outgoing.session
        if self.switch is None or session is None:
            return ()
        used = session.model.provider.name, session.model.name
        return [
            Choice(
                f"{offer.provider}/{offer.model}",
                self._about(offer, in_use=used == (offer.provider, offer.model)),
                partial(self.change_model, offer),
            )
            for offer in await self.switch.offers()
        ]

    def _about(self, offer: ModelOffer, *, in_use: bool) -> str:
        window = f"window {figures.tokens(offer.window)}" if offer.window else "window unknown"
        price = offer.price
        rates = figures.UNKNOWN_PRICE
        if price is not None and price.fresh is not None and price.output is not None:
            rates = f"${price.fresh.normalize():f} in, ${price.output.normalize():f} out a million"
        tag = self.ledger.cache.price_of_model(price, offer.family, offer.model, _seconds())
        return " · ".join((window, rates, "in use" if in_use else price_words(tag)))

    @work(exclusive=True, group="model")
    async def change_model(self, offer: ModelOffer) -> None:
        """Go on with another model; where it cannot be had, say why and keep the one in use."""
        session = self.outgoing.session
        if self.switch is None or session is None:
            return
        self.status.say(f"changing to {offer.model} …")
        try:
            await self.switch.change(session, offer)
        except HarnessError as error:
            self.status.say("")
            self.app.notify(str(error), title="The model is as it was", severity="error", markup=False)
        else:
            self.hint(f"{offer.model} answers from the next turn on")

    # the effort

    def action_effort(self) -> None:
        if self.outgoing.session is None:
            self.hint("no session is open yet")
        else:
            self.app.push_screen(
                CommandPalette(providers=[EffortChoices], placeholder="Change the effort to …")
            )

    async def effort_choices(self) -> Sequence[Choice]:
        """The levels that the model takes, and to leave it to the provider."""
        session = self.outgoing.session
        if session is None:
            return ()
        known = await self.switch.efforts(session) if self.switch is not None else ()
        now = session.model.params.effort
        return [
            Choice(
                level or "as the provider likes",
                "in use" if level == now else self.price_of("effort"),
                partial(self.change_effort, level),
            )
            for level in (None, *(known or LEVELS))
        ]

    def change_effort(self, level: str | None) -> None:
        """Let the model think more or less from the next turn on."""
        if self.outgoing.session is not None:
            self.outgoing.session.set_effort(level)
            self.hint(f"effort: {level or 'as the provider likes'}, from the next turn on")

    # the instructions

    def action_reload_instructions(self, sure: bool = False) -> None:
        """Read the instruction files anew; by key the price is said first, and the same key does it then."""
        session = self.outgoing.session
        if session is None or not self.ledger.turns:
            self.hint("nothing was sent yet · they are read with your first message")
        elif self.outgoing.busy:
            self.hint("it works · reload the instructions when it is done")
        elif not sure and time.monotonic() > self._asked_until:
            self._asked_until = time.monotonic() + HINT_SECONDS
            self.hint(f"{self.price_of('reload_instructions')} · the same key again reloads")
        else:
            self._asked_until = 0.0
            session.reload_instructions()
            self.status.say("")

    # the end of the cache

    def watch_expiry(self) -> None:
        """Say at the moment at which the cache is over what it costs to go on; it costs one timer."""
        if self._expiry is not None:
            self._expiry.stop()
            self._expiry = None
        left = None if self.ledger.busy else cache_left(self.ledger, _seconds())
        if left is not None:
            self._expiry = self.set_timer(left + 0.1, self._expired)

    def _expired(self) -> None:
        self.status.show(self.ledger, activity(self.ledger, datetime.now(UTC)))


def _seconds() -> float:
    return datetime.now(UTC).timestamp()
