"""How fast the event log is; run as a script: `python tests/benchmarks/eventlog_bench.py [MEGABYTES]`.

Prints the time of one emit (small, ephemeral, large), of loading and listing a log of that size
(100 MB when not given).
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / ".src"))

from cutaway.harness.eventlog import EventLog
from cutaway.harness.eventlog.summary import summarise
from cutaway.harness.events import Event, MessageDelta, ToolCompleted, TurnEnded


def say(what: str, value: str) -> None:
    sys.stdout.write(f"{what:<44}{value:>16}\n")


def each(log: EventLog, make: Callable[[int], Event], count: int) -> float:
    """Return the microseconds of one emit."""
    events = [make(n) for n in range(count)]
    began = time.perf_counter()
    for event in events:
        log.emit(event)
    return (time.perf_counter() - began) / count * 1e6


def append_rates(folder: Path) -> None:
    log = EventLog(folder / "rates.jsonl")
    say("emit, small event", f"{each(log, lambda n: TurnEnded(str(n), 'the model asked'), 50_000):.1f} µs")
    say(
        "emit, ephemeral, nobody listens", f"{each(log, lambda n: MessageDelta('t', 'word '), 50_000):.1f} µs"
    )
    listeners = [log.subscribe(since=len(log.records)) for _ in range(2)]
    say("emit, ephemeral, two listeners", f"{each(log, lambda n: MessageDelta('t', 'word '), 50_000):.1f} µs")
    listeners.clear()
    text = "line of output é\n" * 600
    say(
        "emit, 10 kB of text",
        f"{each(log, lambda n: ToolCompleted(str(n), 't', 'x', 'done', text), 2000):.1f} µs",
    )
    large = "line of output é\n" * 60_000
    say(
        "emit, 1 MB of text to a blob",
        f"{each(log, lambda n: ToolCompleted(str(n), 't', 'x', 'done', f'{n}{large}'), 20):.0f} µs",
    )
    began = time.perf_counter()
    log.sync()
    say("sync of all of that", f"{(time.perf_counter() - began) * 1e3:.0f} ms")
    log.close()


def load(folder: Path, megabytes: int) -> None:
    path = folder / "events.jsonl"
    log = EventLog(path)
    text = "x = compute(1)  # a line as tools return them\n" * 20
    while path.stat().st_size < megabytes * 1e6 if path.exists() else True:
        for n in range(500):
            log.emit(ToolCompleted(str(n), "t", "read_file", "done", text))
            log.emit(TurnEnded("t", "the model asked for a tool"))
    log.close()
    size, count = path.stat().st_size / 1e6, len(log.records)
    del log
    began = time.perf_counter()
    loaded = EventLog(path)
    say(f"load {size:.0f} MB, {count} records", f"{time.perf_counter() - began:.2f} s")
    began = time.perf_counter()
    summarise(folder, in_use=False)
    say("its line in the list of sessions", f"{time.perf_counter() - began:.2f} s")
    loaded.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        append_rates(Path(scratch))
        load(Path(scratch), int(sys.argv[1]) if len(sys.argv) > 1 else 100)
