"""Rows: nothing that is wrapped, cut or escaped gets lost unseen."""

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from cutaway.tui.rows import _UNJOINED, WIDE_FROM, LongText, chop, cut_start, justified, row, text_lines, wrap

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=120)
WIDTHS = st.integers(1, 40)


@settings(deadline=None, max_examples=150)
@given(TEXTS, WIDTHS)
def test_a_chopped_line_is_the_line(text: str, width: int) -> None:
    parts = chop(text, width)
    assert "".join(parts) == text
    assert all(cell_len(part) <= max(width, 2) for part in parts if len(part) > 1)


@settings(deadline=None, max_examples=150)
@given(TEXTS, TEXTS, WIDTHS, st.integers(0, 12))
def test_a_wrapped_row_keeps_all_of_its_characters_and_tones(
    first: str, second: str, width: int, hang: int
) -> None:
    source = row((first, "dim"), (second, "bad"), hang=hang)
    lines = wrap(source, width)
    indent = hang if hang < width - 8 and len(lines) > 1 else 0
    kept = lines[0].text + "".join(line.text[indent:] for line in lines[1:])
    assert kept == source.text
    toned = "".join(piece.text for line in lines for piece in line.pieces if piece.tone == "bad")
    assert toned == "".join(piece.text for piece in source.pieces if piece.tone == "bad")


def test_a_row_is_broken_at_a_space_where_one_is_near() -> None:
    lines = [line.text for line in wrap(row("why ", "the loop went on", hang=4), 14)]
    assert lines == ["why the loop ", "    went on"]


def test_lines_end_at_line_feeds_only() -> None:
    assert text_lines("a\r\nb\u2028c\x85d\n\n") == ["a", "b\\u2028c\\x85d", ""]


def test_a_path_keeps_its_end() -> None:
    assert cut_start("src/very/deep/module.py", 10) == "…module.py"
    assert cut_start("src/日本.py", 6) == "…本.py"
    assert cut_start("abc", 1) == "…"


def test_the_right_end_is_never_cut() -> None:
    assert justified(row("a long target"), row("+3 −1"), 12).text == "a lon… +3 −1"
    assert justified(row("a"), row("b"), 5).text == "a   b"


def test_the_cheap_measure_of_frequent_characters_is_rich_s() -> None:
    frequent = [chr(point) for point in range(0x20, 0xFFFF) if _UNJOINED.fullmatch(chr(point))]
    assert len(frequent) > 30_000
    assert [char for char in frequent if cell_len(char) != (2 if char >= WIDE_FROM else 1)] == []


def test_a_long_text_has_no_object_for_a_line_until_it_is_asked_for() -> None:
    lines = LongText(["x" * 25]).lines(10)
    assert len(lines) == 3
    assert [line.text for line in lines[1:]] == ["x" * 10, "x" * 5]
