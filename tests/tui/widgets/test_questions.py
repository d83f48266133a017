"""Questions: what they show, when they listen, and what they answer."""

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from cutaway.harness.answers import Answer, LimitAnswer, PermissionAnswer
from cutaway.harness.details import Access, FileEdit, Hunk
from cutaway.harness.events import LimitReached, PermissionRequested
from cutaway.harness.messages import ToolCall
from cutaway.harness.usage import Usage
from cutaway.tui.widgets.approval import ApprovalWidget
from cutaway.tui.widgets.ask import Ask, AskDock
from cutaway.tui.widgets.limit import LimitWidget
from tests.tui.widgets.stage import FakeClock, Prompt, Stage, on_screen, until
from tests.tui.widgets.story import G01

SMALL = (80, 24)
WIDE = (160, 48)


def request(command: str, *, id: str = "p1", always: str = "") -> PermissionRequested:
    reason = "interactive mode asks before each command"
    access = Access("execute", (command,))
    return PermissionRequested(id, "c1", "run_in_terminal", access, reason, always=always)


def limit(*pending: ToolCall, cost: str | None = "0.50", id: str = "l1") -> LimitReached:
    return LimitReached(
        "l1", "i1", 25, 38, pending, Usage(fresh=10_000, cache_read=90_000, output=5_000), cost
    )


class Desk(Stage):
    """A prompt, and a dock that reads it."""

    def __init__(self) -> None:
        self.prompt = Prompt()
        self.dock = AskDock(lambda: not self.prompt.text)
        super().__init__(self.dock, self.prompt)

    @property
    def answers(self) -> list[Answer]:
        return [message.answer for message in self.messages if isinstance(message, Ask.Answered)]

    async def put(self, pilot: Pilot[None], *asks: Ask) -> None:
        for ask in asks:
            self.dock.ask(ask)
        await until(pilot, lambda: asks[0]._quiet_since is not None)


async def awake(desk: Desk, pilot: Pilot[None], clock: FakeClock) -> Ask:
    """Let the deaf time of the current question pass."""
    ask = desk.dock.current
    assert ask is not None
    clock.seconds += 0.5
    ask.wake()
    await pilot.pause()
    return ask


async def test_letters_are_not_heard_in_the_first_400_ms_and_prolong_that_time() -> None:
    desk, clock = Desk(), FakeClock()
    async with desk.run_test(size=SMALL) as pilot:
        ask = ApprovalWidget(request("ls"), clock=clock)
        await desk.put(pilot, ask)
        ask.take_focus()
        clock.seconds = 0.39
        await pilot.press("y")
        clock.seconds = 0.5  # 110 ms after that key, so still deaf
        await pilot.press("y")
        assert desk.answers == []
        clock.seconds = 0.95
        await pilot.press("y")
        assert desk.answers == [PermissionAnswer("approve")]


@pytest.mark.parametrize("typed", ["", "yes do it"])
async def test_a_question_takes_the_focus_only_when_the_prompt_is_empty(typed: str) -> None:
    """Letters typed as a message ("yes do it") go to the prompt and answer nothing."""
    desk, clock = Desk(), FakeClock()
    async with desk.run_test(size=SMALL) as pilot:
        desk.prompt.focus()
        await desk.put(pilot, ApprovalWidget(request("rm -rf build"), clock=clock))
        await pilot.press(*("space" if char == " " else char for char in typed))
        ask = await awake(desk, pilot, clock)
        assert ask.has_focus is (typed == "")
        assert desk.prompt.text == typed
        assert desk.answers == []
        assert ("ctrl+g to answer" in on_screen(desk)) is (typed != "")


async def test_keys_typed_while_the_question_is_deaf_reach_the_prompt() -> None:
    desk, clock = Desk(), FakeClock()
    async with desk.run_test(size=SMALL) as pilot:
        desk.prompt.focus()
        ask = ApprovalWidget(request("ls"), clock=clock)
        await desk.put(pilot, ask)
        await pilot.press("n", "a")
        ask.wake()
        assert desk.prompt.text == "na"


async def test_a_question_leaves_the_focus_in_another_text_field() -> None:
    desk, clock = Desk(), FakeClock()
    async with desk.run_test(size=SMALL) as pilot:
        search = Input()
        await desk.mount(search)
        search.focus()
        await desk.put(pilot, ApprovalWidget(request("ls"), clock=clock))
        await awake(desk, pilot, clock)
        assert search.has_focus


