"""How keys come in: a lone escape is told as soon as it is sure to be one."""

import os
import selectors
from codecs import getincrementaldecoder

from textual._time import get_time
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver

LOOK_AGAIN = 0.1
"""Seconds after which the end of the program is noticed when no key comes."""


class EscapeDriver(LinuxDriver):
    """Textual's driver, but for its wait: that looks for an escape's end only ten times a second."""

    def run_input_thread(self) -> None:
        """Read keys until the program ends."""
        parser, decode = XTermParser(self._debug), getincrementaldecoder("utf-8")().decode
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                text = ""
                if selector.select(_patience(parser)):
                    try:
                        data = os.read(self.fileno, 4096)
                    except OSError:
                        return  # the terminal has gone, which a signal says to the program
                    if not data:
                        return
                    text = decode(data)
                for event in (*(parser.feed(text) if text else ()), *parser.tick()):
                    self.process_message(event)


def _patience(parser: XTermParser) -> float:
    """Seconds to wait for more bytes: less while an escape may still become a longer key."""
    until = parser._timeout_time
    return LOOK_AGAIN if until is None else min(max(until - get_time(), 0.0), LOOK_AGAIN)
