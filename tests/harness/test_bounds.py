"""What keeps an interaction within bounds: budgets, nudges, the guard against circles, three deliveries."""

import dataclasses
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cutaway.harness import events as e
from cutaway.harness.answers import LimitAnswer
from cutaway.harness.autopilot import NUDGE, Nudges
from cutaway.harness.budgets import BudgetKind, Budgets
from cutaway.harness.doom_loop import Repetition
from cutaway.harness.eventlog.store import SessionStore
from cutaway.harness.lane import Lane
from cutaway.harness.ledger import Ledger
from cutaway.harness.opening import new_session, resume_session
from cutaway.harness.providers.scripted import Step
from cutaway.harness.session import Session
from cutaway.harness.usage import Price, Usage
from tests.harness.session_kit import (
    Answering,
    ask_for,
    bodies,
    call,
    converse,
    events,
    opening,
    say,
    start,
    until,
)

LOOK = ask_for(call("list_dir", path="."))
DONE = ask_for(call("task_complete", summary="All is well."))
MILLION = Decimal(1_000_000)
DOLLAR_A_TOKEN = Price(MILLION, MILLION, MILLION, MILLION, MILLION)


def causes(session: Session) -> list[str | None]:
    return [event.cause for event in events(session, e.UserMessageSent)]


def bounded(root: Path, steps: list[Step], most: dict[BudgetKind, Decimal], **options: object) -> Session:
    given = opening(root, steps, **options)  # type: ignore[arg-type]
    model = dataclasses.replace(given.model, price=DOLLAR_A_TOKEN)
    return new_session(dataclasses.replace(given, budgets=most, model=model))


def looks(count: int, tokens: int = 10) -> list[Step]:
    """Turns that each look at another folder and cost `tokens`."""
    return [
        Step(calls=(call("list_dir", path=f"d{number}"),), usage=Usage(fresh=tokens))
        for number in range(count)
    ]


async def test_autopilot_asks_whether_it_is_done_and_task_complete_ends_it(tmp_path: Path) -> None:
    session = start(tmp_path, [say("I think it works."), LOOK, DONE], mode="autopilot")
    await converse(session, "go")
    assert causes(session) == [None, "nudge"] and bodies(session)[2].count(NUDGE.encode()) == 1
    (ended,) = events(session, e.InteractionEnded)
    assert ended.reason == "task-complete" and events(session, e.TaskComplete)[0].summary == "All is well."
    await session.aclose()


async def test_three_fruitless_nudges_are_enough(tmp_path: Path) -> None:
    steps = [
        say(f"{word} is a thing to think about.") for word in ("Rain", "Philosophy", "Iron", "Bread", "x")
    ]
    session = start(tmp_path, steps, mode="autopilot")
    await converse(session, "go")
    assert causes(session) == [None, "nudge", "nudge", "nudge"] and len(bodies(session)) == 4
    assert events(session, e.InteractionEnded)[0].reason == "answered"
    await session.aclose()


async def test_nearly_the_same_answer_again_is_not_nudged_again(tmp_path: Path) -> None:
    session = start(tmp_path, [say("The task is done now."), say("The task is done, now.")], mode="autopilot")
    await converse(session, "go")
    assert causes(session) == [None, "nudge"]
    await session.aclose()


async def test_work_between_nudges_begins_the_count_anew(tmp_path: Path) -> None:
    words = ["Rain falls.", "Iron rusts away.", "Bread is eaten by the hungry.", "Clouds.", "Mountains rise."]
    steps = [say(words[0]), say(words[1]), LOOK, *map(say, words[2:]), say("Quiet evening, at last.")]
    session = start(tmp_path, steps, mode="autopilot")
    await converse(session, "go")
    assert causes(session).count("nudge") == 5
    await session.aclose()


async def test_task_complete_beside_other_calls_counts_and_nothing_is_nudged(tmp_path: Path) -> None:
    both = ask_for(call("task_complete", summary="x"), call("list_dir", path="."))
    session = start(tmp_path, [both, say("Now it is.")], mode="autopilot")
    await converse(session, "go")
    assert causes(session) == [None] and len(bodies(session)) == 2
    await session.aclose()


@pytest.mark.parametrize("mode", ["interactive", "accept-edits", "plan"])
async def test_outside_autopilot_nobody_is_nudged(tmp_path: Path, mode: e.Mode) -> None:
    session = start(tmp_path, [say("Fine.")], mode=mode)
    await converse(session, "go")
    assert causes(session) == [None]
    await session.aclose()


