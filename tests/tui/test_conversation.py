"""Records become blocks: the same ones live and replayed, and foreign text only as text."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from cutaway.harness import events as e
from cutaway.harness.blocks import Block
from cutaway.harness.details import Access, FileEdit, Hunk, TestFailure, TestRun
from cutaway.harness.events.session import ToolDefinition
from cutaway.harness.ledger import Ledger
from cutaway.harness.messages import Note, Reasoning, ToolCall
from cutaway.harness.providers.scripted import ScriptedCall, ScriptedError, Step
from cutaway.harness.usage import Usage
from cutaway.tui.conversation import Conversation
from cutaway.tui.transcript.blocks import TranscriptBlock
from tests.tui.kit import Opener, app_for, approve, finished, opened, said, screen_text, until

START = datetime(2026, 11, 30, 12, tzinfo=UTC)
HOSTILE = (
    "use A[/login]",
    "yield [/]",
    "[0] hi",
    "[[self v] do:[self m]]",
    '{"b": [true, false]}',
    "[red]x[/red]",
    "[link=file:///etc/passwd]x[/link]",
    "[bold",
    "C:\\[x]\\",
)


class Sheet:
    """A page without a screen: blocks in order, as the transcript would hold them."""

    def __init__(self) -> None:
        self.blocks: dict[str, dict[str, Any]] = {}
        self.changes = 0

    def append(self, block: TranscriptBlock) -> None:
        assert block.id not in self.blocks
        names = ("kind", "text", "title", "meta", "state", "collapsed")
        self.blocks[block.id] = {name: getattr(block, name) for name in names}

    def update(self, block_id: str, **changes: Any) -> None:
        self.changes += 1
        self.blocks[block_id].update(changes)

    def stream(self, block_id: str, delta: str) -> None:
        self.changes += 1
        self.blocks[block_id]["text"] += delta

    def finish(self, block_id: str) -> None:
        assert block_id in self.blocks

    def remove_block(self, block_id: str) -> None:
        del self.blocks[block_id]

    def kinds(self) -> list[str]:
        return [block["kind"] for block in self.blocks.values()]

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [block for block in self.blocks.values() if block["kind"] == kind]


class Play:
    """Gives events their envelopes and hands them on, all at once or one by one."""

    def __init__(self) -> None:
        self.sheet, self.ledger = Sheet(), Ledger()
        self.conversation = Conversation(self.sheet)
        self.records: list[e.Record] = []

    def __call__(self, *events: e.Event) -> Sheet:
        fresh = []
        for event in events:
            number = len(self.records)
            at = (START + timedelta(seconds=number)).isoformat()
            self.records.append(e.Record(f"r{number}", None, at, event))
            fresh.append(self.records[-1])
        return self.take(fresh)

    def take(self, records: Sequence[e.Record]) -> Sheet:
        for record in records:
            self.ledger.fold(record)
        self.conversation.take(records, self.ledger)
        return self.sheet


MESSAGE = e.UserMessageSent("i1", "fix it", notes=(Note("date", "Date: 2026-11-30"),))
TURN = e.TurnStarted("t1", "i1", 1, 25)
CALL = ToolCall("c1", "run_tests", "{}")
DATE = Block("note", "date", "d", 5)
ASKED = e.ModelRequested("q1", "t1", "turn", "p", "m", "u", "", 0, (DATE,), "{}", "", 0, 0, "")


def test_what_stands_before_the_first_word_is_one_line_with_its_sources_and_tokens() -> None:
    """It stands before the message, is not the user's, and unfolds to each part in full."""
    play = Play()
    tools = e.ToolsOffered((ToolDefinition("read_file", "Reads.", "{}", 40),))
    sheet = play(MESSAGE, e.SystemPart("instructions", "AGENTS.md", "Be brief.", 15), tools)
    assert sheet.kinds() == ["note", "user"]
    note = sheet.of("note")[0]
    summary, *full = note["text"].split("\n")
    assert (note["title"], note["collapsed"]) == ("prompt", True)
    assert summary == "AGENTS.md 15 · 1 tool 40 · date ≈4 tokens"
    assert {"Be brief.", "read_file (40 tokens)", "Reads.", "Date: 2026-11-30"} <= set(full)


