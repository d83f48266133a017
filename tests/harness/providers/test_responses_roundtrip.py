"""An answer of the Responses API goes back as it came, however its stream was cut into pieces."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from cutaway.harness.messages import AssistantMessage
from cutaway.harness.providers.base import CallDelta, TextDelta, ThinkingDelta
from cutaway.harness.providers.openai_responses import NAME
from cutaway.harness.providers.openai_responses_answer import ResponsesAnswer
from tests.harness.providers.kit import HELLO
from tests.harness.providers.responses_kit import asked, body, result, sent
from tests.servers.openai_steps import Json
from tests.servers.responses_steps import events, function_call, reasoning, text
from tests.servers.responses_strict import fault_of

WORDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20).filter(str.strip)
NO_NAMES: dict[str, tuple[str, ...]] = {
    "as it is": (),
    "no index": ("output_index",),
    "no ids": ("item_id",),
    "no numbers": ("sequence_number",),
}


@st.composite
def answers(draw: st.DrawFn) -> list[Json]:
    """Messages, then calls, each with a thought before it or none."""
    items: list[Json] = []
    for kind in ["message"] * draw(st.integers(0, 2)) + ["call"] * draw(st.integers(0, 3)):
        number = len(items)
        if draw(st.booleans()):
            items.append(reasoning(*draw(st.lists(WORDS, max_size=2)), id=f"rs_{number}"))
        if kind == "message":
            phase = draw(st.sampled_from([None, "commentary", "final_answer"]))
            items.append(text(draw(WORDS), id=f"msg_{number}", phase=phase))
        else:
            items.append(function_call(f"c{number}", "read_file", path=draw(WORDS)))
    return items


def plain(item: Json) -> Json:
    """Take from an item of an answer what belongs into a request."""
    match item["type"]:
        case "message":
            words = [{"type": "output_text", "text": item["content"][0]["text"]}]
            phase = {"phase": item["phase"]} if "phase" in item else {}
            return {"type": "message", "role": "assistant", "content": words, **phase}
        case "function_call":
            return {key: item[key] for key in ("type", "call_id", "name", "arguments")}
        case _:
            return {key: value for key, value in item.items() if value is not None}


def read(made: list[Json]) -> tuple[AssistantMessage, dict[type, str]]:
    """Read events as the transport gives them; the message, and what was shown of each kind."""
    answer = ResponsesAnswer(asked(HELLO), NAME)
    shown: dict[type, str] = {TextDelta: "", ThinkingDelta: "", CallDelta: ""}
    for event in made:
        for delta in answer.take("", event):
            shown[type(delta)] += delta.arguments if isinstance(delta, CallDelta) else delta.text
    assert list(answer.finish()) == []
    assert answer.ended
    return answer.message, shown


@given(answers(), st.integers(1, 30), st.sampled_from(sorted(NO_NAMES)))
@settings(deadline=None, max_examples=100)
def test_items_go_back_as_they_came(items: list[Json], piece: int, names: str) -> None:
    """D12: thoughts, words with their phase, calls: the same items in the same order."""
    left_out = NO_NAMES[names]
    made = [
        {key: value for key, value in event.items() if key not in left_out}
        for event in events(*items, piece=piece)
    ]
    message, shown = read(made)
    assert shown[TextDelta] == message.text
    assert shown[CallDelta] == "".join(call.arguments for call in message.tool_calls)
    assert shown[ThinkingDelta] == "".join(thought.text for thought in message.reasoning)
    results = [result(call.id) for call in message.tool_calls]
    assert sent(HELLO, message, *results)[1 : 1 + len(items)] == [plain(item) for item in items]
    assert fault_of(body(HELLO, message, *results)) is None


@given(answers(), st.integers(1, 30), st.data())
@settings(deadline=None, max_examples=100)
def test_a_stream_may_stop_anywhere(items: list[Json], piece: int, data: Any) -> None:
    """D05, D10: what is kept of it is a part of the answer, and a strict server takes it back."""
    made = events(*items, piece=piece)
    answer = ResponsesAnswer(asked(HELLO), NAME)
    for event in made[: data.draw(st.integers(0, len(made) - 1))]:
        list(answer.take("", event))
    message = answer.message
    assert message.cut
    whole, _ = read(made)
    assert whole.text.startswith(message.text)
    assert message.tool_calls == whole.tool_calls[: len(message.tool_calls)]
    results = [result(call.id) for call in message.tool_calls]
    assert fault_of(body(HELLO, message, *results)) is None


@given(answers(), st.sets(st.integers(0, 200)), st.integers(1, 30))
@settings(deadline=None, max_examples=100)
def test_what_was_lost_of_a_stream_is_in_its_end(items: list[Json], lost: set[int], piece: int) -> None:
    """The last event lists every item: words and calls are whole, though events were left out."""
    made = events(*items, piece=piece)
    whole, _ = read(made)
    gaps = [event for at, event in enumerate(made) if at not in lost or not event["type"].endswith(".done")]
    message, shown = read([*gaps[:-1], made[-1]])
    assert message.text == whole.text == shown[TextDelta]
    assert message.tool_calls == whole.tool_calls
    assert [kept.opaque for kept in message.reasoning] == [kept.opaque for kept in whole.reasoning]
