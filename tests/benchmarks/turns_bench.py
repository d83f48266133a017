"""What a long conversation costs: `python -m tests.benchmarks.turns_bench`.

A server on loopback answers each request at once with a call of a tool, 200 times in one interaction. Our own
share of a turn is the time to the start of the next one, as the log has it, less the model's and the tools'.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from tests.benchmarks.kit import Bar, Program, command, compile_all, environment, print_table
from tests.servers.openai_server import OpenAIServer
from tests.servers.openai_steps import Step, call

TURNS, FILES = 200, 20
AROUND = 3
"""A turn's figure is the median with so many of its neighbours on each side: the log has milliseconds."""
FLAGS = ("--mode", "interactive", "--limit", str(TURNS + 10))
END = "all-two-hundred-are-done"


@dataclass(slots=True)
class Turn:
    """The milliseconds of one turn."""

    number: int
    began: datetime
    model: float = 0.0
    tools: float = 0.0
    build: float = 0.0
    whole: float = 0.0

    @property
    def ours(self) -> float:
        return self.whole - self.model - self.tools


@dataclass(slots=True)
class Run:
    """One interaction of many turns."""

    turns: list[Turn] = field(default_factory=list)
    before: float = 0.0
    after: float = 0.0
    cpu: float = 0.0

    def near(self, number: int, name: str = "ours") -> list[float]:
        """A figure of the turns around one."""
        first = max(0, number - 1 - AROUND)
        return [getattr(turn, name) for turn in self.turns[first : number + AROUND]]


def script() -> list[Step]:
    """Two hundred calls that read one of some files, and an answer."""
    said = "I look at the next part of the program to see how it is put together. " * 3
    files = (f"part_{number % FILES}.py" for number in range(TURNS - 1))
    return [*(Step(text=said, calls=[call("read_file", filePath=file)]) for file in files), Step(text=END)]


def workspace(folder: Path) -> Path:
    """Some files of about two kilobytes."""
    folder.mkdir()
    for number in range(FILES):
        lines = (f"value_{line} = compute({number}, {line})  # what it is for" for line in range(40))
        (folder / f"part_{number}.py").write_text("\n".join(lines) + "\n")
    return folder


def turns_of(lines: Iterable[str]) -> list[Turn]:
    """Read the times of all whole turns from a log."""
    turns: list[Turn] = []
    for line in lines:
        record: dict[str, Any] = json.loads(line)
        data, at = record["data"], datetime.fromisoformat(record["timestamp"])
        match record["type"]:
            case "assistant.turn_start":
                if turns:
                    turns[-1].whole = _ms(turns[-1].began, at)
                turns.append(Turn(len(turns) + 1, at))
            case "model.request":
                turns[-1].build = data["buildMs"]
            case "model.response":
                turns[-1].model = data["timings"]["total"]
            case "tool.execution_complete":
                turns[-1].tools += data["ranMs"]
            case "assistant.turn_end":
                turns[-1].whole = _ms(turns[-1].began, at)
    return turns


def _ms(began: datetime, ended: datetime) -> float:
    return (ended - began).total_seconds() * 1000


def on_screen(server: OpenAIServer, home: Path, cwd: Path) -> Run:
    """The interaction on the screen."""
    run = Run()
    server.play(*script())
    endpoint = ("--base-url", server.url, "--model", "test-model")
    with Program(command(*endpoint, *FLAGS), home, cwd=cwd) as program:
        program.shown("ay what should be done")
        time.sleep(2.0)
        run.before, cpu = program.rss, program.cpu
        program.press("Read all of it.\r")
        program.shown(END, timeout=180)
        time.sleep(1.5)
        run.after, run.cpu = program.rss, program.cpu - cpu
    log = max((home / "sessions").rglob("events.jsonl"), key=lambda path: path.stat().st_mtime)
    run.turns = turns_of(log.read_text(encoding="utf-8").splitlines())
    return run


def headless(server: OpenAIServer, home: Path, cwd: Path) -> Run:
    """The interaction without a screen."""
    server.play(*script())
    line = command("run", "Read all of it.", "--base-url", server.url, "--model", "test-model", *FLAGS)
    done = subprocess.run(
        [*line, "--output", "stream-json"],
        env=environment(home),
        cwd=cwd,
        capture_output=True,
        text=True,
        check=True,
    )
    return Run(turns_of(done.stdout.splitlines()))


def main() -> int:
    """Print the table; the exit code is the count of bars that are not met."""
    argparse.ArgumentParser(description="Two hundred turns.").parse_args()
    compile_all()
    sys.setswitchinterval(0.001)
    with tempfile.TemporaryDirectory() as folder, OpenAIServer() as server:
        home, cwd = Path(folder) / "home", workspace(Path(folder) / "work")
        screen, plain = on_screen(server, home, cwd), headless(server, home, cwd)
    bars = [
        Bar("turn 5, our share, on the screen", screen.near(5), "ms", 20),
        Bar("turn 200, our share, on the screen", screen.near(TURNS), "ms", 20),
        Bar("turn 5, our share, headless", plain.near(5), "ms", 20),
        Bar("turn 200, our share, headless", plain.near(TURNS), "ms", 20),
        Bar("of which building, turn 200, headless", plain.near(TURNS, "build"), "ms", None, digits=1),
        Bar("memory that 200 turns add", [screen.after - screen.before], "MB", 60),
        Bar("processor of 200 turns, on the screen", [screen.cpu], "s", None, digits=1),
    ]
    assert len(screen.turns) == len(plain.turns) == TURNS, "not every turn was made"
    return print_table(f"{TURNS} turns in one interaction", bars)


if __name__ == "__main__":
    sys.exit(main())
