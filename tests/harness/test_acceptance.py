"""The twelve acceptance checks for an agent loop in the manner of Copilot's, with our deviations beside them.

Where a check is deviated from, the test's docstring says what Copilot does and why this loop does not.
"""

import time
from pathlib import Path

import pytest

from cutaway.harness import events as e
from cutaway.harness.answers import LimitAnswer
from cutaway.harness.limits import autopilot_limit, next_limit
from cutaway.harness.providers.scripted import ScriptedCall, ScriptedError, Step
from cutaway.harness.session import Session
from tests.harness.hook_kit import Entry
from tests.harness.session_kit import Answering, ask_for, bodies, call, converse, events, say, start, until
from tests.harness.test_hooks import hooked

LOOK = ask_for(call("list_dir", path="."))


def reads(count: int) -> list[Step]:
    return [ask_for(call("list_dir", path=f"folder{number}")) for number in range(count)]


def ending(session: Session) -> str:
    return events(session, e.InteractionEnded)[-1].reason


async def test_1_a_limit_of_three_is_three_calls_and_offers_five(tmp_path: Path) -> None:
    """Deviation: Copilot makes four calls before it asks. A limit that means itself is what people expect."""
    asker = Answering(LimitAnswer("stop"))
    session = start(tmp_path, reads(9), limit=3, asker=asker)
    await converse(session, "go")
    assert len(bodies(session)) == 3 and asker.limits[0].next_limit == 5
    await session.aclose()


async def test_2_autopilot_extends_in_steps_to_two_hundred_and_asks_there(tmp_path: Path) -> None:
    steps, limit = [], 25
    while (extended := autopilot_limit(limit)) is not None:
        steps.append(limit := extended)
    assert steps == [38, 57, 86, 129, 194, 200] and next_limit(200) == 300
    asker = Answering(LimitAnswer("stop"))
    session = start(tmp_path, reads(210), asker=asker, mode="autopilot")
    await converse(session, "go")
    decided = [(one.new_limit, one.by) for one in events(session, e.LimitDecided)]
    assert decided == [*((limit, "autopilot") for limit in steps), (200, "user")]
    assert len(bodies(session)) == 200 and ending(session) == "limit"
    await session.aclose()


async def test_3_nudges_without_any_tool_end_at_the_fourth_answer(tmp_path: Path) -> None:
    """Deviation: five nudges and six calls in the older Copilot; three are its newer bound."""
    steps = [
        say(f"{word}, and that at some length.") for word in ("Rain", "Philosophy", "Iron", "Bread", "Sea")
    ]
    session = start(tmp_path, steps, mode="autopilot")
    await converse(session, "go")
    assert len(bodies(session)) == 4 and ending(session) == "answered"
    await session.aclose()


async def test_4_a_productive_tool_begins_the_count_of_nudges_anew(tmp_path: Path) -> None:
    steps = [say("Rain falls."), say("Iron rusts away."), LOOK]
    steps += [say(word) for word in ("Bread is eaten.", "Clouds go by.", "Mountains rise up high.", "Quiet.")]
    session = start(tmp_path, steps, mode="autopilot")
    await converse(session, "go")
    assert len(bodies(session)) == 7
    await session.aclose()


async def test_5_task_complete_with_unusable_arguments_ends_nothing(tmp_path: Path) -> None:
    """Deviation: to Copilot the name is enough. A call that was not carried out has completed nothing."""
    wrong = ask_for(ScriptedCall("task_complete", '{"summary": [1'))
    right = ask_for(call("task_complete", summary="Done."))
    session = start(tmp_path, [wrong, right], mode="autopilot")
    await converse(session, "go")
    assert [one.outcome for one in events(session, e.ToolCompleted)] == ["invalid", "done"]
    assert len(bodies(session)) == 2 and ending(session) == "task-complete"
    await session.aclose()


