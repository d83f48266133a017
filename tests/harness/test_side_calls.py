"""Side calls: recorded with purpose, usage and price; none is made that was not asked for."""

import dataclasses
from decimal import Decimal
from pathlib import Path

from cutaway.harness import events as e
from cutaway.harness.opening import new_session
from cutaway.harness.providers.base import Request
from cutaway.harness.providers.scripted import ScriptedError, Step
from cutaway.harness.session import Session
from cutaway.harness.usage import Price
from tests.harness.session_kit import bodies, call, converse, events, opening, say, start, until


def titled(root: Path, title: Step) -> Session:
    def choose(request: Request, number: int) -> Step:
        return (
            title
            if not request.tools
            else Step(calls=(call("list_dir", path="."),))
            if number < 2
            else say("Done.")
        )

    return new_session(dataclasses.replace(opening(root, choose=choose), title=True))


async def test_a_title_is_a_call_of_its_own_beside_the_first_interaction(tmp_path: Path) -> None:
    session = titled(tmp_path, say('"Mend the  parser".\n'))
    await converse(session, "Please mend the parser.", "More.")
    assert [one.title for one in events(session, e.TitleChanged)] == ["Mend the parser"]
    purposes = [one.purpose for one in events(session, e.ModelRequested)]
    assert purposes.count("title") == 1 and len(events(session, e.TurnStarted)) == len(purposes) - 1
    (paid,) = [one for one in events(session, e.ModelResponded) if one.purpose == "title"]
    assert paid.usage.input > 0 and paid.turn_id == ""
    spent = sum(one.usage.input for one in events(session, e.ModelResponded))
    assert session._seams.ledger.spending.usage.input == spent
    kinds = [type(record.event) for record in session.records]
    assert kinds.index(e.TitleChanged) < kinds.index(e.InteractionEnded)
    for body in bodies(session):
        assert body.startswith(b"{")
    await session.aclose()


async def test_a_title_that_cannot_be_had_stops_nothing(tmp_path: Path) -> None:
    session = titled(tmp_path, Step(error=ScriptedError("rejected", "no", 400)))
    await converse(session, "go")
    assert events(session, e.TitleChanged) == []
    assert events(session, e.InteractionEnded)[0].reason == "answered"
    await session.aclose()


def warm(root: Path, most: str, price: Price | None) -> Session:
    steps = [say("Hello."), *[say(".")] * 40]
    given = opening(root, steps, cache="anthropic", model="claude-sonnet-4-5")
    model = dataclasses.replace(given.model, price=price)
    return new_session(dataclasses.replace(given, model=model, keep_warm_for=Decimal(most)))


async def test_the_cache_is_kept_warm_up_to_its_cap_in_money(tmp_path: Path) -> None:
    price = Price(Decimal(3), Decimal("0.3"), Decimal("3.75"), Decimal(6), Decimal(15))
    session = warm(tmp_path, "0.04", price)
    session.send("hi")
    said = await until(session, e.SessionWarning)
    assert "0.04 USD" in said.message
    warmed = [one for one in events(session, e.ModelResponded) if one.purpose == "keep-alive"]
    spent = sum(Decimal(one.cost or "0") for one in warmed)
    assert len(warmed) >= 3 and spent <= Decimal("0.04")
    assert all(one.usage.cache_read > 2000 for one in warmed)
    assert all(one.verdict and one.verdict.word == "hit" for one in warmed)
    sent = [one for one in events(session, e.ModelRequested) if one.purpose == "keep-alive"]
    assert all('"maxOutputTokens":2048' in one.params for one in sent)
    await session.aclose()


async def test_without_a_known_price_nothing_is_kept_warm(tmp_path: Path) -> None:
    session = warm(tmp_path, "1", None)
    session.send("hi")
    assert "not known" in (await until(session, e.SessionWarning)).message
    assert len(events(session, e.ModelRequested)) == 1
    await session.aclose()


async def test_without_being_asked_for_there_is_no_side_call(tmp_path: Path) -> None:
    session = start(tmp_path, [say("Hello.")])
    await converse(session, "go")
    assert [one.purpose for one in events(session, e.ModelRequested)] == ["turn"]
    await session.aclose()
