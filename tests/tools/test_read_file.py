"""What the model is told of a file, and what the screen is shown."""

import os
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from cutaway.tools.base import ToolContext, ToolOutput
from cutaway.tools.details import FileRead
from cutaway.tools.errors import ToolError
from cutaway.tools.file_state import digest_of
from cutaway.tools.read_file import ReadFile

Call = Callable[..., Awaitable[ToolOutput]]


def detail_of(output: ToolOutput) -> FileRead:
    assert isinstance(output.detail, FileRead)
    return output.detail


@pytest.fixture
def five(tmp_path: Path) -> Path:
    path = tmp_path / "five.txt"
    path.write_bytes(b"1\n2\n3\n4\n5\n")
    return path


async def test_a_whole_file_is_read_and_known(call: Call, context: ToolContext, five: Path) -> None:
    output = await call(ReadFile(), filePath="five.txt")
    assert output.text == "1│1\n2│2\n3│3\n4│4\n5│5\n[end of file, 5 lines]"
    detail = detail_of(output)
    assert (detail.first_line, detail.last_line, detail.total_lines, detail.whole) == (1, 5, 5, True)
    assert detail.text == "1\n2\n3\n4\n5"
    assert context.files.knows_whole(five, digest_of(five.read_bytes()))


async def test_a_part_says_what_remains_and_is_not_the_whole(
    call: Call, context: ToolContext, five: Path
) -> None:
    output = await call(ReadFile(), filePath="five.txt", offset=2, limit=2)
    assert output.text == "2│2\n3│3\n[lines 2 to 3 of 5; 2 more lines: go on with offset 4]"
    digest = digest_of(five.read_bytes())
    assert context.files.knows(five, digest)
    assert not context.files.knows_whole(five, digest)


async def test_the_last_line_is_in_reach(call: Call, five: Path) -> None:
    """B01: offset 5 of 5."""
    output = await call(ReadFile(), filePath="five.txt", offset=5)
    assert output.text == "5│5\n[lines 5 to 5 of 5, the end of the file]"


@pytest.mark.parametrize("offset", [6, 100])
async def test_past_the_end_tells_the_number_of_lines(call: Call, five: Path, offset: int) -> None:
    """B01: never called empty, no made-up line."""
    with pytest.raises(ToolError) as caught:
        await call(ReadFile(), filePath="five.txt", offset=offset)
    assert "has 5 lines" in str(caught.value)
    assert "empty" not in str(caught.value)


async def test_offset_zero_counts_as_one(call: Call, five: Path) -> None:
    """B01."""
    assert detail_of(await call(ReadFile(), filePath="five.txt", offset=0)).first_line == 1


@pytest.mark.parametrize("arguments", [{"offset": -3}, {"limit": 0}, {"limit": -1}])
async def test_senseless_numbers_are_errors(call: Call, five: Path, arguments: dict[str, int]) -> None:
    """B01."""
    with pytest.raises(ToolError, match="must be 1 or more"):
        await call(ReadFile(), filePath="five.txt", **arguments)


async def test_an_empty_file_is_called_empty(call: Call, tmp_path: Path) -> None:
    """B01."""
    (tmp_path / "empty.txt").write_bytes(b"")
    output = await call(ReadFile(), filePath="empty.txt")
    assert "is empty" in output.text
    assert detail_of(output).whole


async def test_a_missing_final_line_end_makes_no_difference_to_the_count(call: Call, tmp_path: Path) -> None:
    """B01."""
    (tmp_path / "nonl.txt").write_bytes(b"1\n2")
    output = await call(ReadFile(), filePath="nonl.txt")
    assert output.text == "1│1\n2│2\n[end of file, 2 lines, no line end after the last one]"


async def test_tabs_stay_tabs_behind_the_separator(call: Call, tmp_path: Path) -> None:
    """A09: no white space of ours touches the line's own."""
    (tmp_path / "f.go").write_bytes(b"func f() {\n\tif x {\n\t\treturn 1\n\t}\n}\n")
    text = (await call(ReadFile(), filePath="f.go")).text
    assert "2│\tif x {\n3│\t\treturn 1\n" in text


