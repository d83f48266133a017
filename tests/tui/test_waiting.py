"""The queue lane: when each waiting message goes out, and how it is changed while it waits."""

from pathlib import Path

import pytest
from textual.pilot import Pilot

from cutaway.harness import events as e
from cutaway.harness.providers.scripted import ScriptedCall, Step
from cutaway.tui.app import CutawayApp
from cutaway.tui.widgets.queue_lane import EDITING, KEYS, KEYS_HELD, KEYS_HERE, KEYS_OF_MANY
from tests.tui.kit import HELD, NARROW, WIDE, Opener, app_for, finished, opened, said, screen_text, until


def opener_of(root: Path, *steps: Step) -> Opener:
    return Opener(root, [*steps, *[Step(text="so be it")] * 6], mode="interactive")


async def working(pilot: Pilot[None], app: CutawayApp, *messages: str) -> None:
    """Begin something that is held, and let messages wait behind it."""
    await opened(pilot, app)
    await pilot.press(*"go", "enter")
    await until(pilot, lambda: app.main.outgoing.busy and app.main.ledger.step == "call")
    for count, text in enumerate(messages, 1):
        await pilot.press(*text, "enter")
        await until(pilot, lambda count=count: len(app.main.lane.messages) == count)  # type: ignore[misc]


def lane(app: CutawayApp) -> list[str]:
    """The lane's lines as they are painted."""
    region = app.main.lane.region
    return screen_text(app).splitlines()[region.y : region.bottom]


def sent(opener: Opener) -> list[tuple[str, str]]:
    found = [r.event for r in opener.session.records if isinstance(r.event, e.UserMessageSent)]
    return [(each.content, each.delivery) for each in found if each.source == "user"]


def moments(opener: Opener) -> tuple[str, ...]:
    """When what waits goes out, as the log has it last."""
    found = [r.event for r in opener.session.records if isinstance(r.event, e.PendingMessages)]
    return found[-1].deliveries


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_each_waiting_message_shows_its_moment(tmp_path: Path, size: tuple[int, int]) -> None:
    opener = opener_of(tmp_path, HELD)
    app = app_for(opener)
    async with app.run_test(size=size) as pilot:
        await working(pilot, app, "later")
        await pilot.press(*"soon", "ctrl+s", *"urgent", "ctrl+n")
        await until(pilot, lambda: len(app.main.lane.messages) == 3)
        await pilot.pause()
        first, second, third, hint = (line.split() for line in lane(app))
        assert first == ["◷", "later", "after", "this"]
        assert second == ["◷", "soon", "after", "tools"]
        assert third == ["◷", "urgent", "now"]
        assert " ".join(hint) == KEYS  # all of it fits
        opener.clock.gate.set()
        await finished(pilot, app, 2)
        assert sent(opener) == [("go", "start"), ("urgent", "steer"), ("soon", "steer"), ("later", "start")]


async def test_alt_d_walks_through_the_moments_of_the_newest(tmp_path: Path) -> None:
    opener = opener_of(tmp_path, HELD)
    app = app_for(opener)
    async with app.run_test(size=NARROW) as pilot:
        await working(pilot, app, "first", "second")
        for moment in ("after-tools", "now", "after-interaction"):
            await pilot.press("alt+d")
            await until(pilot, lambda moment=moment: moments(opener)[-1] == moment)  # type: ignore[misc]
        assert moments(opener)[0] == "after-interaction"


async def test_now_keeps_the_calls_behind_the_running_one_from_running(tmp_path: Path) -> None:
    """What is sent at once goes out when the running tool is done."""
    (tmp_path / "go").mkdir()
    wait = "while [ ! -e go/on ]; do sleep 0.02; done"
    step = Step(
        calls=(
            ScriptedCall("run_in_terminal", {"command": wait, "explanation": "waits"}),
            ScriptedCall("create_file", {"filePath": "b.txt", "content": "b"}),
        )
    )
    opener = Opener(tmp_path, [step, Step(text="so be it")], mode="autopilot")
    app = app_for(opener)
    async with app.run_test(size=NARROW) as pilot:
        await opened(pilot, app)
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: any(call.state == "running" for call in app.main.ledger.calls.values()))
        await pilot.press(*"not b", "ctrl+n")
        await until(pilot, lambda: app.main.lane.messages)
        (tmp_path / "go" / "on").touch()
        await until(pilot, lambda: ("not b", "steer") in sent(opener))
        await pilot.press("escape")
        await finished(pilot, app)
        assert not (tmp_path / "b.txt").exists()
        assert "not b" in said(app)


async def test_a_chosen_message_is_edited_in_its_place(tmp_path: Path) -> None:
    """What was being written stands in the prompt again afterwards."""
    opener = opener_of(tmp_path, HELD)
    app = app_for(opener)
    async with app.run_test(size=NARROW) as pilot:
        await working(pilot, app, "first", "second", "third")
        await pilot.press(*"half a thought", "ctrl+l", "k", "k")
        assert lane(app)[0].split() == ["▸", "first", "after", "this"]
        assert lane(app)[-1].strip() == KEYS_HERE
        await pilot.press("d")
        await until(pilot, lambda: moments(opener)[0] == "after-tools")
        await pilot.press("e")
        assert app.main.prompt.has_focus
        assert app.main.prompt.text == "first"
        await until(pilot, lambda: lane(app)[-1].strip() == EDITING)
        assert lane(app)[0].startswith(" ✎ first")
        await pilot.press(*" of all", "enter")
        await until(pilot, lambda: "◷ first of all" in screen_text(app))
        assert app.main.prompt.text == "half a thought"
        assert [each.text for each in app.main.lane.messages] == ["first of all", "second", "third"]
        opener.clock.gate.set()
        await finished(pilot, app, 3)
        assert [text for text, _ in sent(opener)] == ["go", "first of all", "second", "third"]


