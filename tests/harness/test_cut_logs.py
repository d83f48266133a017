"""A process that dies at any moment: its log ends at any byte, and the session goes on."""

import shutil
from pathlib import Path

from cutaway.harness import events as e
from cutaway.harness.answers import LimitAnswer, PermissionAnswer
from cutaway.harness.eventlog.store import SessionStore
from tests.harness.invariants import check_log
from tests.harness.session_kit import (
    Answering,
    ask_for,
    bodies,
    call,
    converse,
    events,
    say,
    start,
    take_up,
)

END = b"]}"


async def eventful(root: Path) -> str:
    """Lay the log of a session that asked, ran, met its limit and went on; its id."""
    (root / "AGENTS.md").write_text("Be kind.\n")
    steps = [
        ask_for(call("read_file", filePath="AGENTS.md"), call("list_dir", path=".")),
        ask_for(call("run_in_terminal", command="echo ran >> mark"), call("list_dir", path=".")),
        say("done"),
    ]
    asker = Answering(LimitAnswer("continue", 2), LimitAnswer("continue"), PermissionAnswer("approve"))
    session = start(root, steps, mode="interactive", limit=1, asker=asker)
    await converse(session, "go")
    await session.aclose()
    return session.id


async def test_a_log_that_ends_at_any_record_can_be_gone_on_with(tmp_path: Path) -> None:
    """E03: what was open is closed once, no call runs again, and the next request begins with the last."""
    work = tmp_path / "work"
    work.mkdir()
    folder = SessionStore().folder / await eventful(work)
    lines = (folder / "events.jsonl").read_bytes().splitlines(keepends=True)
    for cut in range(1, len(lines) + 1):
        for torn in (b"", lines[cut][:30] if cut < len(lines) else b""):
            copy = folder.with_name(f"cut-{cut}-{len(torn)}")
            shutil.copytree(folder, copy, dirs_exist_ok=True)
            (copy / "events.jsonl").write_bytes(b"".join(lines[:cut]) + torn)
            session = take_up(work, copy.name, [say("on we go")], mode="interactive")
            await converse(session, "go on")
            check_log(session.records)
            sent = bodies(session)
            assert all(sent[-1].startswith(body.removesuffix(END)) for body in sent)
            assert events(session, e.InteractionEnded)[-1].reason == "answered"
            origins = [event.origin for event in events(session, e.SystemPart)]
            assert origins == ["system", "instructions", "workspace"]
            await session.aclose()
    assert (work / "mark").read_text() == "ran\n"
