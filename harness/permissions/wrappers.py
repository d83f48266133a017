"""See through commands that start other commands, so that a denied one cannot hide inside."""

import re
from collections.abc import Iterator

from msgspec import Struct

from cutaway.harness.permissions.command_line import UNKNOWN, CommandLine, Part, Word
from cutaway.harness.permissions.commands import parse
from cutaway.harness.permissions.folders import Folders, track
from cutaway.harness.permissions.options import SHELLS, family

_DEEPEST = 6
"""Levels of commands inside commands; what lies deeper counts as unknown."""

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")


class _Starter(Struct, frozen=True):
    """How a wrapper's own arguments end: short options that take a value, long ones, then operands."""

    letters: str = ""
    long: tuple[str, ...] = ()
    operands: int = 0
    assigns: bool = False


_STARTERS = {
    "env": _Starter("uC", ("--unset", "--chdir"), assigns=True),
    "sudo": _Starter("ugDRTprtCUh", ("--user", "--group", "--chdir", "--prompt", "--host"), assigns=True),
    "doas": _Starter("uC"),
    "nohup": _Starter(),
    "setsid": _Starter(),
    "time": _Starter("fo", ("--format", "--output")),
    "timeout": _Starter("ks", ("--kill-after", "--signal"), operands=1),
    "gtimeout": _Starter("ks", ("--kill-after", "--signal"), operands=1),
    "nice": _Starter("n", ("--adjustment",)),
    "ionice": _Starter("cnpPu", ("--class", "--classdata")),
    "chrt": _Starter("TPD", operands=1),
    "taskset": _Starter(operands=1),
    "stdbuf": _Starter("ioe", ("--input", "--output", "--error")),
    "command": _Starter(),
    "builtin": _Starter(),
    "exec": _Starter("a"),
    "coproc": _Starter(),
    "xargs": _Starter(
        "aEIJLRnPsd", ("--arg-file", "--delimiter", "--max-args", "--max-procs", "--max-lines")
    ),
    "gxargs": _Starter("aEIJLRnPsd", ("--arg-file", "--delimiter", "--max-args", "--max-procs")),
    "parallel": _Starter("aIjnNdS", ("--jobs", "--arg-file", "--max-args", "--delay", "--timeout")),
    "watch": _Starter("n", ("--interval",)),
    "strace": _Starter("aeEIoOpPsSuX"),
    "ltrace": _Starter("aDeFlnopsuwxX"),
    "flock": _Starter("wE", ("--timeout", "--wait", "--conflict-exit-code"), operands=1),
    "chroot": _Starter(operands=1),
    "unshare": _Starter("SGR"),
    "busybox": _Starter(),
    "toybox": _Starter(),
    "unbuffer": _Starter(),
    "caffeinate": _Starter("tw"),
    "entr": _Starter(),
}
_INPUT_TAKERS = frozenset({"xargs", "gxargs", "parallel"})
"""Programs that append what they read to the command that they start."""

_TEXT_TAKERS = frozenset({"eval", "watch", "parallel", "trap"})
"""Programs that hand their words, joined, to a shell."""

_TEXT_OPTION_TAKERS = frozenset({"su", "script", "flock", "runuser"})
"""Programs whose `-c TEXT` goes to a shell."""

FIND_RUNS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_GIT_VALUES = frozenset(
    {"-c", "-C", "--git-dir", "--work-tree", "--namespace", "--config-env", "--exec-path"}
)


class Seen(Struct, frozen=True):
    """A simple command that a line would run, and in which folders that may be (None: not known)."""

    part: Part
    folders: Folders
    inner: bool = False
    """True when it was found inside another command."""


def see_through(line: CommandLine, folders: Folders, depth: int = 0) -> Iterator[Seen]:
    """Yield every command of the line, and those that they would start, at any depth.

    A command whose words only the running shell knows is yielded as one with an unknown program.
    """
    for part, here in zip(line.parts, track(line, folders), strict=True):
        yield Seen(part, here, inner=depth > 0)
        yield from _inside(part, here, depth + 1)


def _inside(part: Part, folders: Folders, depth: int) -> Iterator[Seen]:
    if not part.words:
        return
    if depth > _DEEPEST:
        yield _unknown(part, folders)
        return
    program = family(part.program)
    for words in _started(program, part.words):
        if words:
            inner = Part(words, (), part.joined)
            yield Seen(inner, None if _moves(program, part) else folders, inner=True)
            yield from _inside(inner, folders, depth + 1)
    for text in _shell_texts(program, part.words[1:]):
        if UNKNOWN in text:
            yield _unknown(part, folders)
            continue
        line = parse(text)
        if line.broken:
            yield _unknown(part, folders)
        yield from see_through(line, folders, depth)


