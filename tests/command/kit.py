"""The `cutaway` command as a process, over real HTTP on loopback."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.servers.apis import MESSAGES, Api, marks_of
from tests.servers.openai_server import OpenAIServer

ROOT = Path(__file__).parent.parent.parent

Json = dict[str, Any]


def environment(**more: str) -> dict[str, str]:
    """Ours, with the Python that runs these tests: it has pytest, and one on the PATH may not."""
    ours = {"PYTHONPATH": str(ROOT / ".src"), "PYTHONWARNINGS": "error", "VIRTUAL_ENV": sys.prefix}
    return {**os.environ, **ours, **more}


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


def asking(api: Api, server: OpenAIServer, workspace: Path, prompt: str, *more: str) -> list[str]:
    """The command line that asks a server over its API, with the log on stdout."""
    endpoint = ("--provider", api.provider, "--base-url", server.url, "--model", api.model)
    return command(
        "run",
        prompt,
        *endpoint,
        "--cwd",
        str(workspace),
        "--output",
        "stream-json",
        "--mode",
        "autopilot",
        *more,
    )


def records_of(output: str) -> list[Json]:
    """The records of a stream-json output; any line that is not one is an error."""
    return [json.loads(line) for line in output.split("\n") if line]


def data_of(records: list[Json], type: str) -> list[Json]:
    return [record["data"] for record in records if record["type"] == type]


def configure(text: str) -> None:
    """Write the user's config.toml into the home of this test."""
    (Path(os.environ["CUTAWAY_HOME"]) / "config.toml").write_text(text)


def assert_prefix_law(api: Api, server: OpenAIServer) -> None:
    """Each request begins with all that the one before had said, and nothing was refused."""
    assert server.faults == []
    bodies = [request.json for request in server.requests]
    for before, after in pairwise(bodies):
        said = api.said(before)
        assert api.said(after)[: len(said)] == said
        assert api.fixed(after) == api.fixed(before)
    for body in bodies:
        marks = len(marks_of(body))
        assert 1 <= marks <= 4 if api is MESSAGES else marks == 0


def assert_well_formed(records: list[Json]) -> None:
    """Every start has one end, every request one answer, ids are unique, and idle is the last word."""
    ids = [record["id"] for record in records]
    assert len(ids) == len({*ids})
    for start, end in (
        ("assistant.turn_start", "assistant.turn_end"),
        ("tool.execution_start", "tool.execution_complete"),
    ):
        key = "turnId" if "turn" in start else "toolCallId"
        began = [data[key] for data in data_of(records, start)]
        ended = [data[key] for data in data_of(records, end)]
        assert {*began} <= {*ended}, start
        assert len(ended) == len({*ended}), end
    requested = {data["requestId"] for data in data_of(records, "model.request")}
    answered = data_of(records, "model.response") + data_of(records, "model.call_failure")
    assert sorted(requested) == sorted(data["requestId"] for data in answered)
    assert records[-1]["type"] == "session.idle"
