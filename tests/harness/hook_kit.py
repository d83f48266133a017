"""Hooks for tests: real commands, told real JSON."""

import json
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Entry:
    command: str | tuple[str, ...]
    timeout: float = 30.0
    matcher: str = ""


def prints(text: str, code: int = 0, stream: str = "stdout") -> str:
    """A command that says this and ends with that code."""
    program = f"import sys; sys.{stream}.write({text!r}); sys.exit({code})"
    return shlex.join([sys.executable, "-c", program])


def says(**fields: Any) -> str:
    """A command that answers with a JSON object."""
    return prints(json.dumps(fields))


def blocks(reason: str) -> str:
    return prints(reason, 2, "stderr")


def writes_down(path: Path, then: str = "true") -> str:
    """A command that keeps what it was told, a line a call, and then does something else."""
    return f"cat >> {shlex.quote(str(path))}; echo >> {shlex.quote(str(path))}; {then}"


def told(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
