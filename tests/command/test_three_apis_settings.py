"""What can be set, over each of the three APIs: hooks, outputs, compaction, effort, and where marks go."""

import json
from collections.abc import Callable
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import pytest

from tests.command import long_task
from tests.command.kit import (
    Json,
    asking,
    assert_prefix_law,
    assert_well_formed,
    command,
    configure,
    data_of,
    records_of,
    run,
)
from tests.servers.apis import CHAT, MESSAGES, Api, marks_of
from tests.servers.openai_server import OpenAIServer
from tests.servers.openai_steps import Step, call

LOOK = Step(thinking="Let me see.", text="I look.", calls=[call("list_dir", path=".")])
HOOKS = r"""
[[hooks.Stop]]
command = '''grep -Eq '"stop_hook_active": ?true' || { echo "Say who you are first." >&2; exit 2; }'''

[[hooks.PreToolUse]]
matcher = "create_file"
command = 'echo "No new files here." >&2; exit 2'
"""
PRICE = '[models."{model}".price]\ninput = 3\ncache-read = 0.3\ncache-write-5m = 3.75\noutput = 15\n'
RATES = {"fresh": "3", "cacheRead": "0.3", "cacheWrite5M": "3.75", "output": "15"}
SUMMARY = "The tests fail because money is truncated; nothing has been changed yet."


def test_hooks_of_the_user_refuse_a_call_and_an_end(api: Api, server: OpenAIServer, project: Path) -> None:
    configure(HOOKS)
    write = Step(calls=[call("create_file", filePath="x", content="1")])
    server.play(*api.steps([write, Step(text="Done."), Step(text="I am a script, and done.")]))
    done = run(asking(api, server, project, "write", "--mode", "accept-edits"))
    assert done.returncode == 0 and not (project / "x").exists(), done.stderr
    records = records_of(done.stdout)
    assert_well_formed(records)
    assert_prefix_law(api, server)
    assert "No new files here." in json.dumps(api.said(server.requests[1].json)[-1])
    assert "Say who you are first." in json.dumps(api.said(server.requests[2].json)[-1])
    assert [data["hookType"] for data in data_of(records, "hook.start")] == ["PreToolUse", "Stop", "Stop"]


def test_one_object_tells_usage_and_cost(api: Api, server: OpenAIServer, project: Path) -> None:
    configure(PRICE.format(model=api.model))
    server.play(*api.steps([LOOK, Step(text="Done.")]))
    done = run(asking(api, server, project, "look", "--mode", "plan", "--output", "json"))
    told = json.loads(done.stdout)
    assert (done.returncode, told["answer"], told["turns"]) == (0, "Done.", 2)
    usage = told["usage"]
    assert usage["cacheRead"] > 0 and usage["output"] > 0
    assert (usage["cacheWrite5M"] > 0) == (api is MESSAGES)
    assert not usage["estimated"]
    cost = sum(usage[kind] * Decimal(rate) for kind, rate in RATES.items()) / 1_000_000
    assert Decimal(told["cost"]) == cost


def answering(api: Api, steps: list[Step]) -> Callable[[Json], Step]:
    """Play the script, and a summary whenever one is asked for."""
    left = iter(api.steps(steps))

    def choose(body: Json) -> Step:
        if "This conversation gets too long." in json.dumps(api.said(body)[-1]):
            return Step(text=SUMMARY)
        step = next(left)
        assert isinstance(step, Step)
        return step

    return choose


def test_a_full_context_is_compacted_by_itself(api: Api, server: OpenAIServer, project: Path) -> None:
    """The summary, the goal and the files stand for what was before; the strict server takes it."""
    configure(f'[models."{api.model}"]\ncontext-window = 8000\n')
    (project / "big.txt").write_text("".join(f"{n}: one more line of a long file\n" for n in range(400)))
    read = Step(thinking="Long.", text="I read.", calls=[call("read_file", filePath="big.txt")])
    steps = [LOOK, read, LOOK, Step(text="Done.")]
    server.play(*[answering(api, steps)] * 5)
    flags = ("--mode", "plan", "--compaction", "auto")
    done = run(asking(api, server, project, long_task.REQUEST, *flags))
    assert done.returncode == 0 and server.left == 0, done.stderr
    assert server.faults == []
    records = records_of(done.stdout)
    assert_well_formed(records)
    (compacted,) = data_of(records, "session.compaction_complete")
    assert compacted["success"] and compacted["tokensAfter"] < compacted["tokensBefore"]
    purposes = [data["purpose"] for data in data_of(records, "model.request")]
    assert purposes.count("compaction") == 1
    sent = json.dumps(api.said(server.requests[-1].json))
    assert SUMMARY in sent and long_task.REQUEST in sent and "one more line" not in sent
    said = [api.said(request.json) for request in server.requests]
    grown = [after[: len(before)] == before for before, after in pairwise(said)]
    assert grown == [True, True, False, True]


def test_an_effort_reaches_the_wire(api: Api, server: OpenAIServer, project: Path) -> None:
    server.play(*api.steps([LOOK, Step(text="Done.")]))
    done = run(asking(api, server, project, "look", "--mode", "plan", "--effort", "low"))
    assert done.returncode == 0, done.stderr
    assert_prefix_law(api, server)
    body = server.requests[-1].json
    told = body.get("reasoning_effort") or body.get("reasoning", {}).get("effort") or body["thinking"]["type"]
    assert told == ("enabled" if api is MESSAGES else "low")
    assert {data["settings"] for data in data_of(records_of(done.stdout), "model.request")} == {"low"}


def test_marks_after_copilot_hold_for_a_whole_task(api: Api, server: OpenAIServer, project: Path) -> None:
    if api is not MESSAGES:
        pytest.skip("only the Messages API is told where to cache")
    server.play(*api.steps(long_task.script()))
    done = run(asking(api, server, project, long_task.REQUEST, "--cache-strategy", "copilot"))
    assert done.returncode == 0, done.stderr
    assert_prefix_law(api, server)
    verdicts = [data["verdict"]["word"] for data in data_of(records_of(done.stdout), "model.response")]
    assert verdicts == ["cold start", *["hit"] * (long_task.TURNS - 1)]
    marks = [len(marks_of(request.json)) for request in server.requests]
    assert max(marks) <= 4 and all(later > 0 for _, later in pairwise(marks))


def test_a_budget_in_money_that_cannot_be_kept_is_said_to_be_none(project: Path) -> None:
    with CHAT.server() as server:
        configure(f'[providers.mine]\nbase-url = "{server.url}"\nlocal = false\n')
        server.play(LOOK, Step(text="Done."))
        flags = ("--provider", "mine", "--model", "weird", "--cwd", str(project), "--mode", "plan")
        done = run(command("run", "look", *flags, "--max-cost", "0.0001"))
    assert (done.returncode, done.stdout) == (0, "Done.\n")
    assert done.stderr.count("No price is known of weird") == 1 and "tokens" in done.stderr
