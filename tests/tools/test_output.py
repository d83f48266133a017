"""What is kept of a program's output: head, tail, what was left out, and the file with all of it."""

import stat
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cutaway.tools.output import LIVE_LIMIT, OutputCollector, Spill


def collected(*chunks: bytes, limit: int = 30_000, spill: Spill | None = None) -> OutputCollector:
    collector = OutputCollector(limit, spill)
    for chunk in chunks:
        collector.feed(chunk)
    collector.close()
    return collector


@settings(deadline=None, max_examples=100)
@given(st.text(alphabet="aé漢👍\n", max_size=60), st.integers(1, 4))
def test_characters_split_between_chunks_are_put_together(text: str, size: int) -> None:
    data = text.encode()
    chunks = [data[at : at + size] for at in range(0, len(data), size)]
    assert collected(*chunks).text() == text


def test_bytes_that_are_not_text_are_replaced() -> None:
    assert collected(b"a\xff\xfeb", b"\xe6\xbc").text() == "a\ufffd\ufffdb\ufffd"


def test_short_output_is_whole() -> None:
    collector = collected(b"one\n", b"two")
    assert collector.text() == "one\ntwo"
    assert not collector.was_cut
    assert collector.cut_note == ""


def test_long_output_keeps_its_ends_and_counts_the_rest() -> None:
    """C04: the first and the last line stay, and the mark says how much is missing."""
    lines = [f"line {number}\n".encode() for number in range(10_000)]
    collector = collected(*lines, limit=3_000)
    text = collector.text()
    head, _, rest = text.partition("[… ")
    mark, _, tail = rest.partition(" left out here …]\n")
    assert head.startswith("line 0\n")
    assert tail.endswith("line 9999\n")
    assert len(text.encode()) < 3_100
    missing = sum(map(len, lines)) - len(head) - len(tail)
    assert mark.startswith(f"{missing:,} bytes, ")
    assert f"{10_000 - head.count(chr(10)) - tail.count(chr(10)):,} lines" in mark


@settings(deadline=None, max_examples=100)
@given(st.lists(st.text(alphabet="ab 漢\n", max_size=50), max_size=60), st.integers(30, 300))
def test_the_bound_holds_and_nothing_is_said_twice(texts: list[str], limit: int) -> None:
    collector = collected(*(text.encode() for text in texts), limit=limit)
    whole = "".join(texts)
    shown = collector.text()
    if len(whole.encode()) <= limit:
        assert shown == whole
        return
    head, _, rest = shown.partition("[… ")
    tail = rest.partition(" left out here …]\n")[2]
    assert whole.startswith(head.removesuffix("\n"))
    assert whole.endswith(tail)
    assert len(head.encode()) + len(tail.encode()) <= limit + 1


def test_the_full_text_lies_on_disk_for_its_owner_only(tmp_path: Path) -> None:
    spill = Spill.in_folder(str(tmp_path / "private"), "command")
    assert spill is not None
    collector = collected(*[b"0123456789\n"] * 1000, limit=500, spill=spill)
    assert spill.path.read_bytes() == b"0123456789\n" * 1000
    assert stat.S_IMODE(spill.path.stat().st_mode) == 0o600
    assert str(spill.path) in collector.cut_note
    assert "read_file" in collector.cut_note


def test_short_output_leaves_no_file(tmp_path: Path) -> None:
    spill = Spill(tmp_path / "x.txt")
    collected(b"short", spill=spill)
    assert not spill.path.exists()


def test_the_file_has_a_bound_and_says_so(tmp_path: Path) -> None:
    spill = Spill(tmp_path / "x.txt", limit=2_000)
    collector = collected(*[b"0123456789\n"] * 1000, limit=500, spill=spill)
    assert spill.path.stat().st_size == 2_000
    assert "first 2,000 bytes only" in collector.cut_note


def test_a_file_that_cannot_be_made_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    collector = collected(*[b"0123456789\n"] * 1000, limit=500, spill=Spill(tmp_path / "file" / "x.txt"))
    assert collector.text().endswith("0123456789\n")
    assert "not kept in full" in collector.cut_note


def test_live_text_is_told_once_and_without_waiting_for_the_line_to_end() -> None:
    collector = OutputCollector()
    collector.feed(b"Proceed? ")
    assert collector.take_live() == "Proceed? "
    assert collector.take_live() == ""
    collector.feed(b"[y/n]\nnext")
    assert collector.take_live() == "[y/n]\nnext"


def test_a_line_that_is_rewritten_after_it_was_shown_starts_anew() -> None:
    collector = OutputCollector()
    collector.feed(b"10%")
    assert collector.take_live() == "10%"
    collector.feed(b"\r100%\n")
    assert collector.take_live() == "\n100%\n"
    assert collector.text() == "100%\n"


@pytest.mark.parametrize("chunks", [10, 1000])
def test_live_text_is_bounded_when_nobody_takes_it(chunks: int) -> None:
    collector = OutputCollector()
    for _ in range(chunks):
        collector.feed(b"0123456789\n" * 1000)
    live = collector.take_live()
    assert len(live) < LIVE_LIMIT + 100
    assert "not shown live" in live
    assert live.endswith("0123456789\n")
