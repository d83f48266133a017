"""A tool call in a few words: a short name, what it is about, and what came of it."""

import json
from functools import lru_cache
from pathlib import PurePath
from typing import Any, assert_never

from cutaway.harness.details import (
    CommandRun,
    Detail,
    DirectoryListing,
    FileEdit,
    FileRead,
    FilesFound,
    PlannedCommand,
    SearchHits,
    TaskCompleted,
    TestProgress,
    TestRun,
)
from cutaway.harness.events import PermissionKind
from cutaway.harness.ledger import CallState, CallView
from cutaway.tui import format as figures
from cutaway.tui.rows import Part, Tone

SHORT_NAMES = {
    "read_file": "read",
    "create_file": "create",
    "replace_string_in_file": "edit",
    "multi_replace_string_in_file": "edit",
    "apply_patch": "patch",
    "list_dir": "list",
    "file_search": "find",
    "grep_search": "grep",
    "run_in_terminal": "run",
    "get_terminal_output": "output",
    "run_tests": "tests",
    "get_changed_files": "changes",
    "fetch_webpage": "fetch",
    "view_image": "image",
    "manage_todo_list": "todo",
    "ask_questions": "ask",
    "task_complete": "finish",
}
STATE_MARKS: dict[CallState, tuple[str, Tone]] = {
    "proposed": ("·", "dim"),
    "asking": ("?", "warn"),
    "queued": ("○", "dim"),
    "running": ("●", "accent"),
    "done": ("✓", "good"),
    "failed": ("✗", "bad"),
    "invalid": ("!", "bad"),
    "refused": ("⊘", "warn"),
    "interrupted": ("■", "warn"),
    "not-run": ("–", "dim"),
}
STATE_WORDS: dict[CallState, str] = {
    "proposed": "proposed",
    "asking": "asks you",
    "queued": "queued",
    "running": "running",
    "done": "done",
    "failed": "failed",
    "invalid": "invalid",
    "refused": "refused",
    "interrupted": "interrupted",
    "not-run": "not run",
}
_SUBJECTS = ("filePath", "path", "command", "query", "id", "summary", "urls", "files", "testNames", "input")


_DECIDERS: dict[PermissionKind, str] = {
    "approved": "you, once",
    "approved-for-session": "you, for this session",
    "denied-by-user": "you",
    "denied-no-user": "nobody was there to ask",
    "cancelled": "nobody: the question was cancelled",
}


def decider_of(call: CallView) -> str:
    """The rule, mode or person that let a call run or refused it; '' while that is open."""
    return call.decided_by or (_DECIDERS[call.decided.kind] if call.decided else "")


def short_name(name: str) -> str:
    """A verb for the tools we know; any other keeps its own name."""
    return SHORT_NAMES.get(name, name)


@lru_cache(maxsize=4096)
def arguments_of(text: str) -> dict[str, Any]:
    """The arguments as an object; empty when they are not one."""
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


@lru_cache(maxsize=4096)
def target_of(name: str, arguments: str) -> str:
    """What a call is about, as the model wrote it: a path, a command, a query; '' when it names nothing."""
    found = arguments_of(arguments)
    if isinstance(edits := found.get("replacements"), list) and edits:
        paths = dict.fromkeys(str(edit.get("filePath", "")) for edit in edits if isinstance(edit, dict))
        return ", ".join(paths)
    for key in _SUBJECTS:
        match found.get(key):
            case str(text) if text:
                return _patched(text) if key == "input" else text
            case [*items] if items:
                return ", ".join(str(item) for item in items)
            case _:
                continue
    return ""


def _patched(patch: str) -> str:
    """The paths that a patch names."""
    marks = ("*** Update File: ", "*** Add File: ", "*** Delete File: ")
    named = [
        line.removeprefix(mark) for line in patch.splitlines() for mark in marks if line.startswith(mark)
    ]
    return ", ".join(named) or patch


def is_path(name: str) -> bool:
    """Tell whether the end of a call's target says more than its start."""
    return short_name(name) in {"read", "create", "edit", "patch", "list", "image"}


