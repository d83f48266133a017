"""Large texts of a session on disk are not held in memory, and are the exact texts whenever they are read."""

import json
import sys
from pathlib import Path

import pytest

from cutaway.harness.errors import LogCorrupt
from cutaway.harness.eventlog import EventLog
from cutaway.harness.eventlog.bodies import BodyTape, rebuild
from cutaway.harness.eventlog.codec import BLOB_THRESHOLD, BadLine, decode_line, encode_line
from cutaway.harness.eventlog.store import SessionStore
from cutaway.harness.events import ModelRequested, ModelResponded, Record
from cutaway.harness.stored_text import StoredText, Text, text_of
from tests.harness.eventlog.instances import response, small_session
from tests.harness.eventlog.test_eventlog_bodies import requested

LARGE = 'data: {"é": "\u2028\\n"}\r\n\n' * BLOB_THRESHOLD


def raw_of(record: Record) -> Text:
    assert isinstance(record.event, ModelResponded)
    return record.event.raw


def file_of(folder: Path, text: Text) -> Path:
    assert isinstance(text, StoredText)
    return folder / "blobs" / text.digest[:2] / text.digest[2:]


async def test_a_large_response_is_kept_on_the_disk_and_given_whole_from_there(tmp_path: Path) -> None:
    """The record that is kept, the one handed on and the one read again are equal, and small."""
    log = EventLog(tmp_path / "events.jsonl")
    listener = log.subscribe()
    told = response("0.1", LARGE)
    record = log.emit(told)
    log.close()
    again = EventLog(tmp_path / "events.jsonl").records
    assert [record] == [*log.records] == [*await anext(listener)] == [*again]
    for each in (record, again[0]):
        assert isinstance(raw_of(each), StoredText)
        assert sum(map(sys.getsizeof, (raw_of(each), file_of(tmp_path, raw_of(each))))) < 1000
        assert text_of(raw_of(each)) == LARGE
    assert record.event != told, "a text and the place of one are two things"


def test_the_text_stays_in_a_session_that_has_no_disk_and_when_it_is_small(tmp_path: Path) -> None:
    assert raw_of(EventLog().emit(response("0.1", LARGE))) == LARGE
    on_disk = EventLog(tmp_path / "events.jsonl")
    small = "x" * BLOB_THRESHOLD
    assert raw_of(on_disk.emit(response("0.1", small))) == small
    on_disk.close()


def test_the_text_stays_while_the_disk_refuses(tmp_path: Path) -> None:
    """Nothing refers to a blob that was not written; afterwards the log holds it as any other."""
    (tmp_path / "blobs").write_bytes(b"in the way")
    log = EventLog(tmp_path / "events.jsonl")
    record = log.emit(response("0.1", LARGE))
    assert raw_of(record) == LARGE and log.unwritten == 1
    (tmp_path / "blobs").unlink()
    log.close()
    assert log.unwritten == 0
    assert text_of(raw_of(EventLog(tmp_path / "events.jsonl").records[0])) == LARGE


def test_a_line_that_goes_elsewhere_holds_the_text_itself(tmp_path: Path) -> None:
    """What `stream-json` prints of a session on disk, and what another log keeps of it."""
    with SessionStore(tmp_path).create() as stored:
        record = stored.log.emit(response("0.1", LARGE))
        line = encode_line(record)
        assert json.loads(line)["data"]["raw"] == LARGE
        assert raw_of(decode_line(line)) == LARGE
        other = EventLog()
        assert raw_of(other.emit(record.event)) == LARGE
        elsewhere = EventLog(tmp_path / "elsewhere" / "events.jsonl")
        elsewhere.path.parent.mkdir()  # type: ignore[union-attr]
        copy = elsewhere.emit(record.event)
        elsewhere.close()
        assert copy.event == record.event, "the same text, wherever it lies"
        assert file_of(tmp_path / "elsewhere", raw_of(copy)).read_bytes() == LARGE.encode()