def _unknown(part: Part, folders: Folders) -> Seen:
    return Seen(Part((Word(UNKNOWN),), (), part.joined), folders, inner=True)


def _moves(program: str, part: Part) -> bool:
    options = {"env": ("-C", "--chdir"), "sudo": ("-D", "--chdir")}.get(program, ())
    return any(text.startswith(option) for text in part.arguments for option in options)


def _started(program: str, words: tuple[Word, ...]) -> Iterator[tuple[Word, ...]]:
    """Yield the command lines, as words, that a program starts from its own words."""
    if starter := _STARTERS.get(program):
        more = (Word(UNKNOWN),) if program in _INPUT_TAKERS else ()
        yield from (found and (*found, *more) for found in _after_options(starter, words[1:]))
    if program == "find":
        for index, word in enumerate(words):
            if word.text in FIND_RUNS:
                yield _until_end(words[index + 1 :])
    elif program == "git":
        yield from _git(words)


def _after_options(starter: _Starter, words: tuple[Word, ...]) -> Iterator[tuple[Word, ...]]:
    """Skip a wrapper's options; where one may have had a value, try once more one word later."""
    at, options = 0, 0
    while at < len(words):
        text = words[at].text
        if starter.assigns and _ASSIGNMENT.match(text):
            at += 1
        elif text == "--":
            at += 1
            break
        elif text.startswith("--"):
            at += 2 if text in starter.long else 1
            options += text not in starter.long and "=" not in text
        elif text.startswith("-") and len(text) > 1:
            at += 2 if text[-1] in starter.letters else 1
            options += text[-1] not in starter.letters
        else:
            break
    while starter.assigns and at < len(words) and _ASSIGNMENT.match(words[at].text):
        at += 1
    yield words[at + starter.operands :]
    if options:
        yield words[at + starter.operands + 1 :]


def _until_end(words: tuple[Word, ...]) -> tuple[Word, ...]:
    for index, word in enumerate(words):
        if word.text == ";" or (word.text == "+" and index and words[index - 1].text == "{}"):
            return words[:index]
    return words


def _git(words: tuple[Word, ...]) -> Iterator[tuple[Word, ...]]:
    """Yield git's command without its global options, and what it is told to run."""
    at = 1
    while at < len(words) and words[at].text.startswith("-"):
        at += 2 if words[at].text in _GIT_VALUES else 1
    if at > 1:
        yield (words[0], *words[at:])
    texts = [word.text for word in words[at:]]
    if texts[:2] == ["bisect", "run"] or texts[:2] == ["submodule", "foreach"]:
        rest = words[at + 2 :]
        yield rest[1:] if rest and rest[0].text.startswith("-") else rest


def _shell_texts(program: str, words: tuple[Word, ...]) -> Iterator[str]:
    """Yield what a program hands to a shell as text; too much rather than too little."""
    texts = [word.text for word in words]
    operands = [text for text in texts if not text.startswith(("-", "+"))]
    if program in SHELLS:
        if any(_has_letter(text, "c") for text in texts):
            yield from operands
    elif program in _TEXT_OPTION_TAKERS:
        for index, text in enumerate(texts):
            if _has_letter(text, "c") and not text.startswith("--"):
                yield text[2:] if len(text) > 2 else "".join(texts[index + 1 : index + 2])
            elif text in ("--command", "--session-command"):
                yield "".join(texts[index + 1 : index + 2])
    elif program == "env":
        for index, text in enumerate(texts):
            if text.startswith(("-S", "--split-string")):
                yield text.partition("=")[2] or text[2:] or "".join(texts[index + 1 : index + 2])
    elif program in _TEXT_TAKERS:
        yield (
            operands[0]
            if program == "trap" and operands
            else " ".join(texts if program == "eval" else operands)
        )
    elif program == "git":
        yield from (text.partition("!")[2] for text in texts if re.match(r"alias\.[^=]*=!", text))
        if texts[:2] == ["submodule", "foreach"] and len(operands) == 3:
            yield operands[2]


def _has_letter(text: str, letter: str) -> bool:
    return text.startswith(("-", "+")) and not text.startswith("--") and letter in text
