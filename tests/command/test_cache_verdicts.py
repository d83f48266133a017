"""What the log says of a provider's cache, from the request on the wire to the word: as a real process."""

import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.command import long_task
from tests.command.kit import Json, Live, asking, configure, data_of, records_of, run
from tests.servers.anthropic_cache import PromptCache
from tests.servers.anthropic_server import AnthropicServer
from tests.servers.apis import CHAT, MESSAGES, RESPONSES, Api, marks_of
from tests.servers.openai_server import OpenAIServer
from tests.servers.openai_steps import Choose, Gate, Step, call

LOOK = Step(thinking="Let me see.", text="I look.", calls=[call("list_dir", path=".")])
END = Step(text="Done.")
SUMMARY = Step(text="A summary.")


@pytest.fixture
def claude() -> Iterator[AnthropicServer]:
    with AnthropicServer(cache=PromptCache(minimum=1024)) as server:
        yield server


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "notes.txt").write_text("one\ntwo\n")
    return tmp_path


def told(api: Api, server: OpenAIServer, project: Path, *flags: str) -> list[tuple[Json, Json, Json]]:
    """Ask once; of each call the prediction, the usage and the verdict."""
    done = run(asking(api, server, project, "look", "--mode", "accept-edits", *flags))
    assert done.returncode == 0, done.stdout + done.stderr
    assert (server.faults, server.left) == ([], 0)
    records = records_of(done.stdout)
    expected = {data["requestId"]: data["prediction"] for data in data_of(records, "model.request")}
    answers = data_of(records, "model.response")
    return [(expected[data["requestId"]], data["usage"], data["verdict"]) for data in answers]


def words(calls: list[tuple[Json, Json, Json]]) -> list[str]:
    return [verdict["word"] for _, _, verdict in calls]


def assert_exact(calls: list[tuple[Json, Json, Json]]) -> None:
    """What was read is what was expected, to the token, wherever the request before is known."""
    for expected, usage, verdict in calls:
        if verdict["word"] == "hit":
            assert expected["read"] == usage["cacheRead"] > 0


def first(change: Callable[[], object], step: Step) -> Choose:
    """Change the server when the request arrives, before it is counted."""

    def choose(_: Json) -> Step:
        change()
        return step

    return choose


def test_cold_then_hits_also_in_another_process(claude: AnthropicServer, project: Path) -> None:
    claude.play(LOOK, LOOK, END)
    calls = told(MESSAGES, claude, project)
    assert words(calls) == ["cold start", "hit", "hit"]
    claude.play(LOOK, END)
    again = told(MESSAGES, claude, project, "--continue")
    assert words(again) == ["hit", "hit"]
    assert_exact([*calls, *again])


def test_another_effort_keeps_what_it_is_no_part_of(claude: AnthropicServer, project: Path) -> None:
    """Tools and system are read all the same by a model that thinks by budget."""
    claude.play(LOOK, END)
    told(MESSAGES, claude, project)
    claude.play(LOOK, END)
    calls = told(MESSAGES, claude, project, "--continue", "--effort", "high")
    assert words(calls) == ["settings changed", "hit"]
    expected, usage, verdict = calls[0]
    assert expected["cause"] == "settings changed" and "high" in verdict["detail"]
    assert usage["cacheRead"] > 1024 and expected["read"] == pytest.approx(usage["cacheRead"], rel=0.1)
    assert_exact(calls)


def test_another_model_reads_nothing(claude: AnthropicServer, project: Path) -> None:
    claude.play(LOOK, END)
    told(MESSAGES, claude, project)
    claude.play(LOOK, END)
    calls = told(MESSAGES, claude, project, "--continue", "--model", "claude-sonnet-4-6")
    assert words(calls) == ["model changed", "hit"]
    assert calls[0][0]["read"] == calls[0][1]["cacheRead"] == 0
    assert "claude-sonnet-4-6" in calls[0][2]["detail"] and calls[0][2]["missed"] > 1024
    assert_exact(calls)


def test_a_tool_that_comes_late_is_named(claude: AnthropicServer, project: Path) -> None:
    test = "def test_a() -> None:\n    assert True\n"
    claude.play(LOOK, Step(calls=[call("create_file", filePath="test_new.py", content=test)]), LOOK, END)
    calls = told(MESSAGES, claude, project)
    assert words(calls) == ["cold start", "hit", "tools changed", "hit"]
    expected, usage, verdict = calls[2]
    assert "run_tests" in verdict["detail"] and expected["cause"] == "tools changed"
    assert expected["read"] == usage["cacheRead"] == 0
    assert_exact(calls)


def test_a_compaction_is_called_one(claude: AnthropicServer, project: Path) -> None:
    configure(f'[models."{MESSAGES.model}"]\ncontext-window = 8000\n')
    (project / "big.txt").write_text("".join(f"{n}: one more line of a long file\n" for n in range(500)))
    claude.play(LOOK, Step(calls=[call("read_file", filePath="big.txt")]), SUMMARY, LOOK, END)
    calls = told(MESSAGES, claude, project, "--compaction", "auto")
    assert words(calls) == ["cold start", "hit", "hit", "compacted", "hit"]
    expected, usage, _ = calls[3]
    assert usage["cacheRead"] > 1024 and expected["read"] == pytest.approx(usage["cacheRead"], rel=0.1)
    assert_exact(calls)


def test_too_short_for_this_model(claude: AnthropicServer, project: Path) -> None:
    claude.cache.minimum = 4096
    claude.play(LOOK, END)
    calls = told(MESSAGES, claude, project, "--model", "claude-haiku-4-5")
    assert words(calls) == ["below minimum", "below minimum"]
    assert all(usage["cacheRead"] == usage["cacheWrite5M"] == 0 for _, usage, _ in calls)


