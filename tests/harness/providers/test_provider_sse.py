"""The reader of server-sent events: the same events however the bytes are cut."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cutaway.harness.providers.sse import EventTooLarge, SseEvent, SseReader

LINE_PARTS = st.sampled_from(
    (
        *("data: a", "data:b", "data", "data: ", "data:  two spaces", "data: é€😀", ""),
        *("event: x", "id: 7", "id: \0", "retry: 30", "retry: x", ": note", ":", "unknown: 1"),
        "data: \u2028\u0085\x0b\x0c\x1c",
    )
)
LINE_ENDS = st.sampled_from(["\n", "\r\n", "\r"])
STREAMS = st.lists(st.tuples(LINE_PARTS, LINE_ENDS), max_size=12).map(
    lambda lines: "".join(line + end for line, end in lines).encode()
)


def read(*chunks: bytes) -> list[SseEvent]:
    reader = SseReader()
    events = [event for chunk in chunks for event in reader.feed(chunk)]
    return events + reader.finish()


@settings(deadline=None, max_examples=150)
@given(st.booleans(), STREAMS, st.lists(st.integers(0, 200), max_size=8))
def test_any_chunking_gives_the_same_events(bom: bool, stream: bytes, cuts: list[int]) -> None:
    stream = b"\xef\xbb\xbf" * bom + stream
    edges = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    pieces = [stream[a:b] for a, b in pairwise(edges)]
    bytewise = [stream[i : i + 1] for i in range(len(stream))]
    assert read(*pieces) == read(stream) == read(*bytewise)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"])), min_size=1))
def test_data_comes_back_whole_whatever_it_holds(lines: list[str]) -> None:
    stream = "".join(f"data: {line}\n" for line in lines) + "\n"
    assert read(stream.encode()) == [SseEvent("\n".join(lines))]


def test_unicode_line_separators_do_not_end_a_line() -> None:
    """httpx's iter_lines and str.splitlines cut JSON at U+2028, U+0085 and others."""
    data = '{"a":"x\u2028y\u0085z\x0b\x0c\x1c"}'
    assert read(f"data: {data}\n\n".encode()) == [SseEvent(data)]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_standard_line_end_ends_a_line(end: str) -> None:
    assert read(f"event: e{end}data: 1{end}data: 2{end}{end}".encode()) == [SseEvent("1\n2", "e")]


def test_comments_ids_and_retry_make_no_event() -> None:
    reader = SseReader()
    assert reader.feed(b": hello\n\n:\n\nretry: 3000\n\nid: 7\n\n") == []
    assert (reader.comments, reader.retry) == (2, 3000)
    assert reader.feed(b"data: x\n\n") == [SseEvent("x", id="7")]


def test_empty_data_is_an_event_and_no_data_is_none() -> None:
    assert read(b"event: ping\n\ndata:\n\n") == [SseEvent("")]


def test_a_last_event_without_its_blank_line_is_delivered() -> None:
    assert read(b"data: [DONE]") == [SseEvent("[DONE]")]
    assert read(b"data: a\ndata: b\n") == [SseEvent("a\nb")]


def test_one_byte_order_mark_at_the_start_is_dropped() -> None:
    assert read(b"\xef\xbb\xbfdata: a\n\n") == [SseEvent("a")]
    assert read(b"\xef\xbb\xbf\xef\xbb\xbfdata: a\n\n") == []


def test_an_event_over_the_bound_is_refused() -> None:
    reader = SseReader(limit=100)
    assert reader.feed(b": " + b"x" * 90 + b"\n" + b": " + b"x" * 90 + b"\n") == []
    with pytest.raises(EventTooLarge):
        for _ in range(20):
            reader.feed(b"data: 0123456789\n")
