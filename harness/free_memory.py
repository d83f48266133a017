"""Give memory that was freed back to the system, where the allocator keeps it."""

import sys


def give_back() -> None:
    """Trim the heaps of glibc: what was freed between living blocks stays resident until somebody asks.

    Takes milliseconds and lets other threads run; other platforms have other rules and are left alone.
    """
    if sys.platform != "linux":
        return
    import ctypes

    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # not in musl
    if trim is not None:
        trim(0)