def test_marks_that_do_not_arrive(claude: AnthropicServer, project: Path) -> None:
    claude.cache.strip_marks = True
    claude.play(LOOK, LOOK, END)
    assert set(words(told(MESSAGES, claude, project))) == {"marker stripped"}


def test_many_results_at_once_are_no_miss(claude: AnthropicServer, project: Path) -> None:
    """What is new is only estimated, and often far off; what was sent before is known to the token."""
    reads = [call("read_file", filePath="notes.txt", offset=1 + number % 2) for number in range(30)]
    claude.play(LOOK, Step(thinking="All of it.", text="I read.", calls=reads), LOOK, END)
    calls = told(MESSAGES, claude, project)
    assert words(calls) == ["cold start", "hit", "hit", "hit"]
    assert_exact(calls)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_an_answer_that_was_cut_off_has_left_its_prompt_in_the_cache(
    claude: AnthropicServer, project: Path, how: signal.Signals
) -> None:
    hold = Gate()
    claude.play(LOOK, Step(thinking="Hm.", text="Half of it", hold=hold))
    with Live(asking(MESSAGES, claude, project, "look", "--mode", "plan")) as live:
        live.until(lambda record: "Half" in record["data"].get("deltaContent", ""))
        live.process.send_signal(how)
        live.finish()
    hold.open()
    claude.play(LOOK, END)
    calls = told(MESSAGES, claude, project, "--continue")
    assert words(calls) == ["hit", "hit"]
    assert calls[0][0]["read"] == pytest.approx(calls[0][1]["cacheRead"], rel=0.05)


def test_a_model_that_was_used_before_is_still_warm(claude: AnthropicServer, project: Path) -> None:
    claude.play(LOOK, END)
    told(MESSAGES, claude, project)
    claude.play(END)
    told(MESSAGES, claude, project, "--continue", "--model", "claude-sonnet-4-6", "--mode", "plan")
    claude.play(END)
    calls = told(MESSAGES, claude, project, "--continue", "--mode", "plan")
    assert words(calls) == ["model changed"] and not calls[0][2]["missed"]
    assert calls[0][0]["read"] == pytest.approx(calls[0][1]["cacheRead"], rel=0.05)


def test_an_hour_is_written_as_one(claude: AnthropicServer, project: Path) -> None:
    claude.play(LOOK, END)
    calls = told(MESSAGES, claude, project, "--cache-ttl", "1h")
    assert words(calls) == ["cold start", "hit"]
    assert all(usage["cacheWrite1H"] > usage["cacheWrite5M"] == 0 for _, usage, _ in calls)
    assert {mark["ttl"] for mark in marks_of(claude.requests[-1].json)} == {"1h"}


def test_a_pause_of_the_provider_is_no_miss(claude: AnthropicServer, project: Path) -> None:
    claude.play(LOOK, Step(text="I go on soon.", finish="pause_turn"), LOOK, END)
    calls = told(MESSAGES, claude, project)
    assert words(calls) == ["cold start", "hit", "hit", "hit"]
    assert_exact(calls)


def test_a_title_says_nothing_of_the_vocabulary(claude: AnthropicServer, project: Path) -> None:
    """A short side call has more words of the provider's around it than of ours."""
    left = iter([LOOK, END])
    claude.play(*[lambda body: next(left) if body.get("tools") else Step(text="A title")] * 3)
    calls = told(MESSAGES, claude, project, "--title")
    assert words(calls) == ["below minimum", "cold start", "hit"]
    expected, usage, _ = calls[1]
    assert expected["write5M"] == pytest.approx(usage["cacheWrite5M"], rel=0.2)
    assert_exact(calls)


def test_what_the_server_loses_is_its_own_doing(claude: AnthropicServer, project: Path) -> None:
    def lose(now: bool) -> Callable[[], None]:
        return lambda: setattr(claude.cache, "lose_all", now)

    claude.play(LOOK, LOOK, first(lose(True), LOOK), first(lose(False), LOOK), END)
    calls = told(MESSAGES, claude, project)
    assert words(calls) == ["cold start", "hit", "server side", "hit", "hit"]
    missed = calls[2][2]
    assert missed["missed"] == calls[2][0]["read"] > 1024
    assert_exact(calls)


def test_a_server_that_says_nothing(claude: AnthropicServer, project: Path) -> None:
    claude.cache.silent = True
    claude.play(LOOK, END)
    assert set(words(told(MESSAGES, claude, project))) == {"not reported"}


@pytest.mark.parametrize("api", [CHAT, RESPONSES], ids=lambda api: api.provider)
def test_what_is_cached_by_itself(api: Api, project: Path) -> None:
    with api.server() as server:
        server.play(LOOK, LOOK, END)
        calls = told(api, server, project)
    assert words(calls) == ["cold start", "hit", "hit"]
    assert all(usage["cacheRead"] > 1024 for _, usage, _ in calls[1:])


def test_another_api_shares_nothing(claude: AnthropicServer, project: Path) -> None:
    with RESPONSES.server() as server:
        server.play(LOOK, END)
        told(RESPONSES, server, project)
    claude.play(LOOK, END)
    calls = told(MESSAGES, claude, project, "--continue")
    assert words(calls) == ["model changed", "hit"]
    assert_exact(calls)


def test_a_whole_task_reads_all_that_it_has_sent(claude: AnthropicServer, tmp_path: Path) -> None:
    project = long_task.project(tmp_path / "prices")
    claude.play(*long_task.script())
    calls = told(MESSAGES, claude, project, "--mode", "autopilot")
    assert words(calls) == ["cold start", *["hit"] * (long_task.TURNS - 1)]
    assert_exact(calls)
