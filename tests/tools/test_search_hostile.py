"""Searches that would hang, flood or mislead."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from cutaway.tools.base import ToolOutput
from cutaway.tools.errors import ToolError
from cutaway.tools.grep_search import GrepSearch
from cutaway.tools.python_search import PythonSearch
from cutaway.tools.search import FILE_SIZE, MOST_COUNTED
from tests.tools.living import is_alive

Call = Callable[..., Awaitable[ToolOutput]]


async def test_an_expression_that_never_ends_stops_at_the_time_limit_and_holds_nothing_up(
    call: Call, tmp_path: Path
) -> None:
    """Python's own engine would take hours here, and keep every other thread from running."""
    (tmp_path / "a.txt").write_text("a" * 40 + "\n")
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    counting = asyncio.ensure_future(count())
    found = await call(GrepSearch(PythonSearch(), time_limit=0.5), query="(a|a)*b", isRegexp=True)
    counting.cancel()
    assert "Stopped when the time was up" in found.text
    assert turns > 50
    children = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    assert not [pid for file in children for pid in file.read_text().split() if is_alive(int(pid))]


@pytest.mark.parametrize("query", ["[", "(?=a)", "*", "\\"])
async def test_a_refused_expression_is_told_with_the_reason(call: Call, tmp_path: Path, query: str) -> None:
    (tmp_path / "a.txt").write_text("a\n")
    with pytest.raises(ToolError, match=r"refused: rg: [^\n]*\n +\(\?:"):
        await call(GrepSearch(), query=query, isRegexp=True)


async def test_counting_stops_in_one_huge_file_too(call: Call, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"x\n" * (5 * MOST_COUNTED))
    found = await call(GrepSearch(), query="x", maxResults=2)
    assert f"at least {MOST_COUNTED - 2} more" in found.text


async def test_a_file_too_large_to_search_is_not_called_empty_of_matches(call: Call, tmp_path: Path) -> None:
    with (tmp_path / "big").open("wb") as file:
        file.truncate(FILE_SIZE + 1)
    with pytest.raises(ToolError, match="not searched"):
        await call(GrepSearch(), query="x", includePattern="big")


async def test_a_long_query_is_not_repeated_whole(call: Call) -> None:
    assert len((await call(GrepSearch(), query="q" * 50_000)).text) < 500


@pytest.mark.parametrize(("query", "regexp"), [("a\nb", False), ("a\\nb", True)])
async def test_without_ripgrep_a_match_over_two_lines_is_refused_rather_than_missed(
    call: Call, tmp_path: Path, query: str, regexp: bool
) -> None:
    (tmp_path / "a.txt").write_text("a\nb\n")
    with pytest.raises(ToolError, match="ripgrep"):
        await call(GrepSearch(PythonSearch()), query=query, isRegexp=regexp)
