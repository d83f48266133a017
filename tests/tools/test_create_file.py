"""Writing whole files: new ones, and old ones only with full knowledge of what would be lost."""

import os
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from cutaway.tools.base import ToolContext, ToolOutput
from cutaway.tools.create_file import CreateArguments, CreateFile
from cutaway.tools.details import FileEdit
from cutaway.tools.errors import ToolError
from cutaway.tools.read_file import ReadFile
from cutaway.tools.replace_string import ReplaceString

Call = Callable[..., Awaitable[ToolOutput]]


async def test_a_new_file_has_exactly_the_content(call: Call, tmp_path: Path) -> None:
    """A01, A04: LF, no byte order mark, folders made."""
    output = await call(CreateFile(), filePath="new/deep/f.txt", content="a\nb\n")
    assert (tmp_path / "new/deep/f.txt").read_bytes() == b"a\nb\n"
    assert output.text == f"Created {Path('new/deep/f.txt')} (2 lines)."
    assert isinstance(output.detail, FileEdit)
    assert (output.detail.created, output.detail.added, output.detail.before_digest) == (True, 2, "")
    await call(CreateFile(), filePath="g.txt", content="\ufeffa")
    assert (tmp_path / "g.txt").read_bytes() == b"a"


@pytest.mark.skipif(os.name == "nt", reason="modes of POSIX")
@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600)])
async def test_the_mode_of_a_new_file_is_by_the_umask(
    call: Call, tmp_path: Path, mask: int, mode: int
) -> None:
    """A17."""
    previous = os.umask(mask)
    try:
        await call(CreateFile(), filePath="f", content="a\n")
    finally:
        os.umask(previous)
    assert (tmp_path / "f").stat().st_mode & 0o777 == mode
    assert [entry.name for entry in tmp_path.iterdir()] == ["f"]


async def test_an_unread_file_is_not_overwritten(call: Call, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"old\n")
    with pytest.raises(ToolError, match="you have not read it"):
        await call(CreateFile(), filePath="f", content="new\n")
    assert (tmp_path / "f").read_bytes() == b"old\n"


async def test_a_file_read_in_part_is_not_overwritten(call: Call, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"1\n2\n3\n")
    await call(ReadFile(), filePath="f", limit=2)
    with pytest.raises(ToolError, match="only a part"):
        await call(CreateFile(), filePath="f", content="new\n")
    await call(ReadFile(), filePath="f")
    await call(CreateFile(), filePath="f", content="new\n")
    assert (tmp_path / "f").read_bytes() == b"new\n"


async def test_a_change_since_the_reading_is_not_lost(call: Call, tmp_path: Path) -> None:
    """A15 (a): refused until read again."""
    path = tmp_path / "cfg.txt"
    path.write_bytes(b"v=1\nuser=\n")
    await call(ReadFile(), filePath="cfg.txt")
    path.write_bytes(b"v=1\nuser=ann\n")
    with pytest.raises(ToolError, match="changed since you read it"):
        await call(CreateFile(), filePath="cfg.txt", content="v=2\nuser=\n")
    assert path.read_bytes() == b"v=1\nuser=ann\n"
    await call(ReadFile(), filePath="cfg.txt")
    await call(CreateFile(), filePath="cfg.txt", content="v=2\nuser=ann\n")
    assert path.read_bytes() == b"v=2\nuser=ann\n"


async def test_a_change_before_an_edit_bars_the_whole_write_after_it(call: Call, tmp_path: Path) -> None:
    """A15: an edit of our own does not make up for what was not read."""
    path = tmp_path / "cfg.txt"
    path.write_bytes(b"v=1\nuser=\n")
    await call(ReadFile(), filePath="cfg.txt")
    path.write_bytes(b"v=1\nuser=ann\n")
    await call(ReplaceString(), filePath="cfg.txt", oldString="v=1", newString="v=2")
    with pytest.raises(ToolError, match="only a part"):
        await call(CreateFile(), filePath="cfg.txt", content="v=3\nuser=\n")


