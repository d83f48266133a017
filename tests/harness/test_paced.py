"""Deltas of a fast stream are joined; nothing is lost, reordered, or kept back at the end."""

import asyncio
from itertools import groupby

from hypothesis import given, settings
from hypothesis import strategies as st

from cutaway.harness.events import Event, MessageDelta, ReasoningDelta, ToolCallDelta
from cutaway.harness.paced import Delta, PacedDeltas

DELTAS = st.one_of(
    st.text(max_size=3).map(lambda text: MessageDelta("t", text)),
    st.text(max_size=3).map(lambda text: ReasoningDelta("t", text)),
    st.builds(
        ToolCallDelta, st.just("t"), st.integers(0, 2), st.sampled_from(["a", "b"]), st.text(max_size=3)
    ),
)


def text_of(delta: Delta) -> str:
    return delta.input_delta if isinstance(delta, ToolCallDelta) else delta.delta_content


def said(deltas: list[Delta]) -> list[tuple[object, str]]:
    """What a screen would show: the texts of neighbours that belong together, joined."""

    def whose(delta: Delta) -> object:
        call = (delta.index, delta.tool_name) if isinstance(delta, ToolCallDelta) else ()
        return type(delta), call

    return [(owner, "".join(map(text_of, group))) for owner, group in groupby(deltas, whose)]


def collector(into: list[Delta]) -> PacedDeltas:
    def emit(event: Event) -> None:
        assert isinstance(event, MessageDelta | ReasoningDelta | ToolCallDelta)
        into.append(event)

    return PacedDeltas(emit)


async def test_the_first_delta_goes_out_at_once_and_a_burst_behind_it_as_one() -> None:
    sent: list[Delta] = []
    paced = collector(sent)
    paced.add(MessageDelta("t", "0"))
    assert sent == [MessageDelta("t", "0")]
    for number in range(1, 500):
        paced.add(MessageDelta("t", f" {number}"))
    paced.flush()
    assert "".join(map(text_of, sent)) == " ".join(map(str, range(500)))
    assert len(sent) < 20


async def test_what_is_held_back_goes_out_though_nothing_follows() -> None:
    sent: list[Delta] = []
    arrived = asyncio.Event()

    def emit(event: Event) -> None:
        assert isinstance(event, MessageDelta)
        sent.append(event)
        if len(sent) == 2:
            arrived.set()

    paced = PacedDeltas(emit)
    for word in ("one", " two", " three"):
        paced.add(MessageDelta("t", word))
    await arrived.wait()
    assert "".join(map(text_of, sent)) == "one two three"
    paced.flush()
    assert len(sent) == 2


@given(st.lists(DELTAS, max_size=30))
@settings(deadline=None, max_examples=60)
def test_texts_and_their_order_are_kept(deltas: list[Delta]) -> None:
    sent: list[Delta] = []

    async def send() -> None:
        paced = collector(sent)
        for delta in deltas:
            paced.add(delta)
        paced.flush()

    asyncio.run(send())
    assert said(sent) == said(deltas)