@given(st.lists(st.tuples(st.text(max_size=30), st.booleans()), max_size=40))
@settings(deadline=None, max_examples=100)
def test_there_are_never_more_than_three_nudges_without_work(answers: list[tuple[str, bool]]) -> None:
    nudges, run = Nudges(), 0
    for text, worked in answers:
        if worked:
            nudges.worked()
            run = 0
        run += nudges.nudge(text)
        assert run <= 3


async def test_a_model_that_goes_in_circles_is_told_and_then_somebody_is_asked(tmp_path: Path) -> None:
    asker = Answering(LimitAnswer("continue"), LimitAnswer("stop"))
    session = start(tmp_path, [LOOK] * 20, asker=asker)
    await converse(session, "go")
    assert causes(session).count("loop") == 2  # once in each row of equal turns
    assert [reached.kind for reached in asker.limits] == ["loop", "loop"] and asker.limits[0].used == "5"
    assert len(bodies(session)) == 10
    (ended,) = events(session, e.InteractionEnded)
    assert ended.reason == "loop" and "5 times" in ended.explanation
    await session.aclose()


async def test_a_circle_of_two_turns_is_a_circle_and_a_changing_result_is_none(tmp_path: Path) -> None:
    other = ask_for(call("list_dir", path="nowhere"))
    session = start(tmp_path, [LOOK, other] * 10, asker=Answering(None))
    await converse(session, "go")
    assert events(session, e.InteractionEnded)[0].reason == "loop" and len(bodies(session)) == 10
    await session.aclose()
    count = ask_for(call("run_in_terminal", command="echo x >> log; wc -l < log"))
    session = start(tmp_path, [count] * 6 + [say("done")])
    await converse(session, "go")
    assert causes(session) == [None] and events(session, e.InteractionEnded)[0].reason == "answered"
    await session.aclose()


async def test_how_long_a_command_took_does_not_hide_a_circle(tmp_path: Path) -> None:
    fail = ask_for(call("run_in_terminal", command="false"))
    session = start(tmp_path, [fail] * 3 + [say("I see.")])
    await converse(session, "go")
    assert causes(session) == [None, "loop"]
    await session.aclose()


def test_a_forgiven_circle_begins_anew() -> None:
    repetition = Repetition()
    assert [repetition.add([]) for _ in range(5)] == ["fine", "fine", "tell", "fine", "ask"]
    repetition.forgive()
    assert [repetition.add([]) for _ in range(3)] == ["fine", "fine", "tell"]


@pytest.mark.parametrize(
    ("kind", "most", "used"), [("tokens", Decimal(30), "30"), ("cost", Decimal("29.5"), "30")]
)
async def test_a_budget_that_is_met_asks_and_holds(
    tmp_path: Path, kind: BudgetKind, most: Decimal, used: str
) -> None:
    asker = Answering(LimitAnswer("continue"), LimitAnswer("stop"))
    session = bounded(tmp_path, looks(9), {kind: most}, asker=asker)
    await converse(session, "go")
    first, second = asker.limits
    assert first.kind == kind and Decimal(first.used) == Decimal(used) and Decimal(first.most) == most
    assert [call.name for call in first.pending] == ["list_dir"] and len(bodies(session)) == 5
    assert (
        Decimal(second.most) == Decimal(first.next_most) == (most * Decimal("1.5")).quantize(Decimal("0.01"))
    )
    assert events(session, e.InteractionEnded)[0].reason == "budget"
    assert [one.outcome for one in events(session, e.ToolCompleted)][-1] == "not-run"
    await session.aclose()


async def test_a_budget_of_the_users_own_is_taken(tmp_path: Path) -> None:
    asker = Answering(LimitAnswer("continue", most=Decimal(1000)))
    session = bounded(tmp_path, [*looks(9), say("done")], {"tokens": Decimal(30)}, asker=asker)
    await converse(session, "go")
    assert events(session, e.LimitDecided)[0].new_most == "1000"
    assert events(session, e.InteractionEnded)[0].reason == "answered"
    await session.aclose()


async def test_autopilot_does_not_raise_a_budget_by_itself(tmp_path: Path) -> None:
    session = bounded(tmp_path, looks(9), {"tokens": Decimal(30)}, asker=Answering(None), mode="autopilot")
    await converse(session, "go")
    assert events(session, e.LimitDecided)[0].by == "headless" and len(bodies(session)) == 3
    await session.aclose()


