"""Take a bash command line apart, so that rules judge words and never text."""

import unicodedata

from cutaway.harness.permissions.command_line import CommandLine, Part
from cutaway.harness.permissions.grammar import TreeReading, read_tree
from cutaway.harness.permissions.plain import NotPlain, PlainReading, read_plain

LONGEST_JUDGED = 10_000
"""Characters; a longer line is not read (the bound that Claude Code documents for its own rules)."""

MOST_JUDGED = 400
"""Commands and redirects in one line; judging each follows links on the disk, while the screen waits."""

_CONTROL = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def parse(text: str, folder: str = "") -> CommandLine:
    """Read a command line; never raises. `folder` is where it would run ($PWD).

    The line is plain (`obstacle` empty) only when the grammar and the reader of plain words agree on
    every word and separator. Otherwise `parts` still holds what could be found, for deny rules and
    the floor.
    """
    if len(text) > LONGEST_JUDGED:
        return CommandLine(text, (), f"more than {LONGEST_JUDGED} characters", broken=True)
    if "\0" in text:
        return CommandLine(text, (), "a NUL character", broken=True)
    try:
        source = text.encode()
    except UnicodeEncodeError:
        return CommandLine(text, (), "half of a character", broken=True)
    try:
        tree = read_tree(source, folder)
    except RecursionError:
        return CommandLine(text, (), "commands nested too deeply", broken=True)
    if sum(1 + len(part.redirects) for part in tree.parts) > MOST_JUDGED:
        return CommandLine(text, (), f"more than {MOST_JUDGED} commands and redirects", broken=True)
    plain: PlainReading | None = None
    obstacle = ""
    try:
        plain = read_plain(source)
    except NotPlain as reason:
        obstacle = str(reason)
    obstacle = obstacle or _disagreement(tree, plain) or _odd_character(text)
    if not obstacle and plain is not None:
        return CommandLine(text, plain.parts)
    parts = tree.parts if plain is None else (*plain.parts, *_only_in(tree.parts, plain.parts))
    return CommandLine(text, parts, obstacle, broken=tree.broken, loops=tree.loops)


def _disagreement(tree: TreeReading, plain: PlainReading | None) -> str:
    if tree.broken:
        return "text that does not parse as bash"
    if tree.obstacle:
        return tree.obstacle
    if plain is not None and (tree.spans, tree.separators) != (plain.spans, plain.separators):
        return "words that can be read in two ways"
    return "" if plain is None or plain.parts else "no command"


def _only_in(these: tuple[Part, ...], others: tuple[Part, ...]) -> tuple[Part, ...]:
    known = {part.words for part in others}
    return tuple(part for part in these if part.words not in known)


def hidden_character(text: str) -> str:
    """Name the first control, direction or invisible character, which could hide what a line does."""
    for char in text:
        if char not in "\n\t" and unicodedata.category(char) in _CONTROL:
            return f"U+{ord(char):04X}"
    return ""


def _odd_character(text: str) -> str:
    if all(char.isprintable() or char in "\n\t" for char in text):
        return ""
    return "a character that cannot be shown"
