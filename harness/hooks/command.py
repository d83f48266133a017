"""Run one hook's command: JSON on its stdin, bounded output, a time limit, nothing left running."""

import asyncio
import os
import secrets
import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from signal import SIGTERM

from cutaway.harness.hooks.outcome import CommandEnded
from cutaway.harness.waiting import to_its_end
from cutaway.tools.environment import child_environment
from cutaway.tools.process_tree import MARK, ProcessTree

KEPT = 256 * 1024
"""Bytes of each stream that are kept; the rest is read and dropped, so that no hook blocks on a full pipe."""

GRACE = 1.0
"""Seconds between SIGTERM and SIGKILL."""

_SIGKILL = 9  # the signal module of Windows has no name for it
_AFTER_EXIT = 0.2
"""Seconds that output may still come after the exit: a child left behind may hold the pipe for ever."""


async def run_command(
    command: str | Sequence[str], said: bytes, folder: Path, timeout: float, environment: Mapping[str, str]
) -> CommandEnded:
    """Run a hook to its end; whatever goes wrong is told in the result, and a cancellation kills it."""
    mark = secrets.token_hex(8)
    words = ["/bin/sh", "-c", command] if isinstance(command, str) else list(command)
    if isinstance(command, str) and os.name == "nt":
        words = [environment.get("COMSPEC", "cmd.exe"), "/c", command]
    try:
        process = await _start(words, folder, child_environment(environment, frozenset(), {MARK: mark}), mark)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        return CommandEnded(-1, failed=f"{_name(words)} cannot be started: {why}")
    tree = ProcessTree(process.pid, mark)
    out, err = bytearray(), bytearray()
    streams = [
        asyncio.create_task(_write(process, said)),
        asyncio.create_task(_read(process.stdout, out)),
        asyncio.create_task(_read(process.stderr, err)),
    ]
    failed = ""
    try:
        await asyncio.wait_for(_exit(process), timeout)
        await asyncio.wait(streams, timeout=_AFTER_EXIT)
    except TimeoutError:
        failed = f"it took longer than its {timeout:g} s and was killed"
    finally:
        await to_its_end(asyncio.create_task(_clear_away(process, tree, streams)))
    code = process.returncode if process.returncode is not None else -1
    if code in (126, 127) and not failed:
        failed = f"the command was not found or is not executable{_last_line(err)}"
    return CommandEnded(code, out.decode(errors="replace"), err.decode(errors="replace"), failed)


async def _start(
    words: Sequence[str], folder: Path, environment: Mapping[str, str], mark: str
) -> asyncio.subprocess.Process:
    """Start it to the end also when cancelled meanwhile: asyncio hangs on a start that is cut off."""
    starting = asyncio.create_task(
        asyncio.create_subprocess_exec(
            *words,
            cwd=folder,
            env=environment,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
    )
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        await to_its_end(asyncio.create_task(_undo_start(starting, mark)))
        raise


async def _undo_start(starting: "asyncio.Task[asyncio.subprocess.Process]", mark: str) -> None:
    with suppress(OSError, ValueError):
        process = await starting
        await _clear_away(process, ProcessTree(process.pid, mark), ())


async def _exit(process: asyncio.subprocess.Process) -> None:
    """Wait for the program alone: asyncio waits for its pipes too, which a child left behind holds open."""
    pause = 0.001
    while process.returncode is None:
        await asyncio.sleep(pause)
        pause = min(2 * pause, 0.05)


async def _clear_away(
    process: asyncio.subprocess.Process, tree: ProcessTree, streams: Sequence["asyncio.Task[None]"]
) -> None:
    """Leave nothing of a hook: no process, no task that reads, no open pipe."""
    await _kill(process, tree)
    for stream in streams:
        stream.cancel()
    await asyncio.gather(*streams, return_exceptions=True)
    _close_pipes(process)


async def _write(process: asyncio.subprocess.Process, said: bytes) -> None:
    """Tell the hook what happened; one that does not want to know may close its end."""
    assert process.stdin is not None
    with suppress(OSError):
        process.stdin.write(said)
        await process.stdin.drain()
    with suppress(OSError):
        process.stdin.close()


async def _read(stream: asyncio.StreamReader | None, kept: bytearray) -> None:
    assert stream is not None
    while data := await stream.read(64 * 1024):
        if (room := KEPT - len(kept)) > 0:
            kept += data[:room]


async def _kill(process: asyncio.subprocess.Process, tree: ProcessTree) -> None:
    """End what still lives of the hook, its children too."""
    if process.returncode is None:
        tree.signal(SIGTERM)
        with suppress(TimeoutError):
            await asyncio.wait_for(_exit(process), GRACE)
    for number in (SIGTERM, _SIGKILL):
        left = await asyncio.to_thread(tree.members)
        if not left:
            break
        tree.signal(number)
        tree.signal_escaped(number, left)
        await asyncio.sleep(0.05)
    with suppress(TimeoutError):
        await asyncio.wait_for(_exit(process), GRACE)


def _close_pipes(process: asyncio.subprocess.Process) -> None:
    """Let go of pipes that a child which could not be killed may hold open."""
    transport = getattr(process, "_transport", None)  # asyncio has no public way to close them
    if transport is not None:
        transport.close()


def _name(words: Sequence[str]) -> str:
    return shlex.join(words)[:200]


def _last_line(err: bytearray) -> str:
    lines = err.decode(errors="replace").strip().splitlines()
    return f" ({lines[-1][:200]})" if lines else ""
