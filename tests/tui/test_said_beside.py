"""What is neither the user's nor the model's: hooks, messages of the harness, compactions, the title."""

import shlex
from decimal import Decimal
from pathlib import Path

import pytest

from cutaway.harness import events as e
from cutaway.harness.providers.scripted import ScriptedCall, Step
from cutaway.harness.usage import Price
from cutaway.tui import format as fmt
from tests.harness.hook_kit import Entry, blocks, says
from tests.tui.kit import HELD, NARROW, WIDE, Opener, app_for, finished, opened, said, screen_text, until

PRICE = Price(Decimal(3), Decimal("0.3"), Decimal("3.75"), Decimal(6), Decimal(15))
SIZES = pytest.mark.parametrize("size", [NARROW, WIDE])


def once_blocking(root: Path) -> str:
    """A Stop hook that waits for a file `on`, and does not let it end the first time."""
    script = root / "check.sh"
    lines = (
        "while [ ! -e on ]; do sleep 0.02; done",
        "[ -e told ] && exit 0",
        "touch told",
        "echo 'README.md has no date' >&2",
        "exit 2",
    )
    script.write_text("\n".join(lines))
    return f"sh {script.name}"


@SIZES
async def test_a_stop_hook_is_seen_while_it_runs_and_what_it_said_is_folded(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    opener = Opener(
        tmp_path,
        [Step(text="Done."), Step(text="Now it has one.")],
        mode="interactive",
        hooks={"Stop": [Entry(once_blocking(tmp_path))]},
    )
    app = app_for(opener)
    async with app.run_test(size=size) as pilot:
        await opened(pilot, app)
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: "hook Stop: sh check.sh · esc stops" in screen_text(app))
        (tmp_path / "on").touch()
        await finished(pilot, app)
        words = said(app)
        assert "hook Stop: sh check.sh" in words
        assert "blocked · " in words
        assert "injected · a Stop hook lets it go on" in words
        assert "README.md has no date" in words
        notes = [r.event for r in opener.session.records if isinstance(r.event, e.HookEnded)]
        assert [bool(each.blocked) for each in notes] == [True, False]
        assert words.count("hook Stop") == 1  # the second had nothing to say


async def test_a_hook_before_the_message_is_seen_and_its_words_join_as_its_own(tmp_path: Path) -> None:
    wait = f"while [ ! -e {shlex.quote(str(tmp_path / 'on'))} ]; do sleep 0.02; done; echo the sky is blue"
    opener = Opener(
        tmp_path,
        [Step(text="one"), Step(text="two")],
        mode="interactive",
        hooks={"UserPromptSubmit": [Entry(wait)]},
    )
    app = app_for(opener)
    async with app.run_test(size=NARROW) as pilot:
        await opened(pilot, app)
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: "hook UserPromptSubmit: while [" in screen_text(app))
        (tmp_path / "on").touch()
        await finished(pilot, app)
        await pilot.press(*"on", "enter")
        await finished(pilot, app, 2)
        assert "injected · what a hook said" in said(app)
        assert "hook UserPromptSubmit" in said(app)


async def test_a_hook_can_be_interrupted_before_anything_is_sent(tmp_path: Path) -> None:
    opener = Opener(tmp_path, hooks={"UserPromptSubmit": [Entry("sleep 60")]})
    app = app_for(opener)
    async with app.run_test(size=NARROW) as pilot:
        await opened(pilot, app)
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: "hook UserPromptSubmit" in screen_text(app))
        await pilot.press("escape")
        await until(pilot, lambda: not opener.session.busy and "hook User" not in status(screen_text(app)))
        assert app.main.ledger.pending == ("go",)


def status(shown: str) -> str:
    return shown.splitlines()[-1]


async def test_a_hook_that_decides_says_what(tmp_path: Path) -> None:
    answer = says(hookSpecificOutput={"permissionDecision": "deny", "permissionDecisionReason": "not here"})
    made = Step(calls=(ScriptedCall("create_file", {"filePath": "x.txt", "content": "x"}),))
    opener = Opener(
        tmp_path, [made, Step(text="then not")], mode="interactive", hooks={"PreToolUse": [Entry(answer)]}
    )
    app = app_for(opener)
    async with app.run_test(size=NARROW) as pilot:
        await opened(pilot, app)
        await pilot.press(*"go", "enter")
        await finished(pilot, app)
        assert not (tmp_path / "x.txt").exists()
        assert "says deny" in said(app)


async def test_an_interaction_that_a_hook_stops_says_so(tmp_path: Path) -> None:
    stop = says(**{"continue": False, "stopReason": "the build is frozen"})
    opener = Opener(tmp_path, [Step(text="Done.")], mode="interactive", hooks={"Stop": [Entry(stop)]})
    app = app_for(opener)
    async with app.run_test(size=NARROW) as pilot:
        await opened(pilot, app)
        await pilot.press(*"go", "enter")
        await finished(pilot, app)
        assert "Stopped by a hook" in said(app)
        assert "the build is frozen" in said(app)


CAUSES = {
    "cut": (Step(text="half an ans", cut=True), "injected · the answer was cut"),
    "empty": (Step(text=""), "injected · the answer was empty"),
    "nudge": (Step(text="I think it works."), "injected · autopilot asks whether it is done"),
}


@pytest.mark.parametrize("cause", CAUSES)
async def test_a_message_of_the_harness_has_its_cause_as_title(tmp_path: Path, cause: str) -> None:
    """It is a note, not a message of the user's."""
    step, title = CAUSES[cause]
    finish = Step(calls=(ScriptedCall("task_complete", {"summary": "All is well."}),))
    opener = Opener(tmp_path, [step, finish], mode="autopilot" if cause == "nudge" else "interactive")
    app = app_for(opener)
    async with app.run_test(size=NARROW) as pilot:
        await opened(pilot, app)
        await pilot.press(*"go", "enter")
        await finished(pilot, app)
        assert title in said(app)
        (own,) = [line for line in said(app).splitlines() if line.startswith("› ") or line == "go"]
        assert "go" in own


