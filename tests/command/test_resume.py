"""A session that was killed goes on: nothing lost, nothing run again, the prompt only grows."""

import asyncio
import json
import os
import signal
from pathlib import Path

from tests.command.kit import Live, against, command, of_type, run
from tests.harness.session_kit import say, start
from tests.servers.openai_server import OpenAIServer
from tests.servers.openai_steps import Gate, Step, call

END = b"]}"


def kill(live: Live) -> None:
    live.process.send_signal(signal.SIGKILL)
    live.finish()


def test_a_kill_in_the_middle_of_a_command(openai_server: OpenAIServer, tmp_path: Path) -> None:
    """E03: the call is closed as interrupted, a strict server accepts, the bytes begin with the last ones."""
    openai_server.play(
        Step(text="First.", calls=[call("list_dir", path=".")]),
        Step(
            text="Then.",
            calls=[
                call("run_in_terminal", command="echo ran >> mark; echo ran; sleep 60"),
                call("run_in_terminal", command="echo never >> mark"),
            ],
        ),
        Step(text="I see."),
    )
    line = against(openai_server, tmp_path, "go", "--output", "stream-json", "--mode", "autopilot")
    with Live(line) as live:
        live.until(of_type("tool.execution_progress"))
        kill(live)
    again = run([*against(openai_server, tmp_path, "go on"), "--continue"])
    assert again.returncode == 0 and again.stdout == "I see.\n"
    assert openai_server.faults == []
    before, after = openai_server.requests[1].body, openai_server.requests[2].body
    assert after.startswith(before.removesuffix(END))
    roles = [message["role"] for message in openai_server.requests[2].messages]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "tool", "tool", "user"]
    assert "interrupted" in openai_server.requests[2].messages[5]["content"]
    assert (tmp_path / "mark").read_text() == "ran\n"


def test_a_kill_while_the_model_speaks(openai_server: OpenAIServer, tmp_path: Path) -> None:
    hold = Gate()
    openai_server.play(Step(text="Half of an answ", hold=hold), Step(text="A whole answer."))
    with Live(against(openai_server, tmp_path, "go", "--output", "stream-json")) as live:
        live.until(of_type("assistant.message_delta"))
        kill(live)
    hold.open()
    again = run([*against(openai_server, tmp_path, "go on"), "--continue"])
    assert again.stdout == "A whole answer.\n" and openai_server.faults == []
    first, second = (request.body for request in openai_server.requests)
    assert second.startswith(first.removesuffix(END))


def test_words_that_were_only_streaming_outlive_a_kill(openai_server: OpenAIServer, tmp_path: Path) -> None:
    """What was paid for and read on the screen is in the log, and the model is told that it was cut."""
    hold = Gate()
    half = Step(thinking="Let me see.", text="Half of an answ", hold=hold)
    openai_server.play(half, Step(text="The rest."))
    with Live(against(openai_server, tmp_path, "go", "--output", "stream-json")) as live:
        kept = live.until(of_type("assistant.message_kept"))
        kill(live)
    hold.open()
    assert kept["data"]["content"] == "Half of an answ" and kept["data"]["thinking"] == "Let me see."
    again = run([*against(openai_server, tmp_path, "go on"), "--continue"])
    assert again.stdout == "The rest.\n" and openai_server.faults == []
    first, second = openai_server.requests
    assert second.body.startswith(first.body.removesuffix(END))
    assert [message["role"] for message in second.messages] == ["system", "user", "assistant", "user"]
    assert second.messages[2]["content"].startswith("Half of an answ")


def test_resuming_twice_closes_the_open_call_once(openai_server: OpenAIServer, tmp_path: Path) -> None:
    openai_server.play(
        Step(calls=[call("run_in_terminal", command="sleep 60")]), Step(text="a"), Step(text="b")
    )
    line = against(openai_server, tmp_path, "go", "--output", "stream-json", "--mode", "autopilot")
    with Live(line) as live:
        live.until(of_type("tool.execution_start"))
        kill(live)
    for word in ("one", "two"):
        assert run([*against(openai_server, tmp_path, word), "--continue"]).returncode == 0
    bodies = [request.body for request in openai_server.requests]
    assert bodies[2].startswith(bodies[1].removesuffix(END))
    assert openai_server.faults == []


def test_a_session_in_use_is_said_to_be(openai_server: OpenAIServer, tmp_path: Path) -> None:
    hold = Gate()
    openai_server.play(Step(text="…", hold=hold))
    with Live(against(openai_server, tmp_path, "go", "--output", "stream-json")) as live:
        started = live.until(of_type("session.start"))
        live.until(of_type("assistant.message_delta"))
        session_id = started["data"]["sessionId"]
        second = run([*against(openai_server, tmp_path, "me too"), "--resume", session_id])
        assert second.returncode == 1 and str(live.process.pid) in second.stderr
        hold.open()
        assert live.finish() == 0


def test_sessions_are_listed_shown_and_deleted(openai_server: OpenAIServer, tmp_path: Path) -> None:
    openai_server.play(Step(text="Hello [/] there."))
    run(against(openai_server, tmp_path, "say [bold]hello[/bold]"))
    listed = run(command("sessions", "list", "--json"))
    (summary,) = [json.loads(line) for line in listed.stdout.splitlines()]
    assert summary["title"] == "say [bold]hello[/bold]" and summary["cwd"] == os.path.realpath(tmp_path)
    shown = run(command("sessions", "show", summary["id"][:10]))
    assert "> say [bold]hello[/bold]" in shown.stdout and "Hello [/] there." in shown.stdout
    assert run(command("sessions", "delete", summary["id"])).returncode == 0
    assert "No sessions" in run(command("sessions", "list")).stdout
    missing = run(command("sessions", "show", "nothing"))
    assert missing.returncode == 1 and "nothing" in missing.stderr


async def test_what_waited_comes_first_and_the_new_request_is_answered_too(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    session = start(tmp_path, [say("one")])
    session.send("first")
    session.send("second")
    await session.aclose()
    openai_server.play(Step(text="to the second"), Step(text="to the third"))
    line = [*against(openai_server, tmp_path, "third"), "--continue"]
    done = await asyncio.to_thread(run, line)
    assert (done.returncode, done.stdout) == (0, "to the third\n")
    assert [message["content"].split("\n")[-1] for message in openai_server.requests[1].messages[1:]] == [
        "first",
        "second",
        "to the second",
        "third",
    ]


def test_the_doctor_shows_no_secrets(tmp_path: Path) -> None:
    """F12: a password or a key in the base URL."""
    done = run(
        command("doctor", "--cwd", str(tmp_path)),
        CUTAWAY_BASE_URL="http://me:hunter2@127.0.0.1:9/v1?api_key=SECRET123",
        OPENAI_API_KEY="sk-test-SECRET123",
    )
    assert "127.0.0.1:9" in done.stdout and "Traceback" not in done.stderr
    assert "hunter2" not in done.stdout and "SECRET123" not in done.stdout
