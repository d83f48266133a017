"""Keys as a terminal sends them, through the driver's own thread."""

import os
import queue
import threading
from collections.abc import AsyncIterator

import pytest
from textual.app import App
from textual.events import Key
from textual.message import Message

driver = pytest.importorskip(
    "cutaway.tui.driver", reason="the terminals of Windows have a driver of their own"
)


class Terminal(driver.EscapeDriver):  # type: ignore[name-defined,misc]
    """A driver that reads a pipe and collects what it is sent."""

    def __init__(self) -> None:
        super().__init__(App[None]())
        self.fileno, self.keyboard = os.pipe()
        self.keys: queue.Queue[str] = queue.Queue()

    def process_message(self, message: Message) -> None:
        if isinstance(message, Key):
            self.keys.put(message.key)

    def sent(self, data: bytes) -> None:
        os.write(self.keyboard, data)


@pytest.fixture
async def terminal() -> AsyncIterator[Terminal]:
    terminal = Terminal()
    thread = threading.Thread(target=terminal.run_input_thread)
    thread.start()
    yield terminal
    terminal.exit_event.set()
    thread.join()
    os.close(terminal.fileno)
    os.close(terminal.keyboard)


async def test_a_lone_escape_is_a_key_though_nothing_follows(terminal: Terminal) -> None:
    terminal.sent(b"\x1b")
    assert terminal.keys.get(timeout=10) == "escape"


async def test_longer_keys_and_letters_are_read_whole(terminal: Terminal) -> None:
    terminal.sent(b"\x1b[A" + "é".encode()[:1])
    assert terminal.keys.get(timeout=10) == "up"
    terminal.sent("é".encode()[1:] + b"\x1b[1;5C")
    assert [terminal.keys.get(timeout=10) for _ in range(2)] == ["é", "ctrl+right"]
