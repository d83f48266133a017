"""A process that dies beside its turns: in a hook, a title, a compaction, while the cache is kept warm."""

import dataclasses
import shutil
from decimal import Decimal
from pathlib import Path

from cutaway.harness import events as e
from cutaway.harness.eventlog.store import SessionStore
from cutaway.harness.opening import Opening, new_session, resume_session
from cutaway.harness.providers.base import Request
from cutaway.harness.providers.scripted import Step
from cutaway.harness.usage import Price
from tests.harness.hook_kit import Entry
from tests.harness.invariants import check_log
from tests.harness.session_kit import ask_for, bodies, call, converse, events, opening, say, until

POINTS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact", "Stop", "SessionEnd")
PRICE = Price(Decimal(3), Decimal("0.3"), Decimal("3.75"), Decimal(6), Decimal(15))


def choose(request: Request, number: int) -> Step:
    if not request.tools:
        return say("A title")
    return ask_for(call("list_dir", path=".")) if number == 2 else say("done " * 20)


def wanted(root: Path, *, hooks: bool = True) -> Opening:
    given = opening(root, choose=choose, cache="anthropic", model="claude-sonnet-4-5")
    model = dataclasses.replace(given.model, price=PRICE)
    entries = {point: [Entry("true")] for point in POINTS} if hooks else {}
    return dataclasses.replace(given, model=model, hooks=entries, title=hooks)


async def eventful(root: Path) -> str:
    given = wanted(root)
    session = new_session(dataclasses.replace(given, keep_warm_for=Decimal("0.05")))
    await converse(session, "go")
    await until(session, e.SessionWarning)
    since = len(session.records)
    session.compact()
    await until(session, e.SessionIdle, since=since)
    await converse(session, "on")
    await session.aclose()
    return session.id


async def test_a_log_that_ends_at_any_record_has_every_end_after_it_is_taken_up(tmp_path: Path) -> None:
    """E03: what was open is closed once, and no hook, side call or compaction seems to go on for ever."""
    work = tmp_path / "work"
    work.mkdir()
    folder = SessionStore().folder / await eventful(work)
    lines = (folder / "events.jsonl").read_bytes().splitlines(keepends=True)
    kinds = b"".join(lines)
    assert all(word in kinds for word in (b'"keep-alive"', b'"title"', b'"compaction"', b"hook.start"))
    for cut in range(1, len(lines) + 1):
        copy = folder.with_name(f"cut-{cut}")
        shutil.copytree(folder, copy, dirs_exist_ok=True)
        (copy / "events.jsonl").write_bytes(b"".join(lines[:cut]))
        session = resume_session(wanted(work, hooks=False), copy.name, SessionStore())
        ledger = session._seams.ledger
        assert not ledger.hooks_running and ledger.compacting is None
        waiting = len(ledger.pending)  # it goes first
        session.send("go on")
        await until(session, e.InteractionEnded, len(ledger.interactions) + waiting)
        check_log(session.records)
        assert events(session, e.InteractionEnded)[-1].reason == "answered"
        assert bodies(session)
        await session.aclose()
