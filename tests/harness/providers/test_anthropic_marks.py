"""Cache marks of the Messages API: where they land, how many, how long they live, and what they save."""

from itertools import pairwise
from typing import Any

import pytest

from cutaway.harness.messages import AssistantMessage, Message, UserMessage
from cutaway.harness.providers.base import Breakpoint
from tests.harness.providers.anthropic_kit import asks, body, marks, result, thought, without_marks
from tests.harness.providers.kit import HELLO, Asking
from tests.servers.anthropic_steps import said, text, thinking, tool_use
from tests.servers.openai_steps import Step

SYSTEM = ("Stable.", "Also stable.")
TALK: tuple[Message, ...] = (
    HELLO,
    asks("a", text="Reading.", thoughts=(thought("plan"),)),
    result("a"),
    UserMessage("go on"),
)


def placed(
    *breakpoints: Breakpoint, messages: tuple[Message, ...] = TALK, **changes: Any
) -> list[tuple[str, str]]:
    return marks(body(*messages, breakpoints=breakpoints, **{"system": SYSTEM, **changes}))


def after_messages(*indexes: int) -> tuple[Breakpoint, ...]:
    return tuple(Breakpoint("messages", index) for index in indexes)


def test_each_breakpoint_marks_the_last_block_of_its_item() -> None:
    tools, system = Breakpoint("tools", 1, "1h"), Breakpoint("system", 1, "1h")
    assert placed(tools, system, *after_messages(1, 3)) == [
        ("tools.1", "1h"),
        ("system.1", "1h"),
        ("1.2.tool_use", "5m"),
        ("2.1.text", "5m"),
    ]


def test_a_short_life_is_the_default_of_the_api_and_is_not_spelled_out() -> None:
    assert body(HELLO, breakpoints=after_messages(0))["messages"][0]["content"] == [
        {"type": "text", "text": "hello", "cache_control": {"type": "ephemeral"}}
    ]


def test_a_mark_without_a_block_of_its_own_moves_back() -> None:
    """D19: an empty `AGENTS.md`, an empty message, an answer of thoughts alone."""
    assert placed(Breakpoint("system", 1), system=("Stable.", " ")) == [("system.0", "5m")]
    assert placed(Breakpoint("system", 0), system=("",)) == [("tools.1", "5m")]
    assert placed(Breakpoint("system", 0), system=("",), tools=()) == []
    blank = (HELLO, AssistantMessage("", (), (thought("plan"),), cut=True), UserMessage(" "))
    assert placed(*after_messages(2), messages=blank) == [("0.0.text", "5m")]


def test_a_result_without_text_can_carry_a_mark() -> None:
    """D19: the mark sits on the result, never on a text inside it."""
    silent = (HELLO, asks("a"), result("a", ""))
    assert placed(*after_messages(2), messages=silent) == [("2.0.tool_result", "5m")]


def test_two_breakpoints_on_one_block_are_one_mark_with_the_longer_life() -> None:
    assert placed(Breakpoint("system", 0, "1h"), Breakpoint("system", 1), system=("Stable.", "")) == [
        ("system.0", "1h")
    ]


@pytest.mark.parametrize("count", [5, 6])
def test_of_too_many_marks_the_most_valuable_are_kept(count: int) -> None:
    """D19: the end of the stable part and the newest three."""
    asked = (Breakpoint("tools", 1), Breakpoint("system", 1), *after_messages(0, 1, 2, 3))[-count:]
    assert [place for place, _ in placed(*asked)] == [
        "system.1",
        "1.2.tool_use",
        "2.0.tool_result",
        "2.1.text",
    ]


def test_without_a_stable_mark_the_newest_four_are_kept() -> None:
    talk = (*TALK, AssistantMessage("Done."), UserMessage("thanks"))
    asked = after_messages(0, 1, 2, 3, 5)
    assert [place for place, _ in placed(*asked, messages=talk)] == [
        "1.2.tool_use",
        "2.0.tool_result",
        "2.1.text",
        "4.0.text",
    ]


def test_a_long_life_after_a_short_one_is_made_short() -> None:
    """The API refuses the other order; nothing may cost more than was asked for."""
    asked = (Breakpoint("tools", 1, "1h"), Breakpoint("system", 1), Breakpoint("messages", 3, "1h"))
    assert placed(*asked) == [("tools.1", "1h"), ("system.1", "5m"), ("2.1.text", "5m")]


def breakpoints(messages: list[Message], previous: int) -> tuple[Breakpoint, ...]:
    """Mark as a careless caller would: everything that could be of use."""
    last = len(messages) - 1
    return (
        Breakpoint("tools", 1, "1h"),
        Breakpoint("system", 1, "1h"),
        *after_messages(0, max(previous, 0), max(last - 1, 0), last),
    )


async def test_twelve_turns_with_tools_and_thoughts_are_taken_and_read_from_the_cache(claude: Asking) -> None:
    """D19: 1 to 4 marks each, the last within the last two messages, and the rest is only added to."""
    talk: list[Message] = [HELLO]
    previous = -1
    system = ("You are a test. " * 20, "")
    for turn in range(12):
        step = said(
            thinking(f"plan {turn}"), tool_use(f"t{turn}", "read_file", path="a.txt"), stop="tool_use"
        )
        if turn % 4 == 3:
            step = said(text(f"Done {turn}."), thinking("afterwards"))
        claude.server.play(step)
        done = await claude(*talk, system=system, breakpoints=breakpoints(talk, previous))
        previous = len(talk) - 1
        talk.append(done.message)
        talk += [result(call.id, "" if turn % 3 else "content") for call in done.message.tool_calls]
        if not done.message.tool_calls:
            talk.append(UserMessage("go on"))
    assert claude.server.faults == []
    bodies = [request.json for request in claude.server.requests]
    assert len(bodies) == 12
    for earlier, later in pairwise(bodies):
        assert 1 <= len(marks(later)) <= 4
        assert int(marks(later)[-1][0].split(".")[0]) >= len(later["messages"]) - 2
        plain = without_marks(later)
        assert plain[: len(earlier["messages"])] == without_marks(earlier)


async def test_what_was_marked_is_read_on_the_next_turn(claude: Asking) -> None:
    system = ("You are a test. " * 50,)
    marked = (Breakpoint("system", 0, "1h"), *after_messages(0))
    claude.server.play(Step(text="one"), Step(text="two"))
    first = await claude(HELLO, system=system, breakpoints=marked)
    assert first.usage is not None
    assert first.usage.cache_read == 0
    assert first.usage.cache_write_1h > first.usage.cache_write_5m > 0
    written = first.usage.cache_write_1h + first.usage.cache_write_5m
    second = await claude(
        HELLO, first.message, UserMessage("more"), system=system, breakpoints=(*marked, *after_messages(2))
    )
    assert second.usage is not None
    assert second.usage.cache_read == written
    assert second.usage.cache_write_5m > 0
    assert (second.usage.cache_write_1h, second.usage.fresh) == (0, 0)
