"""Another model for a running session: what can be chosen, and the change itself."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from cutaway.harness.usage import Price

if TYPE_CHECKING:
    from cutaway.harness.config import Settings
    from cutaway.harness.seams import Model


class ModelOffer(Struct, frozen=True):
    """A model that can be reached; the window in tokens, None where unknown, as is the price.

    `family` names whose cache rules hold.
    """

    provider: str
    model: str
    family: str
    window: int | None = None
    price: Price | None = None


class Switchable(Protocol):
    """What a session lets be changed."""

    @property
    def model(self) -> "Model": ...
    def set_model(self, model: "Model") -> None: ...


class ModelSwitch:
    """Knows the settings that the session was opened with, and changes its model by them.

    What it needs is imported only when it is used.
    """

    def __init__(self, settings: "Settings", environment: Mapping[str, str]) -> None:
        self._settings = settings
        self._environment = environment

    async def offers(self) -> tuple[ModelOffer, ...]:
        """All models that can be reached; servers on this machine are asked, nothing is sent with a key."""
        from cutaway.harness.reachable import reachable

        found = await reachable(self._settings, self._environment)
        return tuple(
            ModelOffer(
                provider.name,
                model.name,
                {"anthropic": "anthropic", "responses": "openai-responses"}.get(provider.api, provider.name),
                model.context_window,
                model.price,
            )
            for provider in found
            if provider.found
            for model in provider.models
        )

    async def change(self, session: Switchable, offer: ModelOffer) -> None:
        """Go on with another model from the next turn; raises HarnessError, and nothing has changed then."""
        from cutaway.harness.model_choice import open_model, resolve_model

        current = session.model
        if offer.provider == current.provider.name:
            model = await resolve_model(offer.model, self._settings, self._environment, current=current)
        else:
            model = await open_model(
                self._settings,
                self._environment,
                provider=offer.provider,
                model=offer.model,
                effort=current.params.effort,
            )
        session.set_model(model)

    async def efforts(self, session: Switchable) -> tuple[str, ...]:
        """The levels that the session's model takes, rising; () where they are not known."""
        import asyncio

        from cutaway.harness.catalog import lookup
        from cutaway.harness.providers.custom import dialects_with

        dialects = dialects_with(self._settings.providers)
        model = session.model
        facts = await asyncio.to_thread(
            lookup, model.provider.name, model.name, self._settings.models, dialects
        )
        return facts.efforts