def test_what_joins_a_prompt_that_was_sent_stands_where_it_became_true() -> None:
    play = Play()
    play(MESSAGE, TURN, ASKED)
    assert play.sheet.of("note")[0]["text"].startswith("date 5 tokens\n")
    assert play.conversation.turn_of["r0/prompt"] == "t1"
    later = e.UserMessageSent("i2", "and now?", notes=(Note("mode", "Mode: plan."),))
    sheet = play(later, e.ToolsOffered((ToolDefinition("late", "Late.", "{}", 9),)))
    assert sheet.kinds() == ["note", "user", "note", "user", "note"]
    assert [note["title"] for note in sheet.of("note")] == ["prompt", "injected · mode", "prompt"]
    assert sheet.of("note")[2]["text"].startswith("1 tool 9 tokens\n")


def test_a_nudge_of_the_harness_is_not_the_users_either() -> None:
    sheet = Play()(MESSAGE, e.UserMessageSent("i1", "Go on.", source="harness", delivery="steer"))
    assert sheet.kinds() == ["note", "user", "note"]


def test_deltas_of_a_batch_are_one_change() -> None:
    play = Play()
    sheet = play(MESSAGE, TURN, *(e.MessageDelta("t1", f"w{number} ") for number in range(500)))
    assert sheet.changes == 1
    assert sheet.of("answer")[0]["text"] == "".join(f"w{number} " for number in range(500))


def test_a_stream_that_was_cut_off_reads_as_far_as_it_was_kept() -> None:
    kept = (e.AnswerKept("t1", 0, "Half", 0, "Hm"), e.AnswerKept("t1", 4, " an ans", 2, "m."))
    for streamed in ((), (e.ReasoningDelta("t1", "Hm"), e.MessageDelta("t1", "Half"))):
        sheet = Play()(MESSAGE, TURN, *streamed, *kept)
        assert [block["text"] for block in sheet.of("answer")] == ["Half an ans"]
        assert [block["text"] for block in sheet.of("thinking")] == ["Hmm."]


def test_live_and_replayed_sessions_read_the_same() -> None:
    """One drawing path: without the ephemeral events the same blocks come out."""
    live = Play()
    for event in _a_session():
        live(event)
    replayed = Play()
    replayed.take([record for record in live.records if not getattr(record.event, "ephemeral", False)])
    assert list(replayed.sheet.blocks.items()) == list(live.sheet.blocks.items())


def _a_session() -> list[e.Event]:
    edit = FileEdit("a.py", "", "x", (Hunk(3, 3, (" a", "-b", "+c")),), 1, 1)
    run = TestRun("pytest", "pytest", "finished", 1, 1, 0, 0, 0.1, (TestFailure("t.py::t", "assert 0"),))
    return [
        MESSAGE,
        TURN,
        e.ReasoningDelta("t1", "Let me "),
        e.ReasoningDelta("t1", "see."),
        e.MessageDelta("t1", "I will "),
        e.AnswerKept("t1", 0, "I will ", 0, "Let me see."),
        e.MessageDelta("t1", "look."),
        e.ToolCallDelta("t1", 0, "run_tests", "{"),
        e.ToolCallDelta("t1", 0, "", "}"),
        e.AssistantAnswered(
            "t1",
            "I will look.",
            (CALL, ToolCall("c2", "apply_patch", '{"input": "*** Update File: a.py"}')),
            (Reasoning("Let me see.", "reasoning", "p", "m"),),
        ),
        e.ToolStarted("c1", "t1", "run_tests", "{}", "mode"),
        e.ToolCompleted("c1", "t1", "run_tests", "done", "1 failed", run, 120.0),
        e.PermissionRequested("q1", "c2", "apply_patch", Access("write", ("a.py",)), "it writes", edit),
        e.PermissionCompleted("q1", "c2", "approved", waited_ms=4000),
        e.ToolStarted("c2", "t1", "apply_patch", "{}", "you"),
        e.ToolCompleted("c2", "t1", "apply_patch", "done", "ok", edit, 3.0),
        e.TurnEnded("t1", "The model asked for tools."),
        e.InteractionEnded("i1", "answered", "The model answered.", 1),
        e.SessionIdle(),
    ]


