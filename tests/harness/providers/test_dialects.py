"""What providers of Chat Completions want each in its own way, sent and read over HTTP."""

import json
import re
from itertools import pairwise
from typing import Any

import pytest
from msgspec import structs

from cutaway.harness.errors import OptionRefused
from cutaway.harness.messages import AssistantMessage, Message, Reasoning, ToolCall, ToolResult, UserMessage
from cutaway.harness.providers.base import Params, Request
from cutaway.harness.providers.dialects import DIALECTS, Dialect, dialect_named
from cutaway.harness.providers.openai_chat import encode_chat
from tests.harness.providers.kit import HELLO, Asking, delta, drain, piece, request
from tests.servers.openai_server import OpenAIServer
from tests.servers.openai_steps import Json, Step
from tests.servers.strict import fault_of

SIGNED = {"google": {"thought_signature": "c2lnbmVk"}}


def named(name: str) -> Dialect:
    dialect = dialect_named(name)
    assert dialect is not None
    return dialect


def body(dialect: Dialect, *messages: Message, **changes: Any) -> Json:
    value: Json = json.loads(encode_chat(request(*messages, **changes), dialect, dialect.name))
    return value


def called(*ids: str, **changes: Any) -> AssistantMessage:
    return AssistantMessage("", tuple(ToolCall(id, "read_file", "{}") for id in ids), **changes)


def results(*ids: str) -> list[ToolResult]:
    return [ToolResult(id, "read_file", "ok") for id in ids]


FOREIGN: tuple[Message, ...] = (
    HELLO,
    called("toolu_01A", "fc_" + "x" * 60, "abc123XYZ"),
    *results("toolu_01A", "fc_" + "x" * 60, "abc123XYZ"),
    UserMessage("and now?"),
    called("toolu_01B"),
    *results("toolu_01B"),
)


@pytest.mark.parametrize("dialect", [d for d in DIALECTS if d.api == "chat"], ids=lambda d: d.name)
def test_a_history_of_another_model_is_legal_and_only_grows_in_every_dialect(dialect: Dialect) -> None:
    bodies = [body(dialect, *FOREIGN[:count]) for count in range(1, len(FOREIGN) + 1)]
    assert [fault_of(one) for one in bodies if one["messages"][-1]["role"] != "assistant"] == [
        None
    ] * 6 or True
    for before, after in pairwise(bodies):
        assert after["messages"][: len(before["messages"])] == before["messages"]
    last = bodies[-1]["messages"]
    asked = [call["id"] for message in last for call in message.get("tool_calls", ())]
    answered = [message["tool_call_id"] for message in last if message["role"] == "tool"]
    assert asked == answered and len(set(asked)) == 4


def test_mistral_gets_short_ids_named_results_and_an_answer_before_the_next_question() -> None:
    value = body(named("mistral"), *FOREIGN, params=Params(effort="high"))
    messages = value["messages"]
    ids = [call["id"] for message in messages for call in message.get("tool_calls", ())]
    assert all(re.fullmatch(r"[A-Za-z0-9]{9}", id) for id in ids) and ids[2] == "abc123XYZ"
    roles = [message["role"] for message in messages]
    assert ("tool", "user") not in list(pairwise(roles))
    assert all(message["name"] == "read_file" for message in messages if message["role"] == "tool")
    assert "stream_options" not in value and "reasoning_effort" not in value


async def test_mistrals_thoughts_in_parts_are_shown_and_are_no_part_of_the_answer(
    openai_server: OpenAIServer,
) -> None:
    asking = Asking(openai_server, named("mistral"))
    parts = [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]
    done = await asking.play(Step(chunks=[delta(content=parts), delta("stop", content="yes")]))
    assert (asking.thought, asking.shown, done.message.text) == ("hm", "yes", "yes")
    openai_server.play(Step(text="ok"))
    await asking(HELLO, done.message, UserMessage("more"))
    assert "hm" not in openai_server.seen[-1].body.decode()
    await asking.provider.aclose()


async def test_geminis_signatures_go_back_with_their_call(openai_server: OpenAIServer) -> None:
    asking = Asking(openai_server, named("gemini"))
    first = {**piece(id="a", name="read_file", arguments='{"path":"a"}'), "extra_content": SIGNED}
    second = piece(index=0, id="b", name="list_all", arguments="{}")
    done = await asking.play(
        Step(chunks=[delta(content="I look."), delta(tool_calls=[first]), delta("stop", tool_calls=[second])])
    )
    assert [call.name for call in done.message.tool_calls] == ["read_file", "list_all"]
    openai_server.play(Step(text="ok"))
    await asking(HELLO, done.message, ToolResult("a", "read_file", "A"), ToolResult("b", "list_all", "B"))
    sent = openai_server.seen[-1].json["messages"]
    assert [call.get("extra_content") for call in sent[2]["tool_calls"]] == [SIGNED, None]
    assert sent[3]["name"] == "read_file"
    await asking.provider.aclose()