async def test_esc_leaves_an_edited_message_as_it_was_and_stops_nothing(tmp_path: Path) -> None:
    opener = opener_of(tmp_path, HELD)
    app = app_for(opener)
    async with app.run_test(size=NARROW) as pilot:
        await working(pilot, app, "first")
        await pilot.press("alt+e", *" no", "escape")
        assert app.main.prompt.text == ""
        assert app.main.outgoing.busy
        assert "◷ first " in screen_text(app)
        await pilot.press("alt+e", *" no", "ctrl+c")
        assert app.main.prompt.text == ""
        assert app.main.outgoing.busy
        await pilot.press("escape")
        await finished(pilot, app)


async def test_what_goes_out_while_it_is_edited_is_said(tmp_path: Path) -> None:
    opener = opener_of(tmp_path, HELD)
    app = app_for(opener)
    async with app.run_test(size=NARROW) as pilot:
        await working(pilot, app, "first")
        await pilot.press("alt+e", *" and more")
        opener.clock.gate.set()
        await finished(pilot, app, 2)
        await until(pilot, lambda: "enter sends a new message" in screen_text(app))
        assert app.main.prompt.text == "first and more"
        await pilot.press("enter")
        await finished(pilot, app, 3)
        assert [text for text, _ in sent(opener)] == ["go", "first", "first and more"]


async def test_an_edited_message_can_be_sent_sooner(tmp_path: Path) -> None:
    opener = opener_of(tmp_path, HELD)
    app = app_for(opener)
    async with app.run_test(size=NARROW) as pilot:
        await working(pilot, app, "first", "second")
        await pilot.press("alt+e", *"!", "ctrl+s")
        await until(pilot, lambda: app.main.lane.messages[-1] == ("second!", "after-tools"))
        assert len(app.main.lane.messages) == 2


async def test_the_chosen_one_of_many_is_in_sight(tmp_path: Path) -> None:
    app = app_for(opener_of(tmp_path, HELD))
    async with app.run_test(size=NARROW) as pilot:
        await working(pilot, app, *"abcdef")
        assert lane(app)[-1].strip() == f"3 more · {KEYS_OF_MANY}"
        assert "◷ f " in lane(app)[2]  # the one that alt+d and alt+e mean
        assert len(lane(app)) == 4
        await pilot.press("ctrl+l")
        await until(pilot, lambda: "▸ f" in screen_text(app))
        await pilot.press(*"kkkkkkk")
        await until(pilot, lambda: "▸ a" in screen_text(app))
        await pilot.press("ctrl+l")
        assert app.main.prompt.has_focus


async def test_what_is_held_back_says_so_and_can_be_edited(tmp_path: Path) -> None:
    opener = opener_of(tmp_path, HELD)
    app = app_for(opener)
    async with app.run_test(size=NARROW) as pilot:
        await working(pilot, app, "first")
        await pilot.press("escape")
        await finished(pilot, app)
        assert f"held back · goes with your next message · {KEYS_HELD}" in screen_text(app)
        await pilot.press("alt+d")
        await until(pilot, lambda: "this one goes with your next message" in screen_text(app))
        await pilot.press("alt+e", *"!", "enter")
        await until(pilot, lambda: "◷ first!" in screen_text(app))


async def test_what_waits_for_the_session_can_be_edited(tmp_path: Path) -> None:
    opener = opener_of(tmp_path)
    opener.ready.clear()
    app = app_for(opener)
    async with app.run_test(size=NARROW) as pilot:
        await pilot.press(*"hello", "enter", *"on", "enter", "ctrl+l", "k", "e", *" you", "enter")
        assert "◷ hello you" in screen_text(app)
        opener.ready.set()
        await finished(pilot, app, 2)
        assert [text for text, _ in sent(opener)] == ["hello you", "on"]


@pytest.mark.parametrize("key", ["alt+d", "alt+e", "ctrl+l"])
async def test_a_key_of_the_lane_says_when_nothing_waits(tmp_path: Path, key: str) -> None:
    app = app_for(opener_of(tmp_path))
    async with app.run_test(size=NARROW) as pilot:
        await opened(pilot, app)
        await pilot.press(key)
        await until(pilot, lambda: "no message is waiting" in screen_text(app))
        assert app.main.prompt.has_focus


async def test_a_question_leaves_one_line_of_the_lane(tmp_path: Path) -> None:
    write = Step(calls=(ScriptedCall("create_file", {"filePath": "x.txt", "content": "x"}),), delay=1.0)
    opener = opener_of(tmp_path, write)
    app = app_for(opener)
    async with app.run_test(size=NARROW) as pilot:
        await working(pilot, app, "first", "second")
        opener.clock.gate.set()
        await until(pilot, lambda: app.main.dock.current is not None)
        await until(pilot, lambda: len(lane(app)) == 1 and "y yes, once" in screen_text(app))
        assert "second" in lane(app)[0]


async def test_the_palette_has_what_can_be_done_with_what_waits(tmp_path: Path) -> None:
    app = app_for(opener_of(tmp_path, HELD))
    async with app.run_test(size=WIDE) as pilot:
        await working(pilot, app, "first")
        await pilot.press("ctrl+p")
        for title in (
            "Send at once",
            "Send after the tools",
            "Waiting messages",
            "Waiting message: sooner or later",
            "Waiting message: edit",
        ):
            await until(pilot, lambda title=title: title in screen_text(app))  # type: ignore[misc]
        assert "Compact the conversation" not in screen_text(app)
        await pilot.press(*"sooner", "down", "enter")
        await until(pilot, lambda: app.main.lane.messages[-1].delivery == "after-tools")
