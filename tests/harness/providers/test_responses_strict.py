"""The loopback server of the Responses API: it refuses what the API refuses, so that tests mean something."""

import json
from collections.abc import Callable

import pytest

from cutaway.harness.errors import RequestRejected
from cutaway.harness.messages import AssistantMessage, ToolCall
from tests.harness.providers.kit import HELLO, Asking
from tests.harness.providers.responses_kit import asks, body, kept, result, thought
from tests.servers.openai_steps import Json
from tests.servers.responses_steps import reasoning
from tests.servers.responses_strict import fault_of

Change = Callable[[Json], object]


def valid() -> Json:
    """A request with one of everything: hello, a thought, words, a call, its output."""
    return body(HELLO, asks("c1", text="Words.", thoughts=(thought("t"),)), result("c1"), HELLO)


def item(number: int, **fields: object) -> Change:
    return lambda value: value["input"][number].update(fields)


def without(first: int, last: int) -> Change:
    return lambda value: value["input"].__delitem__(slice(first, last))


def part(number: int, **fields: object) -> Change:
    return lambda value: value["input"][number]["content"][0].update(fields)


FAULTS: dict[str, tuple[Change, str]] = {
    "unknown field": (lambda value: value.update(max_tokens=5), "Unknown parameter: 'max_tokens'"),
    "unknown field of an item": (item(0, cache_control={}), "Unknown parameter: 'input[0].cache_control'"),
    "empty input": (lambda value: value.update(input=[]), "empty array"),
    "call without output": (lambda value: value["input"].pop(4), "No tool output found for function call c1"),
    "output without call": (lambda value: value["input"].pop(3), "No tool call found"),
    "another call_id": (item(4, call_id="c2"), "No tool call found"),
    "long call_id": (item(3, call_id="x" * 65), "length 1 to 64"),
    "output twice": (lambda value: value["input"].insert(4, value["input"][4]), "No tool call found"),
    "call twice": (lambda value: value["input"].extend(value["input"][3:5]), "Duplicate function call"),
    "user before output": (
        lambda value: value["input"].insert(4, value["input"][0]),
        "No tool output found for function call c1",
    ),
    "thought alone": (lambda value: value["input"].append(value["input"][1]), "required following item"),
    "thought before the user": (
        lambda value: value["input"].__delitem__(slice(2, 5)),
        "required following item",
    ),
    "changed thought": (item(1, encrypted_content="gAAAAx"), "could not be verified"),
    "changed summary": (
        item(1, summary=[{"type": "summary_text", "text": "u"}]),
        "could not be verified",
    ),
    "thought without its content": (lambda value: value["input"][1].pop("encrypted_content"), "not found"),
    "thought without a summary": (lambda value: value["input"][1].pop("summary"), "'input[1].summary'"),
    "null": (item(1, status=None), "got null"),
    "empty words": (part(0, text=""), "must not be empty"),
    "no content": (item(2, content=[]), "must not be empty"),
    "wrong kind of words": (part(2, type="input_text"), "content[0].type"),
    "phase of the user": (item(0, phase="commentary"), "input[0].phase"),
    "arguments as an object": (item(3, arguments={}), "holds a JSON object"),
    "arguments torn": (item(3, arguments='{"a'), "holds a JSON object"),
    "name of a call": (item(3, name="a.b"), "does not match pattern"),
    "name of a tool": (lambda value: value["tools"][0].update(name="a/b"), "does not match pattern"),
    "tool twice": (lambda value: value["tools"].append(value["tools"][0]), "must be unique"),
    "tool as in chat": (lambda value: value["tools"][0].update(function={}), "tools[0].function"),
    "few tokens": (lambda value: value.update(max_output_tokens=15), ">= 16"),
    "long key": (lambda value: value.update(prompt_cache_key="k" * 65), "maximum length 64"),
    "effort": (lambda value: value.update(reasoning={"effort": "most"}), "reasoning.effort"),
    "temperature": (
        lambda value: value.update(model="gpt-5.1", temperature=1),
        "not supported with this model",
    ),
    "encryption": (lambda value: value.update(model="gpt-4.1"), "not supported with this model"),
    "diagnosis": (
        lambda value: value.update(model="gpt-5.1", prompt_cache_options={}),
        "not supported with this model",
    ),
}


@pytest.mark.parametrize("kind", FAULTS)
def test_what_the_api_refuses_is_refused(kind: str) -> None:
    value = json.loads(json.dumps(valid()))
    assert fault_of(value) is None
    change, words = FAULTS[kind]
    change(value)
    assert words in (fault_of(value) or "nothing")


async def test_a_fault_is_a_400_over_http(gpt: Asking) -> None:
    """D10: a history that is not valid is told in the API's own words."""
    with pytest.raises(RequestRejected, match="No tool output found for function call c1") as refused:
        await gpt(HELLO, AssistantMessage("", (ToolCall("c1", "read_file", "{}"),)))
    assert refused.value.status == 400
    forged = kept({**reasoning("t"), "encrypted_content": "forged"})
    with pytest.raises(RequestRejected, match="could not be verified"):
        await gpt(HELLO, asks("c1", thoughts=(forged,)), result("c1"))
