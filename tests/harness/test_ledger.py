"""The ledger: a pure fold, the same live and replayed, that never turns an unknown into a number."""

import hashlib
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

from cutaway.harness import events as e
from cutaway.harness.eventlog.bodies import rebuild
from cutaway.harness.eventlog.codec import decode_line
from cutaway.harness.events import Record
from cutaway.harness.history import Conversation
from cutaway.harness.ledger import Ledger
from cutaway.harness.messages import AssistantMessage, ToolResult
from cutaway.harness.usage import Price, Usage, cost_of
from cutaway.tools.details import TestRun
from tests.harness.session_kit import ask_for, call, converse, say, start

GOLDEN = Path(__file__).parent.parent / "golden" / "demo.jsonl"


def golden() -> list[Record]:
    return [decode_line(line) for line in GOLDEN.read_bytes().split(b"\n") if line]


def folded(records: list[Record]) -> Ledger:
    ledger = Ledger()
    for record in records:
        ledger.fold(record)
    return ledger


def test_an_old_log_still_says_what_happened() -> None:
    """The log of a real session, as the first version wrote it, is read by this one."""
    ledger = folded(golden())
    (interaction,) = ledger.interactions
    assert interaction.ended and interaction.ended.reason == "task-complete"
    assert [turn.number for turn in interaction.turns] == list(range(1, 9))
    runs = [c.detail for t in interaction.turns for c in t.calls if isinstance(c.detail, TestRun)]
    assert [(run.passed, run.failed) for run in runs] == [(7, 3), (7, 0), (10, 0)]
    assert ledger.limit == 9 and ledger.window == 32_000 and not ledger.asking and not ledger.busy
    assert ledger.spending.calls == 8 and ledger.spending.cost == 0


def test_every_request_of_an_old_log_can_be_rebuilt_to_the_byte() -> None:
    records = golden()
    requests = [r.event for r in records if isinstance(r.event, e.ModelRequested)]
    bodies = [rebuild(records, request.request_id) for request in requests]
    assert [hashlib.sha256(b).hexdigest() for b in bodies] == [r.body_digest for r in requests]
    assert all(b.startswith(a.removesuffix(b"]}")) for a, b in pairwise(bodies))


def test_an_old_log_gives_a_conversation_with_one_result_for_each_call() -> None:
    conversation = Conversation()
    for record in golden():
        conversation.fold(record.event)
    asked = [c.id for m in conversation.messages if isinstance(m, AssistantMessage) for c in m.tool_calls]
    answered = [m.call_id for m in conversation.messages if isinstance(m, ToolResult)]
    assert answered == asked and not conversation.open_calls


async def test_live_and_replayed_ledgers_are_equal(tmp_path: Path) -> None:
    session = start(tmp_path, [ask_for(call("list_dir", path="."), text="Look."), say("Done.")])
    live = Ledger()
    records = session.subscribe()
    await converse(session, "go")
    await session.aclose()
    async for batch in records:
        for record in batch:
            live.fold(record)
    replayed = folded(list(session.records))
    assert live.interactions == replayed.interactions
    assert (live.step, live.context, live.spending) == (replayed.step, replayed.context, replayed.spending)


def test_blocks_of_a_turn_are_those_that_were_sent_then() -> None:
    ledger = folded(golden())
    turns = ledger.interactions[0].turns
    assert turns[0].new_from == 0
    for before, after in pairwise(turns):
        assert after.blocks[: len(before.blocks)] == before.blocks
        assert after.new_from == len(before.blocks)


def test_an_unknown_price_is_never_zero() -> None:
    usage = Usage(fresh=1000, output=10)
    assert cost_of(usage, None) is None
    assert cost_of(usage, Price(fresh=Decimal(1))) is None
    assert cost_of(usage, Price(fresh=Decimal(1), output=Decimal(10))) == Decimal("0.0011")


def test_a_sum_with_an_unknown_part_is_unknown() -> None:
    ledger = Ledger()
    ledger.spending.add(Usage(fresh=1), "0.5")
    ledger.spending.add(Usage(fresh=1), None)
    assert ledger.spending.cost is None and ledger.spending.known_cost == Decimal("0.5")


def test_what_was_kept_of_a_stream_counts_once() -> None:
    """A live fold has seen the deltas too; a fold of the log alone sees only what was kept."""
    turn = e.TurnStarted("t", "i", 1, 25)
    streamed = [
        e.MessageDelta("t", "half"),
        e.AnswerKept("t", 0, "half", 0, "hm"),
        e.MessageDelta("t", " an "),
    ]
    streamed += [e.AnswerKept("t", 4, " an answ", 2, "")]
    for seen in (streamed, [event for event in streamed if isinstance(event, e.AnswerKept)]):
        ledger = Ledger()
        for event in (e.UserMessageSent("i", "go"), turn, *seen):
            ledger.fold(Record("1", None, "2026-11-30T00:00:00.000Z", event))
        assert ledger.turn and ledger.turn.text == "half an answ" and ledger.turn.thinking == "hm"


def test_a_retry_begins_the_answer_anew() -> None:
    turn = e.TurnStarted("t", "i", 1, 25)
    request = e.ModelRequested("r", "t", "turn", "p", "m", "u", "", 0, (), "{}", "", 0, 0, "")
    first = e.MessageDelta("t", "half an ")
    retry = e.RetryScheduled("r", 1, 6, 1.0, "busy", 503)
    ledger = Ledger()
    for event in (e.UserMessageSent("i", "go"), turn, request, first, retry):
        ledger.fold(Record("1", None, "2026-11-30T00:00:00.000Z", event))
    assert ledger.step == "retry" and ledger.retrying == retry
    ledger.fold(Record("2", None, "2026-11-30T00:00:00.000Z", e.MessageDelta("t", "whole")))
    assert ledger.turn and ledger.turn.text == "whole" and ledger.retrying is None