def shorter_path(text: str) -> str:
    """The last two parts of an absolute path; anything else as it is."""
    path = PurePath(text)
    return str(PurePath(*path.parts[-2:])) if path.is_absolute() and len(path.parts) > 3 else text


def ran_for(call: CallView) -> str:
    """How long a call ran; '' for one that did not, and for one cut off before anybody took the time."""
    if call.completed is None or call.started_at is None:
        return ""
    if call.completed.outcome == "interrupted" and not call.completed.ran_ms:
        return ""
    return figures.duration(call.completed.ran_ms / 1000)


def outcome_of(call: CallView) -> list[Part]:
    """What came of a call, in counts where there are any, else its state in a word."""
    if call.state == "running":
        return _running(call)
    if call.state == "failed" and not isinstance(call.detail, CommandRun | TestRun):
        return [("failed", "bad")]
    if call.completed is None or call.detail is None or call.state not in ("done", "failed"):
        word = STATE_WORDS[call.state]
        return [] if call.state == "done" else [(word, STATE_MARKS[call.state][1])]
    if isinstance(call.detail, TestRun):
        return counts_of_run(call.detail, skipped=False)  # a row is short, and skipped tests are no news
    return counts_of(call.detail)


def _running(call: CallView) -> list[Part]:
    if (tests := call.tests) is not None:
        return progress_of_run(tests)
    return [("running", "accent")]


def progress_of_run(tests: TestProgress) -> list[Part]:
    """How far a test run is, in figures."""
    total = "?" if tests.total is None else str(tests.total)
    parts: list[Part] = [(f"{tests.done}/{total}", "accent")]
    if tests.failed:
        parts.append((f" {tests.failed} failed", "bad"))
    return parts


def counts_of(detail: Detail) -> list[Part]:
    """A result in figures."""
    match detail:
        case FileEdit(added=added, removed=removed):
            return [(f"+{added}", "good"), " ", (f"−{removed}", "bad")]
        case FileRead(binary=True):
            return ["binary"]
        case FileRead(total_lines=0):
            return ["empty"]
        case FileRead(first_line=first, last_line=last):
            return [f"{first}–{last}"]
        case TestRun():
            return counts_of_run(detail)
        case CommandRun():
            return [command_end(detail)]
        case SearchHits(hits=hits, cut=cut):
            return [f"{len(hits)}{'+' if cut else ''} {'hit' if len(hits) == 1 else 'hits'}"]
        case FilesFound(total=total):
            return [f"{total} {'file' if total == 1 else 'files'}"]
        case DirectoryListing(total=total):
            return [f"{total} {'entry' if total == 1 else 'entries'}"]
        case PlannedCommand() | TaskCompleted():
            return []
        case _:
            assert_never(detail)


def counts_of_run(run: TestRun, *, skipped: bool = True) -> list[Part]:
    """Counts of a test run; a run without counts says how it ended."""
    parts: list[Part] = []
    kinds: tuple[tuple[int | None, str, Tone], ...] = (
        (run.passed, "passed", "good"),
        (run.failed, "failed", "bad"),
        (run.errors, "errors", "bad"),
        (run.skipped if skipped else None, "skipped", "dim"),
    )
    for count, word, tone in kinds:
        if count or (word == "passed" and count is not None):
            parts.extend([" "] if parts else [])
            parts.append((f"{count} {word}", tone))
    if not parts or run.state != "finished":
        parts = [*parts, *([" "] if parts else []), (run.state.replace("-", " "), "warn")]
    return parts


def command_end(run: CommandRun) -> Part:
    """How a command ended, without judging it: a non-zero exit code may be what was asked for."""
    if run.timed_out:
        return ("timed out", "warn")
    if run.signal is not None:
        return (f"signal {run.signal}", "warn")
    if run.exit_code is None:
        return ("running", "accent")
    return (f"exit {run.exit_code}", "text" if run.exit_code == 0 else "warn")
