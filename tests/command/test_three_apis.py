"""One task of sixteen turns over each of the three APIs, from the command line to files on disk."""

from pathlib import Path

from tests.command import long_task
from tests.command.kit import (
    asking,
    assert_prefix_law,
    assert_well_formed,
    data_of,
    records_of,
    run,
)
from tests.servers.apis import Api
from tests.servers.openai_server import OpenAIServer


def test_sixteen_turns_end_alike_over_each_api(api: Api, server: OpenAIServer, project: Path) -> None:
    server.play(*api.steps(long_task.script()))
    done = run(asking(api, server, project, long_task.REQUEST))
    assert done.returncode == 0, done.stderr
    assert (server.faults, server.left) == ([], 0)
    assert long_task.changed(project) == long_task.CHANGED
    records = records_of(done.stdout)
    assert_well_formed(records)
    assert_prefix_law(api, server)
    assert len(data_of(records, "assistant.turn_start")) == long_task.TURNS
    (ended,) = data_of(records, "interaction.end")
    assert (ended["reason"], ended["turns"]) == ("task-complete", long_task.TURNS)
    results = data_of(records, "tool.execution_complete")
    assert {data["outcome"] for data in results} == {"done"}
    runs = [data["detail"] for data in results if data["toolName"] == "run_tests"]
    assert [(one["failed"], one["passed"]) for one in runs] == [(2, 0), (0, 2)]
