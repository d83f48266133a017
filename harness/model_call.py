"""One model call: build, send, stream, price; recorded whole, also when it fails or is cut."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from typing import assert_never

import msgspec

from cutaway.harness import events as e
from cutaway.harness.cache_watch import Expected, expect, verdict_on
from cutaway.harness.closing import INTERRUPTED
from cutaway.harness.errors import OptionRefused, ProviderError
from cutaway.harness.eventlog.bodies import BodyTape
from cutaway.harness.kept_words import KeptWords
from cutaway.harness.messages import AssistantMessage, Message, ToolCall, scrub
from cutaway.harness.paced import PacedDeltas
from cutaway.harness.prompt.builder import BuiltPrompt
from cutaway.harness.prompt.tokens import BYTES_PER_TOKEN
from cutaway.harness.providers.base import (
    CallDelta,
    Chunk,
    Completed,
    Connected,
    Request,
    TextDelta,
    ThinkingDelta,
)
from cutaway.harness.providers.retry import stream_with_retry
from cutaway.harness.seams import Model, Seams, new_id
from cutaway.harness.usage import Usage

MOST_OPTIONS = 4
"""Options of one request that a server may refuse, one after another, before the refusal counts."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One call on its way: what is asked, of which model, and what for; `turn_id` is '' for a side call."""

    model: Model
    built: BuiltPrompt
    body: bytes
    request_id: str
    purpose: e.Purpose
    turn_id: str
    expected: Expected


@dataclass(slots=True)
class Received:
    """What has arrived of an answer, so that nothing of it is lost when the stream breaks."""

    take: Callable[[Chunk], None]
    begin_anew: Callable[[], None]
    connected: bool = False
    pieces: list[str] = field(default_factory=list)
    completed: Completed | None = None
    recorded: bool = False

    @property
    def text(self) -> str:
        return "".join(self.pieces)


async def call_model(seams: Seams, turn_id: str) -> AssistantMessage:
    """Send everything that has been said and record the answer.

    Raises ProviderError after what had arrived was recorded; the same holds for a cancellation and
    for a fault of the provider's code.
    """
    model = seams.model()
    began = seams.clock.monotonic()
    built = await seams.builder.build(seams.conversation, model.name, model.params)
    deltas = PacedDeltas(seams.emit)

    def keep(kept: e.AnswerKept) -> None:
        deltas.flush()
        seams.emit(kept)

    kept = KeptWords(keep, turn_id)

    def begin_anew() -> None:
        deltas.flush()
        kept.begin_anew()

    def ask(began: float) -> Exchange:
        exchange = _request(seams, model, built, "turn", turn_id, began)
        seams.builder.sent(built.blocks)
        return exchange

    def listen() -> Received:
        return Received(lambda chunk: _show(turn_id, chunk, deltas, kept), begin_anew)

    try:
        return await _until_taken(seams, ask, listen, began)
    finally:
        deltas.flush()
        kept.close()


async def call_aside(
    seams: Seams,
    purpose: e.Purpose,
    messages: Sequence[Message],
    *,
    alone: Request | None = None,
    output: int | None = None,
) -> AssistantMessage:
    """Make a side call and record it with its purpose, usage and price; its words are not shown live.

    By default `messages` follow the whole prompt, so that the call reads what the provider has cached.
    `alone` is sent in place of it; `output` bounds the answer, in tokens. Raises ProviderError, as
    `call_model` does.
    """
    model = seams.model()
    began = seams.clock.monotonic()
    params = model.params
    if output is not None:
        params = msgspec.structs.replace(params, max_output_tokens=output)
    if alone is not None:  # it may run beside a turn, which is building its prompt itself
        built = BuiltPrompt(alone, await seams.builder.blocks_of(alone), 0)
    else:
        built = await seams.builder.build(seams.conversation, model.name, params, messages)

    def ask(began: float) -> Exchange:
        return _request(seams, model, built, purpose, "", began, alone=alone is not None)

    return await _until_taken(seams, ask, lambda: Received(lambda chunk: None, lambda: None), began)


