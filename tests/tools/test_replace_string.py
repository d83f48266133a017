"""Replacing text: only the meant bytes change, and a refusal changes nothing."""

import os
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from cutaway.tools.base import ToolContext, ToolOutput
from cutaway.tools.details import FileEdit
from cutaway.tools.errors import ToolError
from cutaway.tools.read_file import ReadFile
from cutaway.tools.replace_string import ReplaceArguments, ReplaceString

Call = Callable[..., Awaitable[ToolOutput]]


def detail_of(output: ToolOutput) -> FileEdit:
    assert isinstance(output.detail, FileEdit)
    return output.detail


async def edited(call: Call, path: Path, before: bytes, old: str, new: str, *, every: bool = False) -> bytes:
    path.write_bytes(before)
    await call(ReplaceString(), filePath=path.name, oldString=old, newString=new, replaceAll=every)
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]
    return path.read_bytes()


async def refused(call: Call, path: Path, before: bytes, old: str, new: str, *, every: bool = False) -> str:
    path.write_bytes(before)
    status = path.stat()
    with pytest.raises(ToolError) as caught:
        await call(ReplaceString(), filePath=path.name, oldString=old, newString=new, replaceAll=every)
    assert path.read_bytes() == before
    assert (path.stat().st_mode, path.stat().st_ino) == (status.st_mode, status.st_ino)
    return str(caught.value)


async def test_crlf_stays_and_new_lines_get_it(call: Call, tmp_path: Path) -> None:
    """A01."""
    after = await edited(
        call,
        tmp_path / "w.ini",
        b"alpha = 1\r\nbeta = 2\r\ngamma = 3\r\n",
        "alpha = 1\nbeta = 2",
        "alpha = 1\nbeta = 20\nbeta2 = 21",
    )
    assert after == b"alpha = 1\r\nbeta = 20\r\nbeta2 = 21\r\ngamma = 3\r\n"


async def test_mixed_line_ends_stay_where_they_are(call: Call, tmp_path: Path) -> None:
    """A01: each kept line keeps its end; a new one takes that of the line before it."""
    after = await edited(call, tmp_path / "m", b"a\r\nb\nc\r\nd\n", "a\nb\nc\nd\n", "a\nb\nC\nc2\nd\n")
    assert after == b"a\r\nb\nC\r\nc2\r\nd\n"


async def test_byte_order_mark_stays_once(call: Call, tmp_path: Path) -> None:
    """A04: text from line 1 matches, with or without a mark copied from elsewhere."""
    before = b"\xef\xbb\xbfusing System;\r\nclass A {}\r\n"
    right = b"\xef\xbb\xbfusing System;\r\nclass B {}\r\n"
    path = tmp_path / "a.cs"
    old, new = "using System;\nclass A {}", "using System;\nclass B {}"
    assert await edited(call, path, before, old, new) == right
    assert await edited(call, path, before, "\ufeff" + old, "\ufeff" + new) == right


async def test_utf_16_stays_utf_16(call: Call, tmp_path: Path) -> None:
    before = "\ufeffgrüß\r\ndich\r\n".encode("utf-16-be")
    after = await edited(call, tmp_path / "u", before, "dich\n", "euch\nalle\n")
    assert after == "\ufeffgrüß\r\neuch\r\nalle\r\n".encode("utf-16-be")


async def test_replacement_is_never_a_template(call: Call, tmp_path: Path) -> None:
    """A06."""
    new = r'log("$& $1 $$ $` \1 \g<0> \\n");'
    for every in (False, True):
        after = await edited(call, tmp_path / "f", b'log("done");\n', 'log("done");', new, every=every)
        assert after == new.encode() + b"\n"


async def test_tabs_match_tabs(call: Call, tmp_path: Path) -> None:
    """A09 (a)."""
    before = b"func f() {\n\tif x {\n\t\treturn 1\n\t}\n}\n"
    after = await edited(call, tmp_path / "f.go", before, "\tif x {\n\t\treturn 1", "\tif x {\n\t\treturn 2")
    assert after == before.replace(b"1", b"2")


async def test_spaces_do_not_match_tabs(call: Call, tmp_path: Path) -> None:
    """A09 (b): refused, and the difference is made visible."""
    message = await refused(
        call,
        tmp_path / "f.go",
        b"func f() {\n\tif x {\n\t\treturn 1\n\t}\n}\n",
        "    if x {\n        return 1",
        "    if x {\n        return 2",
    )
    assert "only tabs and spaces differ" in message
    assert "2│→if x {" in message
    assert "│····if x {" in message