async def test_a_budget_that_runs_out_is_told_under_its_name(tmp_path: Path) -> None:
    look = Step(calls=(ScriptedCall("list_dir", {"path": "."}),))
    opener = Opener(
        tmp_path, [look, Step(text="Done.")], mode="interactive", budgets={"tokens": Decimal(2_500)}
    )
    app = app_for(opener)
    async with app.run_test(size=NARROW) as pilot:
        await opened(pilot, app)
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: "injected · the budget runs out" in said(app))
        await pilot.press("escape")
        await finished(pilot, app)


@SIZES
async def test_a_compaction_by_key_is_one_folded_block_and_can_be_undone(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    for number in range(4):
        (tmp_path / f"file{number}.txt").write_text(f"line of {number}\n" * 200)
    reads = [Step(calls=(ScriptedCall("read_file", {"filePath": f"file{n}.txt"}),)) for n in range(4)]
    summary = Step(text="We have read four files. TODO-9 is open.", delay=1.0)
    opener = Opener(
        tmp_path, [*reads, Step(text="Read."), summary], mode="interactive", price=PRICE, compaction="off"
    )
    app = app_for(opener)
    async with app.run_test(size=size) as pilot:
        await opened(pilot, app)
        await pilot.press("f8")
        await until(pilot, lambda: "there is nothing to compact yet" in screen_text(app))
        await pilot.press(*"read", "enter")
        await finished(pilot, app)
        await pilot.press("f8")
        await until(pilot, lambda: "compacting ≈" in status(screen_text(app)))
        assert "tokens · esc stops" in status(screen_text(app))
        opener.clock.gate.set()
        await until(pilot, lambda: app.main.ledger.compactions and not opener.session.busy)
        await until(pilot, lambda: "compacting" not in status(screen_text(app)))
        (done,) = app.main.ledger.compactions
        words = said(app)
        before, after = fmt.tokens(done.tokens_before), fmt.tokens(done.tokens_after)
        assert f"compacted {before} → {after} tokens" in words
        await until(pilot, lambda: fmt.money(done.cost) in screen_text(app))
        assert done.tokens_after < done.tokens_before
        assert words.count("TODO-9 is open") <= 1
        await pilot.press("f9")
        await until(pilot, lambda: "The compaction is undone" in said(app))
        await pilot.press("f9")
        await until(pilot, lambda: "there is no compaction to undo" in screen_text(app))


async def test_a_compaction_can_be_interrupted(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("line\n" * 400)
    read = Step(calls=(ScriptedCall("read_file", {"filePath": "a.txt"}),))
    opener = Opener(tmp_path, [read, Step(text="Read."), HELD], mode="interactive", compaction="off")
    app = app_for(opener)
    async with app.run_test(size=NARROW) as pilot:
        await opened(pilot, app)
        await pilot.press(*"go", "enter")
        await finished(pilot, app)
        await pilot.press("f8")
        await until(pilot, lambda: "compacting ≈" in status(screen_text(app)))
        await pilot.press("escape")
        await until(pilot, lambda: "Not compacted: It was interrupted." in said(app))
        await until(pilot, lambda: "compacting" not in status(screen_text(app)))


async def test_f8_says_why_not_while_it_works(tmp_path: Path) -> None:
    app = app_for(Opener(tmp_path, [HELD]))
    async with app.run_test(size=NARROW) as pilot:
        await opened(pilot, app)
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: app.main.outgoing.busy and app.main.ledger.interactions)
        await pilot.press("f8")
        await until(pilot, lambda: "compact when it is done" in screen_text(app))


async def test_the_title_takes_the_place_of_the_id(tmp_path: Path) -> None:
    opener = Opener(tmp_path, [Step(text="Fix the clock")] * 2, mode="interactive", title=True)
    app = app_for(opener)
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, app)
        assert opener.session.id[:8] in status(screen_text(app))
        await pilot.press(*"fix it", "enter")
        await finished(pilot, app)
        await until(pilot, lambda: "Fix the clock" in status(screen_text(app)))
        assert opener.session.id[:8] not in status(screen_text(app))


async def test_a_message_that_a_hook_stops_is_said_with_its_reason(tmp_path: Path) -> None:
    hook = Entry(blocks("no work on Sundays"))
    opener = Opener(tmp_path, mode="interactive", hooks={"UserPromptSubmit": [hook]})
    app = app_for(opener)
    async with app.run_test(size=NARROW) as pilot:
        await opened(pilot, app)
        await pilot.press(*"go", "enter")
        await until(pilot, lambda: "no work on Sundays" in said(app) and not opener.session.busy)
        await until(pilot, lambda: not app.main.lane.display)


async def test_a_command_of_a_hook_is_shown_as_it_is(tmp_path: Path) -> None:
    """Line ends, markup and control characters of a command stay on its line and do nothing."""
    command = "echo '[b]x[/b] \x1b[31m' >/dev/null\necho what it said"
    opener = Opener(
        tmp_path, [Step(text="one")], mode="interactive", hooks={"UserPromptSubmit": [Entry(command)]}
    )
    app = app_for(opener)
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, app)
        await pilot.press(*"go", "enter")
        await finished(pilot, app)
        await until(pilot, lambda: "hook UserPromptSubmit" in screen_text(app))
        assert r"hook UserPromptSubmit: echo '[b]x[/b] \x1b[31m' >/dev/null⏎echo what" in screen_text(app)
        assert "\x1b" not in screen_text(app)