async def _until_taken(
    seams: Seams, ask: Callable[[float], Exchange], listen: Callable[[], Received], began: float
) -> AssistantMessage:
    """Send a request, and another for each option that the server refuses and that is left out from then on.

    `began` is when the first was begun to be built, in seconds of the clock.
    """
    for _ in range(MOST_OPTIONS):
        with suppress(OptionRefused):
            return await _exchange(seams, ask(began), listen())
        began = seams.clock.monotonic()
    return await _exchange(seams, ask(began), listen())


def _request(
    seams: Seams,
    model: Model,
    built: BuiltPrompt,
    purpose: e.Purpose,
    turn_id: str,
    began: float,
    *,
    alone: bool = False,
) -> Exchange:
    """Encode and record the request before the first byte is sent; one that stands alone is told whole."""
    expected = expect(seams, model, built)
    built = expected.built
    body = model.provider.encode(built.request)
    tape = BodyTape() if alone else seams.tape
    previous = tape.request_id
    request_id = new_id()
    kept, tail, digest = tape.next(request_id, body)
    seams.emit(
        e.ModelRequested(
            request_id=request_id,
            turn_id=turn_id,
            purpose=purpose,
            provider=model.provider.name,
            model=model.name,
            url=model.provider.url,
            previous=previous,
            blocks_kept=built.kept,
            blocks=tuple(built.blocks[built.kept :]),
            params=msgspec.json.encode(built.request.params).decode(),
            body_digest=digest,
            body_bytes=len(body),
            body_kept=kept,
            body_tail=tail,
            build_ms=(seams.clock.monotonic() - began) * 1000,
            marks=expected.marks,
            family=model.provider.family,
            settings=expected.row.key.settings,
            prediction=expected.prediction,
            sent_at=seams.clock.now().timestamp(),
        )
    )
    return Exchange(model, built, body, request_id, purpose, turn_id, expected)


async def _exchange(seams: Seams, exchange: Exchange, received: Received) -> AssistantMessage:
    """Send, with retries, and record the end whatever it is."""
    request_id, turn_id = exchange.request_id, exchange.turn_id

    def on_retry(attempt: int, max_attempts: int, delay: float, reason: str, status: int | None) -> None:
        received.begin_anew()
        received.pieces.clear()
        seams.emit(e.RetryScheduled(request_id, attempt, max_attempts, delay, reason, status))

    provider, request = exchange.model.provider, exchange.built.request
    chunks = stream_with_retry(
        provider, request, exchange.body, clock=seams.clock, on_retry=on_retry, wake=seams.wake, adapt=False
    )
    failure = e.CallFailed(request_id, turn_id, "InternalError", "The provider's own code failed.")
    try:
        await _receive(chunks, received)
        return await _record_answer(seams, exchange, received)
    except ProviderError as error:
        failure = e.CallFailed(request_id, turn_id, type(error).__name__, str(error), error.status)
        raise
    except asyncio.CancelledError:
        message = "Interrupted before the answer was complete."
        failure = e.CallFailed(request_id, turn_id, INTERRUPTED.kind, message)
        raise
    finally:
        if not received.recorded:
            _record_failure(seams, exchange, failure, received)


async def _receive(chunks: AsyncGenerator[Chunk, None], received: Received) -> None:
    """Take the answer in up to its completion; what a provider says after that is not heard."""
    async with aclosing(chunks):
        async for chunk in chunks:
            match chunk:
                case Connected():
                    received.connected = True
                case TextDelta(text=text):
                    received.pieces.append(text)
                case Completed():
                    received.completed = chunk
                    return
                case ThinkingDelta() | CallDelta():
                    pass
                case _:
                    assert_never(chunk)
            received.take(chunk)


def _show(turn_id: str, chunk: Chunk, deltas: PacedDeltas, kept: KeptWords) -> None:
    """Let the screen see a piece as it comes, and the log keep it."""
    match chunk:
        case TextDelta(text=text):
            kept.say(text)
            deltas.add(e.MessageDelta(turn_id, text))
        case ThinkingDelta(text=text):
            kept.think(text)
            deltas.add(e.ReasoningDelta(turn_id, text))
        case CallDelta(index=index, name=name, arguments=arguments):
            deltas.add(e.ToolCallDelta(turn_id, index, name, arguments))
        case Connected() | Completed():
            pass
        case _:
            assert_never(chunk)