@pytest.mark.parametrize("every", [False, True])
async def test_empty_old_text_is_refused(call: Call, tmp_path: Path, every: bool) -> None:
    """A10 (a, b)."""
    assert "empty" in await refused(call, tmp_path / "f", b"abc\n", "", "X", every=every)
    assert "empty" in await refused(call, tmp_path / "f", b"", "", "X", every=every)


async def test_a_missing_file_is_not_made(call: Call, tmp_path: Path) -> None:
    """A10 (d)."""
    with pytest.raises(ToolError, match="no file new"):
        await call(ReplaceString(), filePath="new.txt", oldString="", newString="X")
    assert not (tmp_path / "new.txt").exists()


async def test_a_made_up_block_is_refused(call: Call, tmp_path: Path) -> None:
    """A12: first and last line are not enough."""
    before = (
        b"def load(p):\n    data = open(p).read()\n    return data\n\n"
        b'def save(p, d):\n    open(p, "w").write(d)\n    return True\n'
    )
    old = "def load(p):\n    conn = connect()\n    rows = conn.all()\n    return True"
    message = await refused(call, tmp_path / "f.py", before, old, "def load(p):\n    return 0")
    assert "2│····data = open(p).read()" in message


async def test_the_same_text_twice_must_be_told_apart(call: Call, tmp_path: Path) -> None:
    before = b"a\nb\na\n"
    message = await refused(call, tmp_path / "f", before, "a", "x")
    assert "2 times, at lines 1, 3" in message
    assert await edited(call, tmp_path / "f", before, "a", "x", every=True) == b"x\nb\nx\n"
    await refused(call, tmp_path / "f", b"aaa", "aa", "b")


async def test_identical_texts_are_refused(call: Call, tmp_path: Path) -> None:
    assert "identical" in await refused(call, tmp_path / "f", b"a\n", "a", "a")
    assert "line ends" in await refused(call, tmp_path / "f", b"a\r\n", "a\r\n", "a\n")


async def test_an_edit_made_before_is_recognised(call: Call, tmp_path: Path) -> None:
    message = await refused(call, tmp_path / "f", b"x = compute(2)\n", "x = compute(1)", "x = compute(2)")
    assert "already applied" in message


async def test_an_insertion_made_twice_is_remarked(call: Call, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"import a\nimport b\n")
    output = await call(
        ReplaceString(), filePath="f", oldString="import a\n", newString="import a\nimport b\n"
    )
    assert "doubled" in output.text


