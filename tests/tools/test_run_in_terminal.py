"""Commands as the model runs them, with real shells."""

import asyncio
import json
import os
import resource
import shutil
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from cutaway.tools.base import ToolContext, ToolOutput, WorkspaceFacts
from cutaway.tools.details import CommandRun, OutputChunk, Progress
from cutaway.tools.errors import ToolError
from cutaway.tools.process import Processes
from cutaway.tools.run_in_terminal import RunInTerminal, RunInTerminalArguments
from tests.tools.living import is_alive

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the commands are written for a POSIX shell")

Call = Callable[..., Awaitable[ToolOutput]]


def detail_of(output: ToolOutput) -> CommandRun:
    assert isinstance(output.detail, CommandRun)
    return output.detail


async def test_a_command_gives_its_output_and_how_it_ended(call: Call, processes: Processes) -> None:
    output = await call(RunInTerminal(processes), command="echo out; echo err >&2; pwd")
    detail = detail_of(output)
    assert (detail.exit_code, detail.signal, detail.timed_out) == (0, None, False)
    assert detail.output == f"out\nerr\n{detail.cwd}\n"
    assert output.text.startswith("Exit code 0 after ")
    assert output.text.endswith(f"\n\n{detail.output}")
    assert not output.is_error


@pytest.mark.parametrize(
    ("command", "code", "signal", "said"),
    [
        ("(echo '1 failed'; exit 1) | tail -1", 0, None, "Exit code 0 after"),
        ("false; echo done", 0, None, "Exit code 0 after"),
        ("kill -9 $$", None, "SIGKILL", "Ended by SIGKILL after"),
        ("exit 130", 130, None, "Exit code 130 ("),
        (
            "sh -c 'kill -9 $$'; exit $?",
            137,
            None,
            "Exit code 137 (the code that shells give for an end by SIGKILL)",
        ),
        ("nosuchcmd_x", 127, None, "Exit code 127 after"),
        ("exit 3", 3, None, "Exit code 3 after"),
    ],
)
async def test_the_end_is_told_in_neutral_words(
    call: Call, processes: Processes, command: str, code: int | None, signal: str | None, said: str
) -> None:
    """C09: no code is called a success, and a death by signal is told as one."""
    output = await call(RunInTerminal(processes), command=command)
    assert (detail_of(output).exit_code, detail_of(output).signal) == (code, signal)
    assert output.text.startswith(said)
    assert not any(word in output.text.lower() for word in ("success", "passed", "succeeded", "✓", "ok"))
    if code == 127:
        assert "nosuchcmd_x" in output.text


async def test_background_children_do_not_hold_up_the_call(call: Call, processes: Processes) -> None:
    """C01: each call returns at once, the server answers, and nothing is left at the end."""
    tool = RunInTerminal(processes)
    server = (
        f"{sys.executable} -c \"import http.server as h; s = h.HTTPServer(('127.0.0.1', 0), "
        "h.SimpleHTTPRequestHandler); open('port', 'w').write(str(s.server_port)); s.serve_forever()\""
    )
    first = await call(tool, command="echo started; sleep 60 &")
    second = await call(tool, command="(sleep 60; echo late) & exit 3")
    third = await call(
        tool, command=f"nohup {server} >/dev/null 2>&1 & echo $!; while [ ! -s port ]; do sleep 0.05; done"
    )
    assert [detail_of(output).exit_code for output in (first, second, third)] == [0, 3, 0]
    assert "started" in first.text
    for output in (first, second, third):
        assert "Still running: process" in output.text
        assert detail_of(output).still_running
        assert detail_of(output).seconds < 20
    fourth = await call(
        tool, command="curl -s -o /dev/null -w '%{http_code}' --noproxy '*' http://127.0.0.1:$(cat port)/"
    )
    assert detail_of(fourth).output == "200"
    left = [pid for output in (first, second, third) for pid in detail_of(output).still_running]
    assert all(map(is_alive, left))
    await processes.aclose()
    assert not any(map(is_alive, left))


@pytest.mark.parametrize(
    "command",
    [
        f"{sys.executable} -c \"print(input('Proceed? '))\"",
        "read -p 'pw: ' x; echo got",
        f'{sys.executable} -W ignore -c "import getpass; getpass.getpass()"',
        "cat",
        ": < /dev/tty",
        "git --version >/dev/null && git commit --allow-empty",
    ],
)
async def test_a_command_that_asks_gets_no_answer_and_no_terminal(
    call: Call, processes: Processes, command: str
) -> None:
    """C03: standard input is at its end, and /dev/tty cannot be opened."""
    output = await call(RunInTerminal(processes), command=command, timeout=20)
    assert not detail_of(output).timed_out
    assert detail_of(output).seconds < 15
    if "tty" in command:
        assert detail_of(output).exit_code != 0
        assert "/dev/tty" in output.text


