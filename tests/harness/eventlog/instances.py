"""Any value of any event type, built from the type hints, and a small real log."""

from decimal import Decimal
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
from hypothesis import strategies as st

from cutaway.harness import events as e
from cutaway.harness.messages import Note, ToolCall
from cutaway.harness.stored_text import StoredText
from cutaway.harness.usage import Usage

HARD = '\u2028\u2029\x85\0\r\n\t"\\{}[]$\x1b\x7f\ufeff\U0001f600éa'
TEXTS = st.one_of(st.text(max_size=12), st.text(alphabet=HARD, max_size=12), st.text("ab", max_size=3))
ANY_TEXTS = st.one_of(TEXTS, st.text(st.characters(categories=("Cs", "Ll")), max_size=6))
"""Texts that may hold lone surrogates."""

SCALARS: dict[Any, st.SearchStrategy[Any]] = {
    bool: st.booleans(),
    int: st.integers(-(2**63), 2**63 - 1),
    float: st.floats(allow_nan=False, allow_infinity=False),
    Decimal: st.decimals(allow_nan=False, allow_infinity=False, places=6),
    NoneType: st.none(),
}


def values(hint: Any, texts: st.SearchStrategy[str] = TEXTS) -> st.SearchStrategy[Any]:
    """Build a strategy for a type hint of the kinds that events use."""
    if hint is str:
        return texts
    if hint in SCALARS:
        return SCALARS[hint]
    arguments = get_args(hint)
    origin = get_origin(hint)
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin in (Union, UnionType):
        told = [one for one in arguments if one is not StoredText]  # only a log makes these
        return st.one_of([values(one, texts) for one in told])
    if origin is tuple and arguments[1:] == (...,):
        return st.lists(values(arguments[0], texts), max_size=3).map(tuple)
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        hints = get_type_hints(hint)
        return st.builds(hint, **{name: values(hints[name], texts) for name in hint.__struct_fields__})
    raise NotImplementedError(f"no values for {hint!r}")


def small_session() -> list[e.Event]:
    """One short interaction with a tool call, with the characters that break readers of lines."""
    call = ToolCall("call_1", "read_file", '{"filePath":"naïve.py"}')
    return [
        e.SessionStarted("s1", "0.1.0", "/w", "scripted", "m", "interactive", 25, "2025-01-01T00:00:00.000Z"),
        e.UserMessageSent("i1", "fix\u2028the\x85bug \U0001f41e\0", (Note("date", "2025-01-01"),)),
        e.TurnStarted("t1", "i1", 1, 25),
        e.AssistantAnswered("t1", "I read it first.", (call,)),
        e.ToolStarted("call_1", "t1", "read_file", call.arguments, "reads inside the workspace"),
        e.ToolCompleted("call_1", "t1", "read_file", "done", "1: x = 'é'\n"),
        e.UsageReported("m", 10, 2, 0, 0, 0, 12.5, None, "user"),
        e.TurnEnded("t1", "the model asked for a tool"),
    ]


def response(cost: str | None, raw: str = "data: {}\n\n") -> e.ModelResponded:
    return e.ModelResponded(
        request_id="r1",
        turn_id="t1",
        purpose="turn",
        stop_reason="stop",
        usage=Usage(fresh=10, output=2),
        timings=e.Timings(total=12.5),
        cost=cost,
        price=None,
        raw=raw,
    )