def test_a_fork_reads_its_own_copy(tmp_path: Path) -> None:
    store = SessionStore(tmp_path)
    with store.create() as first:
        for event in (*small_session(), response("0.1", LARGE)):
            first.log.emit(event)
    copy = store.fork(first.id)
    store.delete(first.id)
    with store.open(copy) as fork:
        assert fork.log.records == first.log.records
        assert text_of(raw_of(fork.log.records[-1])) == LARGE
        assert text_of(raw_of(first.log.records[-1])).startswith("[This text is lost: blob ")


@pytest.mark.parametrize("harm", ["missing", "changed", "not text"])
def test_a_text_that_is_lost_later_says_so_in_its_place(tmp_path: Path, harm: str) -> None:
    """The session goes on: what is printed has the sentence, and the same text put again heals it."""
    log = EventLog(tmp_path / "events.jsonl")
    record = log.emit(response("0.1", LARGE))
    file = file_of(tmp_path, raw_of(record))
    match harm:
        case "missing":
            file.unlink()
        case "changed":
            file.write_bytes(b"y" + LARGE.encode()[1:])
        case _:
            file.write_bytes(b"\xff" * 100)
    said = text_of(raw_of(record))
    assert file.name in said and "missing or damaged" in said
    assert json.loads(encode_line(record))["data"]["raw"] == said
    assert raw_of(decode_line(encode_line(record))) == said
    assert log.blobs.get(file.parent.name + file.name) is None
    assert text_of(raw_of(log.emit(response("0.1", LARGE)))) == text_of(raw_of(record)) == LARGE
    log.close()


def test_a_damaged_blob_is_reported_when_the_session_is_opened(tmp_path: Path) -> None:
    log = EventLog(tmp_path / "events.jsonl")
    record = log.emit(response("0.1", LARGE))
    log.close()
    file_of(tmp_path, raw_of(record)).unlink()
    again = EventLog(tmp_path / "events.jsonl")
    assert again.report.lost_texts == 1 and "1 large text is missing or damaged" in again.report.warning
    assert raw_of(again.records[0]) == text_of(raw_of(record))


def test_a_request_is_rebuilt_from_the_disk_or_named_when_it_cannot_be(tmp_path: Path) -> None:
    log, tape = EventLog(tmp_path / "events.jsonl"), BodyTape()
    first, second = b"[" + b"1, " * BLOB_THRESHOLD, b"[" + b"1, " * BLOB_THRESHOLD + b"2]"
    for name, body in (("r1", first), ("r2", second)):
        log.emit(requested(tape, name, body))
    log.close()
    event = log.records[0].event
    assert isinstance(event, ModelRequested) and isinstance(event.body_tail, StoredText)
    assert rebuild(log.records, "r2") == second
    assert BodyTape.resumed(log.records).next("r3", second)[0] == len(second)
    file_of(tmp_path, event.body_tail).unlink()
    with pytest.raises(LogCorrupt, match=r"request r2 .* damaged"):
        rebuild(log.records, "r2")
    assert BodyTape.resumed(log.records).request_id == ""


def test_lone_surrogates_are_as_the_disk_has_them(tmp_path: Path) -> None:
    log = EventLog(tmp_path / "events.jsonl")
    record = log.emit(response("0.1", LARGE + "\ud800"))
    log.close()
    assert text_of(raw_of(record)) == LARGE + "\ufffd"


def test_a_line_never_names_a_folder_to_read_from(tmp_path: Path) -> None:
    """A log is data: its digests are looked up in its own store, and nowhere else."""
    elsewhere = EventLog(tmp_path / "events.jsonl")
    raw = raw_of(elsewhere.emit(response("0.1", LARGE)))
    elsewhere.close()
    assert isinstance(raw, StoredText)
    data = json.loads(encode_line(Record("1", None, "", response("0.1"))))
    data["data"]["raw"] = {"digest": raw.digest, "folder": str(tmp_path / "blobs")}
    with pytest.raises(BadLine, match="folder"):
        decode_line(json.dumps(data).encode())
