"""The second result of a tool: structure for the screen, beside the text for the model.

Every detail is a frozen value that goes into the event log as it is, so fields are plain data,
paths are text relative to the workspace where they lie in it, and lines are 1-based.
"""

from typing import Literal

from msgspec import Struct


class Hunk(Struct, frozen=True, rename="camel"):
    """One run of a diff; `lines` start with ' ', '+' or '-' and hold no line end."""

    old_start: int
    new_start: int
    lines: tuple[str, ...]


class FileRead(Struct, frozen=True, rename="camel", tag="file_read"):
    """A part of a file that the model has now seen; `digest` is of the whole file's bytes."""

    path: str
    digest: str
    first_line: int
    last_line: int
    total_lines: int
    text: str
    binary: bool = False
    whole: bool = False
    """True when the model has seen all of the file, so that it may be rewritten as a whole."""


EditRung = Literal["exact", "line-end", "trailing-space", "indentation"]


class FileEdit(Struct, frozen=True, rename="camel", tag="file_edit"):
    """What an edit does, or did, to one file; digests are of the whole file's bytes ('' = no file)."""

    path: str
    before_digest: str
    after_digest: str
    hunks: tuple[Hunk, ...]
    added: int
    removed: int
    created: bool = False
    rung: EditRung | None = None
    replacements: int = 1
    note: str = ""


class DirectoryListing(Struct, frozen=True, rename="camel", tag="directory_listing"):
    """Names in one folder, folders with a final '/'."""

    path: str
    entries: tuple[str, ...]
    total: int


class FilesFound(Struct, frozen=True, rename="camel", tag="files_found"):
    """Paths that a file search found; `total` counts also those that were not listed."""

    query: str
    paths: tuple[str, ...]
    total: int


class SearchHit(Struct, frozen=True, rename="camel"):
    """One matching line; `text` may be cut around the match."""

    path: str
    line: int
    text: str


class SearchHits(Struct, frozen=True, rename="camel", tag="search_hits"):
    """Lines that a text search found, in the order of the search."""

    query: str
    hits: tuple[SearchHit, ...]
    files: int
    cut: bool = False


class CommandRun(Struct, frozen=True, rename="camel", tag="command_run"):
    """How a command ended; exactly one of `exit_code` and `signal` is set once it has ended."""

    command: str
    cwd: str
    exit_code: int | None
    signal: str | None
    timed_out: bool
    seconds: float
    output: str
    """Decoded, sanitised, and cut as the model saw it."""
    output_bytes: int
    spill_path: str | None = None
    """Where the full text lies when `output` was cut."""
    still_running: tuple[int, ...] = ()
    """Process ids that the command left behind in its group."""


class TestFailure(Struct, frozen=True, rename="camel"):
    """One failing test: its id as the runner takes it, where, and a short trace."""

    __test__ = False

    id: str
    message: str
    path: str = ""
    line: int = 0
    trace: str = ""
    kind: Literal["failed", "error"] = "failed"


TestState = Literal["finished", "no-tests", "collection-error", "crashed", "timed-out", "no-runner"]


class TestRun(Struct, frozen=True, rename="camel", tag="test_run"):
    """A test run with counts; counts are None where the runner gives none."""

    __test__ = False

    runner: str
    command: str
    state: TestState
    passed: int | None
    failed: int | None
    errors: int | None
    skipped: int | None
    seconds: float
    failures: tuple[TestFailure, ...] = ()
    exit_code: int | None = None
    interpreter: str = ""
    interpreter_reason: str = ""
    output: str = ""


class PlannedCommand(Struct, frozen=True, rename="camel", tag="planned_command"):
    """What a call would run when the call itself does not say it; `note` tells how it was chosen."""

    command: str
    note: str = ""


class TaskCompleted(Struct, frozen=True, rename="camel", tag="task_completed"):
    """The model's own word that the task is done."""

    summary: str


Detail = (
    FileRead
    | FileEdit
    | DirectoryListing
    | FilesFound
    | SearchHits
    | CommandRun
    | PlannedCommand
    | TestRun
    | TaskCompleted
)


class OutputChunk(Struct, frozen=True, rename="camel", tag="output"):
    """Text that a running command has written since the last chunk, decoded and sanitised."""

    text: str


class TestProgress(Struct, frozen=True, rename="camel", tag="tests"):
    """How far a test run is; `total` is None until the runner has collected."""

    __test__ = False

    done: int
    total: int | None
    failed: int
    current: str = ""


class ProgressNote(Struct, frozen=True, rename="camel", tag="note"):
    """One line on what a long call is doing."""

    message: str


Progress = OutputChunk | TestProgress | ProgressNote
