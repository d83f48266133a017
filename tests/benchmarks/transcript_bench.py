"""How the transcript keeps up with a stream: `python tests/benchmarks/transcript_bench.py`.

A child shows a transcript and a text area under a pseudo-terminal of 120 by 40. Mixed Markdown is streamed in
while single letters are typed; each is timed until it comes back on the terminal. Targets on two cores:
5,000 lines at 500 a second in at most 6 CPU seconds, keys in at most 50 ms (95 %) and 200 ms (all), 120 MB.
"""

from __future__ import annotations

import argparse
import asyncio
import fcntl
import json
import os
import pty
import random
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

COLUMNS, ROWS = 120, 40
END = "the-end-of-the-stream"
KEY_PAUSE = (0.05, 0.15)
FIRST_PROBE = 0x0100
"""Letters from Latin Extended-A on: none of them is in the text that is streamed."""


def mixed_markdown(lines: int) -> list[str]:
    """Make Markdown as models write it: headings, prose with links, lists, fences, tables."""
    made: list[str] = []
    for section in range(lines):
        made += [f"## Section {section}", ""]
        made += [
            f"This paragraph {section}.{i} explains *what* the `function_{i}` does, see [the docs]"
            f"(https://example.com/{section}/{i}), and why **it matters** for the rest of the program."
            for i in range(4)
        ]
        made += ["", f"1. first step of {section}", "2. second step", "   - nested point with `code`", ""]
        made += ["```python", f"def handler_{section}(request: Request) -> Response:"]
        made += [f"    value_{i} = compute(request.items[{i}], 'text {i}')  # note {i}" for i in range(12)]
        made += ["    return Response(value_0)", "```", "", "| name | value | meaning |", "|---|---:|---|"]
        made += [f"| row {i} | {i * 17} | the {i}th entry of the table |" for i in range(6)]
        made.append("")
        if len(made) >= lines:
            break
    return made[:lines]


# the child: the app under test


def child(lines: int, rate: float, report: int) -> None:
    """Show the transcript, stream into it, and say what it cost on the file descriptor `report`."""
    from textual.app import App, ComposeResult
    from textual.widgets import TextArea

    from cutaway.tui.transcript import Transcript, TranscriptBlock

    def say(**facts: float) -> None:
        os.write(report, json.dumps(facts).encode() + b"\n")

    class Stage(App[None]):
        CSS = "#input { height: 4; }"

        def compose(self) -> ComposeResult:
            yield Transcript(id="transcript")
            yield TextArea(id="input")

        def on_mount(self) -> None:
            self.query_one(TextArea).focus()
            self.run_worker(self.feed())

        async def feed(self) -> None:
            transcript = self.query_one(Transcript)
            await asyncio.sleep(0.5)
            transcript.append(TranscriptBlock("u", "user", "go"))
            transcript.append(TranscriptBlock("a", "answer"))
            text = "\n".join(mixed_markdown(lines)) + "\n\n" + END
            step = max(1, round(len(text) / lines / 3))
            pause = lines / rate / (len(text) / step)
            cpu, start = time.process_time(), time.monotonic()
            say(start=start)
            for number, at in enumerate(range(0, len(text), step)):
                transcript.stream("a", text[at : at + step])
                if (ahead := start + number * pause - time.monotonic()) > 0:
                    await asyncio.sleep(ahead)
            transcript.finish("a")
            await asyncio.sleep(1.5)
            say(cpu=time.process_time() - cpu, rss=_rss(), draws=transcript._layout.draws)
            idle = time.process_time()
            await asyncio.sleep(2)
            say(idle=time.process_time() - idle)
            self.exit()

    Stage().run()


def _rss() -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return float("nan")


# the parent: a terminal that types and looks


def measure(lines: int, rate: float) -> dict[str, float]:
    """Run the child once; give its facts and the latencies in milliseconds."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    facts_in, facts_out = os.pipe()
    command = [sys.executable, __file__, "--child", str(lines), str(rate), str(facts_out)]
    environment = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
    process = subprocess.Popen(
        command,
        stdin=slave,
        stdout=slave,
        stderr=slave,
        pass_fds=[facts_out],
        env=environment,
        close_fds=True,
    )
    os.close(slave)
    os.close(facts_out)
    facts: dict[str, float] = {}
    latencies = list(_type_and_look(master, facts_in, facts))
    process.wait()
    os.close(master)
    latencies.sort()
    facts["keys"] = len(latencies)
    for name, share in (("p50", 0.5), ("p95", 0.95), ("max", 1.0)):
        index = min(len(latencies) - 1, int(len(latencies) * share))
        facts[name] = latencies[index] * 1000 if latencies else float("nan")
    return facts


def _type_and_look(master: int, facts_in: int, facts: dict[str, float]) -> Iterator[float]:
    """Yield the seconds from each key to its letter on the terminal, while the stream runs."""
    pick = random.Random(1)
    seen, pending = b"", b""
    probe, typed_at, next_key = FIRST_PROBE, 0.0, 0.0
    while "idle" not in facts:
        ready, _, _ = select.select([master, facts_in], [], [], 0.005)
        now = time.monotonic()
        if facts_in in ready:
            for line in os.read(facts_in, 4096).splitlines():
                facts.update(json.loads(line))
        if master in ready:
            seen = seen[-64:] + os.read(master, 65536)
            if END.encode() in seen and "drawn" not in facts:
                facts["drawn"] = now - facts["start"]
            if pending and pending in seen:
                yield now - typed_at
                pending, next_key = b"", now + pick.uniform(*KEY_PAUSE)
        if not pending and "start" in facts and "cpu" not in facts and now >= next_key:
            pending, typed_at = chr(probe).encode(), now
            probe += 1
            os.write(master, pending)


def main() -> None:
    """Print a table of both runs."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--child", nargs=3)
    parser.add_argument("--quick", action="store_true", help="only the fast stream")
    options = parser.parse_args()
    if options.child:
        child(int(options.child[0]), float(options.child[1]), int(options.child[2]))
        return
    runs = [(5_000, 500.0)] if options.quick else [(5_000, 500.0), (400, 10.0)]
    names = ("drawn", "cpu", "p50", "p95", "max", "rss", "idle", "draws", "keys")
    sys.stdout.write(f"{'lines at rate':16}" + "".join(f"{name:>9}" for name in names) + "\n")
    for lines, rate in runs:
        facts = measure(lines, rate)
        numbers = "".join(f"{facts.get(name, float('nan')):9.2f}" for name in names)
        sys.stdout.write(f"{f'{lines} at {rate:g}/s':16}{numbers}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2] / ".src"))
    main()
