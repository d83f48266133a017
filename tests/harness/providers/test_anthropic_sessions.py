"""Whole sessions over the Messages API: what the loop does is taken by a server that is strict."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from cutaway.harness import events as e
from cutaway.harness.eventlog.store import SessionStore
from cutaway.harness.opening import Opening, new_session, resume_session
from cutaway.harness.seams import Model
from tests.harness.providers.anthropic_kit import asking_anthropic, without_marks
from tests.harness.session_kit import converse, events, opening, until
from tests.servers.anthropic_server import AnthropicServer
from tests.servers.anthropic_steps import redacted, said, sign, text, thinking, tool_use
from tests.servers.openai_steps import Json, Step

MODEL = "claude-opus-4-8"


def open_claude(root: Path, server: AnthropicServer) -> Opening:
    return replace(opening(root), model=Model(asking_anthropic(server).provider, MODEL))


def bodies(server: AnthropicServer) -> list[Json]:
    return [request.json for request in server.requests]


async def test_a_session_reads_writes_and_thinks(tmp_path: Path, anthropic_server: AnthropicServer) -> None:
    """D12: thoughts go back in each later request, also when the session is taken up again."""
    (tmp_path / "a.txt").write_text("alpha\n")
    anthropic_server.play(
        said(
            thinking("Look first."),
            text("Reading."),
            tool_use("toolu_1", "read_file", filePath="a.txt"),
            tool_use("toolu_2", "create_file", filePath="b.txt", content="beta\n"),
            stop="tool_use",
        ),
        said(redacted("secret"), tool_use("toolu_3", "list_dir", path="."), stop="tool_use"),
        Step(text="Done."),
        Step(text="Again."),
    )
    session = new_session(open_claude(tmp_path, anthropic_server))
    await converse(session, "look at a.txt")
    await session.aclose()
    again = resume_session(open_claude(tmp_path, anthropic_server), session.id, SessionStore())
    await converse(again, "go on")
    await again.aclose()
    assert (tmp_path / "b.txt").read_text() == "beta\n"
    assert anthropic_server.faults == []
    sent = bodies(anthropic_server)
    assert len(sent) == 4
    for earlier, later in pairwise(map(without_marks, sent)):
        assert later[: len(earlier)] == earlier
    assert sent[3]["messages"][1]["content"][0]["signature"] == sign("Look first.")
    assert sent[3]["messages"][3]["content"][0]["type"] == "redacted_thinking"


async def test_an_interrupted_call_has_a_result_in_the_next_request(
    tmp_path: Path, anthropic_server: AnthropicServer
) -> None:
    """D10: both calls are answered, in order, before the user's words; the strict server takes it."""
    (tmp_path / "a.txt").write_text("alpha\n")
    anthropic_server.play(
        said(
            tool_use("toolu_1", "run_in_terminal", command="sleep 30"),
            tool_use("toolu_2", "read_file", filePath="a.txt"),
            stop="tool_use",
        ),
        Step(text="Fine."),
    )
    session = new_session(open_claude(tmp_path, anthropic_server))
    session.send("run it")
    await until(session, e.ToolStarted)
    session.interrupt()
    await until(session, e.SessionIdle)
    await converse(session, "go on")
    await session.aclose()
    assert anthropic_server.faults == []
    content = bodies(anthropic_server)[1]["messages"][2]["content"]
    assert [block.get("tool_use_id") for block in content] == ["toolu_1", "toolu_2", None]
    assert "interrupted" in content[0]["content"].lower()
    assert content[0]["is_error"]
    assert content[2]["text"].endswith("go on")


async def test_an_answer_that_was_paused_goes_on(tmp_path: Path, anthropic_server: AnthropicServer) -> None:
    """What was said so far goes back as it is, and what follows belongs to the same message."""
    first = said(text("First half."), stop="pause_turn")
    anthropic_server.play(first, Step(text="Second half."), Step(text="Ok."))
    session = new_session(open_claude(tmp_path, anthropic_server))
    await converse(session, "go", "and now")
    await session.aclose()
    assert anthropic_server.faults == []
    _, resumed, later = map(without_marks, bodies(anthropic_server))
    assert resumed[-1] == {"role": "assistant", "content": [{"type": "text", "text": "First half."}]}
    assert [block["text"] for block in later[1]["content"]] == ["First half.", "Second half."]


async def test_a_call_that_was_cut_is_not_run(tmp_path: Path, anthropic_server: AnthropicServer) -> None:
    """D05: the output limit tears a file; nothing is written and the session goes on."""
    torn = tool_use("toolu_1", "create_file", '{"filePath":"out.txt","content":"line1\\nline2')
    anthropic_server.play(said(text("Writing."), torn, stop="max_tokens"), *[Step(text="Shorter.")] * 3)
    session = new_session(open_claude(tmp_path, anthropic_server))
    await converse(session, "write", "once more")
    await session.aclose()
    assert not (tmp_path / "out.txt").exists()
    assert anthropic_server.faults == []
    assert any(answer.cut for answer in events(session, e.AssistantAnswered))
