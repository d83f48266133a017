"""What ends or breaks a task in its middle, over each of the three APIs: nothing is lost, and it goes on."""

import signal
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from tests.command import long_task
from tests.command.kit import (
    Json,
    Live,
    asking,
    assert_prefix_law,
    assert_well_formed,
    configure,
    data_of,
    records_of,
    run,
)
from tests.servers.anthropic_steps import refusal
from tests.servers.apis import APIS, Api
from tests.servers.openai_server import OpenAIServer
from tests.servers.openai_steps import Step, call, error

EIGHTH = 8
LOOK = Step(text="I look.", calls=[call("list_dir", path=".")])
PRICED = '[models."{model}"]\nprice = {{ input = 3, cache-read = 0.3, cache-write-5m = 3.75, output = 15 }}\n'


def stopped_in_turn_eight(line: list[str], how: signal.Signals) -> tuple[str, int, list[Json]]:
    """Run until the command of turn eight is on its way, send a signal; the session, and how it ended."""
    with Live(line) as live:
        started = live.until(lambda record: record["type"] == "session.start")
        live.until(
            lambda record: (
                record["type"] == "tool.execution_start" and record["data"]["toolName"] == long_task.SLOW
            )
        )
        live.process.send_signal(how)
        code = live.finish()
    return started["data"]["sessionId"], code, live.records


def test_an_interrupted_task_goes_on_in_another_process(
    api: Api, server: OpenAIServer, project: Path
) -> None:
    server.play(*api.steps(long_task.script(eighth="sleep 60")))
    line = asking(api, server, project, long_task.REQUEST)
    session, code, records = stopped_in_turn_eight(line, signal.SIGINT)
    assert code == 130 and data_of(records, "session.idle")[-1]["aborted"]
    assert_well_formed(records)
    finishes(api, server, project, session)


def test_a_killed_task_goes_on_in_another_process(api: Api, server: OpenAIServer, project: Path) -> None:
    server.play(*api.steps(long_task.script(eighth="sleep 60")))
    line = asking(api, server, project, long_task.REQUEST)
    session, code, _ = stopped_in_turn_eight(line, signal.SIGKILL)
    assert code == -signal.SIGKILL
    records = finishes(api, server, project, session)
    assert len(data_of(records, "session.resume")[0]["closedCalls"]) == 1


def finishes(api: Api, server: OpenAIServer, project: Path, session: str) -> list[Json]:
    """Take the session up and see its second half through."""
    done = run(asking(api, server, project, "Go on.", "--resume", session))
    assert done.returncode == 0, done.stderr
    assert server.left == 0 and long_task.changed(project) == long_task.CHANGED
    assert_prefix_law(api, server)
    records = records_of(done.stdout)
    assert_well_formed(records)
    assert data_of(records, "interaction.end")[0]["turns"] == long_task.TURNS - EIGHTH
    return records


PAIRS = [(one, other) for one, other in pairwise((*APIS, APIS[0]))]


@pytest.mark.parametrize(("first", "then"), PAIRS, ids=lambda api: api.provider)
def test_a_task_begun_over_one_api_ends_over_another(first: Api, then: Api, project: Path) -> None:
    """Thoughts stay with their model; words, calls and results go along, and only grow from there."""
    steps = long_task.script(eighth="sleep 60")
    with first.server() as begun, then.server() as other:
        begun.play(*first.steps(steps[:EIGHTH]))
        line = asking(first, begun, project, long_task.REQUEST)
        session, code, _ = stopped_in_turn_eight(line, signal.SIGINT)
        other.play(*then.steps(steps[EIGHTH:]))
        done = run(asking(then, other, project, "Go on.", "--resume", session))
        assert (code, done.returncode) == (130, 0), done.stderr
        assert (begun.left, other.left) == (0, 0)
        assert_prefix_law(first, begun)
        assert_prefix_law(then, other)
        sent = other.requests[0].body.decode()
    assert long_task.REQUEST in sent and "It truncates." in sent
    assert "First look around." not in sent
    records = records_of(done.stdout)
    assert_well_formed(records)
    assert data_of(records, "session.model_change")[0]["provider"]
    assert data_of(records, "interaction.end")[0]["reason"] == "task-complete"


def test_a_busy_server_is_asked_again(api: Api, server: OpenAIServer, project: Path) -> None:
    steps = long_task.script()
    server.play(*api.steps(steps[:7]), api.limited(), api.busy(), *api.steps(steps[7:]))
    done = run(asking(api, server, project, long_task.REQUEST))
    assert done.returncode == 0, done.stderr
    records = records_of(done.stdout)
    assert_well_formed(records)
    assert_prefix_law(api, server)
    retries = data_of(records, "model.retry")
    assert [(data["attempt"], data["statusCode"]) for data in retries] == [(1, 429), (2, api.busy().status)]
    assert len(data_of(records, "assistant.turn_start")) == long_task.TURNS
    assert {request.body for request in server.requests[7:10]} == {server.requests[7].body}


def test_a_call_that_was_cut_is_not_run(api: Api, server: OpenAIServer, project: Path) -> None:
    torn = {"name": "create_file", "arguments": '{"filePath": "torn.txt", "content": "half of', "id": ""}
    server.play(*api.steps([Step(text="I write.", calls=[torn], finish="length"), LOOK, Step(text="Done.")]))
    done = run(asking(api, server, project, "write", "--mode", "accept-edits"))
    assert done.returncode == 0, done.stderr
    assert server.left == 0 and not (project / "torn.txt").exists()
    assert_prefix_law(api, server)
    records = records_of(done.stdout)
    assert_well_formed(records)
    assert data_of(records, "assistant.message")[0]["cut"]
    assert [data.get("cause") for data in data_of(records, "user.message")][1:] == ["cut"]
    assert [data["toolName"] for data in data_of(records, "tool.execution_start")] == ["list_dir"]


