"""However the screen ends, its terminal is left as it was found, and the session can be gone on with."""

import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep

import pytest

from tests.servers.openai_server import OpenAIServer
from tests.servers.openai_steps import Step

if sys.platform == "win32":
    pytest.skip("pseudo terminals and signals are POSIX", allow_module_level=True)

from tests.command.terminal import PATIENCE, Terminal

HANG_UP, END = signal.SIGHUP, signal.SIGTERM
OPEN = "all keys"
"""Words of the empty page, which stands when the session is open."""


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    """A model that says some words and then nothing more, for ever."""
    with OpenAIServer() as server:
        server.play(*[Step(text="The first words are here", stall=True)] * 4)
        yield server


@pytest.fixture
def flags(server: OpenAIServer, tmp_path: Path) -> list[str]:
    (tmp_path / "work").mkdir()
    endpoint = ["--base-url", server.url, "--model", "test-model", "--mode", "autopilot"]
    return [*endpoint, "--cwd", str(tmp_path / "work")]


def streaming(terminal: Terminal) -> None:
    terminal.until(OPEN)
    terminal.press(b"go\r")
    terminal.until("words")


def types_in_log(folder: Path) -> list[str]:
    (log,) = (folder / "home").glob("sessions/*/events.jsonl")
    return [json.loads(line)["type"] for line in log.read_bytes().splitlines()]


@pytest.mark.parametrize("number", [END, HANG_UP, signal.SIGINT])
def test_a_signal_before_the_first_paint(tmp_path: Path, flags: list[str], number: signal.Signals) -> None:
    """G13: the terminal is changed before the screen stands, so that is where a signal must be heard."""
    with Terminal(tmp_path, *flags) as terminal:
        terminal.until_true(lambda: b"\x1b[?1049h" in terminal.output, "the alternate screen")
        terminal.signal(number)
        assert terminal.ended() in (128 + number, 0)
        assert terminal.left_as() == []


@pytest.mark.parametrize("number", [END, HANG_UP, signal.SIGINT])
def test_a_signal_while_an_answer_comes(tmp_path: Path, flags: list[str], number: signal.Signals) -> None:
    """G13"""
    with Terminal(tmp_path, *flags) as terminal:
        streaming(terminal)
        terminal.signal(number)
        assert terminal.ended() == 128 + number
        assert terminal.left_as() == []
    assert types_in_log(tmp_path)[-1] == "interaction.end"


def test_a_terminal_that_is_closed_ends_the_program(tmp_path: Path, flags: list[str]) -> None:
    """G13: nothing can be drawn on the way out, and nothing waits for it."""
    with Terminal(tmp_path, *flags) as terminal:
        streaming(terminal)
        terminal.hang_up()
        assert terminal.ended() == 128 + HANG_UP
    assert types_in_log(tmp_path)[-1] == "interaction.end"


def test_a_terminal_that_takes_nothing_ends_all_the_same(tmp_path: Path, flags: list[str]) -> None:
    """A paused pane takes a few kilobytes and then no more: the program must not wait for it."""
    with Terminal(tmp_path, *flags) as terminal:
        streaming(terminal)
        terminal.reading.clear()
        for _ in range(40):
            terminal.press(b"\x14")  # the next theme: each paints the whole screen
        terminal.press(b"\x11")
        assert terminal.process.wait(30) == 0
    assert types_in_log(tmp_path)[-1] == "interaction.end"


@pytest.mark.parametrize("stop", [signal.SIGTSTP, signal.SIGSTOP])
def test_stopped_and_gone_on_with(tmp_path: Path, flags: list[str], stop: signal.Signals) -> None:
    """The screen stands whole again; SIGSTOP is seen by nobody, and still the terminal is given back."""
    with Terminal(tmp_path, *flags) as terminal:
        terminal.until(OPEN)
        terminal.signal(stop)
        os.waitid(os.P_PID, terminal.process.pid, os.WSTOPPED | os.WNOWAIT)
        if stop is signal.SIGTSTP:
            terminal.until_true(lambda: terminal.left_as() == [], "a terminal for the shell")
        since = len(terminal.output)
        terminal.signal(signal.SIGCONT)
        terminal.until(OPEN, since)
        terminal.press(b"\x11")
        assert terminal.ended() == 0
        assert terminal.left_as() == []


@pytest.mark.parametrize("end", ["quit", "killed", "hung up"])
def test_what_was_typed_and_not_sent_is_there_again(tmp_path: Path, flags: list[str], end: str) -> None:
    """However the program ended; and it is gone when it was sent."""
    drafts = tmp_path / "home" / "drafts"
    with Terminal(tmp_path, *flags) as terminal:
        terminal.until(OPEN)
        terminal.press(b"half a thought")
        kept(terminal, drafts, "half a thought")
        match end:
            case "quit":
                terminal.press(b"\x11")
            case "killed":
                terminal.process.kill()
            case _:
                terminal.hang_up()
        terminal.ended()
    with Terminal(tmp_path, *flags) as terminal:
        terminal.until("half a thought")
        terminal.until(OPEN)
        terminal.press(b" is whole\r")
        terminal.until("words")
        terminal.press(b"\x11")
        assert terminal.ended() == 0
    assert list(drafts.iterdir()) == []
    assert '"half a thought is whole"' in logs(tmp_path)


def test_two_screens_in_one_folder_keep_their_own_drafts(tmp_path: Path, flags: list[str]) -> None:
    drafts = tmp_path / "home" / "drafts"
    with Terminal(tmp_path, *flags) as first:
        first.until(OPEN)
        first.press(b"mine alone")
        kept(first, drafts, "mine alone")
        with Terminal(tmp_path, *flags) as second:
            second.until(OPEN)
            second.press(b"\x11")
            second.ended()
            assert "mine alone" not in second.text()
        assert [file.read_text() for file in drafts.glob("*.draft")] == ["mine alone"]


@pytest.mark.parametrize("key", [b"\x03", b"\x11"])
def test_a_session_that_cannot_be_opened_is_left_by_any_key_that_quits(tmp_path: Path, key: bytes) -> None:
    """G13"""
    with Terminal(tmp_path, "resume", "no-such-session") as terminal:
        terminal.until("try again")
        terminal.press(key)
        assert terminal.ended() == 0
        assert terminal.left_as() == []


def test_the_terminal_says_how_large_it_is(tmp_path: Path, flags: list[str]) -> None:
    """An exported COLUMNS is what the size was once."""
    with Terminal(tmp_path, *flags, COLUMNS="5", LINES="2") as terminal:
        terminal.until(OPEN)


@pytest.mark.skipif(sys.platform != "linux", reason="a folder in which nobody can make one")
def test_a_session_that_no_disk_takes_is_said_to_be_lost(tmp_path: Path, flags: list[str]) -> None:
    """The warning of the screen has gone with it."""
    with Terminal(tmp_path, *flags, CUTAWAY_HOME="/proc/cutaway") as terminal:
        streaming(terminal)
        terminal.press(b"\x11")
        assert terminal.ended() == 0
        assert "could not be saved and are lost" in terminal.text(terminal.output.rindex(b"\x1b[?1049l"))


def kept(terminal: Terminal, drafts: Path, text: str) -> None:
    """Wait until a draft is on the disk; the terminal's output need not change for that."""
    terminal.until(text)
    deadline = monotonic() + PATIENCE
    while text not in [file.read_text() for file in drafts.glob("*.draft")]:
        assert monotonic() < deadline, f"never kept: {text}"
        sleep(0)


def logs(folder: Path) -> str:
    return "".join(log.read_text() for log in (folder / "home").glob("sessions/*/events.jsonl"))
