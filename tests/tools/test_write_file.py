"""A write that fails leaves the old bytes, the old mode and no trace of itself."""

import asyncio
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from cutaway.tools.errors import ToolError
from cutaway.tools.file_state import digest_of
from cutaway.tools.write_file import create_file, in_thread, replace_file

OVER_THE_LIMIT = """
import resource, sys
from pathlib import Path
from cutaway.tools.errors import ToolError
from cutaway.tools.file_state import digest_of
from cutaway.tools.write_file import create_file, replace_file
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
path = Path(sys.argv[1])
try:
    if path.exists():
        replace_file(path, b"n" * 5000, before_digest=digest_of(path.read_bytes()), shown="f")
    else:
        create_file(path, b"n" * 5000, shown="f")
except ToolError as error:
    print(error)
"""


def write_over_the_limit(path: Path) -> str:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / ".src")}
    command = [sys.executable, "-c", OVER_THE_LIMIT, str(path)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout


@pytest.mark.skipif(os.name == "nt", reason="needs a limit on the size of files")
@pytest.mark.parametrize("linked", [False, True])
def test_no_space_leaves_the_file_as_it_was(tmp_path: Path, linked: bool) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"old\n" * 100)
    if linked:
        (tmp_path / "g").hardlink_to(path)
    names = sorted(entry.name for entry in tmp_path.iterdir())
    assert "no space is left" in write_over_the_limit(path)
    assert path.read_bytes() == b"old\n" * 100
    assert sorted(entry.name for entry in tmp_path.iterdir()) == names


@pytest.mark.skipif(os.name == "nt", reason="needs a limit on the size of files")
def test_no_space_leaves_no_new_file_and_no_new_folder(tmp_path: Path) -> None:
    assert "Nothing was changed" in write_over_the_limit(tmp_path / "new" / "deep" / "f")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_no_longer_the_same_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"theirs\n")
    with pytest.raises(ToolError, match="changed by someone else"):
        replace_file(path, b"mine\n", before_digest=digest_of(b"old\n"), shown="f")
    assert path.read_bytes() == b"theirs\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["f"]


def test_a_new_file_never_takes_the_place_of_another(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"theirs\n")
    with pytest.raises(ToolError, match="exists by now"):
        create_file(path, b"mine\n", shown="f")
    assert path.read_bytes() == b"theirs\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["f"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_to_is_named(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"old\n")
    tmp_path.chmod(0o555)
    try:
        with pytest.raises(ToolError, match="may not be written"):
            replace_file(path, b"new\n", before_digest=digest_of(b"old\n"), shown="f")
        with pytest.raises(ToolError, match="may not be written"):
            create_file(tmp_path / "g", b"new\n", shown="g")
    finally:
        tmp_path.chmod(0o755)
    assert path.read_bytes() == b"old\n"


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="needs extended attributes")
def test_extended_attributes_stay(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"old\n")
    try:
        os.setxattr(path, "user.note", b"kept")
    except OSError:
        pytest.skip("this file system has no extended attributes")
    replace_file(path, b"new\n", before_digest=digest_of(b"old\n"), shown="f")
    assert os.getxattr(path, "user.note") == b"kept"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may give files away")
def test_the_owner_stays(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"old\n")
    os.chown(path, 12345, 12346)
    path.chmod(0o2750)
    replace_file(path, b"new\n", before_digest=digest_of(b"old\n"), shown="f")
    status = path.stat()
    assert (status.st_uid, status.st_gid, status.st_mode & 0o7777) == (12345, 12346, 0o2750)


async def test_a_cancelled_write_is_waited_for(tmp_path: Path) -> None:
    """No thread writes on after the call has ended."""
    started, go = threading.Event(), threading.Event()
    done: list[str] = []

    def write() -> None:
        started.set()
        go.wait()
        done.append("written")

    task = asyncio.ensure_future(in_thread(write))
    await asyncio.to_thread(started.wait)
    task.cancel()
    await asyncio.sleep(0)
    assert not task.done()
    go.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert done == ["written"]
