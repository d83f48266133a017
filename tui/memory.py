"""What the process does with memory: decided once, when the screen stands and the session's parts are in."""

import gc
import sys
from importlib import import_module

M_MMAP_THRESHOLD = -3
"""The number of the option in glibc's malloc.h."""

LARGE = 1 << 20
"""Bytes from which on a freed block goes back to the system at once."""


def load_parts(module: str) -> None:
    """Import what opens a session (0.2 s; in a thread, while keys are taken), and see to memory after it."""
    import_module(module)
    gc.freeze()  # modules and widgets stay: to look through them again and again holds up the keys
    gc.enable()
    _give_large_blocks_back()


def load_ahead() -> None:
    """Import, in a thread while the user reads or types, what the first answer would stop for."""
    from cutaway.harness.ahead import load_ahead as load_for_requests

    load_for_requests()
    import_module("markdown_it")
    import_module("pygments.lexers.python").PythonLexer()  # the first one compiles its patterns: 70 ms
    gc.freeze()


def _give_large_blocks_back() -> None:
    """Keep glibc from holding on to freed bodies and vocabularies, which it does up to 64 MB at a time.

    Left alone it raises its bound with each large block that is freed (mallopt(3), M_MMAP_THRESHOLD);
    10 MB of an answer of 5,000 lines stayed behind that way. Other platforms have other rules.
    """
    if sys.platform != "linux":
        return
    import ctypes

    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # not in musl
    if mallopt is not None:
        mallopt(M_MMAP_THRESHOLD, LARGE)