async def test_byte_order_mark_is_hidden_and_crlf_is_told(call: Call, tmp_path: Path) -> None:
    """A04: line 1 starts with its text."""
    (tmp_path / "a.cs").write_bytes(b"\xef\xbb\xbfusing System;\r\nclass A {}\r\n")
    output = await call(ReadFile(), filePath="a.cs")
    assert output.text.startswith(
        "1│using System;\n2│class A {}\n[end of file, 2 lines; line ends: CRLF; UTF-8"
    )
    assert detail_of(output).text == "using System;\nclass A {}"


async def test_classic_line_ends_and_utf_16_are_read(call: Call, tmp_path: Path) -> None:
    (tmp_path / "mac.txt").write_bytes(b"a\rb\r")
    (tmp_path / "wide.txt").write_bytes("\ufeffä\r\n€\n".encode("utf-16-le"))
    assert (
        await call(ReadFile(), filePath="mac.txt")
    ).text == "1│a\n2│b\n[end of file, 2 lines; line ends: CR]"
    wide = (await call(ReadFile(), filePath="wide.txt")).text
    assert wide.startswith("1│ä\n2│€\n[end of file, 2 lines; line ends: mixed (1 CRLF, 1 LF); UTF-16 LE")


async def test_eight_bit_text_is_read_with_its_doubt(call: Call, tmp_path: Path) -> None:
    (tmp_path / "old.c").write_bytes(b"/* caf\xe9 */\nint main;\n")
    text = (await call(ReadFile(), filePath="old.c")).text
    assert text.startswith("1│/* café */\n")
    assert "not UTF-8, shown as Windows-1252" in text


async def test_separators_of_unicode_do_not_end_lines(call: Call, tmp_path: Path) -> None:
    (tmp_path / "u.txt").write_text("a\u2028b\x0cc\x85d\n", "utf-8")
    assert detail_of(await call(ReadFile(), filePath="u.txt")).total_lines == 1


async def test_a_long_line_is_cut_and_counted(call: Call, tmp_path: Path) -> None:
    """B03."""
    (tmp_path / "app.min.js").write_bytes(b"x" * 524288 + b"NEEDLE" + b"y" * 524288)
    output = await call(ReadFile(), filePath="app.min.js")
    assert len(output.text) < 4000
    assert "[line cut: 2000 of 1048582 characters shown]" in output.text
    assert "cut: line 1" in output.text
    assert not detail_of(output).whole


async def test_many_lines_come_in_windows_that_join(call: Call, tmp_path: Path) -> None:
    lines = [f"line {number}" for number in range(1, 5322)]
    (tmp_path / "long.txt").write_text("\n".join(lines) + "\n", "utf-8")
    read: list[str] = []
    while len(read) < 5321:
        detail = detail_of(await call(ReadFile(), filePath="long.txt", offset=len(read) + 1))
        assert detail.last_line - detail.first_line < 2000
        read += detail.text.split("\n")
    assert read == lines


async def test_bytes_are_capped_before_lines_are(call: Call, tmp_path: Path) -> None:
    (tmp_path / "wide.txt").write_text(("w" * 1500 + "\n") * 300, "utf-8")
    output = await call(ReadFile(), filePath="wide.txt")
    detail = detail_of(output)
    assert len(output.text.encode()) < 110_000
    assert f"go on with offset {detail.last_line + 1}]" in output.text


async def test_binary_comes_as_a_hexdump_by_bytes(call: Call, tmp_path: Path) -> None:
    (tmp_path / "b.bin").write_bytes(bytes(range(256)) * 20)
    output = await call(ReadFile(), filePath="b.bin", offset=16, limit=32)
    assert "00000010: 1011 1213" in output.text
    assert "[bytes 16 to 47 of 5120; 5072 more: go on with offset 48]" in output.text
    detail = detail_of(output)
    assert (detail.binary, detail.whole, detail.first_line, detail.total_lines) == (True, False, 16, 5120)
    with pytest.raises(ToolError, match="5120 bytes; byte offset 5120 is past its end"):
        await call(ReadFile(), filePath="b.bin", offset=5120)