@pytest.mark.parametrize(("kind", "requests"), [("overloaded", 6), ("rate-limited", 6), ("rejected", 1)])
async def test_6_errors_that_may_pass_are_tried_again_and_others_never(
    tmp_path: Path, kind: str, requests: int
) -> None:
    """Deviation: Copilot tries three times after one second, in autopilot only, and a rate limit never.

    Here the wait grows, heeds Retry-After, is shown and can be skipped, so that it helps in every mode.
    """
    steps = [Step(error=ScriptedError(kind))] * 9  # type: ignore[arg-type]
    session = start(tmp_path, steps)
    await converse(session, "go")
    assert len(events(session, e.RetryScheduled)) == requests - 1 and ending(session) == "error"
    await session.aclose()


async def test_7_equal_ids_in_one_turn_get_a_result_each(tmp_path: Path) -> None:
    twice = ScriptedCall("list_dir", {"path": "."}, id="same")
    session = start(tmp_path, [ask_for(twice, twice), say("done")])
    await converse(session, "go")
    results = events(session, e.ToolCompleted)
    assert len(results) == 2 and len({one.tool_call_id for one in results}) == 2
    await session.aclose()


async def test_8_empty_arguments_are_an_object_and_nested_text_is_healed(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text("def test_a(): pass\n")
    steps = [
        ask_for(
            ScriptedCall("task_complete", ""), ScriptedCall("run_tests", '{"files": "[\\"test_a.py\\"]"}')
        ),
        say("done"),
    ]
    session = start(tmp_path, steps)
    await converse(session, "go")
    assert [one.outcome for one in events(session, e.ToolCompleted)] == ["done", "done"]
    await session.aclose()


async def test_9_an_unknown_tool_is_an_error_and_the_loop_goes_on(tmp_path: Path) -> None:
    session = start(tmp_path, [ask_for(call("reed_file", filePath="a")), say("I see.")])
    await converse(session, "go")
    (result,) = events(session, e.ToolCompleted)
    assert result.outcome == "invalid" and "read_file" in result.text and ending(session) == "answered"
    await session.aclose()


async def test_10_what_a_stop_hook_says_is_in_the_prompt_once(tmp_path: Path) -> None:
    """Copilot sends it twice in the request that follows."""
    flag = tmp_path.with_name(f"{tmp_path.name}-flag")
    once = f"test -e {flag} && exit 0; touch {flag}; echo Run the linter. >&2; exit 2"
    session = hooked(tmp_path, [say("done"), say("now really")], {"Stop": [Entry(once)]})
    await converse(session, "go", "more")
    assert [body.count(b"Run the linter.") for body in bodies(session)] == [0, 1, 1]
    await session.aclose()


async def test_11_an_interrupt_keeps_other_results_and_runs_no_stop_hook(tmp_path: Path) -> None:
    steps = [ask_for(call("list_dir", path="."), call("run_in_terminal", command="sleep 60")), say("on")]
    session = hooked(tmp_path, steps, {"Stop": [Entry("true")]})
    session.send("go")
    await until(session, e.ToolStarted, count=2)
    began = time.monotonic()
    session.interrupt()
    await until(session, e.SessionIdle)
    assert time.monotonic() - began < 5
    assert [one.outcome for one in events(session, e.ToolCompleted)] == ["done", "interrupted"]
    assert events(session, e.HookStarted) == []
    await session.aclose()


async def test_12_a_waiting_message_lets_the_tools_finish_and_joins_the_same_interaction(
    tmp_path: Path,
) -> None:
    """Deviation: Copilot yields there and begins another turn; here the message joins the next call."""
    slow = call("run_in_terminal", command="while [ ! -e go ]; do sleep 0.02; done; echo finished")
    session = start(tmp_path, [ask_for(slow), say("done")])
    session.send("go")
    await until(session, e.ToolStarted)
    session.steer("and mind the tests")
    (tmp_path / "go").touch()
    await until(session, e.SessionIdle)
    assert "finished" in events(session, e.ToolCompleted)[0].text
    assert len(bodies(session)) == 2 and b"mind the tests" in bodies(session)[1]
    await session.aclose()
