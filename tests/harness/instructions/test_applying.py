"""Front matter and patterns: what people write, what is broken, and what would take for ever."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cutaway.harness.instructions.find import find_instructions
from cutaway.harness.instructions.front_matter import FrontMatter, parse_front_matter
from cutaway.harness.instructions.reading import Refused
from cutaway.harness.instructions.scope import applies_always, applies_to


@pytest.mark.parametrize(
    ("head", "globs"),
    [
        ("applyTo: '**/*.py'", ("**/*.py",)),
        ('applyTo: "**/*.{ts,tsx}, src/**"', ("**/*.{ts,tsx}", "src/**")),
        ("applyTo: **/*.py,*.md  # both", ("**/*.py", "*.md")),
        ("applyTo: ['*.py', \"*.{a,b}\"]", ("*.py", "*.{a,b}")),
        ("applyTo:\n  - '*.py'\n  - docs/**", ("*.py", "docs/**")),
        ("applyTo:", ()),
        ("applyTo: ''", ()),
        ("mode: agent\ntools: [a, b]\napplyTo: '*.py'\nother:\n  - x", ("*.py",)),
        ("applyTo: it's/**", ("it's/**",)),
        ("applyTo: 'it''s/**'", ("it's/**",)),
        ("applyTo: '[id]/**'", ("[id]/**",)),
    ],
)
def test_the_patterns_are_read_as_people_write_them(head: str, globs: tuple[str, ...]) -> None:
    matter = parse_front_matter(f"---\n{head}\ndescription: 'It''s   python'\n---\nBody\n---\n")
    assert matter == FrontMatter(globs, "It's python", "\nBody\n---\n")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("---\napplyTo: '*.py'\nbody", "no line of --- closes"),
        ("---\napplyTo: '*.py\n---\nbody", "applyTo cannot be read: '*.py"),
        ("---\napplyTo: |\n  *.py\n---\nbody", "applyTo cannot be read"),
        (f"---\napplyTo: {{{',' * 600}\n---\nbody", "over 500 characters"),
        (f"---\napplyTo: {'a,' * 500}\n---\nbody", "over 100 patterns"),
        (f"---\nother: {'a,' * 20_000}\napplyTo: '*.py'\n---\nbody", "more than 4000 characters"),
    ],
)
def test_broken_front_matter_is_refused_with_a_reason(tmp_path: Path, text: str, said: str) -> None:
    refused = parse_front_matter(text)
    assert isinstance(refused, Refused) and said in refused.reason
    file = tmp_path / ".github/instructions/x.instructions.md"
    file.parent.mkdir(parents=True)
    file.write_text(text)
    assert [(found.used, found.reason) for found in find_instructions(tmp_path)] == [(False, refused.reason)]


@pytest.mark.parametrize(
    ("glob", "path", "fits"),
    [
        ("*.py", "a.py", True),
        ("*.py", "src/deep/a.py", True),
        ("/*.py", "src/a.py", False),
        ("**/*.py", "a.py", True),
        ("src/**", "src/a/b.c", True),
        ("src/**", "packages/x/src/a.c", True),
        ("src/**/test_*.py", "src/test_a.py", True),
        ("src/*.py", "src/deep/a.py", False),
        ("docs/", "docs/x/y.md", True),
        ("**/*.{ts,tsx}", "a/b.tsx", True),
        ("**/*.{ts,tsx}", "a/b.tsy", False),
        ("app/[id]/*", "app/[id]/page", True),
        ("app/[id]/*", "app/i/page", True),
        ("*.PY", "a.py", False),
        ("./src/*", "src/a", True),
    ],
)
def test_a_pattern_fits_as_in_copilot(glob: str, path: str, fits: bool) -> None:
    assert applies_to([glob], path) is fits


def test_a_pattern_made_to_take_for_ever_does_not() -> None:
    assert not applies_to(["*a" * 100 + "b"], "a" * 250)
    assert not applies_to(["**/" * 100 + "b"], "a/" * 250 + "a")
    assert applies_always(["*.py", "**"]) and not applies_always(["*.py"])


@settings(deadline=None, max_examples=150)
@given(st.text(alphabet="-\n \t:,'\"[]{}*/!|#aplyTo", max_size=80), st.text(alphabet="ab/.[]*é", max_size=20))
def test_no_text_makes_the_reader_fail(head: str, path: str) -> None:
    matter = parse_front_matter(f"---\napplyTo: {head}\n---\nx")
    if isinstance(matter, FrontMatter):
        assert applies_to(matter.applies_to, path) in (True, False)
    else:
        assert matter.reason


def test_a_file_without_patterns_is_listed_with_its_description(tmp_path: Path) -> None:
    file = tmp_path / ".github/instructions/release.instructions.md"
    file.parent.mkdir(parents=True)
    file.write_text("---\ndescription: How to release\n---\nTag it.\n")
    (found,) = find_instructions(tmp_path)
    assert (found.sending, found.description) == ("listed", "How to release")
    assert found.reason == "names no files in applyTo, so it is listed for the model to read"