@pytest.mark.parametrize("content", [b"\x81\x8d\n", b"caf\xe9\x07\n", b"\xef\xbb\xbf\xff", b"\xff\xfea"])
async def test_bytes_that_no_encoding_explains_are_binary(call: Call, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x").write_bytes(content)
    assert detail_of(await call(ReadFile(), filePath="x")).binary


async def test_pictures_are_passed_on(call: Call, tmp_path: Path) -> None:
    (tmp_path / "p.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    assert "view_image" in (await call(ReadFile(), filePath="p.png")).text


async def test_a_folder_is_refused(call: Call, tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    for name in ("d", "."):
        with pytest.raises(ToolError, match="folder"):
            await call(ReadFile(), filePath=name)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs POSIX")
async def test_a_fifo_a_device_and_a_socket_do_not_block(call: Call, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        here = Path.cwd()
        os.chdir(tmp_path)  # the path of a socket may be short only
        try:
            listener.bind("sock")
        finally:
            os.chdir(here)
        for name, kind in (("pipe", "FIFO"), ("sock", "socket"), ("/dev/zero", "device")):
            with pytest.raises(ToolError, match=kind):
                await call(ReadFile(), filePath=name)


@pytest.mark.parametrize("path", ["", "  ", "x\0.txt", "\ud800.txt", "~no-such-user.txt", "a/" * 3000])
async def test_paths_that_cannot_be_are_errors_for_the_model(call: Call, path: str) -> None:
    """F06: an error result, never a crash."""
    with pytest.raises(ToolError):
        await call(ReadFile(), filePath=path)


async def test_invisible_differences_in_names_are_spelled_out(call: Call, tmp_path: Path) -> None:
    """B11: the real name is listed; nothing is opened by guess."""
    (tmp_path / "Shot 1.02.03\u202fPM.txt").write_text("narrow")
    (tmp_path / "a\u00a0b.txt").write_text("nbsp")
    (tmp_path / "a b.txt").write_text("space")
    (tmp_path / "cafe\u0301.txt").write_text("nfd")
    for wrong, real in (
        ("Shot 1.02.03 PM.txt", "Shot 1.02.03\u202fPM.txt"),
        ("caf\u00e9.txt", "cafe\u0301.txt"),
    ):
        with pytest.raises(ToolError) as caught:
            await call(ReadFile(), filePath=wrong)
        assert f'"{real}" (in JSON: "' in str(caught.value)
        assert "\\u" in str(caught.value)
        assert detail_of(await call(ReadFile(), filePath=real)).whole
    assert detail_of(await call(ReadFile(), filePath="a\u00a0b.txt")).text == "nbsp"
    assert detail_of(await call(ReadFile(), filePath="a b.txt")).text == "space"


async def test_a_wrong_name_or_folder_gets_near_ones(call: Call, tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "parser.py").write_text("")
    with pytest.raises(ToolError, match=r'"parser\.py"'):
        await call(ReadFile(), filePath="source/parsers.py")
    with pytest.raises(ToolError, match=r'sourc does not exist.*"source/"'):
        await call(ReadFile(), filePath="sourc/parser.py")
    with pytest.raises(ToolError, match=r"source/parser\.py is not a folder"):
        await call(ReadFile(), filePath="source/parser.py/x")


async def test_names_outside_the_workspace_are_not_listed(call: Call, tmp_path: Path) -> None:
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("")
    with pytest.raises(ToolError) as caught:
        await call(ReadFile(), filePath=str(outside / "secrets.txt"))
    assert '"secret.txt"' not in str(caught.value)


async def test_a_large_file_is_streamed(call: Call, tmp_path: Path) -> None:
    """A file beyond what is held in memory gives the same answers, its digest included."""
    block = b"".join(b"%07d\r\n" % number for number in range(100_000))
    path = tmp_path / "large.log"
    path.write_bytes(block * 22)  # 19.8 MB
    output = await call(ReadFile(), filePath="large.log", offset=2_000_001, limit=2)
    detail = detail_of(output)
    assert detail.text == "0000000\n0000001"
    assert detail.total_lines == 2_200_000
    assert detail.digest == digest_of(path.read_bytes())
