"""The log says everything in order, to the disk and to whoever listens, and survives damage."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from cutaway.harness.errors import SessionClosed, SessionError
from cutaway.harness.eventlog import EventLog
from cutaway.harness.eventlog.codec import decode_line
from cutaway.harness.events import (
    Aborted,
    Event,
    MessageDelta,
    Record,
    SessionIdle,
    ToolCompleted,
    UnknownEvent,
    UserMessageSent,
)
from tests.harness.eventlog.instances import small_session

LAST = Aborted("the last event")


def written(path: Path, events: Sequence[Event] = ()) -> list[Record]:
    log = EventLog(path)
    for event in events or small_session():
        log.emit(event)
    log.close()
    return list(log.records)


def reopened(path: Path) -> list[Record]:
    """Open a log, add one event, and return what it holds for the next reader."""
    log = EventLog(path)
    log.emit(LAST)
    log.close()
    return list(EventLog(path).records)


def test_records_form_a_chain_and_come_back(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    records = written(path)
    assert [record.event for record in records] == small_session()
    assert [record.parent_id for record in records] == [None, *[record.id for record in records[:-1]]]
    assert len({record.id for record in records}) == len(records)
    again = EventLog(path)
    assert list(again.records) == records
    assert (again.report.records, again.report.skipped, again.report.torn) == (len(records), 0, False)
    assert again.report.warning == ""
    assert again.emit(LAST).parent_id == records[-1].id


def test_an_event_is_in_the_file_when_emit_returns(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    log = EventLog(path, clock=lambda: 1_700_000_000.1239)
    record = log.emit(LAST)
    assert record.timestamp == "2023-11-14T22:13:20.123Z"
    assert decode_line(path.read_bytes()) == record


def test_opening_and_closing_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    EventLog(path).close()
    assert not path.exists()
    written(path)
    path.write_bytes(path.read_bytes()[:-10])
    before = path.read_bytes()
    EventLog(path).close()
    assert path.read_bytes() == before


async def test_ephemeral_events_go_to_listeners_only(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    log = EventLog(path)
    first = log.emit(LAST)
    listener = log.subscribe()
    delta, idle = log.emit(MessageDelta("t", "hel")), log.emit(SessionIdle())
    last = log.emit(LAST)
    log.close()
    assert [record async for batch in listener for record in batch] == [first, delta, idle, last]
    assert list(log.records) == [first, last]
    assert [delta.parent_id, idle.parent_id, last.parent_id] == [first.id] * 3
    assert path.read_bytes().count(b"\n") == 2


async def test_a_slow_listener_gets_one_bigger_batch_and_a_late_one_what_it_asks_for() -> None:
    log = EventLog()
    slow = log.subscribe()
    records = [log.emit(MessageDelta("t", str(n))) if n % 2 else log.emit(LAST) for n in range(1000)]
    assert list(await anext(slow)) == records
    late = log.subscribe(since=498)
    last = log.emit(LAST)
    assert list(await anext(late)) == [records[996], records[998], last]
    log.close()
    assert list(await anext(slow)) == [last]
    for listener in (slow, late, log.subscribe(since=501)):
        with pytest.raises(StopAsyncIteration):
            await anext(listener)
    assert len(await anext(log.subscribe())) == 501, "a closed log can still be read from the start"


async def test_a_listener_waits_without_losing_anything_when_it_is_cancelled() -> None:
    log = EventLog()
    listener = log.subscribe()
    waiting = asyncio.ensure_future(anext(listener))
    await asyncio.sleep(0)
    assert not waiting.done()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    waiting = asyncio.ensure_future(anext(listener))
    await asyncio.sleep(0)
    record = log.emit(LAST)
    assert list(await waiting) == [record]
    log.close()


async def test_the_log_can_be_synced_without_holding_up_the_loop(tmp_path: Path) -> None:
    log = EventLog(tmp_path / "events.jsonl")
    log.emit(ToolCompleted("c", "t", "run", "done", "x" * 100_000))
    await log.sync_aside()
    log.sync()
    log.close()
    log.close()
    with pytest.raises(SessionClosed, match="abort"):
        log.emit(LAST)


def test_lone_surrogates_are_the_same_live_and_resumed(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    log = EventLog(path)
    live = log.emit(UserMessageSent("i", "a\ud800b"))
    assert isinstance(live.event, UserMessageSent) and live.event.content == "a\ufffdb"
    assert list(EventLog(path).records) == [live]
    delta = log.emit(MessageDelta("t", "\udfff")).event
    assert isinstance(delta, MessageDelta) and delta.delta_content == "\ufffd"


def test_what_is_no_json_is_refused_and_the_log_goes_on(tmp_path: Path) -> None:
    log = EventLog(tmp_path / "events.jsonl")
    with pytest.raises(ValueError):
        log.emit(UnknownEvent("future.event", b"{"))
    log.emit(LAST)
    assert log.unwritten == 0
    assert [record.event for record in EventLog(tmp_path / "events.jsonl").records] == [LAST]


def cut_last(lines: list[bytes]) -> bytes:
    return b"".join(lines)[: -len(lines[-1]) // 2 - 1]


FUTURE = b'{"id":"f","parentId":null,"timestamp":"2025","type":"future.event","data":{"a" : 1}}\n'
DAMAGES: dict[str, tuple[Callable[[list[bytes]], bytes], set[int], int, bool]] = {
    # the damage, the events that it costs, the bad lines that are counted, whether the end is torn
    "a: last line cut": (cut_last, {7}, 1, True),
    "b: zeros before a line": (lambda x: b"".join([*x[:3], bytes(200), *x[3:]]), set(), 1, False),
    "b: zeros on their own line": (lambda x: b"".join([*x[:3], bytes(200), b"\n", *x[3:]]), set(), 1, False),
    "b: zeros after a line": (
        lambda x: b"".join([*x[:2], x[2][:-1], bytes(9), b"\n", *x[3:]]),
        set(),
        1,
        False,
    ),
    "b: zeros at the end": (lambda x: b"".join([*x, bytes(200)]), set(), 1, True),
    "b: zeros in place of a line": (lambda x: b"".join([*x[:3], bytes(len(x[3])), *x[4:]]), {3}, 1, False),
    "c: bad JSON": (lambda x: b"".join([*x[:3], b"{bad\n", *x[4:]]), {3}, 1, False),
    "d: empty line": (lambda x: b"".join([*x[:3], b"\n", *x[3:]]), set(), 1, False),
    "only the last line feed is missing": (lambda x: b"".join(x)[:-1], set(), 0, False),
    "glued to a torn line": (lambda x: b"".join([*x[:3], x[3][:60], *x[4:]]), {3}, 1, False),
    "two lines as one": (lambda x: b"".join([*x[:3], x[3][:-1], *x[4:]]), set(), 1, False),
    "line ends of Windows": (lambda x: b"".join(x).replace(b"\n", b"\r\n"), set(), 0, False),
    "a byte order mark": (lambda x: b"\xef\xbb\xbf" + b"".join(x), set(), 1, False),
    "f: empty file": (lambda x: b"", set(range(8)), 0, False),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_every_good_record_survives_damage(tmp_path: Path, name: str) -> None:
    """E01: resumed twice; the first new event stands on its own line and no byte is taken away."""
    damage, lost, skipped, torn = DAMAGES[name]
    path = tmp_path / "events.jsonl"
    records = written(path)
    damaged = damage(path.read_bytes().splitlines(keepends=True))
    path.write_bytes(damaged)
    log = EventLog(path)
    good = [record for n, record in enumerate(records) if n not in lost]
    assert list(log.records) == good
    assert (log.report.records, log.report.skipped, log.report.torn) == (len(good), skipped, torn)
    assert (f"{skipped} line is damaged" in log.report.warning) == bool(skipped)
    log.close()
    after = reopened(path)
    assert after[:-1] == good and after[-1].event == LAST
    assert path.read_bytes().startswith(damaged)
    assert decode_line(path.read_bytes().split(b"\n")[-2]) == after[-1]
    assert [record.event for record in reopened(path)[-2:]] == [LAST, LAST]


def test_an_event_of_an_unknown_type_is_no_damage(tmp_path: Path) -> None:
    """E01 (e)"""
    path = tmp_path / "events.jsonl"
    records = written(path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:3], FUTURE, *lines[3:]]))
    log = EventLog(path)
    assert log.report.skipped == 0 and log.report.warning == ""
    assert log.records[3].event == UnknownEvent("future.event", b'{"a" : 1}')
    assert [*log.records[:3], *log.records[4:]] == records
    copy = EventLog(tmp_path / "copy.jsonl")
    copy.emit(log.records[3].event)
    assert b'"type":"future.event","data":{"a" : 1}' in (tmp_path / "copy.jsonl").read_bytes()


def test_a_log_cut_at_any_byte_opens_with_what_was_whole_and_goes_on_twice(tmp_path: Path) -> None:
    """E01 (a), E03: whenever the process died, what was written whole is there."""
    whole = tmp_path / "whole.jsonl"
    events = small_session()[1:5]
    records = written(whole, events)
    content = whole.read_bytes()
    ends = [n for n, byte in enumerate(content) if byte == 10]
    for cut in range(len(content) + 1):
        path = tmp_path / "cut.jsonl"
        path.write_bytes(content[:cut])
        good = records[: sum(end <= cut for end in ends)]
        log = EventLog(path)
        assert list(log.records) == good
        at_line_end = cut == 0 or cut - 1 in ends or cut in ends
        assert (log.report.skipped, log.report.torn) == ((0, False) if at_line_end else (1, True))
        log.emit(LAST)
        log.close()
        second = reopened(path)
        assert second[: len(good)] == good
        assert [record.event for record in second[len(good) :]] == [LAST, LAST]
        assert path.read_bytes().startswith(content[:cut])


def test_a_log_that_cannot_be_read_says_so(tmp_path: Path) -> None:
    (tmp_path / "events.jsonl").mkdir()
    with pytest.raises(SessionError, match="cannot be read"):
        EventLog(tmp_path / "events.jsonl")
    written(tmp_path / "real.jsonl")
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "real.jsonl")
    with pytest.raises(SessionError, match="cannot be read"):
        EventLog(tmp_path / "link.jsonl")


def test_events_that_stand_twice_are_taken_once(tmp_path: Path) -> None:
    """A folder that is synchronised between machines may leave a log glued to a copy of itself."""
    path = tmp_path / "events.jsonl"
    records = written(path)
    path.write_bytes(path.read_bytes() * 2)
    log = EventLog(path)
    assert list(log.records) == records
    assert f"{len(records)} events stand twice" in log.report.warning
