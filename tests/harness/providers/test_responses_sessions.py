"""Whole sessions over the Responses API: what the loop does is taken by a server that is strict."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from cutaway.harness import events as e
from cutaway.harness.eventlog.store import SessionStore
from cutaway.harness.opening import Opening, new_session, resume_session
from cutaway.harness.seams import Model
from tests.harness.providers.responses_kit import asking_responses
from tests.harness.session_kit import converse, events, opening, until
from tests.servers.openai_steps import Json, Step
from tests.servers.responses_server import ResponsesServer
from tests.servers.responses_steps import function_call, reasoning, said, text

MODEL = "gpt-5.6-sol"


def open_gpt(root: Path, server: ResponsesServer, model: str = MODEL) -> Opening:
    return replace(opening(root), model=Model(asking_responses(server).provider, model))


def inputs(server: ResponsesServer) -> list[list[Json]]:
    return [request.json["input"] for request in server.requests]


async def test_a_session_reads_writes_and_thinks(tmp_path: Path, responses_server: ResponsesServer) -> None:
    """D12: thoughts go back in each later request, also when the session is taken up again."""
    (tmp_path / "a.txt").write_text("alpha\n")
    first = reasoning("Look first.", id="rs_1")
    responses_server.play(
        said(
            first,
            text("Reading.", phase="commentary"),
            function_call("c1", "read_file", filePath="a.txt"),
            reasoning("Now write.", id="rs_2"),
            function_call("c2", "create_file", filePath="b.txt", content="beta\n"),
        ),
        said(reasoning(id="rs_3"), function_call("c3", "list_dir", path=".")),
        Step(text="Done."),
        Step(text="Again."),
        Step(text="Other."),
    )
    session = new_session(open_gpt(tmp_path, responses_server))
    await converse(session, "look at a.txt")
    await session.aclose()
    again = resume_session(open_gpt(tmp_path, responses_server), session.id, SessionStore())
    await converse(again, "go on")
    await again.aclose()
    assert (tmp_path / "b.txt").read_text() == "beta\n"
    assert responses_server.faults == []
    sent = inputs(responses_server)
    assert len(sent) == 4
    for earlier, later in pairwise(sent):
        assert later[: len(earlier)] == earlier
    thoughts = [item for item in sent[3] if item["type"] == "reasoning"]
    assert [thought["id"] for thought in thoughts] == ["rs_1", "rs_2", "rs_3"]
    assert thoughts[0]["encrypted_content"] == first["encrypted_content"]
    assert [item["phase"] for item in sent[3] if "phase" in item] == ["commentary"]
    moved = resume_session(open_gpt(tmp_path, responses_server, "gpt-5.1"), session.id, SessionStore())
    await converse(moved, "and with another model")
    await moved.aclose()
    assert responses_server.faults == []
    assert not [
        item for item in inputs(responses_server)[4] if item["type"] == "reasoning" or "phase" in item
    ]


async def test_an_interrupted_call_has_an_output_in_the_next_request(
    tmp_path: Path, responses_server: ResponsesServer
) -> None:
    """D10: both calls are answered, in order, before the user's words; the strict server takes it."""
    (tmp_path / "a.txt").write_text("alpha\n")
    responses_server.play(
        said(
            reasoning("Run it."),
            function_call("c1", "run_in_terminal", command="sleep 30"),
            function_call("c2", "read_file", filePath="a.txt"),
        ),
        Step(text="Fine."),
    )
    session = new_session(open_gpt(tmp_path, responses_server))
    session.send("run it")
    await until(session, e.ToolStarted)
    session.interrupt()
    await until(session, e.SessionIdle)
    await converse(session, "go on")
    await session.aclose()
    assert responses_server.faults == []
    items = inputs(responses_server)[1][1:]
    assert [item.get("call_id") for item in items] == [None, "c1", "c2", "c1", "c2", None]
    assert "interrupted" in items[3]["output"].lower()
    assert items[5]["content"][0]["text"].endswith("go on")


@pytest.mark.parametrize("reason", ["max_output_tokens", ""])
async def test_a_call_that_was_cut_is_not_run(
    tmp_path: Path, responses_server: ResponsesServer, reason: str
) -> None:
    """D05: the output limit tears a file, told or not; nothing is written and the session goes on."""
    torn = function_call("c1", "create_file", '{"filePath":"out.txt","content":"line1\\nline2')
    steps = [said(reasoning("hm"), text("Writing."), torn, reason=reason), *[Step(text="Shorter.")] * 3]
    responses_server.play(*steps)
    session = new_session(open_gpt(tmp_path, responses_server))
    await converse(session, "write", "once more")
    await session.aclose()
    assert not (tmp_path / "out.txt").exists()
    assert responses_server.faults == []
    assert any(answer.cut for answer in events(session, e.AssistantAnswered))


async def test_a_whole_call_before_the_cut_one_runs(
    tmp_path: Path, responses_server: ResponsesServer
) -> None:
    """D05: two calls, the second one cut."""
    torn = function_call("c2", "create_file", '{"filePath":"out.txt","content":"line1')
    whole = function_call("c1", "create_file", filePath="b.txt", content="beta\n")
    responses_server.play(said(whole, torn, reason="max_output_tokens"), *[Step(text="Shorter.")] * 3)
    session = new_session(open_gpt(tmp_path, responses_server))
    await converse(session, "write")
    await session.aclose()
    assert (tmp_path / "b.txt").read_text() == "beta\n"
    assert not (tmp_path / "out.txt").exists()
    assert responses_server.faults == []


async def test_a_call_without_arguments_runs_once(tmp_path: Path, responses_server: ResponsesServer) -> None:
    """D03: two requests in all; the history holds an object."""
    responses_server.play(said(function_call("c1", "list_dir", "")), Step(text="Empty."))
    session = new_session(open_gpt(tmp_path, responses_server))
    await converse(session, "list")
    await session.aclose()
    assert len(responses_server.requests) == 2
    assert responses_server.faults == []
    assert inputs(responses_server)[1][1]["arguments"] == "{}"
