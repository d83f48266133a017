"""Where a turn's time went, as spans on one line, so that waiting is never mistaken for working."""

from datetime import datetime
from typing import Literal

from msgspec import Struct

from cutaway.harness.ledger.views import CallView, TurnView

SpanKind = Literal["build", "connect", "first token", "stream", "model", "retry", "you", "tool"]


class Span(Struct, frozen=True):
    """A stretch of a turn in milliseconds from its start; `label` names the tool or the step."""

    kind: SpanKind
    label: str
    start: float
    length: float


def timeline(turn: TurnView) -> tuple[Span, ...]:
    """Lay a turn out in the order in which things happened; what was not measured is left out."""
    build = turn.request.build_ms if turn.request else 0.0
    spans = [Span("build", "build the prompt", 0.0, build)] if turn.request else []
    at = build
    for retry in turn.retries:
        spans.append(Span("retry", f"wait after attempt {retry.attempt}", at, retry.delay * 1000))
        at += retry.delay * 1000
    spans += _model(turn, at)
    at = max((span.start + span.length for span in spans), default=0.0)
    for call in turn.calls:
        for span in _call(call, turn.started_at, at):
            spans.append(span)
            at = max(at, span.start + span.length)
    return tuple(spans)


def _model(turn: TurnView, sent: float) -> list[Span]:
    """The steps of the model call; `sent` is when its last attempt was sent."""
    if turn.response is None:
        return []
    times = turn.response.timings
    spans = []
    at = 0.0
    if times.connected is not None:
        spans.append(Span("connect", "connect", sent, times.connected))
        at = times.connected
    if times.first_token is None:
        return [*spans, Span("model", "answer", sent + at, max(times.total - at, 0.0))]
    spans.append(Span("first token", "to the first token", sent + at, max(times.first_token - at, 0.0)))
    stream = max(times.total - times.first_token, 0.0)
    return [*spans, Span("stream", "stream", sent + times.first_token, stream)]


def _call(call: CallView, turn_start: datetime, after: float) -> list[Span]:
    """A person's decision and the run; a call that never ran has only the decision."""
    started = after + call.waited_ms
    if call.started_at is not None:
        started = max((call.started_at - turn_start).total_seconds() * 1000, 0.0)
    spans = []
    if call.waited_ms:
        spans.append(Span("you", f"you: {call.name}", max(started - call.waited_ms, 0.0), call.waited_ms))
    if call.started_at is not None and call.completed is not None:
        spans.append(Span("tool", call.name, started, call.completed.ran_ms))
    return spans
