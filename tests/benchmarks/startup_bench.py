"""How fast it starts, what it takes, and that it rests: `python -m tests.benchmarks.startup_bench`.

First paint is the prompt on the terminal; usable is the moment when text that was typed while the program was
still starting stands in it.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.benchmarks.kit import (
    ENTERED_SCREEN,
    Bar,
    Program,
    command,
    compile_all,
    environment,
    print_table,
    spread,
)
from tests.servers.openai_server import OpenAIServer

PLACEHOLDER = "ay what should be done"
"""Without its first letter, which stands under the cursor."""
TYPED = "zażółć"
REST_SECONDS = 5.0


def version_time(home: Path) -> float:
    """Milliseconds of `cutaway --version`, as a process."""
    began = time.monotonic()
    subprocess.run(
        command("--version"), env=environment(home), cwd=home, check=True, stdout=subprocess.DEVNULL
    )
    return (time.monotonic() - began) * 1000


def screen(server: OpenAIServer, home: Path) -> Program:
    """The screen in an empty folder, with a model that can be reached."""
    return Program(command("--base-url", server.url, "--model", "test-model"), home, cwd=home)


def first_paint(server: OpenAIServer, home: Path) -> float:
    """Milliseconds until the prompt is on the terminal."""
    with screen(server, home) as program:
        return (program.shown(PLACEHOLDER) - program.started) * 1000


def usable(server: OpenAIServer, home: Path) -> float:
    """Milliseconds until what was typed at the very start stands in the prompt."""
    with screen(server, home) as program:
        program.press(TYPED)
        program.shown(ENTERED_SCREEN)
        since = program.written.index(ENTERED_SCREEN)
        return (program.shown(TYPED, since) - program.started) * 1000


def at_rest(server: OpenAIServer, home: Path) -> tuple[float, float, float]:
    """Megabytes, bytes drawn and percent of a core, once everything has been opened."""
    with screen(server, home) as program:
        program.shown(PLACEHOLDER)
        time.sleep(2.0)
        mark, cpu, began = program.mark, program.cpu, time.monotonic()
        time.sleep(REST_SECONDS)
        used = (program.cpu - cpu) / (time.monotonic() - began) * 100
        return program.rss, program.mark - mark, used


def main() -> int:
    """Print the table; the exit code is the count of bars that are not met."""
    parser = argparse.ArgumentParser(description="Start-up, memory and rest.")
    parser.add_argument("--times", type=int, default=7)
    times = parser.parse_args().times
    compile_all()
    with tempfile.TemporaryDirectory() as folder, OpenAIServer() as server:
        home = Path(folder)
        first_paint(server, home)  # warms the disk's cache
        rests = [at_rest(server, home) for _ in range(max(1, times // 3))]
        bars = [
            Bar("cutaway --version", spread(lambda: version_time(home), times), "ms", 150),
            Bar("first paint", spread(lambda: first_paint(server, home), times), "ms", 500),
            Bar(
                "usable, with what was typed before",
                spread(lambda: usable(server, home), times),
                "ms",
                500,
            ),
            Bar("resident after start", [rest[0] for rest in rests], "MB", 90),
            Bar(f"drawn in {REST_SECONDS:g} s of rest", [rest[1] for rest in rests], "B", 0, worst=True),
            Bar("processor at rest", [rest[2] for rest in rests], "%", 1, digits=1),
        ]
    return print_table("start-up", bars)


if __name__ == "__main__":
    sys.exit(main())
