"""A record is one line, and the line is the record again."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cutaway.harness.blocks import text_digest
from cutaway.harness.eventlog.blobs import Blobs
from cutaway.harness.eventlog.codec import BLOB_THRESHOLD, BadLine, clean, decode_line, encode_line
from cutaway.harness.events import EVENT_TYPES, Event, Record, ToolCompleted, UnknownEvent, UserMessageSent
from tests.harness.eventlog.instances import ANY_TEXTS, TEXTS, values

ID = "7d3c1a52-0000-4000-8000-000000000001"
WHEN = "2025-01-01T00:00:00.000Z"


def record_of(event: Event) -> Record:
    return Record(ID, None, WHEN, event)


@pytest.mark.parametrize("name", sorted(EVENT_TYPES))
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_every_event_type_comes_back(name: str, data: st.DataObject) -> None:
    event = data.draw(values(EVENT_TYPES[name]))
    record = Record(ID, data.draw(st.none() | TEXTS), WHEN, event, data.draw(st.none() | TEXTS))
    line = encode_line(record)
    assert line.count(b"\n") == 1 and line.endswith(b"\n")
    assert decode_line(line) == record
    envelope = json.loads(line)
    assert list(envelope)[:5] == ["id", "parentId", "timestamp", "type", "data"]
    assert envelope["type"] == name
    assert envelope.get("ephemeral", False) == event.ephemeral


@settings(max_examples=60, deadline=None)
@given(event=values(UserMessageSent, ANY_TEXTS))
def test_lone_surrogates_are_replaced_in_the_record_and_on_disk_alike(event: UserMessageSent) -> None:
    cleaned = clean(event)
    assert decode_line(encode_line(record_of(event))).event == cleaned
    assert clean(cleaned) is cleaned
    assert msgspec.json.encode(cleaned)


@pytest.mark.parametrize("char", ["\u2028", "\u2029", "\x85", "\0", "\r", "\n", "\x0b", "\x1c", "\x1b"])
def test_no_character_breaks_a_line_for_any_reader(char: str) -> None:
    """E01: also a reader that splits where Python's or JavaScript's text functions do."""
    line = encode_line(record_of(UserMessageSent("i", f"a{char}b{char}")))
    assert len(line.decode().splitlines()) == 1
    event = decode_line(line).event
    assert isinstance(event, UserMessageSent) and event.content == f"a{char}b{char}"


def test_raw_line_separators_and_escaped_surrogates_of_other_writers_are_read() -> None:
    head = f'{{"id":"{ID}","parentId":null,"timestamp":"{WHEN}","type":"user.message","data":'
    raw = head + '{"interactionId":"i","content":"a\u2028b\\ud83d\\ude00\\ud800c\\\\ud800"}}'
    event = decode_line(raw.encode()).event
    assert isinstance(event, UserMessageSent) and event.content == "a\u2028b\U0001f600\ufffdc\\ud800"


def test_large_texts_lie_in_blobs_and_come_back(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path / "blobs")
    large = "é\u2028\0" * BLOB_THRESHOLD
    record = record_of(ToolCompleted("c", "t", "run", "done", large))
    line = encode_line(record, blobs)
    assert len(line) < 500
    digest = json.loads(line)["data"]["text"]["$blob"]
    assert digest == text_digest(large)
    assert (tmp_path / "blobs" / digest[:2] / digest[2:]).read_bytes() == large.encode()
    assert decode_line(line, Blobs(tmp_path / "blobs")) == record
    assert decode_line(encode_line(record)) == record, "without a store the text stays in the line"


@settings(max_examples=20, deadline=None)
@given(
    event=values(ToolCompleted, st.sampled_from(["", "$blob", '{"$blob":"x"}', "x" * (BLOB_THRESHOLD + 1)]))
)
def test_texts_of_any_place_in_the_data_come_back_from_blobs(event: ToolCompleted) -> None:
    blobs = Blobs()
    record = record_of(event)
    assert decode_line(encode_line(record, blobs), blobs) == record


@pytest.mark.parametrize("harm", ["missing", "cut", "changed", "not text", "a link"])
def test_a_lost_blob_is_said_and_costs_only_its_text(tmp_path: Path, harm: str) -> None:
    blobs = Blobs(tmp_path / "blobs")
    large = "x" * (BLOB_THRESHOLD + 1)
    line = encode_line(record_of(ToolCompleted("c", "t", "run", "done", large)), blobs)
    digest = text_digest(large)
    file = tmp_path / "blobs" / digest[:2] / digest[2:]
    match harm:
        case "missing":
            file.unlink()
        case "cut":
            file.write_bytes(b"x")
        case "changed":
            file.write_bytes(b"y" + large.encode()[1:])
        case "not text":
            file.write_bytes(b"\xff" * len(large))
        case _:
            file.rename(tmp_path / "elsewhere")
            file.symlink_to(tmp_path / "elsewhere")
    later = Blobs(tmp_path / "blobs")
    event = decode_line(line, later).event
    assert isinstance(event, ToolCompleted) and event.tool_call_id == "c"
    assert digest in event.text and "lost" in event.text
    assert later.lost == {digest}
    assert later.put(large) == digest and later.get(digest) == large, "the same text put again heals it"
    assert later.lost == frozenset()


@pytest.mark.parametrize("digest", ["", "../../../../etc/passwd", "A" * 64, "a" * 63, "/" * 64])
def test_a_blob_name_from_a_log_never_leads_out_of_the_store(tmp_path: Path, digest: str) -> None:
    assert Blobs(tmp_path / "blobs").get(digest) is None


@pytest.mark.parametrize(
    "data", [b'{"a" : 1.50, "b":[ ],"a":2}', b"null", b'"\\ud83d\\ude00"', b"[1e400]", b'{"$blob":"x"}']
)
def test_unknown_types_keep_their_data_byte_for_byte(data: bytes) -> None:
    """E01 (e): a newer version's event survives being read and written again."""
    line = b'{"id":"%s","parentId":null,"timestamp":"%s","type":"future.event","data":%s,"agentId":"a"}\n'
    line = line % (ID.encode(), WHEN.encode(), data)
    record = decode_line(line, Blobs())
    assert record.event == UnknownEvent("future.event", data)
    assert encode_line(record, Blobs()) == line


