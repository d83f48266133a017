"""A disk that is full and a process that dies cost nothing that was written, and nothing that waits."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cutaway.harness.eventlog import EventLog
from cutaway.harness.eventlog.codec import decode_line
from cutaway.harness.events import Event, MessageDelta, SessionWarning, ToolCompleted, UserMessageSent
from tests.harness.eventlog.instances import small_session

SOURCES = str(Path(__file__).parents[3] / ".src")


def python(code: str, *arguments: str) -> subprocess.Popen[str]:
    """Run a script of ours that may wait for its standard input to close."""
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, "PYTHONPATH": SOURCES},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 KiB of its own, which can really be full."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("only root on Linux can mount a small disk")
    options = ["-t", "tmpfs", "-o", "size=256k,mode=700", "tmpfs", str(disk)]
    if subprocess.run(["mount", *options], capture_output=True).returncode:
        pytest.skip("this machine lets nobody mount a small disk")
    try:
        yield disk
    finally:
        subprocess.run(["umount", "--lazy", str(disk)], check=True)


def fill(disk: Path) -> Path:
    """Leave no byte free, and return what to remove when there shall be room again."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            return filler


def warnings(log: EventLog) -> list[SessionWarning]:
    return [record.event for record in log.records if isinstance(record.event, SessionWarning)]


def text_events(count: int, size: int) -> list[Event]:
    return [UserMessageSent(str(n), f"{n} " + "x" * size) for n in range(count)]


@pytest.mark.parametrize(("size", "count"), [(300, 40), (3000, 10), (20_000, 10)])
async def test_a_full_disk_warns_once_and_everything_is_written_when_there_is_room(
    small_disk: Path, size: int, count: int
) -> None:
    """E03, disk full: small lines, lines over a page of the disk, and texts that go to blobs."""
    path = small_disk / "events.jsonl"
    log = EventLog(path)
    listener = log.subscribe()
    events = text_events(count, size)
    for event in events[:2]:
        log.emit(event)
    filler = fill(small_disk)
    for event in [*events[2:-2], MessageDelta("t", "x")]:
        log.emit(event)
    log.sync()
    assert log.unwritten > 0
    assert [one.warning_type for one in warnings(log)] == ["log_unwritable"]
    assert str(path) in warnings(log)[0].message and "No space left" in warnings(log)[0].message
    shown = [record.event for record in await anext(listener)]
    assert [event for event in shown if isinstance(event, UserMessageSent)] == events[:-2]
    assert warnings(log)[0] in shown
    on_disk = path.read_bytes()
    assert on_disk.endswith(b"\n"), "no part of a line stays behind"
    filler.unlink()
    for event in events[-2:]:
        log.emit(event)
    assert log.unwritten == 0
    assert [one.warning_type for one in warnings(log)] == ["log_unwritable", "log_written"]
    log.close()
    assert path.read_bytes().startswith(on_disk)
    assert [record.event for record in EventLog(path).records] == events
    assert not list(small_disk.rglob("blobs/*/.*")), "no half-written text stays behind"


def test_a_log_that_begins_on_a_full_disk_goes_on_in_memory(small_disk: Path) -> None:
    filler = fill(small_disk)
    log = EventLog(small_disk / "events.jsonl")
    for event in small_session():
        log.emit(event)
    assert log.unwritten == len(small_session())
    log.close()
    assert log.unwritten == len(small_session()), "what could not be saved is counted"
    filler.unlink()
    again = EventLog(small_disk / "events.jsonl")
    for event in small_session():
        again.emit(event)
    again.close()
    assert again.unwritten == 0


LIMITED = """
import json, resource, sys
from pathlib import Path
from cutaway.harness.eventlog import EventLog
from cutaway.harness.events import SessionWarning, UserMessageSent

path = Path(sys.argv[1])
log = EventLog(path)
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
for n in range(20):
    log.emit(UserMessageSent(str(n), "y" * 100))
refused = log.unwritten, path.stat().st_size, path.read_bytes()[-1:] == b"\\n"
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
log.emit(UserMessageSent("20", "y" * 100))
log.close()
warnings = sum(isinstance(record.event, SessionWarning) for record in log.records)
print(json.dumps([*refused, log.unwritten, warnings]))
"""


@pytest.mark.skipif(os.name != "posix", reason="the limit on a file's size is POSIX only")
def test_a_file_that_may_not_grow_is_written_when_it_may(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    process = python(LIMITED, str(path))
    out, _ = process.communicate()
    unwritten, size, clean_end, left, warned = json.loads(out)
    assert unwritten > 10 and 0 < size <= 1000 and clean_end
    assert (left, warned) == (0, 2)
    events = [record.event for record in EventLog(path).records]
    assert events == [UserMessageSent(str(n), "y" * 100) for n in range(21)]


KILLED = """
import sys
from pathlib import Path
from cutaway.harness.eventlog import EventLog
from cutaway.harness.events import MessageDelta, ToolCompleted
from tests.harness.eventlog.instances import small_session

log = EventLog(Path(sys.argv[1]))
for event in small_session()[:5]:
    log.emit(event)
log.emit(ToolCompleted("c", "t", "run", "done", "z" * 50_000))
log.emit(MessageDelta("t", "half an answ"))
print("written", flush=True)
sys.stdin.read()
"""


def test_a_killed_process_leaves_all_that_it_recorded(tmp_path: Path) -> None:
    """E03: SIGKILL in the middle of a turn; no end of turn and no exit was needed to write."""
    path = tmp_path / "events.jsonl"
    root = str(Path(__file__).parents[3])
    code = f"import sys; sys.path.insert(0, {root!r})\n{KILLED}"
    process = python(code, str(path))
    assert process.stdout and process.stdout.readline() == "written\n"
    process.kill()
    process.communicate()
    log = EventLog(path)
    assert [record.event for record in log.records[:5]] == small_session()[:5]
    last = log.records[5].event
    assert isinstance(last, ToolCompleted) and last.text == "z" * 50_000
    assert len(log.records) == 6 and log.report.warning == ""
    assert decode_line(path.read_bytes().split(b"\n")[0]) == log.records[0]
