"""The ladder: each step matches what it can prove, and nothing else."""

import pytest

from cutaway.tools.edit_engine import Edit, EditError, apply, resolve, rewrite


def edited(text: str, old: str, new: str, *, every: bool = False) -> tuple[str, str]:
    found = resolve(text, Edit(old, new, every))
    return found.rung, apply(text, found.splices)


def refusal(text: str, old: str, new: str, *, every: bool = False) -> str:
    with pytest.raises(EditError) as caught:
        resolve(text, Edit(old, new, every))
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "old", "new", "rung", "after"),
    [
        ("a\nb\n", "b", "c", "exact", "a\nc\n"),
        ("a\r\nb\r\n", "a\nb", "a\nc", "line-end", "a\r\nc\r\n"),
        ("a\rb\r", "a\nb\n", "b\nc\n", "line-end", "b\rc\r"),
        ("a\nb", "b\n", "c\n", "line-end", "a\nc"),
        (
            "x = 1  \ny = 2\t\nz\n",
            "x = 1\ny = 2\n",
            "x = 1\ny = 3\n",
            "trailing-space",
            "x = 1  \ny = 3\nz\n",
        ),
        ("a\n  \nb\n", "a\n\nb\n", "a\n\nc\n", "trailing-space", "a\n  \nc\n"),
        ("a\nb\n", "a  \nb\n", "a  \nc\n", "trailing-space", "a\nc\n"),
        (
            "if x:\n    a\n    b\nc\n",
            "  a\n  b\n",
            "  a\n    c\n",
            "indentation",
            "if x:\n    a\n      c\nc\n",
        ),
        ("f\n\ta\n\n\tb\n", "\t\ta\n\n\t\tb", "\t\ta\n\t\tB", "indentation", "f\n\ta\n\tB\n"),
        (
            "\tone\r\n\ttwo\r\n",
            "one\ntwo\n",
            "one\n\tin\ntwo\n",
            "indentation",
            "\tone\r\n\t\tin\r\n\ttwo\r\n",
        ),
    ],
)
def test_each_step_changes_only_what_the_model_changed(
    text: str, old: str, new: str, rung: str, after: str
) -> None:
    """A01, A09: lines that the model left alone stay as the file has them."""
    assert edited(text, old, new) == (rung, after)


@pytest.mark.parametrize(
    ("text", "old", "new", "after"),
    [
        ("x\n    foo()\n    bar()\ny", "foo()\nbar()", "foo()\nbaz()", "x\n    foo()\n    baz()\ny"),
        ("x\n    foo()\n    bar()\n\ny", "foo()\nbar()", "foo()\nbaz()", "x\n    foo()\n    baz()\n\ny"),
        (
            "x\n  a\n  b\n  c\n\nyyy\nzzz\nwww",
            "a\nb\nc",
            "a\nb\nC",
            "x\n  a\n  b\n  C\n\nyyy\nzzz\nwww",
        ),
    ],
)
def test_no_line_after_the_match_is_lost(text: str, old: str, new: str, after: str) -> None:
    """The vectors at which another matcher deletes the lines that follow."""
    assert edited(text, old, new)[1] == after


@pytest.mark.parametrize(
    ("text", "old"),
    [
        ("    a\n  b\n", "a\nb\n"),  # not one shift for all lines
        ("\ta\n\tb\n", "    a\n    b\n"),  # tabs are not spaces
        ("a  b\n", "a b\n"),  # white space within a line
        ("“a”\n", '"a"\n'),  # look-alikes
        ("Alpha\n", "alpha\n"),
        ("a\nB\nc\n", "a\nX\nc\n"),  # first and last line alone
        ("", "a"),
    ],
)
def test_nothing_looser_is_applied(text: str, old: str) -> None:
    """A12."""
    assert "not in the file" in refusal(text, old, "new")


@pytest.mark.parametrize(
    ("text", "old", "step"),
    [
        ("a\r\nb\r\na\nb\n", "a\nb\n", "line ends aside"),
        ("a \nb\n\na\t\nb\n", "a\nb\n", "white space at line ends"),
        ("  a\n  b\n\n    a\n    b\n", " a\n b\n", "indentation"),
        ("aaa", "aa", ""),
    ],
)
def test_each_step_must_find_one_place(text: str, old: str, step: str) -> None:
    message = refusal(text, old, "new\n")
    assert "2 times" in message
    assert step in message


def test_replace_all_takes_every_place_of_its_step() -> None:
    assert edited("a\r\nb\na\nb\n", "a\nb\n", "c\n", every=True) == ("line-end", "c\r\nc\n")
    assert edited("  a\n    a\n", "      a\n", "      b\n", every=True) == ("indentation", "  b\n    b\n")
    assert edited("aaaaa", "aa", "b", every=True) == ("exact", "bba")


def test_many_places_are_replaced_quickly_and_numbered() -> None:
    text = "key: value\r\n" * 50_000
    found = resolve(text, Edit("value", "other", replace_all=True))
    assert apply(text, found.splices) == text.replace("value", "other")
    assert found.lines == tuple(range(1, 50_001))
    assert "more than 8 times" in refusal(text, "value", "other")


def test_a_shift_that_the_new_text_cannot_follow_is_refused() -> None:
    assert "line 2 of newString" in refusal("a\n  b\n", "    a\n      b\n", "    a\n  c\n")


def test_deleting_takes_the_line_end_given() -> None:
    assert edited("a\r\nb\r\nc\r\n", "b\n", "")[1] == "a\r\nc\r\n"
    assert edited("a\nb\n", "\nb", "")[1] == "a\n"


def test_an_edit_that_would_change_nothing_is_refused() -> None:
    assert "change nothing" in refusal("a \nb\n", "a\nb  \n", "a\nb\n")


@pytest.mark.parametrize(
    ("text", "old", "hint"),
    [
        ('say("a\tb")\n', 'say(\\"a\\tb\\")', "Escape once"),
        ("one\ntwo\n", "1│one\n2│two", "line numbers"),
        ("it’s here\n", "it's here", "look-alike"),
        ("Total = 1\n", "total = 1", "upper and lower case"),
        ("a  =  1\n", "a = 1", "white space differs"),
        ("alpha\nbeta\n", "alpha\nbeta\ngamma", "ends before line 3"),
        ("def resolve_path(name):\n", "def resolve_paths(names):", "1│def resolve_path(name):"),
        ("zzz\n", "entirely different", "None of its lines"),
    ],
)
def test_a_refusal_helps(text: str, old: str, hint: str) -> None:
    message = refusal(text, old, "new text")
    assert "nothing was changed" in message
    assert hint in message


def test_the_nearest_lines_are_where_most_of_the_text_is() -> None:
    block = "def f{0}():\n    start()\n    work({0})\n    return done\n\n"
    text = "".join(block.format(number) for number in range(30))
    message = refusal(text, "def f17():\n    start()\n    work(99)\n    return done\n", "x")
    assert "86│def f17():" in message
    assert "first difference is at line 88" in message


def test_a_reason_alone_quotes_nothing() -> None:
    with pytest.raises(EditError) as caught:
        resolve("password = hunter2\n", Edit("password = hunter3", "x"))
    assert "hunter2" in str(caught.value)
    assert "hunter2" not in caught.value.reason


def test_a_rewrite_takes_the_line_ends_of_the_old_text() -> None:
    assert rewrite("a\r\nb\r\n", "x\ny") == "x\r\ny"
    assert rewrite("", "x\r\ny\n") == "x\r\ny\n"
    assert rewrite("a\nb\r\n", "a\nb\nc\n") == "a\nb\r\nc\r\n"
