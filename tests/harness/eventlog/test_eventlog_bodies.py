"""Any request can be rebuilt byte for byte, and n turns cost O(n) on disk."""

import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cutaway.harness.errors import LogCorrupt
from cutaway.harness.eventlog import EventLog
from cutaway.harness.eventlog.bodies import BodyTape, rebuild
from cutaway.harness.events import ModelRequested, Record

CHUNKS = st.lists(
    st.sampled_from(["a", "é", "è", "\u2028", "\U0001f600", "\U0001f601", "xyz" * 50]), max_size=12
)


def requested(tape: BodyTape, request_id: str, body: bytes) -> ModelRequested:
    previous = tape.request_id
    kept, tail, digest = tape.next(request_id, body)
    return ModelRequested(
        request_id=request_id,
        turn_id="t",
        purpose="turn",
        provider="p",
        model="m",
        url="u",
        previous=previous,
        blocks_kept=0,
        blocks=(),
        params="{}",
        body_digest=digest,
        body_bytes=len(body),
        body_kept=kept,
        body_tail=tail,
    )


def records_of(*events: ModelRequested) -> list[Record]:
    return [Record(str(n), None, "", event) for n, event in enumerate(events)]


@settings(max_examples=150, deadline=None)
@given(st.lists(CHUNKS.map("".join), max_size=6))
def test_every_body_of_any_row_comes_back(texts: list[str]) -> None:
    """Whatever follows whatever: the cut never splits a character."""
    tape = BodyTape()
    bodies = [text.encode() for text in texts]
    records = records_of(*[requested(tape, f"r{n}", body) for n, body in enumerate(bodies)])
    for n, body in enumerate(bodies):
        assert rebuild(records, f"r{n}") == body
    resumed = BodyTape.resumed(records)
    more = records_of(requested(resumed, "more", b"".join(bodies)))
    assert rebuild([*records, *more], "more") == b"".join(bodies)


@pytest.mark.parametrize("size", [0, 1, 65_535, 65_536, 65_537, 200_000])
def test_long_bodies_keep_all_that_they_share(size: int) -> None:
    one, other = b"x" * size + b"abc", b"x" * size + b"abd"
    tape = BodyTape()
    assert tape.next("r1", one) == (0, one.decode(), hashlib.sha256(one).hexdigest())
    assert tape.next("r2", other)[:2] == (size + 2, "d")
    assert tape.next("r3", other)[:2] == (size + 3, "")
    assert tape.next("r4", other[:-1])[:2] == (size + 2, "")
    assert tape.request_id == "r4"


def test_a_conversation_costs_what_it_adds(tmp_path: Path) -> None:
    """Forty turns of growing bodies take little more than the last body: O(n), not O(n²)."""

    def bytes_on_disk(turns: int) -> tuple[int, int]:
        folder = tmp_path / str(turns)
        folder.mkdir()
        log, tape, messages = EventLog(folder / "events.jsonl"), BodyTape(), list[str]()
        for turn in range(turns):
            messages.append(f"{turn}: " + hashlib.sha256(str(turn).encode()).hexdigest() * 500)
            log.emit(requested(tape, f"r{turn}", json.dumps({"messages": messages}).encode()))
        log.close()
        again = EventLog(folder / "events.jsonl").records
        body = json.dumps({"messages": messages}).encode()
        assert rebuild(again, f"r{turns - 1}") == body
        return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()), len(body)

    (ten, _), (forty, last_body) = bytes_on_disk(10), bytes_on_disk(40)
    assert forty < 1.1 * last_body
    assert forty < 4.2 * ten


def test_a_request_that_cannot_be_rebuilt_is_named() -> None:
    tape = BodyTape()
    bodies = [b"[1", b"[1,2", b"[1,2,3", b"{}"]
    first, _, third, alone = (requested(tape, f"r{n}", body) for n, body in enumerate(bodies))
    with pytest.raises(LogCorrupt, match="no request r9"):
        rebuild(records_of(first), "r9")
    with pytest.raises(LogCorrupt, match=r"request r2 .* no request r1, whose body it continues"):
        rebuild(records_of(first, third), "r2")
    assert rebuild(records_of(alone), "r3") == b"{}", "a body that keeps nothing needs no other"
    wrong = requested(BodyTape(), "r1", b"[1,4")
    with pytest.raises(LogCorrupt, match=r"request r2 .* digest"):
        rebuild(records_of(first, wrong, third), "r2")
    assert BodyTape.resumed(records_of(first, third)).request_id == ""


def test_a_log_that_goes_in_a_circle_ends() -> None:
    tape = BodyTape()
    tape.next("r0", b"[1,2]")
    circle = requested(tape, "r0", b"[1,3]")
    with pytest.raises(LogCorrupt):
        rebuild(records_of(circle), "r0")
