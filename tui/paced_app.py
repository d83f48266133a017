"""An application that draws no faster than its terminal takes it, so that it is late with nothing else."""

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from rich.console import RenderableType
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.app import App
from textual.driver import Driver
from textual.geometry import Region
from textual.screen import Screen

WHOLE_FROM = 200
"""Parts of the screen from which on they are no longer counted one by one."""


@runtime_checkable
class SlowTerminal(Protocol):
    """A driver that knows what its terminal has yet to take."""

    @property
    def behind(self) -> bool: ...
    def when_caught_up(self, told: Callable[[], None]) -> None: ...


class PacedApp(App[None]):
    """Puts off a paint while the terminal is busy with earlier ones; then paints what it missed, once.

    A line of 5 KB a second would else show every frame of a stream, each later than the one before, and
    the keys after all of them.
    """

    def __init__(self, *, ansi_color: bool | None = None) -> None:
        super().__init__(ansi_color=ansi_color)
        self._missed: set[Region] = set()

    def get_driver_class(self) -> type[Driver]:
        """Textual's driver for this platform; that of Linux and macOS with shorter waits."""
        chosen = super().get_driver_class()
        if chosen.__name__ != "LinuxDriver":
            return chosen
        from cutaway.tui.driver import EscapeDriver

        return EscapeDriver

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        driver = self._driver
        if isinstance(renderable, CompositorUpdate) and isinstance(driver, SlowTerminal) and driver.behind:
            if not self._missed:
                driver.when_caught_up(self._catch_up)
            self._missed.update(regions_of(renderable, self.size.region))
        else:
            super()._display(screen, renderable)

    def _catch_up(self) -> None:
        missed, self._missed = self._missed, set()
        if self._running and self.screen_stack:
            with self._context():
                self.screen.refresh(*(missed if len(missed) < WHOLE_FROM else ()))


def regions_of(update: CompositorUpdate, whole: Region) -> list[Region]:
    """The parts of the screen that an update would draw; `whole` for a kind that does not say."""
    match update:
        case LayoutUpdate(region=region):
            return [region]
        case ChopsUpdate(spans=spans):
            return [Region(left, row, right - left, 1) for row, left, right in spans]
        case _:
            return [whole]
