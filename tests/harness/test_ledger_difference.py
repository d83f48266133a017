"""Where two requests part, told by the text and not by the bytes."""

import json
from pathlib import Path

from cutaway.harness.ledger import Ledger
from cutaway.harness.ledger.difference import LONGEST, TextDifference, request_before, text_difference
from tests.harness.session_kit import ask_for, call, converse, say, start


def body(*messages: str, system: str = "be kind", effort: str = "low") -> bytes:
    said = [
        {"content": [{"text": text, "cache_control": {"type": "ephemeral"}}]}
        if text is messages[-1]
        else {"content": [{"text": text}]}
        for text in messages
    ]
    return json.dumps({"effort": effort, "messages": said, "system": system}).encode()


def test_a_request_that_only_goes_on_does_not_differ_wherever_its_marks_stand() -> None:
    assert text_difference(body("one"), body("one", "two", effort="high")) is None


def test_the_first_text_in_wire_order_is_named_with_its_lines() -> None:
    found = text_difference(body("one", system="a\nb\nc"), body("other", system="a\nx\ny\nc"))
    assert found == TextDifference("system", ((" ", "a"), ("-", "b"), ("+", "x"), ("+", "y")))
    found = text_difference(body("a", "b"), body("a", "c", "d"))
    assert found is not None and found.place == "messages[1].content[0].text"


def test_what_is_gone_stands_without_another_in_its_place() -> None:
    found = text_difference(body("a", "b"), body("a"))
    assert found == TextDifference("messages[1].content[0].text", (("-", "b"), ("+", "")))


def test_long_lines_and_long_changes_are_cut_where_they_differ() -> None:
    found = text_difference(body("x" * 500 + "1" + "y" * 500), body("x" * 500 + "2" + "y" * 500))
    assert found is not None
    (_, old), (_, new) = found.lines
    assert old.startswith("…x") and "x1y" in old and "x2y" in new and len(old) == LONGEST + 2
    many = "\n".join(f"line {number}" for number in range(30))
    found = text_difference(body("start\n" + many), body("start"))
    assert found is not None and len(found.lines) == 7 and (found.removed, found.added) == (24, 0)


def test_bodies_that_are_no_json_are_not_compared() -> None:
    assert text_difference(b"\xff", b"{}") is None
    assert text_difference(b"[]", b"{}") is None


async def test_a_request_is_compared_with_the_last_one_of_the_conversation(tmp_path: Path) -> None:
    session = start(tmp_path, [ask_for(call("list_dir", path=".")), say("one"), say("two")])
    await converse(session, "go", "more")
    ledger = Ledger()
    for record in session.records:
        ledger.fold(record)
    turns = list(ledger.turns.values())
    ids = [turn.request.request_id for turn in turns if turn.request]
    assert [request_before(ledger, turn) for turn in turns] == ["", *ids[:2]]
    await session.aclose()
