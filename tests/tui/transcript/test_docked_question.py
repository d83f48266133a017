"""A question that opens and closes below the transcript must not make it lose the end."""

from textual.app import App, ComposeResult
from textual.widgets import Static

from cutaway.tui.transcript import Transcript, TranscriptBlock


class WithQuestion(App[None]):
    CSS = "#question { height: 10; dock: bottom; display: none; } #question.open { display: block; }"

    def compose(self) -> ComposeResult:
        yield Transcript()
        yield Static("?", id="question")


async def test_the_end_stays_in_view_when_a_question_opens_and_closes() -> None:
    app = WithQuestion()
    async with app.run_test(size=(80, 24)) as pilot:
        transcript = app.query_one(Transcript)
        transcript.extend(TranscriptBlock(f"b{n}", "answer", f"line {n}") for n in range(50))
        await pilot.pause()
        for opened in (True, False):
            app.query_one("#question").set_class(opened, "open")
            await pilot.pause()
            assert transcript.following and transcript.scroll_y == transcript.max_scroll_y
