"""How keys come in and paints go out: no wait for an escape's end, none for a slow terminal."""

import os
import selectors
from codecs import getincrementaldecoder
from collections.abc import Callable

from textual._time import get_time
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver

from cutaway.tui.terminal_writer import TerminalWriter

LOOK_AGAIN = 0.1
"""Seconds after which the end of the program is noticed when no key comes."""

HUNG_UP = 129
"""The exit code of a program whose terminal has gone, as a shell counts it: 128 + SIGHUP."""


class EscapeDriver(LinuxDriver):
    """Textual's driver with other waits, and an end for every start.

    Textual looks for an escape's end only ten times a second; its writer makes the whole program wait when
    30 writes are on their way, for ever when the terminal has gone; and it starts twice when the process
    is stopped by a signal that nobody sees, and then leaves the terminal raw.
    """

    _writer: TerminalWriter | None = None
    _on = False

    @property
    def behind(self) -> bool:
        """Whether the terminal has yet to take what was drawn."""
        return self._writer is not None and self._writer.behind

    def when_caught_up(self, told: Callable[[], None]) -> None:
        """Call `told` once, in the event loop, when the terminal has taken everything."""
        if self._writer is not None:
            self._writer.when_caught_up(lambda: _soon(self, told))

    def _get_terminal_size(self) -> tuple[int, int]:
        """Ask the terminal itself: COLUMNS and LINES, once exported, stay as they are when it changes."""
        try:
            columns, rows = os.get_terminal_size(self.fileno)
        except OSError:
            return super()._get_terminal_size()
        return columns or 80, rows or 24

    def write(self, data: str) -> None:
        if self._writer is not None:
            self._writer.write(data)

    def start_application_mode(self) -> None:
        if self._file is not None:
            self._writer = TerminalWriter(self._file.fileno(), self._file.encoding)
            self._writer.start()
        super().start_application_mode()  # type: ignore[no-untyped-call]
        self._on = True

    def stop_application_mode(self) -> None:
        self._on = False
        super().stop_application_mode()

    def close(self) -> None:
        super().close()
        if self._writer is not None:
            self._writer.stop()

    def _sigcont_application(self, *_: object) -> None:
        if self._auto_restart:
            if self._on:  # stopped by SIGSTOP: the shell has had the terminal since
                self.suspend_application_mode()
            self.resume_application_mode()

    def run_input_thread(self) -> None:
        """Read keys until the program ends, and end it when there can be no more."""
        parser, decode = XTermParser(self._debug), getincrementaldecoder("utf-8")().decode
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                text = ""
                if selector.select(_patience(parser)):
                    try:
                        data = os.read(self.fileno, 4096)
                    except OSError:
                        data = b""
                    if not data:
                        _soon(self, lambda: self._app.exit(return_code=HUNG_UP))
                        return
                    text = decode(data)
                for event in (*(parser.feed(text) if text else ()), *parser.tick()):
                    self.process_message(event)


def _patience(parser: XTermParser) -> float:
    """Seconds to wait for more bytes: less while an escape may still become a longer key."""
    until = parser._timeout_time
    return LOOK_AGAIN if until is None else min(max(until - get_time(), 0.0), LOOK_AGAIN)


def _soon(driver: LinuxDriver, call: Callable[[], object]) -> None:
    """Call something in the event loop, from another thread; never when that has ended."""
    if not driver._loop.is_closed():
        driver._loop.call_soon_threadsafe(call)
