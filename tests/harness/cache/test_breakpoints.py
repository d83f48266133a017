"""Cache breakpoints: Copilot's procedure on its own vectors, and the stable strategy's promises."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cutaway.harness.blocks import Block, Origin, text_digest
from cutaway.harness.cache.breakpoints import FAR, Strategy, breakpoints_of, place
from cutaway.harness.cache.copilot import Kind, copilot_marks
from cutaway.harness.cache.rows import Key, Row
from cutaway.harness.cache.values import Mark
from cutaway.harness.messages import AssistantMessage, Message, Note, ToolCall, ToolResult, UserMessage
from cutaway.harness.prompt.builder import drafts_of
from cutaway.harness.providers.base import Breakpoint, Request

KEY = Key("anthropic", "claude", "")

VECTORS = [
    (1, "S U", [0, 1]),
    (2, "S U* U*", [0, 1, 2]),
    (3, "S U* U* C T*", [0, 1, 2, 4]),
    (4, "S U* U* C T C T*", [1, 2, 4, 6]),
    (5, "S U* U* C T T T*", [0, 1, 2, 6]),
    (6, "S U* U A U*", [1, 2, 3, 4]),
    (7, "S U* U C T A U*", [1, 4, 5, 6]),
    (8, "S U* U C T A U* C T*", [1, 5, 6, 8]),
    (9, "S U* U C T A U* C T T C T T*", [1, 6, 9, 12]),
    (10, "S U U C T", [0, 1, 2, 4]),
    (11, "S U U C T C T C T", [2, 4, 6, 8]),
    (12, "S U U A U A U C T", [3, 5, 6, 8]),
    (13, "S U U A U A U A U A U", [5, 7, 9, 10]),
    (14, "S U* U* C T C T U", [0, 1, 2, 7]),
    (15, "S U* U* C T A U U", [1, 2, 5, 7]),
    (16, "S U* U* U* U* C T", [1, 2, 3, 4]),  # the original sets a fifth, which is refused: clamped
    (17, "S* U* U* C T C T*", [0, 1, 2, 6]),  # the same
    (18, "T", []),
]


@pytest.mark.parametrize(("number", "given", "out"), VECTORS)
def test_copilots_procedure(number: int, given: str, out: list[int]) -> None:
    kinds: list[Kind] = [word[0] for word in given.split()]  # type: ignore[misc]
    before = [index for index, word in enumerate(given.split()) if word.endswith("*")]
    assert copilot_marks(kinds, before) == out


def a_block(origin: Origin, number: int, tokens: int = 100, parts: int = 1, calls: int = 0) -> Block:
    return Block(origin, "b", text_digest(f"{origin}{number}"), tokens, parts=parts, calls=calls)


STABLE = [a_block("tool", 0), a_block("tool", 1), a_block("system", 2), a_block("workspace", 3)]


@st.composite
def conversations(draw: st.DrawFn) -> list[Row]:
    """Rows of a session, each the one before with more behind it."""
    blocks, number = list(STABLE), 10
    rows: list[Row] = []
    for _ in range(draw(st.integers(1, 8))):
        kinds: list[Origin] = ["user"] if not rows or draw(st.booleans()) else []
        for _ in range(draw(st.integers(0 if kinds else 1, 2))):
            kinds += ["assistant", *["tool-result"] * draw(st.integers(1, 25))]  # type: ignore[list-item]
        for origin in kinds:
            number += 1
            tokens = draw(st.integers(0, 300))
            calls = 1 if origin == "assistant" else 0
            blocks.append(a_block(origin, number, tokens, calls=calls))
        rows.append(Row(KEY, list(blocks)))
    return rows


@given(conversations(), st.sampled_from(["stable", "copilot"]))
@settings(deadline=None, max_examples=150)
def test_one_to_four_marks_in_order_and_none_on_nothing(rows: list[Row], strategy: Strategy) -> None:
    """D19."""
    before: Row | None = None
    marks: list[Mark] = []
    for row in rows:
        marks = place(strategy, row, "5m", before, marks)
        places = [mark.block for mark in marks]
        assert 1 <= len(places) <= 4 and places == sorted(set(places))
        assert all(row.blocks[at].tokens and row.blocks[at].parts for at in places)
        before = row


@given(conversations())
@settings(deadline=None, max_examples=150)
def test_the_stable_strategy_marks_again_what_it_marked_last(rows: list[Row]) -> None:
    before, marks = rows[0], place("stable", rows[0], "5m", None, [])
    for row in rows[1:]:
        again = place("stable", row, "5m", before, marks)
        assert marks[-1].block in [mark.block for mark in again]
        newest = max(at for at, block in enumerate(row.blocks) if block.tokens)
        assert again[-1].block == newest
        between = [mark.block for mark in again if marks[-1].block < mark.block < newest]
        start = row.parts[marks[-1].block]
        near = [at for at in range(marks[-1].block + 1, newest) if row.parts[at] - start <= FAR]
        near = [at for at in near if row.blocks[at].tokens]
        assert between == (near[-1:] if row.parts[newest] - start > FAR else [])
        before, marks = row, again


def test_many_results_in_one_turn_get_a_mark_between() -> None:
    first = Row(KEY, [*STABLE, a_block("user", 9)])
    marks = place("stable", first, "5m", None, [])
    more = [a_block("assistant", 10, calls=30), *[a_block("tool-result", 20 + n) for n in range(30)]]
    again = place("stable", Row(KEY, [*first.blocks, *more]), "5m", first, marks)
    assert [mark.block for mark in again] == [3, 4, 19, 35]


def a_prompt(*messages: Message) -> tuple[Row, Request, list[int]]:
    """A request without tools, and its row as the prompt builder makes it, counted in characters."""
    blocks, lasts = [a_block("system", 1)], []
    for message in messages:
        blocks += [draft.counted(len(draft.text)) for draft in drafts_of(message)]
        lasts.append(len(blocks) - 1)
    return Row(KEY, blocks), Request("claude", (), ("system",), messages), lasts


def asks(n: int) -> AssistantMessage:
    return AssistantMessage("", (ToolCall(f"c{n}", "read_file", "{}"),))


def answer(n: int) -> ToolResult:
    return ToolResult(f"c{n}", "read_file", f"content {n}")


@pytest.mark.parametrize("strategy", ["stable", "copilot"])
def test_what_only_the_harness_says_can_carry_a_mark(strategy: Strategy) -> None:
    """A nudge has no text of the user's: the wire sends its notes as a block of their own."""
    nudge = UserMessage("", (Note("date", "today"), Note("nudge", "Go on.")))
    row, request, lasts = a_prompt(UserMessage("Do it."), AssistantMessage("Done."), nudge)
    marks = place(strategy, row, "5m", None, ())
    assert row.parts[-1] == 4
    assert breakpoints_of(row, marks, request, lasts)[-1] == Breakpoint("messages", 2)


def test_copilot_marks_no_result_before_a_nudge() -> None:
    """Vector 14: a message that the user did not type takes the mark that the results would have."""
    said: list[Message] = [asks(0), answer(0), asks(1), answer(1)]
    row, request, lasts = a_prompt(UserMessage("Do it."), *said, UserMessage("", (Note("nudge", "Go on."),)))
    found = breakpoints_of(row, place("copilot", row, "5m", None, ()), request, lasts)
    assert [(mark.after, mark.index) for mark in found] == [("system", 0), ("messages", 0), ("messages", 5)]
