"""The prompt takes everything that is typed or pasted, and gives it back whole."""

import time

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from cutaway.tui.drafts import Draft, chip_for, draft_of, joined
from cutaway.tui.widgets.prompt import Prompt


class PromptApp(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.sent: list[str] = []
        self.quick: list[str] = []
        self.came_back = 0

    def compose(self) -> ComposeResult:
        yield Prompt(id="prompt")

    @property
    def prompt(self) -> Prompt:
        return self.query_one(Prompt)

    def on_prompt_submitted(self, event: Prompt.Submitted) -> None:
        self.sent.append(event.text)

    def on_prompt_quick_key(self, event: Prompt.QuickKey) -> None:
        self.quick.append(event.key)

    def on_prompt_text_after_all(self) -> None:
        self.came_back += 1


async def paste(pilot: Pilot[None], text: str) -> None:
    pilot.app.post_message(events.Paste(text))
    await pilot.pause()


async def test_enter_sends_and_empties() -> None:
    app = PromptApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*"hello", "enter")
        assert app.sent == ["hello"]
        assert app.prompt.text == ""


async def test_white_space_alone_is_not_sent() -> None:
    app = PromptApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("space", "ctrl+j", "enter")
        assert app.sent == []
        assert app.prompt.text == " \n"


@pytest.mark.parametrize("key", ["ctrl+j", "shift+enter", "alt+enter"])
async def test_new_lines(key: str) -> None:
    app = PromptApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("a", key, "b", "enter")
        assert app.sent == ["a\nb"]


async def test_a_paste_of_2000_lines_reaches_the_model_whole() -> None:
    """G04: tabs, CRLF, emoji and an empty last line; a chip stands for it, also in the history."""
    lines = [f"{number:04d}\t🙂 {'x' * 70}" for number in range(2000)]
    app = PromptApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*"see ")
        await paste(pilot, "\r\n".join(lines) + "\r\n")
        assert app.prompt.text == "see [2,000 lines pasted]"
        await pilot.press("enter")
        whole = "see " + "\n".join(lines) + "\n"
        assert app.sent == [whole]
        await pilot.press("up")
        assert app.prompt.text == "see [2,000 lines pasted]"
        await pilot.press("enter")
        assert app.sent == [whole, whole]


async def test_a_line_of_200000_characters_does_not_freeze() -> None:
    """G04: the prompt takes the next key within a second."""
    app = PromptApp()
    async with app.run_test(size=(80, 24)) as pilot:
        began = time.monotonic()
        await paste(pilot, "y" * 200_000)
        await pilot.press("z", "enter")
        assert time.monotonic() - began < 1
        assert app.sent == ["y" * 200_000 + "z"]


async def test_short_pastes_stay_in_sight() -> None:
    app = PromptApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await paste(pilot, "one\r\ntwo\rthree\t!")
        assert app.prompt.text == "one\ntwo\nthree\t!"
        await pilot.press("enter")
        assert app.sent == ["one\ntwo\nthree\t!"]


@pytest.mark.parametrize("text", ["\x1b]52;c;eA==\x07", "a\u2028b", "\u202eabc", "a\x0bb"])
async def test_what_a_terminal_would_obey_is_folded_and_sent_as_it_is(text: str) -> None:
    app = PromptApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await paste(pilot, text)
        assert text not in app.prompt.text
        await pilot.press("enter")
        assert app.sent == [text]


async def test_two_pastes_of_one_size_are_told_apart() -> None:
    app = PromptApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await paste(pilot, "a" * 2000)
        await paste(pilot, "b" * 2000)
        assert app.prompt.text == "[2,000 characters pasted][2,000 characters pasted #2]"
        await pilot.press("enter")
        assert app.sent == ["a" * 2000 + "b" * 2000]


async def test_a_chip_is_deleted_as_one_and_comes_back_with_undo() -> None:
    app = PromptApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("a")
        await paste(pilot, "x" * 2000)
        await pilot.press("left", "b", "right", "backspace")
        assert app.prompt.text == "ab"
        await pilot.press("ctrl+z")
        assert app.prompt.draft.text == "ab" + "x" * 2000


async def test_a_typed_chip_is_only_text() -> None:
    app = PromptApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*"[5 lines pasted]", "enter")
        assert app.sent == ["[5 lines pasted]"]


async def test_history_keeps_the_unsent_draft_and_edits() -> None:
    app = PromptApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*"one", "enter", *"two", "enter", *"draft")
        await pilot.press("up")
        assert app.prompt.text == "two"
        await pilot.press("!", "up")
        assert app.prompt.text == "one"
        await pilot.press("down")
        assert app.prompt.text == "two!"
        await pilot.press("down")
        assert app.prompt.text == "draft"
        await pilot.press("down")
        assert app.prompt.text == "draft"


async def test_up_moves_within_the_text_first() -> None:
    app = PromptApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*"old", "enter", "a", "ctrl+j", "b", "up")
        assert app.prompt.text == "a\nb"
        await pilot.press("up")
        assert app.prompt.text == "old"


async def test_a_long_line_that_wraps_is_walked_before_the_history() -> None:
    app = PromptApp()
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.press(*"old", "enter")
        await paste(pilot, "word " * 20)
        await pilot.press("up")
        assert app.prompt.text == "word " * 20


async def test_a_cleared_text_stays_in_the_history() -> None:
    app = PromptApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*"precious")
        assert app.prompt.take() == "precious"
        await pilot.press("up")
        assert app.prompt.text == "precious"


async def test_a_text_is_given_back_in_front_of_what_is_being_written() -> None:
    app = PromptApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await paste(pilot, "a" * 2000)
        app.prompt.give_back("b" * 2000)
        await pilot.press("enter")
        assert app.sent == ["b" * 2000 + "\n" + "a" * 2000]


async def test_digits_change_the_pane_only_in_an_empty_prompt() -> None:
    app = PromptApp()
    async with app.run_test(size=(80, 24)) as pilot:
        app.prompt.quick_keys = frozenset("123")
        await pilot.press("2", "1", *"a2", "enter")
        assert app.quick == ["2", "1"]
        assert app.sent == ["a2"]


async def test_a_message_that_begins_with_a_number_is_not_cut() -> None:
    app = PromptApp()
    async with app.run_test(size=(80, 24)) as pilot:
        app.prompt.quick_keys = frozenset("123")
        await pilot.press(*"12 tests fail", "enter")
        assert app.sent == ["12 tests fail"]
        assert app.came_back == 1


@pytest.mark.parametrize(
    "text", ["[/]", "[red]x[/red]", "A[/login]", "[bold", "[link=file:///etc/passwd]x[/link]"]
)
async def test_markup_is_only_text(text: str) -> None:
    """G01: what looks like markup is shown and sent as typed."""
    app = PromptApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await paste(pilot, text)
        assert text in str(app.prompt.get_line(0))
        await pilot.press("enter")
        assert app.sent == [text]


def test_a_draft_of_any_text_gives_that_text_back() -> None:
    for text in ("", "short", "x" * 5000, "l\n" * 50, "[2,000 lines pasted]", "\x1b[2J"):
        assert draft_of(text).text == text
    first = draft_of("x" * 5000)
    assert joined("y" * 5000, first).text == "y" * 5000 + "\n" + "x" * 5000
    assert chip_for("a\nb", {}) == "[2 lines pasted]"
    assert Draft("  \n").empty
