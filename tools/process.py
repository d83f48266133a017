"""Programs in sessions of their own, that end when they should and leave nothing behind.

A run waits for the program itself and never for the end of its output; it cannot ask anybody
anything (no terminal, input at its end); a time-out or a cancellation ends the whole tree.
"""

import asyncio
import os
import secrets
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from signal import SIGTERM

from cutaway.tools.environment import child_environment
from cutaway.tools.errors import ToolError
from cutaway.tools.output import OutputCollector
from cutaway.tools.paths import printable
from cutaway.tools.pipe import PipeReader, output_pipe, pipe_name
from cutaway.tools.process_tree import MARK, ProcessTree, signal_name

SIGKILL = 9  # the signal module of Windows has no name for it

TIMEOUT_GRACE = 2.0
"""Seconds between SIGTERM and SIGKILL when the time is up: enough for a test runner to say so."""

CANCEL_GRACE = 0.4
"""Seconds between SIGTERM and SIGKILL when the user interrupts, who waits for it."""

_GIVE_UP = 5.0
"""Seconds after SIGKILL; what lives on then is stuck in the kernel."""

_REPORT_INTERVAL = 1 / 15
"""Seconds between live reports; the screen paints no faster."""

MOST_RUNS = 64
"""Commands that may run, or have left something running, at one time (as Codex bounds it)."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended; exactly one of `exit_code` and `signal` is set."""

    exit_code: int | None
    signal: str | None
    timed_out: bool
    seconds: float
    left_behind: tuple[int, ...] = ()
    """Processes of the run that still live; they are ended with the session."""

    @property
    def words(self) -> str:
        """Say how it ended, in words that judge nothing: code 0 of a pipe need not be a success."""
        took = f"{self.seconds:.2f} s" if self.seconds < 10 else f"{self.seconds:.0f} s"
        ended = f"ended by {self.signal}" if self.signal else f"exit code {self.exit_code}"
        if self.exit_code is not None and self.exit_code > 128:
            by_signal = signal_name(self.exit_code - 128)
            if by_signal.startswith("SIG"):
                ended += f" (the code that shells give for an end by {by_signal})"
        return f"timed out after {took}; {ended}" if self.timed_out else f"{ended} after {took}"


