"""What one folder shows, and the end of a task."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from cutaway.tools.base import ToolOutput
from cutaway.tools.details import DirectoryListing, TaskCompleted
from cutaway.tools.errors import ToolError
from cutaway.tools.list_dir import ListDir
from cutaway.tools.task_complete import TaskComplete, TaskCompleteArguments

Call = Callable[..., Awaitable[ToolOutput]]


async def test_names_are_sorted_and_marked(tmp_path: Path, call: Call) -> None:
    """B08: links are shown, not followed."""
    (tmp_path / "src").mkdir()
    (tmp_path / ".hidden").touch()
    (tmp_path / "a.txt").touch()
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "self").symlink_to(".")
    output = await call(ListDir(), path=".")
    assert output.text.split("\n") == [".hidden", "a.txt", "loop -> loop", "self/ -> .", "src/"]
    assert output.detail == DirectoryListing(
        ".", (".hidden", "a.txt", "loop -> loop", "self/ -> .", "src/"), 5
    )


async def test_a_large_folder_is_cut_and_counted(tmp_path: Path, call: Call) -> None:
    for number in range(510):
        (tmp_path / f"f{number:03}").touch()
    output = await call(ListDir(), path=str(tmp_path))
    assert "(10 more; 510 in all." in output.text
    assert isinstance(output.detail, DirectoryListing)
    assert (len(output.detail.entries), output.detail.total) == (500, 510)


async def test_an_empty_folder_is_called_empty(tmp_path: Path, call: Call) -> None:
    (tmp_path / "void").mkdir()
    assert (await call(ListDir(), path="void")).text == "void is an empty folder."


async def test_a_wrong_folder_is_answered_with_near_names(tmp_path: Path, call: Call) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "a.txt").touch()
    with pytest.raises(ToolError, match='"source/"'):
        await call(ListDir(), path="sources")
    with pytest.raises(ToolError, match="is a file"):
        await call(ListDir(), path="a.txt")


async def test_names_cannot_act_on_the_terminal(tmp_path: Path, call: Call) -> None:
    (tmp_path / "a\x1b[2Jb").touch()
    assert "\x1b" not in (await call(ListDir(), path=".")).text


async def test_the_model_ends_its_task(call: Call) -> None:
    output = await call(TaskComplete(), summary=" Done. ")
    assert output.ends_interaction and output.detail == TaskCompleted("Done.")
    assert (await call(TaskComplete())).ends_interaction
    assert TaskComplete().access(TaskCompleteArguments()).effect == "control"


async def test_a_path_that_no_system_takes_is_an_answer_for_the_model(call: Call) -> None:
    with pytest.raises(ToolError, match="too long"):
        await call(ListDir(), path="a/" * 2500)
