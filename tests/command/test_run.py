"""`cutaway run`: outputs, exit codes, and what bad providers get."""

import json
import os
import signal
from pathlib import Path

import pytest

from tests.command.kit import Live, against, command, of_type, run
from tests.servers.openai_server import OpenAIServer
from tests.servers.openai_steps import Step, call, error


def test_text_goes_to_stdout_and_what_happens_to_stderr(openai_server: OpenAIServer, tmp_path: Path) -> None:
    openai_server.play(Step(calls=[call("list_dir", path=".")]), Step(text="It is *empty*."))
    done = run(against(openai_server, tmp_path, "look"))
    assert (done.returncode, done.stdout) == (0, "It is *empty*.\n")
    assert "list_dir" in done.stderr


def test_json_is_one_object(openai_server: OpenAIServer, tmp_path: Path) -> None:
    openai_server.play(Step(text="done"))
    done = run(against(openai_server, tmp_path, "look", "--output", "json"))
    answer = json.loads(done.stdout)
    assert answer["answer"] == "done" and answer["exitCode"] == 0 and answer["turns"] == 1
    assert answer["usage"]["fresh"] > 0


def test_stream_json_is_the_log_line_by_line(openai_server: OpenAIServer, tmp_path: Path) -> None:
    openai_server.play(Step(text="one\u2028two", calls=[call("list_dir", path=".")]), Step(text="done"))
    done = run(against(openai_server, tmp_path, "look", "--output", "stream-json"))
    types = [json.loads(line)["type"] for line in done.stdout.split("\n") if line]
    assert types[0] == "session.start" and types[-1] == "session.idle"
    assert "assistant.message_delta" in types and types.count("assistant.turn_start") == 2
    assert types.count("assistant.turn_start") == types.count("assistant.turn_end")


@pytest.mark.parametrize(
    ("flags", "code", "said"),
    [
        (["--limit", "1"], 3, "limit"),
        (["--limit", "0"], 2, "limit"),
        (["--mode", "wild"], 2, "wild"),
        (["--allow", "nonsense("], 2, "nonsense("),
        (["--cwd", "/no/such/folder"], 2, "/no/such/folder"),
    ],
)
def test_exit_codes(
    openai_server: OpenAIServer, tmp_path: Path, flags: list[str], code: int, said: str
) -> None:
    openai_server.play(Step(calls=[call("list_dir", path=".")]), Step(text="done"))
    line = against(openai_server, tmp_path, "look")
    done = run([*line, *flags])
    assert done.returncode == code and said in done.stderr
    assert "Traceback" not in done.stderr


def test_what_needs_approval_is_denied_and_said(openai_server: OpenAIServer, tmp_path: Path) -> None:
    openai_server.play(Step(calls=[call("create_file", filePath="x", content="1")]), Step(text="No luck."))
    done = run(against(openai_server, tmp_path, "write"))
    assert done.returncode == 4 and not (tmp_path / "x").exists()
    assert "refused" in openai_server.requests[1].messages[-1]["content"]


def test_a_rule_lets_it_run(openai_server: OpenAIServer, tmp_path: Path) -> None:
    openai_server.play(Step(calls=[call("create_file", filePath="x", content="1")]), Step(text="Done."))
    done = run(against(openai_server, tmp_path, "write", "--allow", "create_file"))
    assert done.returncode == 0 and (tmp_path / "x").read_text() == "1"


def test_an_interrupt_ends_orderly(openai_server: OpenAIServer, tmp_path: Path) -> None:
    openai_server.play(Step(calls=[call("run_in_terminal", command="sleep 60")]))
    line = against(openai_server, tmp_path, "wait", "--output", "stream-json", "--mode", "autopilot")
    with Live(line) as live:
        live.until(of_type("tool.execution_start"))
        live.process.send_signal(signal.SIGINT)
        assert live.finish() == 130
    assert live.records[-1]["type"] == "session.idle"
    outcomes = [r["data"]["outcome"] for r in live.records if r["type"] == "tool.execution_complete"]
    assert outcomes == ["interrupted"]


def test_a_wrong_key_names_the_variable(openai_server: OpenAIServer, tmp_path: Path) -> None:
    """F12: and the key itself is nowhere."""
    openai_server.key = "right"
    line = against(openai_server, tmp_path, "hello", "--output", "stream-json")
    done = run(line, OPENAI_API_KEY="sk-test-SECRET123")
    assert done.returncode == 1
    assert "OPENAI_API_KEY" in done.stdout + done.stderr
    assert "SECRET123" not in done.stdout + done.stderr


def test_an_error_of_the_provider_is_told_and_the_session_kept(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    openai_server.play(
        error(404, "The model `gone` does not exist", code="model_not_found"), Step(text="Hi.")
    )
    done = run(against(openai_server, tmp_path, "hello"))
    assert done.returncode == 1 and "gone" in done.stderr
    again = run([*against(openai_server, tmp_path, "again"), "--continue"])
    assert (again.returncode, again.stdout) == (0, "Hi.\n")
    assert [m["role"] for m in openai_server.requests[-1].messages] == ["system", "user", "user"]


def test_no_key_and_no_server_say_what_was_looked_for(tmp_path: Path) -> None:
    done = run(command("run", "hello", "--provider", "openai", "--cwd", str(tmp_path)))
    assert done.returncode == 2 and "OPENAI_API_KEY" in done.stderr and "Traceback" not in done.stderr


def test_an_unreachable_server_is_named(tmp_path: Path) -> None:
    line = command("run", "hello", "--base-url", "http://127.0.0.1:9", "--model", "m", "--cwd", str(tmp_path))
    done = run(line)
    assert done.returncode == 1 and "127.0.0.1:9" in done.stderr and "Traceback" not in done.stderr


def test_a_prompt_from_standard_input_may_not_be_empty() -> None:
    done = run(command("run", " "))
    assert done.returncode == 2 and "empty" in done.stderr


def test_the_version_is_one_line() -> None:
    done = run(command("--version"))
    assert done.returncode == 0 and done.stdout.startswith("cutaway ")


def test_the_demo_runs_without_a_key_and_mends_the_project() -> None:
    done = run(command("demo", "--headless", "--output", "json"))
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["reason"], answer["turns"]) == (0, "task-complete", 8)


def test_doctor_says_where_each_setting_comes_from(tmp_path: Path) -> None:
    home = Path(os.environ["CUTAWAY_HOME"])
    lines = ['theme = "paper"', f'[folder."{tmp_path}".tests]', 'command = ["make", "test"]']
    (home / "config.toml").write_text("\n".join(lines))
    done = run(command("doctor", "--cwd", str(tmp_path)), CUTAWAY_LIMIT="7")
    said = {line.split()[0]: line for line in done.stdout.splitlines() if line.startswith("  ")}
    assert "paper" in said["theme"] and str(home / "config.toml") in said["theme"]
    assert "7" in said["limit"] and "$CUTAWAY_LIMIT" in said["limit"]
    assert "make test" in said["tests"] and str(tmp_path) in said["tests"]
    assert done.returncode == 1 and "OPENAI_API_KEY: the variable is not set" in done.stdout
