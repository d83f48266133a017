"""A write that is killed leaves old or new bytes, and no litter that lasts."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cutaway.tools.draft import STALE_AFTER, Draft
from cutaway.tools.file_state import digest_of
from cutaway.tools.write_file import create_file, replace_file

OLD, NEW = b"a" * 300_000, b"b" * 300_001

_WRITER = f"""
import sys
from pathlib import Path
from cutaway.tools.file_state import digest_of
from cutaway.tools.write_file import replace_file
path, old, new = Path(sys.argv[1]), b"a" * {len(OLD)}, b"b" * {len(NEW)}
while True:
    now = path.read_bytes()
    replace_file(path, new if now == old else old, before_digest=digest_of(now), shown="f")
    print(flush=True)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs POSIX signals")
def test_a_kill_at_any_moment_leaves_the_old_or_the_new_bytes(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(OLD)
    for round_number in range(8):
        writer = subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(path)],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        assert writer.stdout is not None
        with writer, writer.stdout as told:
            for _ in range(1 + round_number):
                assert told.readline()
            writer.kill()
        assert path.read_bytes() in (OLD, NEW)


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="only Linux has files without names")
def test_a_draft_is_not_seen_before_it_is_whole(tmp_path: Path) -> None:
    try:
        os.close(os.open(tmp_path, os.O_WRONLY | os.O_TMPFILE))
    except OSError:
        pytest.skip("this file system has no files without names")
    with Draft(tmp_path, 0o600) as draft:
        os.write(draft.descriptor, b"half")
        assert list(tmp_path.iterdir()) == []
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_process_left_is_tidied_away_by_the_next_write(tmp_path: Path) -> None:
    names = (".cutaway-0123456789abcdef.tmp", ".cutaway-fedcba9876543210.tmp", ".cutaway-mine.tmp")
    left, fresh, mine = (tmp_path / name for name in names)
    for path in (left, fresh, mine):
        path.write_bytes(b"half")
    for path in (left, mine):
        os.utime(path, (path.stat().st_mtime - STALE_AFTER - 5,) * 2)
    target = tmp_path / "f"
    target.write_bytes(OLD)
    replace_file(target, NEW, before_digest=digest_of(OLD), shown="f")
    assert sorted(tmp_path.iterdir()) == sorted([fresh, mine, target])


def test_a_new_file_never_takes_the_place_of_another(tmp_path: Path) -> None:
    target = tmp_path / "f"
    create_file(target, b"first", shown="f")
    with Draft(tmp_path, 0o666) as draft, pytest.raises(FileExistsError):
        draft.become_new(target)
    assert target.read_bytes() == b"first"
    assert list(tmp_path.iterdir()) == [target]