def test_calls_and_their_diffs_stand_together() -> None:
    sheet = Play()(*_a_session())
    assert sheet.kinds() == ["note", "user", "thinking", "answer", "call", "call", "diff", "turn", "info"]
    tests, patch = sheet.of("call")
    assert tests["title"] == "tests"
    assert tests["text"] == "\n✗ t.py::t  assert 0"
    assert tests["meta"] == "1 passed 1 failed · 0.1s"
    assert patch["text"] == "a.py"
    assert patch["meta"] == "+1 −1 · 3ms · waited 4.0s for you"
    assert sheet.of("diff")[0]["text"] == "@@ line 3 @@\n a\n-b\n+c"


def test_a_turn_rule_tells_tokens_cache_money_and_time() -> None:
    response = e.ModelResponded(
        request_id="q",
        turn_id="t1",
        purpose="turn",
        stop_reason="stop",
        usage=Usage(fresh=1200, cache_read=11_000, output=240),
        timings=e.Timings(total=4200),
        cost="0.0123",
        price=None,
        raw="",
    )
    sheet = Play()(MESSAGE, TURN, e.AssistantAnswered("t1", "hi"), response, e.TurnEnded("t1", "done"))
    (rule,) = sheet.of("turn")
    assert rule["title"] == "turn 1"
    assert rule["meta"] == "12.2k in · 11.0k cached · 240 out · $0.012 · 4.2s"


def test_an_unknown_price_is_said_to_be_unknown() -> None:
    response = e.ModelResponded("q", "t1", "turn", "stop", Usage(10), e.Timings(total=1), None, None, "")
    sheet = Play()(MESSAGE, TURN, response, e.TurnEnded("t1", "done"))
    assert "price unknown" in sheet.of("turn")[0]["meta"]


def test_an_error_is_said_once_with_its_next_step() -> None:
    message = "The key was refused. Set OPENAI_API_KEY."
    failed = e.CallFailed("q", "t1", "AuthenticationFailed", message, 401)
    ended = e.InteractionEnded("i1", "error", message, 1)
    error = e.SessionErrored("AuthenticationFailed", message, 401)
    sheet = Play()(MESSAGE, TURN, failed, error, e.TurnEnded("t1", message), ended)
    assert [block["text"] for block in sheet.of("error")] == [message]
    assert sheet.of("info") == []
    assert sheet.of("turn")[0]["meta"] == "AuthenticationFailed"


def test_a_call_that_was_cut_off_claims_no_time_and_a_long_line_is_cut() -> None:
    play = Play()
    answered = e.AssistantAnswered("t1", "", (CALL,))
    started = e.ToolStarted("c1", "t1", "run_tests", "{}", "mode")
    ended = e.ToolCompleted("c1", "t1", "run_tests", "interrupted", "w" * 1000)
    (call,) = play(MESSAGE, TURN, answered, started, ended).of("call")
    assert call["meta"] == "interrupted"
    assert call["text"].splitlines()[1] == "w" * 400 + "… 600 more characters"


def test_the_reason_of_a_retry_is_told_once() -> None:
    """A reason that ends in a stop and names its status already is left as it is."""
    sheet = Play()(MESSAGE, TURN, e.RetryScheduled("q", 1, 5, 8.0, "limits the rate (429): busy.", 429))
    assert sheet.of("warning")[0]["text"].splitlines()[0] == "limits the rate (429): busy."


def test_the_end_of_one_turn_is_one_line_and_of_many_says_what_they_took() -> None:
    """The rule above has the figures of a single turn; a stop that needs somebody has a title."""
    play = Play()
    play(MESSAGE, TURN, e.InteractionEnded("i1", "answered", "It answered.", 1))
    play(MESSAGE, TURN, e.InteractionEnded("i1", "limit", "All are used.", 25))
    first, second = play.sheet.of("info")
    assert (first["title"], first["text"]) == ("", "It answered.")
    assert (second["title"], second["text"].splitlines()) == (
        "Stopped at the limit",
        ["All are used.", "25 turns"],
    )