async def test_the_model_is_told_once_and_behind_everything_when_a_budget_runs_out(tmp_path: Path) -> None:
    session = bounded(tmp_path, [*looks(9), say("done")], {"tokens": Decimal(100)}, asker=Answering(None))
    await converse(session, "go")
    told = [event for event in events(session, e.UserMessageSent) if event.cause == "budget"]
    assert len(told) == 1 and "80 of 100 tokens" in told[0].content
    sent = bodies(session)
    for before, after in pairwise(sent):
        assert after.startswith(before.removesuffix(b"]}"))
    await session.aclose()


def test_minutes_count_work_and_not_a_persons_thinking() -> None:
    now = [0.0]
    budgets, ledger = Budgets(lambda: now[0], {"minutes": Decimal(2)}), Ledger()
    budgets.start()
    now[0] += 10
    with budgets.asking():
        now[0] += 20
        with budgets.asking():  # two questions at once
            now[0] += 30
    assert budgets.met(ledger) is None
    budgets.stop()
    now[0] += 3600  # nothing runs
    budgets.start()
    now[0] += 120
    spent = budgets.met(ledger)
    assert spent is not None and spent.words == "2.2 of 2.0 minutes"


async def test_a_resumed_session_begins_its_budget_anew(tmp_path: Path) -> None:
    session = bounded(tmp_path, [*looks(2), say("done")], {"tokens": Decimal(1000)})
    await converse(session, "go")
    await session.aclose()
    given = opening(tmp_path, [*looks(2), say("done")], asker=Answering())
    again = resume_session(
        dataclasses.replace(given, budgets={"tokens": Decimal(30000)}), session.id, SessionStore()
    )
    await converse(again, "more")
    assert events(again, e.InteractionEnded)[-1].reason == "answered"
    await again.aclose()


async def test_a_message_for_now_overtakes_the_calls_that_have_not_begun(tmp_path: Path) -> None:
    slow = call("run_in_terminal", command="touch begun; while [ ! -e go ]; do sleep 0.02; done")
    steps = [ask_for(slow, call("create_file", filePath="x", content="x")), say("Sorry.")]
    session = start(tmp_path, steps)
    session.send("go")
    await until(session, e.ToolStarted)
    session.send("stop that", "now")
    (tmp_path / "go").touch()
    await until(session, e.SessionIdle)
    assert [one.outcome for one in events(session, e.ToolCompleted)] == ["done", "not-run"]
    assert not (tmp_path / "x").exists()
    assert [one.content for one in events(session, e.UserMessageSent)] == ["go", "stop that"]
    assert len(events(session, e.InteractionEnded)) == 1
    await session.aclose()


async def test_a_waiting_message_can_be_changed_and_sent_at_another_moment(tmp_path: Path) -> None:
    slow = call("run_in_terminal", command="while [ ! -e go ]; do sleep 0.02; done")
    session = start(tmp_path, [ask_for(slow), say("one"), say("two")])
    session.send("go")
    await until(session, e.ToolStarted)
    session.send("first")
    session.send("secnd")
    session.change_waiting(1, "second", "after-tools")
    assert events(session, e.PendingMessages)[-1].deliveries == ("after-interaction", "after-tools")
    (tmp_path / "go").touch()
    await until(session, e.SessionIdle, count=2)
    assert [one.content for one in events(session, e.UserMessageSent)] == ["go", "second", "first"]
    await session.aclose()


@given(
    st.lists(
        st.sampled_from(["now", "after-tools", "after-interaction", "back", "out", "begin"]), max_size=30
    )
)
@settings(deadline=None, max_examples=100)
def test_the_lane_loses_nothing_and_delivers_nothing_twice(steps: list[str]) -> None:
    shown: list[tuple[str, ...]] = []

    def emit(event: e.Event) -> None:
        assert isinstance(event, e.PendingMessages)
        shown.append(event.messages)

    lane, given_out, put = Lane(emit), list[str](), 0
    for step in steps:
        match step:
            case "back":
                taken = lane.take_back()
                given_out += [] if taken is None else [taken]
            case "out":
                while (text := lane.next_text("now", "after-tools")) is not None and lane.take(text):
                    given_out.append(text)
            case "begin":
                given_out += [text] if (text := lane.next_text()) is not None and lane.take(text) else []
            case "now" | "after-tools" | "after-interaction":
                lane.put(str(put), step)
                put += 1
    rest = []
    while (text := lane.next_text()) is not None and lane.take(text):
        rest.append(text)
    assert sorted([*given_out, *rest]) == sorted(map(str, range(put)))