def test_an_unknown_event_over_many_lines_becomes_one() -> None:
    event = UnknownEvent("future.event", b'{\n "a": "b\\n"\r\n}')
    line = encode_line(record_of(event))
    assert line.count(b"\n") == 1
    assert json.loads(line)["data"] == {"a": "b\n"}


@pytest.mark.parametrize("data", [b"", b"{", b'{"a":1} x'])
def test_an_unknown_event_that_is_not_json_is_refused_before_it_is_recorded(data: bytes) -> None:
    with pytest.raises(ValueError):
        clean(UnknownEvent("future.event", data))


GOOD: dict[str, Any] = {
    "id": ID,
    "parentId": None,
    "timestamp": WHEN,
    "type": "abort",
    "data": {"reason": "x"},
}
BAD_LINES = {
    "empty": b"\n",
    "half": json.dumps(GOOD).encode()[:40],
    "not json": b"{bad\n",
    "zeros": bytes(200),
    "not utf-8": json.dumps(GOOD).encode().replace(b'"x"', b'"\xff"'),
    "no object": b"[]",
    "no data": b'{"id":"a","parentId":null,"timestamp":"t","type":"abort"}',
    "data of another shape": json.dumps(GOOD | {"data": {"reason": 5}}).encode(),
    "a field is missing": json.dumps(GOOD | {"data": {}}).encode(),
    "nested without end": b'{"id":"a","parentId":null,"timestamp":"t","type":"x","data":' + b"[" * 100_000,
}


@pytest.mark.parametrize("name", BAD_LINES)
def test_bad_lines_are_reported_as_such(name: str) -> None:
    with pytest.raises(BadLine):
        decode_line(BAD_LINES[name])