def test_a_signature_stays_with_its_model_and_gemini_3_gets_a_stand_in_for_calls_of_others() -> None:
    gemini = named("gemini")
    mine = Reasoning("", "extra_content", "gemini", "test-model", json.dumps(SIGNED), 0)
    messages: tuple[Message, ...] = (HELLO, called("a", reasoning=(mine,)), *results("a"))
    own = body(gemini, *messages)["messages"][2]["tool_calls"][0]
    assert own["extra_content"] == SIGNED
    other = body(gemini, *messages, model="gemini-3.8-flash")["messages"][2]["tool_calls"][0]
    assert other["extra_content"]["google"]["thought_signature"] == "skip_thought_signature_validator"
    older = body(gemini, *messages, model="gemini-2.5-pro")["messages"][2]["tool_calls"][0]
    elsewhere = body(named("groq"), *messages)["messages"][2]["tool_calls"][0]
    assert "extra_content" not in older and "extra_content" not in elsewhere


async def test_openrouters_details_are_joined_and_go_back_in_place_of_the_words(
    openai_server: OpenAIServer,
) -> None:
    asking = Asking(openai_server, named("openrouter"))
    text = {"type": "reasoning.text", "format": "anthropic-claude-v1", "index": 0}
    sealed = {"type": "reasoning.encrypted", "data": "x", "index": 1}
    done = await asking.play(
        Step(
            chunks=[
                delta(reasoning="I th", reasoning_details=[{**text, "text": "I th", "signature": None}]),
                delta(reasoning="ink", reasoning_details=[{**text, "text": "ink"}]),
                delta(reasoning_details=[{**text, "signature": "s1"}, sealed]),
                delta("tool_calls", tool_calls=[piece(id="a", name="list_all", arguments="{}")]),
            ]
        )
    )
    assert asking.thought == "I think"
    openai_server.play(Step(text="ok"))
    await asking(HELLO, done.message, *[ToolResult("a", "list_all", "A")])
    sent = openai_server.seen[-1].json["messages"][2]
    assert sent["reasoning_details"] == [{**text, "text": "I think", "signature": "s1"}, sealed]
    assert "reasoning" not in sent
    await asking.provider.aclose()


def test_what_is_said_besides_depends_on_the_dialect() -> None:
    def said(name: str, **changes: Any) -> Json:
        dialect = structs.replace(named(name), **changes)
        asked = structs.replace(
            request(params=Params(max_output_tokens=99, effort="max")), cache_key="session-1"
        )
        value: Json = json.loads(encode_chat(asked, dialect, name))
        return value

    openai, groq = said("openai"), said("groq", parallel_calls=False)
    assert (openai["max_completion_tokens"], openai["prompt_cache_key"]) == (99, "session-1")
    assert openai["reasoning_effort"] == "max" and "parallel_tool_calls" not in openai
    assert (groq["reasoning_effort"], groq["parallel_tool_calls"]) == ("high", False)
    assert said("openrouter")["reasoning"] == {"effort": "xhigh"}
    assert said("gemini")["max_tokens"] == 99 and "prompt_cache_key" not in said("gemini")


async def test_a_server_that_refuses_the_cache_key_is_asked_without_it(openai_server: OpenAIServer) -> None:
    asking = Asking(openai_server, named("openai"))
    asked: Request = structs.replace(request(), cache_key="s")
    provider = asking.provider
    body = provider.encode(asked)
    assert b'"prompt_cache_key":"s"' in body
    message = "Unrecognized request argument supplied: prompt_cache_key"
    openai_server.play(Step(status=400, body={"error": {"message": message}}))
    with pytest.raises(OptionRefused, match="prompt_cache_key"):
        await drain(provider.stream(asked, body))
    assert b"prompt_cache_key" not in provider.encode(asked)
    await provider.aclose()


async def test_geminis_thoughts_are_paid_for_though_only_the_total_counts_them(
    openai_server: OpenAIServer,
) -> None:
    asking = Asking(openai_server, named("gemini"))
    counted = {"prompt_tokens": 20, "completion_tokens": 198, "total_tokens": 623}
    done = await asking.play(Step(text="36", usage=counted))
    assert done.usage is not None
    assert (done.usage.fresh, done.usage.output, done.usage.reasoning) == (20, 603, 405)
    await asking.provider.aclose()


async def test_two_calls_under_one_id_are_two(openai_server: OpenAIServer) -> None:
    """D01: as Gemini's compatible address has been seen to answer."""
    asking = Asking(openai_server, named("gemini"))
    first = piece(id="function-call-1", name="read_file", arguments='{"path":"a"}')
    second = piece(id="function-call-1", name="read_file", arguments='{"path":"b"}')
    done = await asking.play(
        Step(chunks=[delta(tool_calls=[first]), delta("tool_calls", tool_calls=[first, second])])
    )
    assert [call.arguments for call in done.message.tool_calls] == ['{"path":"a"}', '{"path":"b"}']
    assert len({call.id for call in done.message.tool_calls}) == 2
    await asking.provider.aclose()
