"""Lists to choose from in the manner of the command palette: models and efforts, each with its price."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from textual.command import DiscoveryHit, Hit, Hits, Provider


class Choice(NamedTuple):
    """One line of a list; `help` stands below it."""

    title: str
    help: str
    run: Callable[[], object]


@runtime_checkable
class Choosing(Protocol):
    """A screen from which models and efforts are chosen."""

    async def model_choices(self) -> Sequence[Choice]: ...
    async def effort_choices(self) -> Sequence[Choice]: ...


class Choices(Provider):
    """Asks once for what there is, while the list is already open, and finds in it."""

    _found: Sequence[Choice] = ()

    async def startup(self) -> None:
        if isinstance(self.screen, Choosing):
            self._found = await self._ask(self.screen)

    @abstractmethod
    async def _ask(self, screen: Choosing) -> Sequence[Choice]:
        """What there is to choose from."""

    async def discover(self) -> Hits:
        for choice in self._found:
            yield DiscoveryHit(choice.title, choice.run, help=choice.help)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for choice in self._found:
            if (score := matcher.match(choice.title)) > 0:
                yield Hit(score, matcher.highlight(choice.title), choice.run, help=choice.help)


class ModelChoices(Choices):
    """The models that can be reached."""

    async def _ask(self, screen: Choosing) -> Sequence[Choice]:
        return await screen.model_choices()


class EffortChoices(Choices):
    """How much the model may think."""

    async def _ask(self, screen: Choosing) -> Sequence[Choice]:
        return await screen.effort_choices()
