"""What a session says of the provider's cache: a prediction before each call, one word after it."""

import dataclasses
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec.structs import replace

from cutaway.harness import events as e
from cutaway.harness.cache.simulator import Faults
from cutaway.harness.eventlog.store import SessionStore
from cutaway.harness.opening import Opening, new_session, resume_session
from cutaway.harness.providers.scripted import ScriptedProvider, Step
from cutaway.harness.seams import Caching
from cutaway.harness.session import Session
from cutaway.harness.usage import Price
from tests.harness.session_kit import (
    QuickClock,
    ask_for,
    call,
    converse,
    events,
    opening,
    say,
    start,
    until,
)

LOOK = ask_for(call("list_dir", path="."))
PRICE = Price(Decimal(3), Decimal("0.3"), Decimal("3.75"), Decimal(6), Decimal(15))
CLAUDE = {"cache": "anthropic", "model": "claude-sonnet-4-5"}


def priced(root: Path, steps: list[Step], **options: object) -> tuple[Session, Opening]:
    given = opening(root, steps, **options)  # type: ignore[arg-type]
    given = dataclasses.replace(given, model=dataclasses.replace(given.model, price=PRICE))
    return new_session(given), given


def faults(given: Opening) -> Faults:
    provider = given.model.provider
    assert isinstance(provider, ScriptedProvider)
    return provider.cache.faults


def words(session: Session) -> list[str]:
    """The verdict on each call, in the order of the log."""
    return [event.verdict.word if event.verdict else "" for event in events(session, e.ModelResponded)]


def last_detail(session: Session) -> str:
    verdict = events(session, e.ModelResponded)[-1].verdict
    assert verdict is not None
    return verdict.detail


def exact(session: Session) -> bool:
    """Whether every prediction was right to the token; nobody predicts the output."""
    asked = {event.request_id: event.prediction for event in events(session, e.ModelRequested)}
    for answer in events(session, e.ModelResponded):
        expected = asked[answer.request_id]
        if expected is None or expected.usage != replace(answer.usage, output=0, reasoning=0):
            return False
    return True


async def test_the_first_call_is_cold_and_all_others_hit_to_the_token(tmp_path: Path) -> None:
    for options in (CLAUDE, {"cache": "openai", "model": "gpt-4.1"}, {"cache": "openai", "model": "gpt-5.6"}):
        session, _ = priced(tmp_path, [LOOK, LOOK, say("one"), LOOK, say("two")], **options)
        await converse(session, "go", "more")
        assert words(session) == ["cold start", "hit", "hit", "hit", "hit"] and exact(session)
        await session.aclose()


async def test_too_short_to_be_cached(tmp_path: Path) -> None:
    session, _ = priced(tmp_path, [say("one"), say("two")], cache="anthropic", model="claude-haiku-4-5")
    await converse(session, "go", "more")
    assert words(session) == ["below minimum", "below minimum"] and exact(session)
    await session.aclose()


async def test_waiting_too_long_is_told_from_a_miss(tmp_path: Path) -> None:
    session, given = priced(tmp_path, [say("one"), say("two"), say("three")], **CLAUDE)
    assert isinstance(given.clock, QuickClock)
    await converse(session, "go")
    given.clock.seconds += 299
    await converse(session, "in time")
    given.clock.seconds += 301
    await converse(session, "too late")
    assert words(session) == ["cold start", "hit", "expired"] and exact(session)
    assert "301 s" in last_detail(session) and "300 s" in last_detail(session)
    await session.aclose()


async def test_an_hour_can_be_asked_for(tmp_path: Path) -> None:
    given = opening(tmp_path, [say("one"), say("two")], **CLAUDE)  # type: ignore[arg-type]
    session = new_session(dataclasses.replace(given, caching=Caching(ttl="1h")))
    await converse(session, "go")
    assert isinstance(given.clock, QuickClock)
    given.clock.seconds += 3500
    await converse(session, "later")
    assert words(session) == ["cold start", "hit"] and exact(session)
    assert events(session, e.ModelResponded)[0].usage.cache_write_1h > 0
    await session.aclose()


async def test_another_model_and_another_effort(tmp_path: Path) -> None:
    session, given = priced(tmp_path, [say(str(number)) for number in range(4)], **CLAUDE)
    await converse(session, "go")
    session.set_effort("high")
    await converse(session, "think")
    session.set_model(dataclasses.replace(given.model, name="claude-sonnet-4-6"))
    await converse(session, "other")
    assert words(session) == ["cold start", "settings changed", "model changed"] and exact(session)
    await session.aclose()


async def test_a_tool_that_comes_late_is_named(tmp_path: Path) -> None:
    make = ask_for(call("create_file", filePath="test_new.py", content="def test_a():\n    pass\n"))
    session, _ = priced(tmp_path, [make, say("one")], **CLAUDE)
    await converse(session, "go")
    _, late = events(session, e.ToolsOffered)
    assert [tool.name for tool in late.tools] == ["run_tests"]
    assert words(session) == ["cold start", "tools changed"] and exact(session)
    assert "run_tests" in last_detail(session)
    await session.aclose()


