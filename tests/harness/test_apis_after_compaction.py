"""Strict servers of the three APIs: they take what is sent after a compaction, its undoing and a switch."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from cutaway.harness import events as e
from cutaway.harness.model_choice import open_model
from cutaway.harness.opening import Opening, new_session
from cutaway.harness.permissions.rules import Rules
from cutaway.harness.seams import Model
from cutaway.harness.session import Session
from cutaway.harness.settings import Settings
from tests.harness.invariants import check_log
from tests.harness.session_kit import COUNTER, converse, events, until
from tests.servers.apis import APIS, RESPONSES, Api
from tests.servers.openai_server import OpenAIServer
from tests.servers.openai_steps import Step, call
from tests.servers.responses_steps import refusal

KEYS = {"OPENAI_API_KEY": "sk-test-SECRET123", "ANTHROPIC_API_KEY": "sk-test-SECRET123"}
LOOK = Step(thinking="Let me look.", text="Looking.", calls=[call("list_dir", path=".")])
DONE = Step(thinking="That was it.", text="There is nothing much here. " * 20)


@pytest.fixture
def servers() -> Iterator[dict[str, OpenAIServer]]:
    running = {api.provider: api.server() for api in APIS}
    for server in running.values():
        server.__enter__()
    yield running
    for server in running.values():
        server.__exit__(None, None, None)


async def model_of(api: Api, server: OpenAIServer) -> Model:
    settings = Settings(effort="high")
    return await open_model(
        settings, KEYS, provider=api.provider, base_url=server.url, model=api.model, count=COUNTER.count_now
    )


async def settled(session: Session) -> None:
    since = len(session.records)
    session.compact()
    await until(session, e.SessionIdle, since=since)


@pytest.mark.parametrize("first", APIS, ids=lambda api: api.provider)
@pytest.mark.parametrize("second", APIS, ids=lambda api: api.provider)
async def test_compacted_undone_and_switched(
    tmp_path: Path, servers: dict[str, OpenAIServer], first: Api, second: Api
) -> None:
    one, two = servers[first.provider], servers[second.provider]
    one.play(LOOK, DONE, Step(text="A summary."), LOOK, DONE)
    session = new_session(
        Opening(
            root=tmp_path,
            model=await model_of(first, one),
            mode="interactive",
            limit=25,
            rules=Rules(),
            counter=COUNTER,
        )
    )
    await converse(session, "look around")
    await settled(session)
    await converse(session, "again")
    two.play(LOOK, DONE, Step(text="Another summary."), LOOK, DONE, LOOK, DONE)
    session.set_model(await model_of(second, two))
    await converse(session, "with another model")
    await settled(session)
    await converse(session, "on")
    assert session.undo_compaction() and session.undo_compaction()
    await converse(session, "and all of it")
    assert [one.faults, two.faults] == [[], []]
    assert [ended.reason for ended in events(session, e.InteractionEnded)] == ["answered"] * 5
    assert all(done.success for done in events(session, e.CompactionCompleted))
    sent = [session.request_body(one.request_id) for one in events(session, e.ModelRequested)]
    unlike = [one] if one is two else [one, two]
    received = [request.body for server in unlike for request in server.requests]
    assert sorted(sent) == sorted(received)
    check_log(session.records)
    await session.aclose()


async def test_a_compaction_that_is_the_first_call_to_a_server_learns_what_it_does_not_take(
    tmp_path: Path, servers: dict[str, OpenAIServer]
) -> None:
    """The body in the log is the one that was received, with the option and without it."""
    api, server = RESPONSES, servers[RESPONSES.provider]
    server.play(
        DONE,
        refusal(400, "Unknown parameter: 'prompt_cache_key'.", "unknown_parameter"),
        Step(text="A summary."),
    )
    session = new_session(
        Opening(tmp_path, await model_of(api, server), "interactive", 25, Rules(), counter=COUNTER)
    )
    await converse(session, "look around")
    session.set_model(await model_of(api, server))
    await settled(session)
    (done,) = events(session, e.CompactionCompleted)
    assert done.success and server.left == 0
    sent = [session.request_body(one.request_id) for one in events(session, e.ModelRequested)]
    assert sent == [request.body for request in server.requests] and sent[1] != sent[2]
    check_log(session.records)
    await session.aclose()
