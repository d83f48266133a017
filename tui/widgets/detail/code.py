"""Source text in tones, by what its file's name says that it is."""

from collections.abc import Iterator
from pathlib import PurePath

from cutaway.tui.rows import Part, Tone, text_lines
from cutaway.tui.transcript.highlight import Highlighter

LONGEST = 120_000
"""Characters up to which text is highlighted; a longer one is shown plain, at once."""

_LANGUAGES = {
    "pyi": "py",
    "yml": "yaml",
    "h": "c",
    "hpp": "cpp",
    "mjs": "js",
    "cjs": "js",
    "dockerfile": "docker",
    "makefile": "make",
}
"""Endings and names that are not themselves a name of their language."""

_TONES: dict[str, Tone] = {
    "code-comment": "comment",
    "code-keyword": "keyword",
    "code-string": "string",
    "code-number": "number",
    "code-type": "name",
    "code-function": "name",
    "code-builtin": "name",
}


def code_lines(text: str, path: str) -> list[list[Part]]:
    """The lines of a file's text in tones; plain for a language that is not known."""
    lines = text_lines(text)
    if len(text) > LONGEST:
        return [[line] for line in lines]
    name = PurePath(path)
    ending = (name.suffix.removeprefix(".") or name.name).lower()
    runs = Highlighter().lines("\n".join(lines), _LANGUAGES.get(ending, ending))
    return [[(run.text, _TONES.get(run.ink.role, "text")) for run in line] for line in runs]


def numbered(lines: list[list[Part]], first: int) -> Iterator[tuple[str, list[Part]]]:
    """Each line with its right-aligned number."""
    digits = len(str(first + len(lines)))
    for number, line in enumerate(lines, first):
        yield f"{number:>{digits}}  ", line
