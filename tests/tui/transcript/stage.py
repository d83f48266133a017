"""An app with nothing but a transcript, and eyes for what it shows."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.pilot import Pilot

from cutaway.tui.transcript import BlockKind, Transcript, TranscriptBlock


class Stage(App[None]):
    """Shows a transcript, and keeps what it asks for."""

    def __init__(self) -> None:
        super().__init__()
        self.selected: list[str] = []
        self.copied: list[str] = []
        self.searches = 0
        self.cursors: list[str | None] = []

    def compose(self) -> ComposeResult:
        yield Transcript()

    def on_mount(self) -> None:
        self.query_one(Transcript).focus()

    def on_transcript_selected(self, event: Transcript.Selected) -> None:
        self.selected.append(event.block_id)

    def on_transcript_copy_requested(self, event: Transcript.CopyRequested) -> None:
        self.copied.append(event.text)

    def on_transcript_search_requested(self, event: Transcript.SearchRequested) -> None:
        self.searches += 1

    def on_transcript_cursor_moved(self, event: Transcript.CursorMoved) -> None:
        self.cursors.append(event.block_id)


class Scene:
    """What a test holds: the pilot, the app and the transcript."""

    def __init__(self, app: Stage, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot
        self.transcript = app.query_one(Transcript)

    async def settle(self) -> None:
        """Wait until all that came is shown."""
        await self.pilot.pause()
        while not self.transcript.settled:
            await self.pilot.pause()
        await self.pilot.pause()

    async def until(self, condition: Callable[[], bool]) -> None:
        """Let things run until something holds."""
        for _ in range(100_000):
            if condition():
                return
            await asyncio.sleep(0)
        raise AssertionError("it never came to hold")

    async def press(self, *keys: str) -> None:
        """Press keys, and wait until what they do is shown."""
        await self.pilot.press(*keys)
        await self.settle()

    async def add(self, kind: BlockKind, text: str = "", *, id: str = "", title: str = "") -> None:
        """Append a block and wait until it is shown."""
        number = len(self.transcript.block_ids)
        self.transcript.append(TranscriptBlock(id or f"{kind}{number}", kind, text, title=title))
        await self.settle()

    def rows(self) -> list[str]:
        """The rows in view, without trailing blanks."""
        width, height = self.transcript.size
        return [strip.text.rstrip() for strip in self.transcript.render_lines(Region(0, 0, width, height))]

    def shown(self) -> str:
        """All that is in view, as one text."""
        return "\n".join(self.rows())


@asynccontextmanager
async def stage(size: tuple[int, int] = (80, 24)) -> AsyncIterator[Scene]:
    """Run the app at a size."""
    app = Stage()
    async with app.run_test(size=size) as pilot:
        yield Scene(app, pilot)


def numbered(count: int, word: str = "line") -> str:
    """Lines that can be told apart."""
    return "\n".join(f"{word} {number}" for number in range(count))
