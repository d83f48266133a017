"""The prefix law: what was sent once is sent again unchanged, whatever happens in between."""

import asyncio
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cutaway.harness import events as e
from cutaway.harness.providers.base import Request
from cutaway.harness.providers.scripted import Step
from cutaway.harness.session import Session
from tests.harness.session_kit import ask_for, bodies, call, events, opening, say, start, take_up, until

Move = Literal[
    "talk", "read", "edit", "fail", "mode", "resume", "interrupt", "queue", "steer", "instructions"
]
MOVES: list[Move] = [
    "talk",
    "read",
    "edit",
    "fail",
    "mode",
    "resume",
    "interrupt",
    "queue",
    "steer",
    "instructions",
]
END = b"]}"

STEPS: dict[str, Step] = {
    "read": ask_for(call("read_file", filePath="notes.txt"), call("list_dir", path=".")),
    "edit": ask_for(call("create_file", filePath="new.txt", content="ü\n")),
    "fail": ask_for(call("read_file", filePath="nowhere"), call("no_such_tool")),
    "interrupt": ask_for(call("run_in_terminal", command="sleep 60")),
}


def choose(request: Request, number: int) -> Step:
    """Answer by the words of the newest message; after results just talk."""
    last = request.messages[-1]
    word = getattr(last, "text", "").split(" ")[0] if type(last).__name__ == "UserMessage" else ""
    return STEPS.get(word, say(f"answer {number} — naïve, 日本語"))


async def play(root: Path, moves: Sequence[Move]) -> list[bytes]:
    (root / "notes.txt").write_text("one\ntwo\n")
    (root / "AGENTS.md").write_text("Be kind.\n")
    session = start(root, choose=choose)
    for number, move in enumerate(moves):
        session = await act(root, session, move, number)
    sent = bodies(session)
    await session.aclose()
    return sent


async def act(root: Path, session: Session, move: Move, number: int) -> Session:
    match move:
        case "mode":
            session.set_mode("plan" if number % 2 else "autopilot")
            return session
        case "resume":
            if not events(session, e.UserMessageSent):
                return session
            await session.aclose()
            return take_up(root, session.id, choose=choose)
        case "instructions":
            (root / "AGENTS.md").write_text(f"Be kind, {number}.\n")
            return session
        case _:
            await speak(session, move, number)
            return session


async def speak(session: Session, move: Move, number: int) -> None:
    since = len(session.records)
    idles = session.subscribe(since)
    wanted = 1
    session.send(f"{move} {number}")
    if move == "queue":
        session.send(f"talk {number}")
        wanted = 2
    elif move == "steer":
        session.steer(f"talk {number}")
    elif move == "interrupt":
        await until(session, e.TurnStarted, since=since)
        session.interrupt()
    seen = 0
    async for batch in idles:
        seen += sum(isinstance(record.event, e.SessionIdle) for record in batch)
        if seen >= wanted:
            return


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(moves=st.lists(st.sampled_from(MOVES), min_size=2, max_size=8))
def test_every_request_begins_with_the_one_before(moves: list[Move]) -> None:
    """Over random sessions with resume, cancel, queue, steering, mode and instruction changes."""
    with TemporaryDirectory() as folder:
        sent = asyncio.run(play(Path(folder).resolve(), moves))
    for before, after in pairwise(sent):
        assert before.endswith(END)
        assert after.startswith(before.removesuffix(END))


def test_a_model_that_is_asked_twice_is_sent_equal_bytes(tmp_path: Path) -> None:
    one, two = opening(tmp_path), opening(tmp_path)
    request = Request("m", (), ("system",), ())
    assert one.model.provider.encode(request) == two.model.provider.encode(request)