async def test_tab_brings_the_keys_to_the_question_and_ctrl_g_brings_them_back() -> None:
    desk, clock = Desk(), FakeClock()
    async with desk.run_test(size=SMALL) as pilot:
        desk.prompt.focus()
        desk.prompt.text = "half a thought"
        await desk.put(pilot, ApprovalWidget(request("ls"), clock=clock))
        ask = await awake(desk, pilot, clock)
        assert desk.dock.focus_current()
        await pilot.pause()
        assert ask.has_focus
        await pilot.press("ctrl+g")
        assert desk.prompt.has_focus
        await pilot.press("shift+tab")
        await until(pilot, lambda: ask.has_focus)
        await pilot.press("y")
        await pilot.pause()
        assert desk.answers == [PermissionAnswer("approve")]
        assert desk.prompt.text == "half a thought"


APPROVALS: dict[str, PermissionAnswer | None] = {
    "y": PermissionAnswer("approve"),
    "a": PermissionAnswer("approve-for-session"),
    "n enter": PermissionAnswer("deny"),
    "n n o t space y enter": PermissionAnswer("deny", "not y"),
    "n x escape y": PermissionAnswer("approve"),
    "ctrl+c": PermissionAnswer("deny"),
    "x q Y N enter f space j": None,
}


async def test_each_key_of_an_approval() -> None:
    """G13 (f): ctrl+c on an open question is a no."""
    desk, clock = Desk(), FakeClock()
    async with desk.run_test(size=SMALL) as pilot:
        for keys, answer in APPROVALS.items():
            desk.messages.clear()
            event = request("ls", id=keys, always="run_in_terminal(ls)")
            await desk.put(pilot, ApprovalWidget(event, clock=clock))
            await awake(desk, pilot, clock)
            await pilot.press(*keys.split())
            await pilot.pause()
            assert desk.answers == ([answer] if answer else [])


async def test_always_shows_its_rule_exactly_and_is_not_offered_without_one() -> None:
    desk, clock = Desk(), FakeClock()
    async with desk.run_test(size=SMALL) as pilot:
        ask = ApprovalWidget(request("git push", always="run_in_terminal(git push:*) [x]"), clock=clock)
        await desk.put(pilot, ask)
        await awake(desk, pilot, clock)
        assert "a    adds the rule run_in_terminal(git push:*) [x] for this session" in on_screen(desk)
        desk.dock.drop("p1")
        await desk.put(pilot, ApprovalWidget(request("curl x | sh", id="p2"), clock=clock))
        await awake(desk, pilot, clock)
        assert "a    is not offered: no rule would be narrow enough" in on_screen(desk)
        await pilot.press("a")
        assert desk.answers == []


@pytest.mark.parametrize("size", [SMALL, WIDE])
async def test_a_long_command_is_shown_in_full_by_scrolling(size: tuple[int, int]) -> None:
    command = "\n".join(f"echo {'line ' * 12}{at}" for at in range(40)) + "\nrm -rf ~"
    desk, clock = Desk(), FakeClock()
    async with desk.run_test(size=size) as pilot:
        ask = ApprovalWidget(request(command), clock=clock)
        await desk.put(pilot, ask)
        await awake(desk, pilot, clock)
        assert "interactive mode asks before each command" in on_screen(desk)
        assert "more below" in str(ask.border_subtitle)
        seen: list[str] = []
        while ask.border_subtitle:
            seen += on_screen(desk).split("\n")
            await pilot.press("space")
        seen += on_screen(desk).split("\n")
        assert any("rm -rf ~" in line for line in seen)
        assert all(any(f"line {at}" in line for line in seen) for at in range(40))
        assert "yes, once" in on_screen(desk)


async def test_foreign_text_in_a_question_is_shown_as_it_is() -> None:
    """G01: command, path, rule, diff line and reason."""
    desk, clock = Desk(), FakeClock()
    async with desk.run_test(size=SMALL) as pilot:
        for text in G01:
            edit = FileEdit(text, "", "", (Hunk(1, 1, (f"-{text}", f"+{text} ")),), 1, 1)
            await desk.put(pilot, ApprovalWidget(request(text, always=text), clock=clock))
            assert f"$ {text}" in on_screen(desk)
            assert f"the rule {text}" in on_screen(desk)
            desk.dock.drop("p1")
            event = PermissionRequested("p2", "c", text, Access("write", (text,)), text, edit)
            await desk.put(pilot, ApprovalWidget(event, clock=clock))
            words = on_screen(desk)
            assert f"- {text}" in words
            assert f"+ {text}" in words
            assert f"why  {text}" in words
            desk.dock.drop("p2")


async def test_control_and_direction_characters_of_a_command_are_shown_as_escapes() -> None:
    desk, clock = Desk(), FakeClock()
    async with desk.run_test(size=SMALL) as pilot:
        command = "echo \x1b]52;c;x\x07 \u202edecoy\u200b \U000e0041\r"
        await desk.put(pilot, ApprovalWidget(request(command), clock=clock))
        assert r"$ echo \x1b]52;c;x\x07 \u202edecoy\u200b \U000e0041\x0d" in on_screen(desk)


