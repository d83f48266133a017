"""Commands that no mode runs without asking, because what they destroy does not come back."""

import re
from itertools import pairwise
from pathlib import Path

from cutaway.harness.permissions.command_line import UNKNOWN, Part, Word
from cutaway.harness.permissions.git_losses import git_loss, has_option
from cutaway.harness.permissions.options import CODE_READERS, SHELLS, family
from cutaway.harness.permissions.protected import holds_everything
from cutaway.harness.permissions.reach import place_of
from cutaway.harness.permissions.wrappers import FIND_RUNS, Seen
from cutaway.tools.paths import Workspace

_DISKS = frozenset({"mkfs", "fdisk", "sfdisk", "parted", "wipefs", "mkswap", "diskutil", "shred", "format"})
_MACHINE = frozenset({"shutdown", "reboot", "halt", "poweroff", "init", "telinit"})
_SCHEDULERS = frozenset({"crontab", "at", "batch"})
_STANDARD_INPUTS = frozenset({"/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})
_DELETES = re.compile(
    r"(?:.*/)?(?:rm|unlink|shred)|.*\s.*\b(?:rm|unlink|shred)\b.*|(?:rm|unlink|shred)\s.*", re.DOTALL
)
_REMOTE = (
    (r"(terraform|tofu|pulumi|cdk|sst|serverless)( \S+)* (destroy|down)", "it destroys infrastructure"),
    (r"kubectl( \S+)* (delete|drain)", "it deletes from a cluster"),
    (r"helm( \S+)* (uninstall|delete)", "it deletes from a cluster"),
    (r"aws( \S+)* (delete-\S+|terminate-\S+|rb|rm)", "it deletes from a cloud account"),
    (r"(gcloud|az|doctl|fly|flyctl|heroku|railway|vercel|netlify|supabase)( \S+)* (delete|destroy|reset)\S*",
     "it deletes from a cloud account"),
    (r"docker( \S+)* (prune|volume rm)", "it deletes data of containers"),
    (r"(dropdb|dropuser)", "it deletes a database"),
    (r"redis-cli( \S+)* flush(all|db)", "it empties a database"),
    (r"(npm|pnpm|yarn|cargo|twine|poetry|uv|gem)( \S+)* (publish|unpublish|upload|yank)", "it publishes"),
    (r"gh( \S+)* (delete|archive)", "it deletes on the server"),
    (r"(npm|pnpm|yarn|pip|poetry|conda)( \S+)* config( \S+)* (set|edit|delete|unset)",
     "it changes your own settings of that program"),
)  # fmt: skip
_SQL = re.compile(r"\b(drop\s+(database|schema|table)|truncate\s+table)\b", re.IGNORECASE)


def why_dangerous(seen: Seen, workspace: Workspace) -> str:
    """Say why this command may not run without a person's word; '' when nothing is known against it."""
    part = seen.part
    if not part.words:
        return ""
    program = family(part.program)
    if not program:
        return "the program's name is known only when it runs"
    texts = part.arguments
    if program.split(".")[0] in _DISKS or (program == "dd" and _writes_to_device(texts)):
        return f"`{program}` overwrites a disk or a file for good"
    if program in _MACHINE:
        return f"`{program}` stops the machine"
    if program in _SCHEDULERS and texts != ("-l",):
        return f"`{program}` makes commands run later, when nobody looks"
    return (
        _shell_of_unseen_text(part, program)
        or _deletes(seen, program, workspace)
        or (program == "git" and git_loss(texts, workspace))
        or _on_servers(program, texts)
        or ""
    )


def _writes_to_device(texts: tuple[str, ...]) -> bool:
    return any(text.startswith("of=/dev/") and text != "of=/dev/null" for text in texts)


def _shell_of_unseen_text(part: Part, program: str) -> str:
    """Shells that run what is piped in, downloaded or substituted: nobody has seen what it says."""
    operands = [word for word in part.words[1:] if not word.text.startswith(("-", "+"))]
    words = [word for word in operands if word.text not in _STANDARD_INPUTS]
    if program in ("eval", "source", "."):
        unseen = any(not word.known for word in words)
    elif program in SHELLS:
        given = words if any("c" in text for text in _short(part.arguments)) else words[:1]
        unseen = any(not word.known for word in given)
    else:
        unseen = False
    if unseen:
        return f"`{program}` would run text that is known only when it runs"
    reads = part.piped or (program in SHELLS and bool(part.inputs))
    if program in CODE_READERS and reads and (not words or "-s" in part.arguments):
        return f"`{program}` would run text that it reads from somewhere else"
    return ""


def _short(texts: tuple[str, ...]) -> list[str]:
    return [text for text in texts if text.startswith("-") and not text.startswith("--")]


def _deletes(seen: Seen, program: str, workspace: Workspace) -> str:
    part = seen.part
    flags = tuple(text for text in part.arguments if text.startswith("-"))
    operands = [word for word in part.words[1:] if not word.text.startswith("-")]
    if program == "rm" and has_option(flags, "rR", "--recursive"):
        if any(text == "--no-preserve-root" for text in flags):
            return "`rm` is told not to spare the root"
        return _of_targets("`rm -r`", seen, operands, workspace)
    if program == "rm" and seen.inner and part.words[-1].text == UNKNOWN:
        return "`rm` on something that is known only when it runs"
    if program in ("chmod", "chown", "chgrp") and has_option(flags, "R", "--recursive"):
        return _of_targets(f"`{program} -R`", seen, operands[1:], workspace)
    if program == "find" and _find_deletes(part):
        return _find_target(seen, operands, workspace)
    if program in ("rmdir", "rd", "del", "erase", "remove-item", "ri") and any(
        text.casefold() in ("/s", "-recurse", "-r") for text in part.arguments
    ):
        return f"`{program}` would delete a whole tree"
    if program == "mv":
        return _of_targets("`mv`", seen, operands[:-1], workspace)
    return ""


def _of_targets(what: str, seen: Seen, words: list[Word], workspace: Workspace) -> str:
    for word in words:
        if not word.known:
            return f"{what} on something that is known only when it runs"
        if seen.folders is None and not word.text.startswith(("/", "~")):
            return f"{what} in a folder that is known only when it runs"
        if word.expands and not _takes_all(word.text):
            continue  # a pattern such as `*.pyc` spares the rest
        for folder in seen.folders or (Path("/"),):
            place = place_of(word, folder)
            if reason := holds_everything(place.path, workspace) or holds_everything(place.real, workspace):
                return f"{what} on {word.text}: {reason}"
    return ""


def _takes_all(text: str) -> bool:
    """Tell whether the last name of a pattern is no real restriction (`*`, `.*`, `{`…), or is none."""
    last = re.sub(r"\[[^\]]*\]", "?", text.rstrip("/").rpartition("/")[2])
    return set(last) <= set("*.?~") or not any(mark in last for mark in "*?[")


def _find_deletes(part: Part) -> bool:
    texts = part.arguments
    runs = next((index for index, text in enumerate(texts) if text in FIND_RUNS), len(texts))
    return "-delete" in texts or any(_DELETES.fullmatch(text) for text in texts[runs:])


def _find_target(seen: Seen, operands: list[Word], workspace: Workspace) -> str:
    """`find` deletes below its first words; a test on names makes it a normal tidying of the workspace."""
    texts = seen.part.arguments
    first = next((index for index, text in enumerate(texts) if text.startswith(("-", "(", "!"))), len(texts))
    starts = [word for word in seen.part.words[1 : first + 1] if not word.text.startswith("-")] or [Word(".")]
    narrowed = any(
        text in ("-name", "-iname", "-path", "-ipath", "-regex", "-iregex") and set(value) - set("*.?/")
        for text, value in pairwise(texts)
    )
    for folder in seen.folders or ():
        for start in starts:
            place = place_of(start, folder)
            if narrowed and place.inside(workspace):
                continue
            if reason := holds_everything(place.path, workspace) or holds_everything(place.real, workspace):
                return f"`find` would delete below {start.text}: {reason}"
    return ""


def _on_servers(program: str, texts: tuple[str, ...]) -> str:
    line = " ".join((program, *(text for text in texts if text and not re.search(r"\s", text))))
    for pattern, reason in _REMOTE:
        if re.match(rf"{pattern}(?: |$)", line):
            return f"{reason} (`{line[:60]}`)"
    if program in ("psql", "mysql", "mariadb", "sqlite3", "sqlcmd", "mongosh") and _SQL.search(
        " ".join(texts)
    ):
        return "it deletes data in a database"
    return ""