class Run:
    """One program and whatever it starts."""

    __slots__ = (
        "_awaited", "_code", "_ending", "_exited", "_kill_at", "_loop", "_on_live", "_on_over", "_popen",
        "_reader", "_reaping", "_report", "_settled", "_started", "_stopped", "_tree", "id", "output",
    )  # fmt: skip

    def __init__(
        self,
        run_id: str,
        popen: subprocess.Popen[bytes],
        mark: str,
        reading: int,
        output: OutputCollector,
        on_live: Callable[[str], None] | None,
        on_over: Callable[[], None],
    ) -> None:
        self.id = run_id
        self.output = output
        self._popen = popen
        self._tree = ProcessTree(popen.pid, mark, pipe_name(reading))
        self._on_live = on_live
        self._on_over = on_over
        self._loop = asyncio.get_running_loop()
        self._reader = PipeReader(reading, self._take, self.reap_soon)
        self._report: asyncio.TimerHandle | None = None
        self._exited = asyncio.Event()
        self._code = 0
        self._started = time.monotonic()
        self._stopped: float | None = None
        self._settled = False
        self._awaited = False
        self._kill_at = 0.0
        self._ending: asyncio.Task[None] | None = None
        self._reaping: asyncio.Task[None] | None = None
        threading.Thread(target=self._await_exit, name=f"wait-{popen.pid}", daemon=True).start()

    @property
    def pid(self) -> int:
        """The process id of the program, which is also that of its group and session."""
        return self._popen.pid

    @property
    def seconds(self) -> float:
        """How long the program has run, or ran."""
        return (self._stopped or time.monotonic()) - self._started

    async def exits_within(self, seconds: float | None) -> bool:
        """Wait for the program's exit, at most so long; what it left running does not count."""
        try:
            await asyncio.wait_for(self._exited.wait(), seconds)
        except TimeoutError:
            return False
        return True

    async def wait(self, seconds: float | None) -> Ended:
        """Wait for the program; end its tree when the time is up, or when the caller is cancelled."""
        self._awaited = True
        try:
            timed_out = not await self.exits_within(seconds)
            if timed_out:
                await self.end(TIMEOUT_GRACE)
            return await self._settle(timed_out)
        except asyncio.CancelledError:
            await self.end(CANCEL_GRACE)
            raise
        finally:
            self._awaited = False

    async def end(self, grace: float) -> None:
        """End every process of the run: SIGTERM, after `grace` seconds SIGKILL; then let go of it.

        Goes on to its end when the caller is cancelled meanwhile.
        """
        kill_at = self._loop.time() + grace
        if self._ending is None:
            if not self._settled:
                self._tree.signal(SIGTERM)
            self._kill_at = kill_at
            self._ending = self._loop.create_task(self._end())
        self._kill_at = min(self._kill_at, kill_at)
        await asyncio.shield(self._ending)

    async def living(self) -> tuple[int, ...]:
        """List the processes of the run that live now."""
        return () if self._settled else await asyncio.to_thread(self._tree.members)

    async def _end(self) -> None:
        found = await self.living()
        self._tree.signal_escaped(SIGTERM, found)
        while found or not self._exited.is_set():
            overdue = self._loop.time() - self._kill_at
            if overdue > _GIVE_UP:
                break
            if overdue >= 0:
                self._tree.signal(SIGKILL)
                self._tree.signal_escaped(SIGKILL, found)
            await asyncio.sleep(0.03)
            found = await self.living()
        await self._reader.drain()
        self._let_go()

    async def _settle(self, timed_out: bool) -> Ended:
        """Take the last output, and see what the program has left behind."""
        await self._reader.drain()
        left = await self.living()
        if left:  # those that are on their way out need not be told
            await asyncio.sleep(0.05)
            left = await self.living()
        if left:
            self._reader.slow_down()
        else:
            self._let_go()
        self._tell_live()
        return Ended(
            exit_code=self._code if self._code >= 0 else None,
            signal=signal_name(-self._code) if self._code < 0 else None,
            timed_out=timed_out,
            seconds=self.seconds,
            left_behind=left,
        )

    def _let_go(self) -> None:
        """Close the output and reap the program, once nothing of the run lives.

        Until then it stays a zombie, so that its id cannot name anybody else's group.
        """
        if self._settled or not self._exited.is_set():
            return
        self._settled = True
        self._reader.close()
        self.output.close()
        self._popen.wait()
        self._on_over()

    def reap_soon(self) -> None:
        """See whether all of the run is over, unless somebody waits for it anyway."""
        busy = self._awaited or self._settled or self._ending is not None or self._reaping is not None
        if self._exited.is_set() and not busy:
            self._reaping = self._loop.create_task(self._reap_if_gone())

    async def _reap_if_gone(self) -> None:
        await self._reader.drain()
        if not await self.living():
            self._let_go()
        self._reaping = None

    def _take(self, data: bytes) -> None:
        self.output.feed(data)
        if self._on_live is not None and self._report is None:
            self._report = self._loop.call_later(_REPORT_INTERVAL, self._tell_live)

    def _tell_live(self) -> None:
        if self._report is not None:
            self._report.cancel()
            self._report = None
        if self._on_live is not None and (text := self.output.take_live()):
            self._on_live(text)

    def _await_exit(self) -> None:
        """Wait in a thread, since a loop can watch children on some systems only."""
        if sys.platform == "linux":  # see the exit, but leave the zombie
            seen = os.waitid(os.P_PID, self._popen.pid, os.WEXITED | os.WNOWAIT)
            assert seen is not None  # only WNOHANG gives None
            code = seen.si_status if seen.si_code == os.CLD_EXITED else -seen.si_status
        else:
            code = self._popen.wait()
        with suppress(RuntimeError):  # the loop may be closed by now
            self._loop.call_soon_threadsafe(self._exit_seen, code)

    def _exit_seen(self, code: int) -> None:
        self._code = code
        self._stopped = time.monotonic()
        self._exited.set()
        self.reap_soon()