async def test_own_edits_in_a_row_are_not_refused(call: Call, tmp_path: Path) -> None:
    """A15: the agent's own writes do not count as changes."""
    await call(CreateFile(), filePath="f", content="a\n")
    await call(CreateFile(), filePath="f", content="b\n")
    await call(ReplaceString(), filePath="f", oldString="b", newString="c")
    await call(CreateFile(), filePath="f", content="d\n")
    assert (tmp_path / "f").read_bytes() == b"d\n"


async def test_an_empty_file_may_be_filled(call: Call, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"")
    await call(CreateFile(), filePath="f", content="a\n")
    assert (tmp_path / "f").read_bytes() == b"a\n"


async def test_writing_what_is_there_changes_nothing(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"a\n")
    inode = path.stat().st_ino
    output = await call(CreateFile(), filePath="f", content="a\n")
    assert "already" in output.text
    assert path.stat().st_ino == inode


@pytest.mark.parametrize(
    ("before", "content", "after"),
    [
        (b"a\r\nb\r\n", "a\nc\nd\n", b"a\r\nc\r\nd\r\n"),
        (b"\xef\xbb\xbfa\n", "b\n", b"\xef\xbb\xbfb\n"),
        ("\ufeffä\r\n".encode("utf-16-le"), "ö\n", "\ufeffö\r\n".encode("utf-16-le")),
        (b"a\r\nb\nc\n", "a\nb\nC\n", b"a\r\nb\nC\n"),
        (b"a\rb\r", "b\na\n", b"b\ra\r"),
    ],
)
async def test_a_rewrite_keeps_line_ends_and_encoding(
    call: Call, tmp_path: Path, before: bytes, content: str, after: bytes
) -> None:
    """A01, A04: also for a file written as a whole."""
    (tmp_path / "f").write_bytes(before)
    await call(ReadFile(), filePath="f")
    await call(CreateFile(), filePath="f", content=content)
    assert (tmp_path / "f").read_bytes() == after


async def test_a_file_that_appears_after_the_preview_is_kept(context: ToolContext, tmp_path: Path) -> None:
    """A15: also between the question and the answer."""
    tool, arguments = CreateFile(), CreateArguments("f", "mine\n")
    shown = await tool.preview(arguments, context)
    (tmp_path / "f").write_bytes(b"")
    with pytest.raises(ToolError, match="changed by someone else"):
        await tool.run(arguments, replace(context, preview=shown))
    assert (tmp_path / "f").read_bytes() == b""


async def test_a_dangling_link_is_written_through(call: Call, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("target.txt")
    await call(CreateFile(), filePath="link", content="a\n")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target.txt").read_bytes() == b"a\n"


@pytest.mark.parametrize("path", ["", "folder", "folder/", "new/", "file/x", "x" * 300, "n/" + "x" * 300])
async def test_impossible_places_are_refused_and_leave_nothing(call: Call, tmp_path: Path, path: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_bytes(b"f")
    with pytest.raises(ToolError):
        await call(CreateFile(), filePath=path, content="a\n")
    assert sorted(entry.name for entry in tmp_path.rglob("*")) == ["file", "folder"]


async def test_a_circle_of_links_is_refused(call: Call, tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    for tool, more in (
        (CreateFile(), {"content": "x"}),
        (ReadFile(), {}),
        (ReplaceString(), {"oldString": "a", "newString": "b"}),
    ):
        with pytest.raises(ToolError):
            await call(tool, filePath="a", **more)


async def test_text_with_a_nul_is_refused_since_it_could_not_be_read_again(
    call: Call, tmp_path: Path
) -> None:
    (tmp_path / "a").write_bytes(b"x\n")
    for tool, arguments in (
        (CreateFile(), {"filePath": "b", "content": "a\0b\n"}),
        (ReplaceString(), {"filePath": "a", "oldString": "x", "newString": "\0"}),
    ):
        with pytest.raises(ToolError, match="NUL"):
            await call(tool, **arguments)
    assert (tmp_path / "a").read_bytes() == b"x\n"
    assert not (tmp_path / "b").exists()