async def _record_answer(seams: Seams, exchange: Exchange, received: Received) -> AssistantMessage:
    completed, model = received.completed, exchange.model
    if completed is None:  # a provider that ends without Completed breaks its contract
        raise RuntimeError(f"The provider {model.provider.name} ended a stream without completing it.")
    message = _with_new_ids(seams, completed.message)
    usage = completed.usage or await _estimate(seams, exchange.built, message)
    cost = model.cost(usage)
    received.recorded = True
    if exchange.purpose == "turn":
        answered = e.AssistantAnswered(
            exchange.turn_id, message.text, message.tool_calls, message.reasoning, cut=message.cut
        )
        received.begin_anew()  # what waits to be shown comes before the whole
        seams.emit(answered)
    seams.emit(_flat_usage(model, usage, cost, completed.timings.total, exchange.purpose))
    seams.emit(
        e.ModelResponded(
            request_id=exchange.request_id,
            turn_id=exchange.turn_id,
            purpose=exchange.purpose,
            stop_reason=completed.stop_reason,
            usage=usage,
            timings=completed.timings,
            cost=cost,
            price=model.price,
            raw=completed.raw,
            simulated=completed.simulated,
            provider_call_id=completed.provider_call_id,
            response_id=completed.response_id,
            cache_reported=completed.cache_reported,
            diagnosis=completed.diagnosis,
            verdict=verdict_on(exchange.expected, completed, usage, model.price),
        )
    )
    return message


def _flat_usage(
    model: Model, usage: Usage, cost: str | None, total: float, purpose: e.Purpose
) -> e.UsageReported:
    """Tell the usage of a turn as the Copilot CLI's log does; `total` is in milliseconds."""
    return e.UsageReported(
        model=model.name,
        input_tokens=usage.input,
        output_tokens=usage.output,
        cache_read_tokens=usage.cache_read,
        cache_write_tokens=usage.cache_write_5m + usage.cache_write_1h,
        reasoning_tokens=usage.reasoning,
        duration=total,
        cost=cost,
        initiator=purpose,
    )


def _with_new_ids(seams: Seams, message: AssistantMessage) -> AssistantMessage:
    """Rename calls whose id another one has: some servers count from zero each time, or give none.

    The calls are then as the log has them (no lone surrogates), so that each result finds its call.
    """
    taken = set[str]()
    calls = []
    for call in message.tool_calls:
        id = scrub(call.id)
        if not id or id in taken or id in seams.ledger.calls:
            id = f"{id or 'call'}-{new_id()}"
        taken.add(id)
        calls.append(ToolCall(id, scrub(call.name), scrub(call.arguments)))
    return msgspec.structs.replace(message, tool_calls=tuple(calls))


async def _estimate(seams: Seams, built: BuiltPrompt, message: AssistantMessage) -> Usage:
    """Count for ourselves what a provider did not report."""
    said = message.text + "".join(call.name + call.arguments for call in message.tool_calls)
    output = await seams.counter.count(said)
    return Usage(fresh=sum(block.tokens for block in built.blocks), output=output, estimated=True)


def _record_failure(seams: Seams, exchange: Exchange, failure: e.CallFailed, received: Received) -> None:
    """Keep the partial answer and an estimate of what was paid for it; nothing here may wait."""
    text = received.text
    received.begin_anew()
    if text and exchange.purpose == "turn":
        seams.emit(e.AssistantAnswered(failure.turn_id, text, cut=True))
    usage: Usage = Usage(estimated=True)
    cost: str | None = "0"  # nothing was processed before the provider accepted it
    if received.connected:
        said = round(len(text.encode()) / BYTES_PER_TOKEN)
        usage = msgspec.structs.replace(exchange.expected.prediction.usage, output=said, estimated=True)
        cost = exchange.model.cost(usage)
    seams.emit(msgspec.structs.replace(failure, usage=usage, cost=cost))