class _AsksForAPassword(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(401)
        self.send_header("WWW-Authenticate", 'Basic realm="x"')
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


async def test_git_fails_at_once_instead_of_asking(call: Call, processes: Processes) -> None:
    """C03: a remote that wants a password is an error, not a prompt."""
    server = HTTPServer(("127.0.0.1", 0), _AsksForAPassword)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        command = f"git -c http.proxy= ls-remote http://127.0.0.1:{server.server_port}/x.git"
        output = await call(RunInTerminal(processes), command=command, timeout=30)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    assert detail_of(output).exit_code == 128
    assert "terminal prompts disabled" in output.text


async def test_huge_output_keeps_its_ends_in_little_memory(call: Call, processes: Processes) -> None:
    """C04: 38 MB come back as at most 64 KB with the first line, the last lines and the loss told."""
    code = (
        "import sys; w = sys.stdout.write; [w(f'line {i}\\n') for i in range(3000000)]; sys.stdout.flush(); "
        "print('FINAL-ERR', file=sys.stderr); sys.exit(1)"
    )
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    output = await call(
        RunInTerminal(processes), command=f'env -u PYTHONUNBUFFERED {sys.executable} -c "{code}"'
    )
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    detail = detail_of(output)
    assert detail.exit_code == 1
    assert detail.output_bytes > 37_000_000
    assert len(output.text.encode()) <= 64_000
    assert detail.output.startswith("line 0\n")
    assert "\nline 2999999\n" in detail.output
    assert detail.output.endswith("FINAL-ERR\n")
    assert " bytes, 2," in detail.output
    assert grown < 150_000
    assert detail.spill_path is not None
    assert detail.spill_path in output.text
    assert Path(detail.spill_path).stat().st_size == detail.output_bytes
    assert Path(detail.spill_path).stat().st_mode & 0o777 == 0o600


async def test_endless_output_is_ended_by_the_timeout(call: Call, processes: Processes) -> None:
    """C04: `yes` comes back with the same bounds; a time-out is an error that says what to do."""
    output = await call(RunInTerminal(processes), command="yes", timeout=0.5)
    detail = detail_of(output)
    assert output.is_error
    assert detail.timed_out
    assert detail.signal == "SIGTERM"
    assert detail.seconds < 5
    assert output.text.startswith("Timed out after ")
    assert "isBackground" in output.text
    assert len(output.text.encode()) <= 64_000


async def test_every_command_starts_in_the_root(call: Call, processes: Processes, tmp_path: Path) -> None:
    """C06: a folder that a command went to, or removed, is of no concern to the next."""
    tool = RunInTerminal(processes)
    first = await call(tool, command="mkdir -p t && cd t && pwd")
    assert "A cd does not last" in first.text
    shutil.rmtree(tmp_path / "t")
    second = await call(tool, command="echo hi; pwd")
    assert detail_of(second).output == f"hi\n{tmp_path.resolve()}\n"
    await call(tool, command="mkdir t; cd t && rm -rf ../t && pwd")
    assert detail_of(await call(tool, command="echo hi")).output == "hi\n"


async def test_a_root_that_is_gone_is_said(
    processes: Processes, context: ToolContext, tmp_path: Path
) -> None:
    """C06: the model learns that the workspace itself is missing."""
    shutil.rmtree(tmp_path)
    tool, arguments = RunInTerminal(processes), RunInTerminalArguments("echo hi")
    with pytest.raises(ToolError, match="no longer exists"):
        await tool.run(arguments, context)
    with pytest.raises(ToolError, match="no longer exists"):
        await tool.preview(arguments, context)


async def test_children_see_no_secrets(call: Call) -> None:
    """F12: the provider's key is in no child's environment."""
    secret = "sk-test-SECRET123"
    base = {
        **os.environ,
        "OPENAI_API_KEY": secret,
        "MY_TOKEN": "t0k",
        "NOTE": f"uses {secret}",
        "PLAIN": "seen",
    }
    processes = Processes(base)
    output = await call(RunInTerminal(processes), command="env")
    await processes.aclose()
    assert "SECRET123" not in output.text
    assert "t0k" not in output.text
    assert "PLAIN=seen" in output.text
    assert "PAGER=cat" in output.text


async def test_nothing_carries_over(call: Call, processes: Processes) -> None:
    tool = RunInTerminal(processes)
    await call(tool, command="export LEAK=1; alias ls=rm; f() { :; }; export -f f 2>/dev/null; true")
    assert detail_of(await call(tool, command="echo [$LEAK]; type f 2>/dev/null; true")).output == "[]\n"


async def test_control_sequences_reach_neither_model_nor_screen(
    call: Call, processes: Processes, progress: list[Progress]
) -> None:
    output = await call(
        RunInTerminal(processes),
        command=r"printf '\033[2J\033]52;c;QUJD\007\033[31mred\033[0m 10%%\r100%%\n'",
    )
    assert detail_of(output).output == "100%\n"
    shown = "".join(chunk.text for chunk in progress if isinstance(chunk, OutputChunk))
    assert "\x1b" not in output.text + shown


async def test_output_is_told_while_the_command_runs(
    processes: Processes, context: ToolContext, tmp_path: Path
) -> None:
    """The command goes on only when its first line has been told."""

    def answer(progress: Progress) -> None:
        if isinstance(progress, OutputChunk) and "first" in progress.text:
            (tmp_path / "go").touch()

    arguments = RunInTerminalArguments(
        "echo first; while [ ! -e go ]; do sleep 0.02; done; echo second", timeout=60
    )
    output = await RunInTerminal(processes).run(arguments, replace(context, progress=answer))
    assert detail_of(output).output == "first\nsecond\n"


async def test_live_chunks_are_few(call: Call, processes: Processes, progress: list[Progress]) -> None:
    output = await call(
        RunInTerminal(processes), command="for i in $(seq 300); do echo $i; sleep 0.002; done"
    )
    assert len(progress) <= detail_of(output).seconds * 15 + 2


async def test_an_interrupted_command_leaves_no_process(
    processes: Processes, context: ToolContext, tmp_path: Path
) -> None:
    told = asyncio.Event()
    pids: list[int] = []

    def note(progress: Progress) -> None:
        assert isinstance(progress, OutputChunk)
        pids.extend(map(int, progress.text.split()))
        told.set()

    arguments = RunInTerminalArguments("sleep 60 & echo $$ $!; wait")
    running = asyncio.create_task(RunInTerminal(processes).run(arguments, replace(context, progress=note)))
    await told.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert len(pids) == 2
    assert not any(map(is_alive, pids))


async def test_a_background_command_is_told_and_ended_with_the_session(
    call: Call, processes: Processes
) -> None:
    output = await call(RunInTerminal(processes), command="echo serving; sleep 60", isBackground=True)
    detail = detail_of(output)
    assert (detail.exit_code, detail.signal) == (None, None)
    assert detail.output == "serving\n"
    (pid,) = detail.still_running
    assert is_alive(pid)
    assert f"process {pid}" in output.text
    assert "run-1" in output.text
    assert processes.find("run-1") is not None
    await processes.aclose()
    assert not is_alive(pid)


async def test_a_background_command_that_fails_at_once_is_told(call: Call, processes: Processes) -> None:
    output = await call(RunInTerminal(processes), command="echo broken; exit 4", isBackground=True)
    assert detail_of(output).exit_code == 4
    assert output.text.startswith("Exit code 4 after")


@pytest.mark.parametrize(("command", "said"), [("  ", "empty"), ("echo a\0b", "NUL")])
async def test_a_command_that_cannot_run_is_refused_before_asking(
    call: Call, processes: Processes, command: str, said: str
) -> None:
    with pytest.raises(ToolError, match=said):
        await call(RunInTerminal(processes), command=command)


async def test_a_timeout_in_milliseconds_is_taken_as_the_longest(call: Call, processes: Processes) -> None:
    output = await call(RunInTerminal(processes), command="true", timeout=120_000)
    assert "in seconds" in output.text


def test_the_whole_command_line_is_what_is_judged(processes: Processes, tmp_path: Path) -> None:
    tool = RunInTerminal(processes)
    access = tool.access(RunInTerminalArguments("ls && rm x"))
    assert (access.effect, access.targets) == ("execute", ("ls && rm x",))
    assert tool.available(WorkspaceFacts(root=str(tmp_path)))
    assert json.dumps(tool.spec.input_schema)
