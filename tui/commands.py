"""The command palette: the same actions as the keys, then modes and themes; only what means something now."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple, Protocol, runtime_checkable

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.screen import Screen

from cutaway.harness.events import Mode
from cutaway.tui.keymap import ACTIONS, Action, key_label
from cutaway.tui.widgets.status import MODE_MEANS, MODES


class Command(NamedTuple):
    title: str
    help: str
    run: Callable[[], object]


@runtime_checkable
class Offering(Protocol):
    """A screen that says which of its actions mean something now."""

    def offers(self, action: str) -> bool: ...


@runtime_checkable
class Priced(Protocol):
    """A screen that says what its actions cost."""

    def price_of(self, action: str) -> str: ...


class ActionCommands(Provider):
    """Offers each action that applies to the screen below the palette."""

    def commands(self) -> Iterator[Command]:
        """All commands that mean something now, in the order of the key sheet."""
        screen, app = self.screen, self.app
        for each in ACTIONS:
            if each.palette and _applies(each, screen):
                price = _price(each, screen)
                told = [each.tooltip, *([price] if price else []), key_label(each.keys[0])]
                name = f"{each.name}(True)" if each.asks_by_key else each.name
                yield Command(each.title, " · ".join(told), partial(app.run_action, name, screen))
        yield from self._modes(screen)
        yield from self._themes()

    def _modes(self, screen: Screen[object]) -> Iterator[Command]:
        if hasattr(screen, "action_mode") and _offers(screen, "cycle_mode"):
            for mode in MODES:
                yield Command(f"Mode: {mode}", MODE_MEANS[mode], partial(self._set_mode, mode))

    def _set_mode(self, mode: Mode) -> object:
        return self.app.run_action(f"screen.mode('{mode}')", self.screen)

    def _themes(self) -> Iterator[Command]:
        for name in self.app.available_themes:
            yield Command(f"Theme: {name}", "Change the colours", partial(self._set_theme, name))

    def _set_theme(self, name: str) -> None:
        self.app.theme = name

    async def discover(self) -> Hits:
        for command in self.commands():
            yield DiscoveryHit(command.title, command.run, help=command.help)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for command in self.commands():
            if (score := matcher.match(command.title)) > 0:
                yield Hit(score, matcher.highlight(command.title), command.run, help=command.help)


def _price(each: Action, screen: Screen[object]) -> str:
    name = each.name.partition(".")[2].partition("(")[0]
    return screen.price_of(name) if isinstance(screen, Priced) else ""


def _applies(each: Action, screen: Screen[object]) -> bool:
    target, _, call = each.name.partition(".")
    if target == "app":
        return True
    name = call.partition("(")[0]
    return hasattr(screen, f"action_{name}") and _offers(screen, name)


def _offers(screen: Screen[object], name: str) -> bool:
    if isinstance(screen, Offering):
        return screen.offers(name)
    return bool(screen.check_action(name, ()))