async def test_the_reason_and_the_rule_that_asked_are_shown() -> None:
    desk, clock = Desk(), FakeClock()
    async with desk.run_test(size=SMALL) as pilot:
        asked = PermissionRequested(
            "p1", "c1", "run_tests", Access("execute"), "run_tests runs programs.", rule="mode interactive"
        )
        await desk.put(pilot, ApprovalWidget(asked, clock=clock))
        assert "why  run_tests runs programs.  by mode interactive" in on_screen(desk)
        assert "the call names nothing that it would touch" in on_screen(desk)


async def test_arguments_that_no_preview_shows_are_shown() -> None:
    desk, clock = Desk(), FakeClock()
    async with desk.run_test(size=SMALL) as pilot:
        arguments = '{"command": "make", "timeout": 900, "isBackground": true}'
        await desk.put(pilot, ApprovalWidget(request("make"), arguments, clock=clock))
        words = on_screen(desk)
        assert "timeout 900" in words
        assert "isBackground true" in words
        assert words.count("make") == 1


async def test_questions_queue_and_a_double_key_does_not_answer_the_next_one() -> None:
    desk, clock = Desk(), FakeClock()
    async with desk.run_test(size=SMALL) as pilot:
        desk.prompt.focus()
        first, second = (ApprovalWidget(request(name, id=name), clock=clock) for name in ("one", "two"))
        await desk.put(pilot, first, second)
        await awake(desk, pilot, clock)
        assert "1 of 2" in on_screen(desk)
        await pilot.press("y", "y")
        await until(pilot, lambda: desk.dock.current is second and second.has_focus)
        assert len(desk.answers) == 1
        await awake(desk, pilot, clock)
        await pilot.press("y")
        await until(pilot, lambda: desk.dock.current is None)
        assert len(desk.answers) == 2
        await until(pilot, lambda: desk.prompt.has_focus)


async def test_a_pasted_reason_keeps_all_of_its_lines() -> None:
    from textual.events import Paste

    desk, clock = Desk(), FakeClock()
    async with desk.run_test(size=SMALL) as pilot:
        await desk.put(pilot, ApprovalWidget(request("ls"), clock=clock))
        await awake(desk, pilot, clock)
        await pilot.press("n")
        await pilot.pause()
        assert desk.focused is not None
        desk.focused.post_message(Paste("not this\nbut\x1b that\n"))
        await pilot.press("enter")
        await pilot.pause()
        assert desk.answers == [PermissionAnswer("deny", r"not this⏎but\x1b that")]


LIMITS: dict[str, LimitAnswer | None] = {
    "c": LimitAnswer("continue"),
    "a": LimitAnswer("autopilot"),
    "s": LimitAnswer("stop"),
    "ctrl+c": LimitAnswer("stop"),
    "n enter": LimitAnswer("continue", 38),
    "n backspace backspace 6 0 enter": LimitAnswer("continue", 60),
    "n backspace backspace 2 5 enter": None,
}


async def test_each_key_of_the_limit() -> None:
    """A limit that is no whole number above the used one is refused, and the line stays open."""
    desk, clock = Desk(), FakeClock()
    async with desk.run_test(size=SMALL) as pilot:
        for keys, answer in LIMITS.items():
            desk.messages.clear()
            await desk.put(pilot, LimitWidget(limit(id=keys), clock=clock))
            await awake(desk, pilot, clock)
            await pilot.press(*keys.split())
            await pilot.pause()
            assert desk.answers == ([answer] if answer else [])
            assert ("a whole number above 25" in on_screen(desk)) is (answer is None)


async def test_the_limit_shows_use_money_forecast_and_what_waits() -> None:
    desk, clock = Desk(), FakeClock()
    async with desk.run_test(size=SMALL) as pilot:
        waiting = ToolCall("c1", "run_in_terminal", '{"command": "pytest [/]"}')
        await desk.put(pilot, LimitWidget(limit(waiting), clock=clock))
        words = on_screen(desk)
        for part in ("25 of 25 used", "1 call waits", "run  pytest [/]", "$0.500", "to 38"):
            assert part in words
        assert "≈54.6k tokens · ≈$0.260 more" in words  # 13 turns, each as dear as the mean of 25


async def test_an_unknown_price_at_the_limit_is_not_a_zero() -> None:
    desk, clock = Desk(), FakeClock()
    async with desk.run_test(size=SMALL) as pilot:
        await desk.put(pilot, LimitWidget(limit(cost=None), clock=clock))
        assert "price unknown" in on_screen(desk)
        assert "$0" not in on_screen(desk)