class Processes:
    """Every program that the tools of a session run; `aclose` ends what still lives.

    `environment` is what the programs' environment is made from (ours by default), and `keep` names
    variables to pass on although they look like secrets.
    """

    __slots__ = ("_closed", "_environment", "_keep", "_last", "_runs")

    def __init__(self, environment: Mapping[str, str] | None = None, keep: Collection[str] = ()) -> None:
        self._environment = os.environ if environment is None else environment
        self._keep = frozenset(keep)
        self._runs: dict[str, Run] = {}
        self._last = 0
        self._closed = False

    @property
    def environment(self) -> dict[str, str]:
        """What a program started now would find, its mark aside."""
        return child_environment(self._environment, self._keep)

    def start(
        self,
        command: Sequence[str],
        folder: str | os.PathLike[str],
        output: OutputCollector,
        *,
        extra: Mapping[str, str] | None = None,
        on_live: Callable[[str], None] | None = None,
    ) -> Run:
        """Start a program in `folder`; its output goes to `output`, and is told live as text.

        `extra` is added to its environment. Raises ToolError when it cannot be started.
        """
        if self._closed:
            raise RuntimeError("the session's processes are closed")
        if len(self._runs) >= MOST_RUNS:
            raise ToolError(f"{MOST_RUNS} commands have processes running. End some of them with kill first.")
        for run in self._runs.values():
            run.reap_soon()
        mark = secrets.token_hex(8)
        marks = ":".join(filter(None, (self._environment.get(MARK), mark)))
        environment = child_environment(self._environment, self._keep, {**(extra or {}), MARK: marks})
        reading, writing = output_pipe()
        try:
            popen = _spawn(command, folder, environment, writing)
        except (OSError, ValueError) as error:
            os.close(reading)
            raise ToolError(_why_not_started(command, folder, error)) from error
        finally:
            os.close(writing)
        self._last += 1
        run_id = f"run-{self._last}"
        run = Run(run_id, popen, mark, reading, output, on_live, lambda: self._forget(run_id))
        self._runs[run_id] = run
        return run

    def find(self, run_id: str) -> Run | None:
        """Find a run by its id, as long as something of it lives."""
        return self._runs.get(run_id)

    async def aclose(self) -> None:
        """End everything that was started and still lives; nothing can be started afterwards."""
        self._closed = True
        await asyncio.gather(*(run.end(CANCEL_GRACE) for run in list(self._runs.values())))

    def _forget(self, run_id: str) -> None:
        self._runs.pop(run_id, None)


def _spawn(
    command: Sequence[str], folder: str | os.PathLike[str], environment: Mapping[str, str], writing: int
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        list(command),
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=writing,
        stderr=writing,
        start_new_session=True,
        creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
    )


def missing_folder(folder: str | os.PathLike[str]) -> str:
    """Say, for the model, that the folder to work in is gone."""
    return (
        f"The working folder {printable(os.fspath(folder))} no longer exists, so nothing can run in it. "
        "Tell the user: the folder must be made again, or a session started elsewhere."
    )


def _why_not_started(command: Sequence[str], folder: str | os.PathLike[str], error: Exception) -> str:
    if not os.path.isdir(folder):  # noqa: PTH112 (a str or a path)
        return missing_folder(folder)
    if isinstance(error, OSError) and error.errno == 7:  # E2BIG
        return "The command is too long for the system. Write it to a script file and run that."
    if isinstance(error, ValueError):
        return f"The command cannot be passed to a program: {error}. Send it without that character."
    return f"{command[0]} cannot be started: {error.strerror if isinstance(error, OSError) else error}."