def test_a_retry_counts_down_and_then_becomes_a_fact() -> None:
    play = Play()
    request = e.RetryScheduled("q", 1, 5, 10.0, "The server is overloaded", 529)
    sheet = play(MESSAGE, TURN, request)
    at = play.ledger.retry_at
    assert at is not None
    play.conversation.tick(play.ledger, at + timedelta(seconds=3))
    (retry,) = sheet.of("warning")
    assert retry["text"] == (
        "The server is overloaded (529).\nAttempt 2 of 5 in 7s · ctrl+r tries now · esc stops"
    )
    play(e.MessageDelta("t1", "hello"))
    assert retry["text"] == "The server is overloaded (529). Tried again."


def test_a_refusal_and_the_limit_are_told() -> None:
    reached = e.LimitReached("l", "i1", 25, 38, (CALL,), Usage(), None)
    refused = e.ToolCompleted("c1", "t1", "run_tests", "refused", "Error: the user said no: use make.")
    answered = e.AssistantAnswered("t1", "", (CALL,))
    decided = e.LimitDecided("l", "continue", 38, "user")
    sheet = Play()(MESSAGE, TURN, answered, reached, decided, refused)
    assert sheet.of("warning")[0]["text"] == "25 turns used; 1 tool call of the model waiting."
    assert sheet.of("info")[0]["text"] == "Limit: goes on to 38 turns, decided by you."
    assert sheet.of("call")[0]["state"] == "refused"
    assert "use make" in sheet.of("call")[0]["text"]


def test_thinking_folds_and_unfolds_everywhere() -> None:
    play = Play()
    sheet = play(MESSAGE, TURN, e.ReasoningDelta("t1", "hm"))
    assert sheet.of("thinking")[0]["collapsed"]
    play.conversation.fold_thinking()
    play(e.TurnStarted("t2", "i1", 2, 25), e.ReasoningDelta("t2", "hm"))
    assert [block["collapsed"] for block in sheet.of("thinking")] == [False, False]


def test_an_event_of_a_later_version_is_passed_over() -> None:
    assert Play()(e.UnknownEvent("future.thing", b"{}")).blocks == {}


@pytest.mark.parametrize("hostile", HOSTILE)
async def test_foreign_text_is_shown_as_it_is_in_every_place(tmp_path: Path, hostile: str) -> None:
    """G01: prompt, answer, thinking, tool output, error, file path, command and diff."""
    write = ScriptedCall("create_file", {"filePath": "a.txt", "content": f"{hostile}\n"})
    missing = ScriptedCall("read_file", {"filePath": f"no {hostile} file"})
    run = ScriptedCall("run_in_terminal", {"command": f"printf '%s\\n' '{hostile}'; exit 3"})
    steps = [
        Step(text=f"answer `{hostile}` end", thinking=f"thought {hostile}", calls=(missing, write)),
        Step(calls=(run,)),
        Step(error=ScriptedError("rejected", f"server says {hostile}", 400)),
    ]
    opener = Opener(tmp_path, steps, mode="interactive")
    app = app_for(opener)
    async with app.run_test(size=(160, 60)) as pilot:
        await opened(pilot, app)
        app.main.prompt.insert_paste(f"user {hostile}")
        await pilot.press("enter")
        for shown in ("a.txt", "printf"):
            await until(pilot, lambda: app.main.dock.current is not None)
            await pilot.pause()
            assert shown in screen_text(app)
            assert hostile in screen_text(app)
            await approve(pilot, app)
        await finished(pilot, app)
        app.main.action_fold_thinking()
        words = said(app)
        for place in ("user", "answer", "thought", "server says", "no"):
            assert f"{place} {hostile}" in words, place
        assert f"+{hostile}" in words
        assert f"printf '%s\\n' '{hostile}'" in words