@pytest.mark.parametrize(
    ("flags", "kind", "reason"),
    [
        (["--limit", "2", "--mode", "interactive"], "turns", "limit"),
        (["--max-tokens", "4000"], "tokens", "budget"),
        (["--max-cost", "0.001"], "cost", "budget"),
        (["--max-minutes", "0.00001"], "minutes", "budget"),
    ],
    ids=["limit", "tokens", "cost", "minutes"],
)
def test_a_bound_ends_it_with_3_and_says_which(
    api: Api, server: OpenAIServer, project: Path, flags: list[str], kind: str, reason: str
) -> None:
    configure(PRICED.format(model=api.model))
    server.play(*api.steps([replace(LOOK, text=str(number)) for number in range(3)]))
    done = run(asking(api, server, project, "look", *flags))
    assert done.returncode == 3, done.stdout
    records = records_of(done.stdout)
    assert_well_formed(records)
    reached = data_of(records, "tool_limit.reached")[-1]
    assert (reached.get("kind", "turns"), reached["limit"] > 0) == (kind, True)
    decided = data_of(records, "tool_limit.decided")[-1]
    assert (decided["choice"], decided["by"]) == ("stop", "headless")
    assert data_of(records, "interaction.end")[0]["reason"] == reason
    if kind == "turns":
        goes_on(api, server, project)


def goes_on(api: Api, server: OpenAIServer, project: Path) -> None:
    """What was stopped is taken up again, and adds to what was said."""
    before = len(server.requests)
    server.play(*api.steps([Step(text="Done.")]))
    again = run(asking(api, server, project, "go on", "--continue", "--mode", "plan"))
    assert again.returncode == 0 and len(server.requests) > before
    assert_prefix_law(api, server)


def test_a_denied_call_ends_it_with_4(api: Api, server: OpenAIServer, project: Path) -> None:
    write = Step(thinking="Hm.", calls=[call("create_file", filePath="x", content="1"), *LOOK.calls])
    server.play(*api.steps([write, Step(text="I could not.")]))
    done = run(asking(api, server, project, "write", "--mode", "interactive"))
    assert done.returncode == 4 and not (project / "x").exists()
    records = records_of(done.stdout)
    assert_well_formed(records)
    assert_prefix_law(api, server)
    outcomes = [data["outcome"] for data in data_of(records, "tool.execution_complete")]
    assert sorted(outcomes) == ["done", "refused"]
    assert data_of(records, "permission.completed")[0]["kind"] == "denied-no-user"


FILTERED = {"openai": "content_filter", "anthropic": "refusal", "openai-responses": "content_filter"}


@pytest.mark.parametrize("words", ["", "I can"], ids=["nothing said", "half said"])
def test_an_answer_that_the_provider_stopped_is_no_success(
    api: Api, server: OpenAIServer, project: Path, words: str
) -> None:
    """It is not asked again, not nudged, and told as what it is; the session goes on."""
    server.play(Step(text=words, finish=FILTERED[api.provider]))
    done = run(asking(api, server, project, "do harm"))
    assert (done.returncode, len(server.requests), server.faults) == (1, 1, [])
    (ended,) = data_of(records_of(done.stdout), "interaction.end")
    assert ended["reason"] == "error" and FILTERED[api.provider] in ended["explanation"]
    server.play(Step(text="Done."))
    again = run(asking(api, server, project, "do good", "--continue", "--mode", "plan"))
    assert again.returncode == 0 and server.faults == []


def test_a_stream_that_breaks_keeps_what_came(api: Api, server: OpenAIServer, project: Path) -> None:
    server.play(*api.steps([LOOK, Step(thinking="Now I see.", text="Half of an ans", breaks=True)]))
    done = run(asking(api, server, project, "look", "--mode", "plan"))
    records = records_of(done.stdout)
    assert_well_formed(records)
    assert done.returncode == 1 and data_of(records, "assistant.message")[-1]["content"] == "Half of an ans"
    assert "broke" in data_of(records, "session.error")[0]["message"]
    server.play(*api.steps([LOOK, Step(text="Done.")]))
    again = run(asking(api, server, project, "go on", "--continue", "--mode", "plan"))
    assert again.returncode == 0 and server.left == 0
    assert_prefix_law(api, server)
    assert "Half of an ans" in server.requests[-1].body.decode()


TOO_LONG = {
    "openai": error(400, "Your messages resulted in 9000 tokens.", code="context_length_exceeded"),
    "anthropic": refusal(400, "prompt is too long: 210000 tokens > 200000 maximum"),
    "openai-responses": error(400, "Your input exceeds the window.", code="context_length_exceeded"),
}


def test_a_prompt_that_is_too_long_is_compacted_and_sent_again(
    api: Api, server: OpenAIServer, project: Path
) -> None:
    (project / "big.txt").write_text("".join(f"{n}: one more line of a long file\n" for n in range(500)))
    read = Step(thinking="Long.", calls=[call("read_file", filePath="big.txt")])
    steps = [LOOK, read, TOO_LONG[api.provider], Step(text="A summary."), LOOK, Step(text="Done.")]
    server.play(*api.steps(steps))
    done = run(asking(api, server, project, "look", "--mode", "plan", "--compaction", "auto"))
    assert done.returncode == 0, done.stdout
    assert (server.faults, server.left) == ([], 0)
    records = records_of(done.stdout)
    assert_well_formed(records)
    assert data_of(records, "session.compaction_complete")[0]["success"]
    assert "A summary." in server.requests[-1].body.decode()
    assert "one more line" not in server.requests[-1].body.decode()