async def test_reloaded_instructions_change_the_system_text_and_an_edit_alone_does_not(
    tmp_path: Path,
) -> None:
    (tmp_path / "AGENTS.md").write_text("Use tabs.\n")
    session, _ = priced(tmp_path, [say("one"), say("two"), say("three")], **CLAUDE)
    await converse(session, "go")
    (tmp_path / "AGENTS.md").write_text("Use spaces.\n")
    await converse(session, "told as a note")
    assert session.reload_instructions()
    await converse(session, "laid anew")
    assert words(session) == ["cold start", "hit", "system changed"] and exact(session)
    assert "AGENTS.md" in last_detail(session)
    await session.aclose()


async def test_a_history_that_a_damaged_log_has_changed(tmp_path: Path) -> None:
    session, given = priced(tmp_path, [LOOK, say("one")], **CLAUDE)
    await converse(session, "go")
    await session.aclose()
    log = SessionStore().folder / session.id / "events.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(b"{bad\n" if b'"tool.execution_complete"' in line else line for line in lines))
    again = opening(tmp_path, [say("two")], **CLAUDE)  # type: ignore[arg-type]
    resumed = resume_session(dataclasses.replace(again, clock=given.clock), session.id, SessionStore())
    await converse(resumed, "on")
    request = events(resumed, e.ModelRequested)[-1]
    assert request.prediction is not None and request.prediction.cause == "history changed"
    assert request.prediction.block is not None
    await resumed.aclose()


async def test_a_resumed_session_expects_what_the_one_before_left(tmp_path: Path) -> None:
    session, given = priced(tmp_path, [LOOK, say("one")], **CLAUDE)
    await converse(session, "go")
    await session.aclose()
    again = dataclasses.replace(
        opening(tmp_path, [say("two")], **CLAUDE),  # type: ignore[arg-type]
        model=given.model,
        clock=given.clock,
    )
    resumed = resume_session(again, session.id, SessionStore())
    request_before = len(events(resumed, e.ModelRequested))
    await converse(resumed, "on")
    request = events(resumed, e.ModelRequested)[request_before]
    assert request.prediction is not None and request.prediction.cause == "hit"
    await resumed.aclose()


async def test_a_compaction_is_called_one(tmp_path: Path) -> None:
    (tmp_path / "big.txt").write_text("a line of text\n" * 300)
    steps = [ask_for(call("read_file", filePath="big.txt")), say("one"), say("A summary."), say("two")]
    session, _ = priced(tmp_path, steps, **CLAUDE)
    await converse(session, "go")
    await compacted(session)
    await converse(session, "more")
    assert words(session) == ["cold start", "hit", "hit", "compacted"] and exact(session)
    await session.aclose()


async def compacted(session: Session) -> None:
    """Wait for the end of a compaction; the session is idle then."""
    since = len(session.records)
    session.compact()
    await until(session, e.SessionIdle, since=since)


async def test_what_a_provider_does_wrong_is_told_from_what_we_do(tmp_path: Path) -> None:
    session, given = priced(tmp_path, [LOOK, LOOK, LOOK, LOOK, say("one")], **CLAUDE)
    wrong = faults(given)
    wrong.strip_marks = True
    await converse(session, "go")
    assert set(words(session)) == {"marker stripped"}
    await session.aclose()

    session, given = priced(tmp_path, [say("one"), say("two"), say("three")], **CLAUDE)
    await converse(session, "go")
    faults(given).lose_all = True
    await converse(session, "more")
    missed = events(session, e.ModelResponded)[-1].verdict
    assert missed is not None and missed.word == "server side" and missed.missed > 2000
    assert missed.cost is not None and Decimal(missed.cost) > 0
    faults(given).lose_all = False
    faults(given).silent = True
    await converse(session, "again")
    assert words(session)[-1] == "not reported"
    await session.aclose()


async def test_stable_reads_all_that_was_sent_and_its_requests_only_grow(tmp_path: Path) -> None:
    reads = ask_for(*[call("read_file", filePath=f"f{number}.txt") for number in range(25)])
    for number in range(25):
        (tmp_path / f"f{number}.txt").write_text(f"{number}\n" * 20)
    session, _ = priced(tmp_path, [reads, LOOK, say("one"), reads, say("two")], **CLAUDE)
    await converse(session, "go", "more")
    assert words(session) == ["cold start", "hit", "hit", "hit", "hit"] and exact(session)
    answers = events(session, e.ModelResponded)
    for before, after in pairwise(answers):
        assert after.usage.cache_read == before.usage.input
    await session.aclose()


@pytest.mark.parametrize("provider", ["mistral", "custom"])
async def test_an_unknown_cache_is_not_guessed_at(tmp_path: Path, provider: str) -> None:
    session = start(tmp_path, [say("one"), say("two")], cache=provider, model="x")
    await converse(session, "go", "more")
    assert words(session)[-1] == "not reported"
    await session.aclose()
