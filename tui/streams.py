"""Standard streams as they really are: closed, of a narrow encoding, full, or holding any bytes."""

import io
import os
import sys


def open_what_is_closed() -> None:
    """Put the null device where a stream was closed, so that no file of ours ever takes its number."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(null, mode, encoding="utf-8", closefd=False))


def write_utf8() -> None:
    """Write JSON as JSON is: UTF-8 with plain line feeds, whatever the locale says."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")


def write_any_text() -> None:
    """Escape what the terminal's encoding lacks instead of failing on it."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def read_input() -> str:
    """Read standard input to its end; bytes that are not UTF-8 become U+FFFD."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        received: bytes = sys.stdin.buffer.read()
        return received.decode("utf-8-sig", "replace")
    return sys.stdin.read()


def silence_output() -> None:
    """Stop Python from failing again when it flushes a stream that takes nothing at exit."""
    if sys.__stdout__ is not None and sys.stdout is sys.__stdout__:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno())
