"""Text from programs: what a terminal would act on is gone, and nothing hides."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cutaway.tools.sanitise import LONGEST_LINE_HELD, Sanitiser, sanitise

ACTS_ON_A_TERMINAL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

PIECES = st.lists(
    st.sampled_from(
        [
            "a",
            "b ",
            "\n",
            "\r\n",
            "\r",
            "\x08",
            "\t",
            "\x1b",
            "[",
            "]",
            "0;",
            "m",
            "\\",
            "\x07",
            "\x9b",
            "\x90",
            "\x9c",
            "P",
            "K",
            "2K",
            "1G",
            "\x18",
            "\x00",
            "\x7f",
            "\u202e",
            "é",
            "漢",
            "\x1b[31m",
            "\x1b]0;t\x07",
        ]
    ),
    max_size=40,
)


@pytest.mark.parametrize(
    ("given_text", "shown"),
    [
        ("a\x1b[1;31mred\x1b[0m b", "ared b"),
        ("x\x1b]0;a title\x07y", "xy"),
        ("x\x1b]52;c;QUJD\x1b\\y", "xy"),
        ("x\x1bPq#0;2;0\x1b\\y", "xy"),
        ("x\x9b31my\x9d0;t\x9cz", "xyz"),
        ("\x1b[2J\x1b[Hcleared", "cleared"),
        ("\x1b(B\x1b=\x1bcplain", "plain"),
        ("a\x00b\x07c\x7fd", "abcd"),
        ("tab\tand\nline", "tab\tand\nline"),
        ("user\u202egnp.exe", "user\\u202egnp.exe"),
        ("\u2066x\u2069", "\\u2066x\\u2069"),
        ("hidden\U000e0041\U000e0042", "hidden\\U000e0041\\U000e0042"),
        ("family 👨‍👩‍👧 é 漢", "family 👨‍👩‍👧 é 漢"),
        ("an unfinished \x1b[12", "an unfinished "),
        ("an unfinished \x1b]0;title", "an unfinished "),
        ("stray \x1b]\nnext line", "stray \nnext line"),
    ],
)
def test_no_control_sequence_survives(given_text: str, shown: str) -> None:
    assert sanitise(given_text) == shown


@pytest.mark.parametrize(
    ("given_text", "shown"),
    [
        (" 10%\r 50%\r100%\ndone\n", "100%\ndone\n"),
        ("one\r\ntwo\r\n", "one\ntwo\n"),
        ("bar 90%\r", "bar 90%"),
        ("old\x1b[2K\x1b[1Gnew\n", "new\n"),
        ("|\b/\b-\bdone\n", "done\n"),
        ("N\bNA\bAM\bME\bE\n", "NAME\n"),
    ],
)
def test_a_progress_bar_leaves_its_last_state(given_text: str, shown: str) -> None:
    assert sanitise(given_text) == shown


@settings(deadline=None, max_examples=200)
@given(PIECES, st.lists(st.integers(1, 5), min_size=1, max_size=20))
def test_the_cut_of_the_chunks_changes_nothing(pieces: list[str], sizes: list[int]) -> None:
    text = "".join(pieces)
    sanitiser = Sanitiser()
    shown, at, turn = "", 0, 0
    while at < len(text):
        size = sizes[turn % len(sizes)]
        shown += sanitiser.feed(text[at : at + size])
        at, turn = at + size, turn + 1
    shown += sanitiser.close()
    assert shown == sanitise(text)
    assert not ACTS_ON_A_TERMINAL.search(shown)


def test_an_unfinished_line_is_held_within_bounds() -> None:
    sanitiser = Sanitiser()
    passed = sum(len(sanitiser.feed("x" * 1000)) for _ in range(100))
    assert passed >= 100_000 - LONGEST_LINE_HELD
    assert passed + len(sanitiser.close()) == 100_000


def test_a_bar_of_a_million_states_is_not_kept() -> None:
    sanitiser = Sanitiser()
    for percent in range(20_000):
        assert sanitiser.feed(f"\r{percent / 200:.1f} % done") == ""
    assert sanitiser.partial == "100.0 % done"


@pytest.mark.parametrize("unit", ["\x1b", "\x1b[", "\x90", "\x1b]a", "a\b", "50%\r", "\x1b[31mx\x1b[0m\n"])
def test_hostile_text_takes_time_in_proportion(unit: str) -> None:
    """Most of a megabyte of each; a quadratic step would take minutes."""
    sanitiser = Sanitiser()
    chunk = unit * (32_768 // len(unit))
    for _ in range(20):
        sanitiser.feed(chunk)
    sanitiser.close()
