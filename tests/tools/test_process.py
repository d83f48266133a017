"""Programs end when they should, with everything that they have started."""

import asyncio
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cutaway.tools.errors import ToolError
from cutaway.tools.output import OutputCollector
from cutaway.tools.process import Processes, Run
from tests.tools.living import is_alive

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sessions and signals are POSIX")


class Started:
    """A shell command whose output can be waited for."""

    def __init__(self, processes: Processes, folder: Path, command: str) -> None:
        self.output = OutputCollector()
        self._live = ""
        self._news = asyncio.Event()
        self.run: Run = processes.start(["/bin/sh", "-c", command], folder, self.output, on_live=self._take)

    def _take(self, text: str) -> None:
        self._live += text
        self._news.set()

    async def says(self, enough: Callable[[str], bool]) -> list[str]:
        """Wait for output that is enough; give its words."""
        while not enough(self._live):
            self._news.clear()
            await self._news.wait()
        return self._live.split()

    async def lines(self, count: int) -> list[str]:
        return await self.says(lambda text: text.count("\n") >= count)


async def test_the_exit_is_not_the_end_of_the_output(processes: Processes, tmp_path: Path) -> None:
    """C01: a child that keeps the pipe open holds up nothing, and is named."""
    started = Started(processes, tmp_path, "sleep 60 & echo $!; exit 3")
    ended = await started.run.wait(20)
    child = int(started.output.text())
    assert (ended.exit_code, ended.signal, ended.timed_out) == (3, None, False)
    assert ended.left_behind == (child,)
    assert ended.seconds < 5
    await processes.aclose()
    assert not is_alive(child)


async def test_a_daemon_that_left_its_session_is_found_too(processes: Processes, tmp_path: Path) -> None:
    daemon = (
        f"{sys.executable} -c 'import os, time; os.setsid(); print(os.getpid(), flush=True); time.sleep(60)'"
    )
    started = Started(processes, tmp_path, f"({daemon} &) ; cat /dev/null")
    await started.lines(1)
    ended = await started.run.wait(20)
    daemons = [int(word) for word in started.output.text().split()]
    assert set(daemons) <= set(ended.left_behind)
    await processes.aclose()
    assert not any(map(is_alive, daemons))


async def test_a_timeout_ends_grandchildren(processes: Processes, tmp_path: Path) -> None:
    started = Started(processes, tmp_path, "sh -c 'sleep 60 & echo $!; wait' & echo $!; sleep 60")
    pids = [int(word) for word in await started.lines(2)]
    ended = await started.run.wait(0.1)
    assert ended.timed_out
    assert ended.signal == "SIGTERM"
    assert not any(map(is_alive, [*pids, started.run.pid]))
    assert processes.find(started.run.id) is None


async def test_what_ignores_sigterm_is_killed(processes: Processes, tmp_path: Path) -> None:
    started = Started(processes, tmp_path, "trap '' TERM INT HUP; echo ready; while :; do sleep 1; done")
    await started.lines(1)
    ended = await started.run.wait(0.1)
    assert (ended.timed_out, ended.signal) == (True, "SIGKILL")
    assert ended.left_behind == ()
    assert not is_alive(started.run.pid)


async def test_a_program_may_clean_up_when_its_time_is_over(processes: Processes, tmp_path: Path) -> None:
    command = "trap 'sleep 0.2; echo cleaned; exit 7' TERM; echo ready; while :; do sleep 0.1; done"
    started = Started(processes, tmp_path, command)
    await started.lines(1)
    ended = await started.run.wait(0.1)
    assert (ended.timed_out, ended.exit_code) == (True, 7)
    assert "cleaned" in started.output.text()


async def test_a_cancellation_leaves_nothing_within_a_second(processes: Processes, tmp_path: Path) -> None:
    started = Started(
        processes, tmp_path, "trap '' TERM; sleep 60 & echo $!; setsid sleep 60 & echo $!; sleep 60"
    )
    pids = [int(word) for word in await started.lines(2)]
    waiting = asyncio.create_task(started.run.wait(600))
    await asyncio.sleep(0)
    before = time.monotonic()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert time.monotonic() - before < 3  # a second on an idle machine
    assert not any(map(is_alive, [*pids, started.run.pid]))


async def test_a_second_cancellation_does_not_stop_the_first(processes: Processes, tmp_path: Path) -> None:
    started = Started(processes, tmp_path, "trap '' TERM; echo ready; while :; do sleep 1; done")
    await started.lines(1)
    waiting = asyncio.create_task(started.run.wait(600))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await processes.aclose()
    assert not is_alive(started.run.pid)


async def test_closing_ends_all_and_nothing_starts_afterwards(processes: Processes, tmp_path: Path) -> None:
    several = [Started(processes, tmp_path, "echo ready; sleep 60") for _ in range(3)]
    for started in several:
        await started.lines(1)
    await processes.aclose()
    assert not any(is_alive(started.run.pid) for started in several)
    with pytest.raises(RuntimeError):
        Started(processes, tmp_path, "true")


async def test_output_of_what_was_left_behind_is_still_read(processes: Processes, tmp_path: Path) -> None:
    """A server that logs must not stand still because nobody empties its pipe."""
    goes_on = "i=0; while [ $i -lt 3000 ]; do echo 0123456789012345678901234567890123456789; i=$((i+1)); done"
    started = Started(processes, tmp_path, f"({goes_on}; echo THE-END; touch done; sleep 60) & echo started")
    ended = await started.run.wait(20)
    assert ended.left_behind
    await started.says(lambda text: "THE-END" in text)
    assert (tmp_path / "done").exists()
    assert processes.find(started.run.id) is started.run


async def test_a_run_is_forgotten_when_all_of_it_is_over(processes: Processes, tmp_path: Path) -> None:
    started = Started(processes, tmp_path, "true")
    await started.run.wait(20)
    assert processes.find(started.run.id) is None
    assert await started.run.living() == ()


async def test_the_loop_goes_on_while_megabytes_arrive(processes: Processes, tmp_path: Path) -> None:
    started = Started(processes, tmp_path, "yes 'some line of output' | head -c 20000000")
    waiting = asyncio.create_task(started.run.wait(60))
    gaps = []
    last = time.monotonic()
    while not waiting.done():
        await asyncio.sleep(0)
        now = time.monotonic()
        gaps.append(now - last)
        last = now
    assert (await waiting).exit_code == 0
    assert started.output.bytes_seen == 20_000_000
    gaps.sort()
    assert gaps[-1] < 0.5
    assert gaps[int(len(gaps) * 0.99)] < 0.02


async def test_what_cannot_be_started_is_said(processes: Processes, tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="no-such-program cannot be started"):
        processes.start(["no-such-program"], tmp_path, OutputCollector())
    with pytest.raises(ToolError, match="no longer exists"):
        processes.start(["true"], tmp_path / "gone", OutputCollector())
    with pytest.raises(ToolError, match="too long"):
        processes.start(["/bin/echo", "x" * 3_000_000], tmp_path, OutputCollector())


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux shows whose output a process has")
async def test_a_daemon_that_cleared_its_environment_is_known_by_its_output(
    processes: Processes, tmp_path: Path
) -> None:
    command = "(env -i setsid /bin/sh -c 'echo $$; exec /bin/sleep 60' &)"
    started = Started(processes, tmp_path, command)
    child = int((await started.lines(1))[0])
    ended = await started.run.wait(20)
    assert ended.left_behind == (child,)
    await processes.aclose()
    assert not is_alive(child)
