"""The `cutaway` command as a process, over real HTTP on loopback."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.servers.openai_server import OpenAIServer

ROOT = Path(__file__).parent.parent.parent

Json = dict[str, Any]


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT / ".src"), "PYTHONWARNINGS": "error", **more}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "cutaway", *arguments]


def against(server: OpenAIServer, workspace: Path, *arguments: str) -> list[str]:
    endpoint = ("--base-url", server.url, "--model", "test-model", "--cwd", str(workspace))
    return command("run", *arguments, *endpoint)


def run(line: list[str], **more: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(line, env=environment(**more), capture_output=True, text=True, timeout=60)


class Live:
    """A running command whose stream-json can be followed line by line."""

    def __init__(self, line: list[str]) -> None:
        self.process = subprocess.Popen(
            line, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.records: list[Json] = []

    def __enter__(self) -> "Live":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def until(self, met: Callable[[Json], bool]) -> Json:
        """Read on until a record meets the condition."""
        for record in self._lines():
            if met(record):
                return record
        raise AssertionError(f"the command ended before that: {self.process.communicate()}")

    def finish(self) -> int:
        """Read to the end and return the exit code."""
        for _ in self._lines():
            pass
        self.process.communicate(timeout=30)
        return self.process.returncode

    def _lines(self) -> Iterator[Json]:
        assert self.process.stdout
        for line in self.process.stdout:
            record: Json = json.loads(line)
            self.records.append(record)
            yield record


def of_type(name: str) -> Callable[[Json], bool]:
    return lambda record: bool(record["type"] == name)
