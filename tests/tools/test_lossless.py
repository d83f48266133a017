"""Whatever a text file holds, an edit changes the bytes of its span and no others."""

import io
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cutaway.tools.diff import compare
from cutaway.tools.edit_engine import Edit, EditError, Splice, apply, resolve
from cutaway.tools.errors import ToolError
from cutaway.tools.read_window import read_lines
from cutaway.tools.text_file import Charset, decode_file, encode_text, split_lines, survey_file, without_end

CHARSETS = [
    Charset(),
    Charset("utf-8", b"\xef\xbb\xbf"),
    Charset("utf-16-le", b"\xff\xfe"),
    Charset("utf-16-be", b"\xfe\xff"),
]
ENDS = st.sampled_from(["\n", "\r\n"])
WORDS = st.text(alphabet="ab \t{é\u2028\x0c\U0001f600", max_size=6)
LINES = st.lists(st.tuples(WORDS, ENDS), min_size=1, max_size=12)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Lines with LF, CRLF or either, with or without a last line end; or with CR alone."""
    lines = draw(LINES)
    ends = draw(st.sampled_from([None, "\n", "\r\n", "\r"]))
    text = "".join(word + (ends or end) for word, end in lines)
    return text if draw(st.booleans()) else text[: -len(ends or lines[-1][1])]


def flat(text: str) -> str:
    """The text as a model sees it."""
    return "\n".join(map(without_end, split_lines(text))) + ("\n" if text.endswith(("\n", "\r")) else "")


@settings(max_examples=150, deadline=None)
@given(text=texts(), charset=st.sampled_from(CHARSETS), data=st.data())
def test_bytes_outside_the_span_never_change(text: str, charset: Charset, data: st.DataObject) -> None:
    """A01, A04, A09: a unique part of any file, replaced, leaves all before and after it."""
    content = encode_text(text, charset)
    file = decode_file(content, "f")
    assert (file.text, file.charset) == (text, charset)
    assert file.encode(file.text) == content
    seen = flat(text)
    assume(seen)
    start = data.draw(st.integers(0, len(seen) - 1))
    old = seen[start : data.draw(st.integers(start + 1, len(seen)))]
    new = data.draw(st.text(alphabet="xyé \n", max_size=12))
    try:
        found = resolve(text, Edit(old, new))
    except EditError:
        return
    after = file.encode(apply(text, found.splices))
    (splice,) = found.splices
    head = encode_text(text[: splice.start], charset)
    tail = encode_text(text[splice.end :], charset)[len(charset.bom) :]
    middle = encode_text(splice.text, charset)[len(charset.bom) :]
    assert after == head + middle + tail
    assert flat(apply(text, found.splices)) == seen.replace(old, new)


@settings(max_examples=150, deadline=None)
@given(lines=LINES, ends=st.sampled_from(["\n", "\r\n", None]), data=st.data())
def test_an_edit_and_its_reverse_restore_the_text(
    lines: list[tuple[str, str]], ends: str | None, data: st.DataObject
) -> None:
    """Whole lines, replaced and put back, come back with the line ends that they had."""
    text = "".join(f"<{number}>{word}{ends or end}" for number, (word, end) in enumerate(lines))
    first = data.draw(st.integers(0, len(lines) - 1))
    last = data.draw(st.integers(first + 1, len(lines)))
    seen = [f"<{number}>{word}\n" for number, (word, _) in enumerate(lines)]
    old = "".join(seen[first:last])
    changed = data.draw(st.lists(st.booleans(), min_size=last - first, max_size=last - first))
    changed[0] = changed[0] or not any(changed)
    new = "".join("#" + line if flag else line for line, flag in zip(seen[first:last], changed, strict=True))
    there = apply(text, resolve(text, Edit(old, new)).splices)
    assert flat(there) == flat(text).replace(old, new)
    assert apply(there, resolve(there, Edit(new, old)).splices) == text


@settings(max_examples=100, deadline=None)
@given(text=texts(), old=st.text(alphabet="ab \t\n{", max_size=8), new=st.text(alphabet="ab\n", max_size=5))
def test_an_edit_is_placed_where_its_old_text_is_or_not_at_all(text: str, old: str, new: str) -> None:
    """White space aside, what is replaced is what was asked for."""
    try:
        found = resolve(text, Edit(old, new))
    except EditError:
        return
    for splice in found.splices:
        assert text[splice.start : splice.end].split() == old.split()


@settings(max_examples=100, deadline=None)
@given(content=st.binary(max_size=60))
def test_any_bytes_are_text_without_loss_or_refused(content: bytes) -> None:
    try:
        file = decode_file(content, "f")
    except ToolError:
        return
    assert file.encode(file.text) == content


@settings(max_examples=100, deadline=None)
@given(text=texts(), charset=st.sampled_from(CHARSETS), first=st.integers(1, 14), limit=st.integers(1, 5))
def test_a_window_shows_the_lines_of_the_file(text: str, charset: Charset, first: int, limit: int) -> None:
    stream = io.BytesIO(encode_text(text, charset))
    survey = survey_file(stream)
    lines = [without_end(line) for line in split_lines(text)]
    assert survey.lines == len(lines)
    window = read_lines(stream, survey, first, limit)
    assert [line.text for line in window] == lines[first - 1 : first - 1 + limit]


@settings(max_examples=150, deadline=None)
@given(text=st.text(alphabet="ab\n", max_size=30), data=st.data())
def test_a_diff_of_splices_counts_as_a_diff_of_texts(text: str, data: st.DataObject) -> None:
    """Applying the hunks to the old lines gives the new lines, however the diff was made."""
    points = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    words = st.text(alphabet="xy\n", max_size=4)
    pairs = zip(points[::2], points[1::2], strict=False)
    splices = [Splice(start, end, data.draw(words)) for start, end in pairs]
    after = apply(text, splices)
    for difference in (compare(text, after, splices), compare(text, after)):
        old, new = split_lines(text), split_lines(after)
        assert len(new) - len(old) == difference.added - difference.removed
        built: list[str] = []
        position = 0
        for hunk in difference.hunks:
            built += map(without_end, old[position : hunk.old_start - 1])
            assert hunk.new_start == len(built) + 1
            built += [line[1:].split(" [", 1)[0] for line in hunk.lines if line[0] != "-"]
            position = hunk.old_start - 1 + sum(line[0] != "+" for line in hunk.lines)
        built += map(without_end, old[position:])
        assert built == [without_end(line) for line in new]


@pytest.mark.parametrize("size", [1 << 20, (1 << 20) - 1, (1 << 20) + 1])
def test_a_line_end_across_two_chunks_is_one(tmp_path: Path, size: int) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"x" * (size - 1) + b"\r\nlast\r\n")
    with path.open("rb") as stream:
        survey = survey_file(stream)
        assert (survey.crlf, survey.lf, survey.cr, survey.lines) == (2, 0, 0, 2)
        lines = read_lines(stream, survey, 1, 5)
    assert [(line.length, line.text[:4]) for line in lines] == [(size - 1, "xxxx"), (4, "last")]
