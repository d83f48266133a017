"""What a tool did, drawn by kind from its detail; each module draws one family."""

from collections.abc import Set
from typing import assert_never

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
    TestRun,
)
from cutaway.tui.rows import Row
from cutaway.tui.widgets.detail.edit import edit_rows
from cutaway.tui.widgets.detail.read import read_rows
from cutaway.tui.widgets.detail.search import files_rows, listing_rows, search_rows
from cutaway.tui.widgets.detail.task import task_rows
from cutaway.tui.widgets.detail.terminal import command_rows, planned_rows
from cutaway.tui.widgets.detail.tests import run_rows

__all__ = ["detail_rows"]


def detail_rows(detail: Detail, opened: Set[str] = frozenset()) -> list[Row]:
    """Draw any detail; `opened` holds the keys of the rows whose inner part is shown."""
    match detail:
        case FileEdit():
            return edit_rows(detail)
        case FileRead():
            return read_rows(detail)
        case TestRun():
            return run_rows(detail, opened)
        case CommandRun():
            return command_rows(detail)
        case PlannedCommand():
            return planned_rows(detail)
        case SearchHits():
            return search_rows(detail)
        case FilesFound():
            return files_rows(detail)
        case DirectoryListing():
            return listing_rows(detail)
        case TaskCompleted():
            return task_rows(detail)
        case _:
            assert_never(detail)