async def test_the_model_is_told_which_step_matched(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "f.py"
    path.write_bytes(b"class A:\n    def f(self):  \n        return 1\n")
    output = await call(
        ReplaceString(),
        filePath="f.py",
        oldString="  def f(self):\n      return 1\n",
        newString="  def f(self):\n      return 2\n",
    )
    detail = detail_of(output)
    assert (detail.rung, detail.added, detail.removed) == ("indentation", 1, 1)
    assert path.read_bytes() == b"class A:\n    def f(self):  \n        return 2\n"
    assert "another indentation" in output.text
    assert "3│        return 2" in output.text


async def test_a_change_elsewhere_survives_and_is_told(call: Call, tmp_path: Path) -> None:
    """A15 (b): the edit is guarded by its text, not by the age of the reading."""
    path = tmp_path / "cfg.txt"
    path.write_bytes(b"v=1\nuser=\n")
    await call(ReadFile(), filePath="cfg.txt")
    path.write_bytes(b"v=1\nuser=ann\n")
    output = await call(ReplaceString(), filePath="cfg.txt", oldString="v=1", newString="v=2")
    assert path.read_bytes() == b"v=2\nuser=ann\n"
    assert "changed since you last saw it" in output.text
    output = await call(ReplaceString(), filePath="cfg.txt", oldString="v=2", newString="v=3")
    assert "changed since" not in output.text


async def test_a_change_after_the_preview_is_refused(context: ToolContext, tmp_path: Path) -> None:
    """A15: what the user approved is what happens, or nothing."""
    path = tmp_path / "f"
    path.write_bytes(b"a\nb\n")
    tool, arguments = ReplaceString(), ReplaceArguments("f", "a", "x")
    shown = await tool.preview(arguments, context)
    path.write_bytes(b"a\nc\n")
    with pytest.raises(ToolError, match="changed by someone else"):
        await tool.run(arguments, replace(context, preview=shown))
    assert path.read_bytes() == b"a\nc\n"


async def test_a_preview_writes_nothing(context: ToolContext, tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"a\n")
    shown = await ReplaceString().preview(ReplaceArguments("f", "a", "x"), context)
    assert shown is not None
    assert shown.hunks[0].lines == ("-a", "+x")
    assert path.read_bytes() == b"a\n"


async def test_an_edit_outside_tells_nothing_before_it_is_allowed(
    context: ToolContext, call: Call, tmp_path: Path
) -> None:
    """A preview runs unasked; its failure would tell what a file outside the workspace holds."""
    outside = tmp_path.parent / f"{tmp_path.name}.secret"
    outside.write_bytes(b"password\n")
    arguments = ReplaceArguments(str(outside), "passwort", "x")
    assert await ReplaceString().preview(arguments, context) is None
    with pytest.raises(ToolError, match="password"):
        await ReplaceString().run(arguments, context)
    await call(ReadFile(), filePath=str(outside))
    with pytest.raises(ToolError, match="password"):
        await ReplaceString().preview(arguments, context)


@pytest.mark.parametrize(("mode", "mask"), [(0o755, 0o022), (0o600, 0o077), (0o664, 0o077), (0o4755, 0o022)])
@pytest.mark.skipif(os.name == "nt", reason="modes of POSIX")
async def test_mode_stays(call: Call, tmp_path: Path, mode: int, mask: int) -> None:
    """A17."""
    path = tmp_path / "run.sh"
    path.write_bytes(b"a\n")
    path.chmod(mode)
    previous = os.umask(mask)
    try:
        await call(ReplaceString(), filePath="run.sh", oldString="a", newString="b")
    finally:
        os.umask(previous)
    assert path.read_bytes() == b"b\n"
    assert path.stat().st_mode & 0o7777 == mode


async def test_hard_links_stay_linked(call: Call, tmp_path: Path) -> None:
    """A17: both names show the new text."""
    first, second = tmp_path / "a.md", tmp_path / "b.md"
    first.write_bytes(b"a longer old text\n")
    second.hardlink_to(first)
    for old, new in (("a longer old text", "short"), ("short", "and now it is quite long again")):
        await call(ReplaceString(), filePath="a.md", oldString=old, newString=new)
        assert second.read_bytes() == new.encode() + b"\n"
        assert first.stat().st_ino == second.stat().st_ino
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["a.md", "b.md"]


async def test_a_symbolic_link_is_written_through(call: Call, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "f").write_bytes(b"a\n")
    (tmp_path / "link").symlink_to(Path("real") / "f")
    await call(ReplaceString(), filePath="link", oldString="a", newString="b")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "f").read_bytes() == b"b\n"


@pytest.mark.skipif(os.name == "nt", reason="modes of POSIX")
async def test_a_read_only_file_is_refused(call: Call, tmp_path: Path) -> None:
    """A17: never silently made writable."""
    path = tmp_path / "f"
    path.write_bytes(b"a\n")
    path.chmod(0o444)
    with pytest.raises(ToolError, match="read-only \\(mode 0444\\)"):
        await call(ReplaceString(), filePath="f", oldString="a", newString="b")
    assert path.read_bytes() == b"a\n"
    assert path.stat().st_mode & 0o777 == 0o444


async def test_binary_files_are_refused(call: Call, tmp_path: Path) -> None:
    assert "binary" in await refused(call, tmp_path / "f", b"a\0b\n", "a", "b")


async def test_eight_bit_text_keeps_its_bytes(call: Call, tmp_path: Path) -> None:
    before = b"/* caf\xe9 na\xefve */\nint old;\n"
    path = tmp_path / "f.c"
    assert await edited(call, path, before, "old", "new") == before.replace(b"old", b"new")
    assert await edited(call, path, before, "old;", "old; // é") == before.replace(b"old;", b"old; // \xe9")
    assert "U+00FC" in await refused(call, path, before, "old", "für")


async def test_half_a_character_is_refused(call: Call, tmp_path: Path) -> None:
    assert "U+D83D" in await refused(call, tmp_path / "f", b"a\n", "a", "\ud83d")
