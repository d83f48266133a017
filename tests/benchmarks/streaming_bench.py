"""How the screen keeps up with a fast model: `python -m tests.benchmarks.streaming_bench`.

The program asks a server on loopback, which streams mixed Markdown, while single letters are typed into the
prompt; each is timed until it comes back on the terminal.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.benchmarks.kit import Bar, Program, command, compile_all, print_table, share
from tests.benchmarks.transcript_bench import mixed_markdown
from tests.servers.openai_server import OpenAIServer
from tests.servers.openai_steps import Gate, Step

END = "the-end-of-the-stream"
READY = "test-model"
KEY_PAUSE = (0.15, 0.35)
FIRST_PROBE = 0x0100
"""Letters from Latin Extended-A on: none of them is in the text that is streamed."""


class Noted(Gate):
    """Lets everything pass, and knows when that was."""

    at = 0.0

    async def passed(self) -> None:
        self.at = time.monotonic()


@dataclass(slots=True)
class Stream:
    """What one streamed answer took; seconds, milliseconds for the keys, megabytes."""

    cpu: float = 0.0
    took: float = 0.0
    late: float = 0.0
    """From the last byte sent to the last line drawn."""
    still: float = 0.0
    """The longest time without a drawing while the stream ran."""
    rss: float = 0.0
    grown: float = 0.0
    """Of which came with the answer."""
    keys: list[float] = field(default_factory=list)


def show(server: OpenAIServer, home: Path, step: Step) -> Program:
    """Start the program with a first message, whose answer is held back by `step.before`."""
    server.play(step)
    line = command("--base-url", server.url, "--model", "test-model", "Write the handbook.")
    program = Program(line, home, cwd=home)
    asked = len(server.requests) + 1
    server.wait_for(lambda it: len(it.requests) >= asked)
    time.sleep(1.0)
    return program


def answer(lines: int, rate: float, piece: int, before: Gate, hold: Gate) -> Step:
    """An answer of so many lines, `rate` lines a second."""
    text = "\n".join(mixed_markdown(lines)) + f"\n\n{END}"
    return Step(text=text, rate=len(text) / lines * rate, piece=piece, before=before, hold=hold)


def stream(server: OpenAIServer, home: Path, lines: int, rate: float, piece: int) -> Stream:
    """Stream once, typing all the while."""
    seen = Stream()
    before, sent = Gate(), Noted()
    with show(server, home, answer(lines, rate, piece, before, sent)) as program:
        cpu, rss, mark, began = program.cpu, program.rss, program.mark, time.monotonic()
        before.open()
        first = program.shown("Section ", mark)
        seen.keys = probe(program, lambda: bool(sent.at))
        drawn = program.shown(END, mark)
        seen.took, seen.late = drawn - began, drawn - sent.at
        seen.still = program.longest_pause(first, drawn)
        time.sleep(1.5)
        seen.cpu, seen.rss, seen.grown = program.cpu - cpu, program.rss, program.rss - rss
    return seen


def probe(program: Program, done: Callable[[], bool]) -> list[float]:
    """Type one letter after another until `done`; the milliseconds from each to its echo."""
    pick = random.Random(1)
    times: list[float] = []
    while not done():
        letter = chr(FIRST_PROBE + len(times))
        mark, pressed = program.mark, program.press(letter)
        times.append((program.shown(letter, mark) - pressed) * 1000)
        time.sleep(pick.uniform(*KEY_PAUSE))
    return times


def stop(server: OpenAIServer, home: Path, after: float) -> tuple[float, float]:
    """Milliseconds from `esc`, in the middle of a stream, to the word on the screen and to the hang-up."""
    before = Gate()
    with show(server, home, answer(5000, 500, 16, before, Gate())) as program:
        mark, left = program.mark, server.hang_ups
        before.open()
        program.shown("Section ", mark)
        time.sleep(after)
        mark, pressed = program.mark, program.press("\x1b")
        server.wait_for(lambda it: it.hang_ups > left)
        hung_up = time.monotonic()
        return (program.shown("Interrupted", mark) - pressed) * 1000, (hung_up - pressed) * 1000


def main() -> int:
    """Print the tables; the exit code is the count of bars that are not met."""
    parser = argparse.ArgumentParser(description="A fast and a slow stream, and esc.")
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--piece", type=int, default=16, help="characters of one event of the stream")
    parser.add_argument("--quick", action="store_true", help="only the fast stream")
    wanted = parser.parse_args()
    compile_all()
    sys.setswitchinterval(0.001)  # the server's thread must not hold up the clock of the keys
    with tempfile.TemporaryDirectory() as folder, OpenAIServer() as server:
        home = Path(folder)
        over = fast(server, home, wanted.times, wanted.piece)
        if not wanted.quick:
            over += escape(server, home) + slow(server, home, wanted.piece)
    return over


def fast(server: OpenAIServer, home: Path, times: int, piece: int) -> int:
    """5,000 lines at 500 a second."""
    runs = [stream(server, home, 5000, 500, piece) for _ in range(times)]
    bars = [
        Bar("the whole answer is drawn after", [run.took for run in runs], "s", 11, digits=1),
        Bar("the last line is drawn after it was sent", [run.late * 1000 for run in runs], "ms", 500),
        Bar("longest time without a drawing", [run.still * 1000 for run in runs], "ms", 300),
        Bar("processor", [run.cpu for run in runs], "s", 6, digits=1),
        Bar("key to screen, 95 %", [share(run.keys, 0.95) for run in runs], "ms", 50),
        Bar("key to screen, all", [max(run.keys) for run in runs], "ms", 200, worst=True),
        Bar("key to screen, half", [share(run.keys, 0.5) for run in runs], "ms", None),
        Bar("resident after it", [run.rss for run in runs], "MB", 120),
        Bar("of which came with the answer", [run.grown for run in runs], "MB", None),
    ]
    return print_table(f"5,000 lines at 500 lines a second, {piece} characters an event", bars)


def escape(server: OpenAIServer, home: Path) -> int:
    """Esc at five moments of the fast stream."""
    stops = [stop(server, home, after) for after in (0.5, 1.1, 1.7, 2.3, 2.9)]
    bars = [
        Bar("the server sees the hang-up", [each[1] for each in stops], "ms", 100),
        Bar("the screen says that it stopped", [each[0] for each in stops], "ms", 100),
    ]
    return print_table("esc in the middle of it", bars)


def slow(server: OpenAIServer, home: Path, piece: int) -> int:
    """400 lines at 10 a second."""
    run = stream(server, home, 400, 10, piece)
    bars = [
        Bar("processor", [run.cpu], "s", 5, digits=1),
        Bar("key to screen, 95 %", [share(run.keys, 0.95)], "ms", 50),
        Bar("key to screen, all", [max(run.keys)], "ms", 200),
    ]
    return print_table("400 lines at 10 lines a second", bars)


if __name__ == "__main__":
    sys.exit(main())
