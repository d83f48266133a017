"""Rows are as wide as they may be, and characters are whole."""

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len, split_graphemes

from cutaway.tui.transcript.ink import Ink, Run, decoration, expand_tabs, run
from cutaway.tui.transcript.wrap import cut, wrap

INK = Ink("text")
WORDS = st.lists(
    st.sampled_from(["a", "word", "longer-word", "日本語", "👩‍👩‍👧", "e\u0301", "❤️", " ", "  ", "ﷺ", "🇩🇪"]),
    max_size=40,
).map("".join)


def texts(runs: list[Run], width: int, *, words: bool = True) -> list[str]:
    return [line.text for line in wrap(runs, width, 0, words=words)]


@settings(max_examples=300, deadline=None)
@given(WORDS, st.integers(2, 30), st.booleans())
def test_nothing_is_wider_than_the_width_and_nothing_is_lost(text: str, width: int, words: bool) -> None:
    """Only blanks at a break are left out, and the offsets of what is shown point at it."""
    lines = wrap([run(text, INK)], width, 0, words=words)
    assert all(cell_len(line.text) <= width for line in lines)
    shown = "".join(line.text for line in lines)
    assert shown.replace(" ", "") == text.replace(" ", "")
    assert words or shown == text
    for line in lines:
        for span in line.spans:
            assert text[span.at : span.at + span.size] == span.text


@settings(max_examples=200, deadline=None)
@given(WORDS, st.integers(2, 30))
def test_no_character_is_split(text: str, width: int) -> None:
    """A family of emoji, a letter with its accent and a wide character stay whole."""
    starts = {start for start, _, _ in split_graphemes(text)[0]}
    for line in wrap([run(text, INK)], width, 0, words=False):
        assert not line.spans or line.spans[0].at in starts


def test_words_are_kept_together() -> None:
    assert texts([run("the quick brown fox", INK)], 10) == ["the quick", "brown fox"]
    assert texts([run("a incomprehensibilities b", INK)], 10) == ["a incompre", "hensibilit", "ies b"]
    assert texts([run("  indented words here", INK)], 12) == ["  indented", "words here"]


def test_text_without_spaces_fills_its_rows() -> None:
    """Scripts written without spaces break anywhere, also after a short word."""
    assert texts([run("ab 日本語日本語日本語", INK)], 10) == ["ab 日本語", "日本語日本", "語"]


def test_code_is_cut_at_the_last_cell() -> None:
    assert texts([run("x = call(argument)", INK)], 8, words=False) == ["x = call", "(argumen", "t)"]


def test_prefixes_count() -> None:
    """A list item's text hangs below its marker."""
    first, rest = (decoration("1. ", "list-marker"),), (decoration("   ", "list-marker"),)
    lines = wrap([run("one two three", INK)], 10, 0, first, rest)
    assert [line.text for line in lines] == ["1. one two", "   three"]


def test_tabs_go_to_the_next_stop_and_stay_one_character() -> None:
    """A tab is shown as blanks, but is one character of the text that is copied."""
    runs = expand_tabs([run("a\tb\t\tc", INK)])
    assert "".join(item.text for item in runs) == "a   b       c"
    assert sum(item.size for item in runs) == len("a\tb\t\tc")


def test_a_cut_text_says_so() -> None:
    assert cut("short", 10) == "short"
    assert cut("rather long", 8) == "rather …"
    assert cut("日本語日本語", 6) == "日本…"
    assert cut("long", 1) == "…"
