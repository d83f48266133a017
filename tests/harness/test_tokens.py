"""Token counts: tiktoken's own, from a vocabulary a tenth of its size."""

from base64 import b64decode
from functools import cache
from importlib.resources import files
from pathlib import Path

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

from cutaway.harness.prompt.tokens import CHUNK, TokenCounter
from cutaway.harness.prompt.vocabulary import Vocabulary, word_pattern

PIECES = (
    *(" ", "  ", "\n", "\r\n", "\t", "\u00a0", "\x1c", "\x85", "\u2028"),
    *("a", "B", "word", "Word", "WORDS"),
    *(
        "'s",
        "'S",
        "'ſ",
        "'LL",
        "'Re",
        "’s",
        "Éa",
        "ǅ",
        "ʰ",
        "ß",
        "한국어",
        "中文",
        "अनुच्छेद",
        "1",
        "2024",
        "２",
    ),
    *(
        "/",
        "//\n",
        "!",
        " !",
        "({",
        "=====",
        "👩‍👩‍👧",
        "e\u0301",
        "\ud800",
        "\udc00",
        "\ud83d",
        "\ude00",
        "\ufffd",
    ),
)
TEXTS = st.text(st.characters(max_codepoint=0x1FFF), max_size=80) | st.lists(
    st.sampled_from(PIECES), max_size=30
).map("".join)


@cache
def ranks() -> bytes:
    return (files("cutaway.harness.prompt") / "o200k_base.tiktoken").read_bytes()


@cache
def vocabulary() -> Vocabulary:
    return Vocabulary(ranks())


@cache
def theirs() -> tiktoken.Encoding:
    """tiktoken's encoding, built without its loader, which asks the network."""
    pairs = (line.split() for line in ranks().splitlines())
    mergeable = {b64decode(token): int(rank) for token, rank in pairs}
    return tiktoken.Encoding(
        name="o200k_base", pat_str=word_pattern(), mergeable_ranks=mergeable, special_tokens={}
    )


def check(text: str) -> None:
    ids = theirs().encode_ordinary(text)
    split = vocabulary().split(text)
    assert [id for id, _ in split] == ids
    assert [token for _, token in split] == theirs().decode_tokens_bytes(ids)
    assert vocabulary().count(text) == len(ids)


@given(TEXTS)
@settings(deadline=None, max_examples=400)
def test_every_text_splits_as_tiktoken_splits_it(text: str) -> None:
    """Ids and bytes are the same; so is what becomes of a character whose other half is missing."""
    check(text)


@pytest.mark.parametrize(
    "text",
    ["=" * 20_000, "a" * 20_000, "abc" * 7_000, " \n\t" * 5_000, "0123456789abcdefXYZ+/" * 900, "語" * 4_000],
    ids=["rule", "letter", "word", "blanks", "digits", "signs"],
)
def test_a_long_run_splits_as_tiktoken_splits_it(text: str) -> None:
    """Thousands of equal pairs are joined in the same order, in a time that grows with the length."""
    check(text)


def test_our_own_source_splits_as_tiktoken_splits_it() -> None:
    for path in Path(__file__).parent.glob("*.py"):
        check(path.read_text(encoding="utf-8"))


async def test_a_counter_counts_once_what_it_has_seen() -> None:
    """A text longer than what is encoded at a time is counted whole."""
    counter = TokenCounter()
    text = "The same words again. " * (CHUNK // 20)
    pieces = (text[start : start + CHUNK] for start in range(0, len(text), CHUNK))
    expected = sum(len(theirs().encode_ordinary(piece)) for piece in pieces)
    assert await counter.count(text) == counter.count_now(text) == await counter.count(text) == expected
    assert counter.exact
    assert b"".join(token for _, token in counter.split("Two words")) == b"Two words"
