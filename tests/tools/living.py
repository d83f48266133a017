"""Looking at processes from outside, as `ps` would."""

import os
from pathlib import Path


def is_alive(pid: int) -> bool:
    """Tell whether a process lives; a zombie that nobody has reaped does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        if Path("/proc/self").exists():
            return False
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        return True
    return stat[stat.rindex(b")") + 2 :][:1] not in b"ZX"
