"""One model call: build, send, stream, price; recorded whole, also when it fails or is cut."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import assert_never

import msgspec

from cutaway.harness import events as e
from cutaway.harness.closing import INTERRUPTED
from cutaway.harness.errors import ProviderError
from cutaway.harness.kept_words import KeptWords
from cutaway.harness.messages import AssistantMessage, ToolCall, scrub
from cutaway.harness.paced import PacedDeltas
from cutaway.harness.prompt.builder import BuiltPrompt
from cutaway.harness.prompt.tokens import BYTES_PER_TOKEN
from cutaway.harness.providers.base import (
    CallDelta,
    Chunk,
    Completed,
    Connected,
    TextDelta,
    ThinkingDelta,
)
from cutaway.harness.providers.retry import stream_with_retry
from cutaway.harness.seams import Model, Seams, new_id
from cutaway.harness.usage import Usage


@dataclass(slots=True)
class Received:
    """What has arrived of an answer, so that nothing of it is lost when the stream breaks."""

    kept: KeptWords
    connected: bool = False
    pieces: list[str] = field(default_factory=list)
    completed: Completed | None = None
    recorded: bool = False

    def begin_anew(self) -> None:
        """Forget a failed attempt: the next one begins the answer from its first word."""
        self.pieces.clear()
        self.kept.begin_anew()

    @property
    def text(self) -> str:
        return "".join(self.pieces)


async def call_model(seams: Seams, turn_id: str) -> AssistantMessage:
    """Send everything that has been said and record the answer.

    Raises ProviderError after what had arrived was recorded; the same holds for a cancellation and
    for a fault of the provider's code.
    """
    model = seams.model()
    built, body, request_id = await _request(seams, model, turn_id)
    deltas = PacedDeltas(seams.emit)

    def keep(kept: e.AnswerKept) -> None:
        deltas.flush()
        seams.emit(kept)

    received = Received(KeptWords(keep, turn_id))

    def on_retry(attempt: int, max_attempts: int, delay: float, reason: str, status: int | None) -> None:
        deltas.flush()
        received.begin_anew()
        seams.emit(e.RetryScheduled(request_id, attempt, max_attempts, delay, reason, status))

    chunks = stream_with_retry(
        model.provider, built.request, body, clock=seams.clock, on_retry=on_retry, wake=seams.wake
    )
    failure = e.CallFailed(request_id, turn_id, "InternalError", "The provider's own code failed.")
    try:
        await _receive(turn_id, chunks, received, deltas)
        return await _record_answer(seams, model, turn_id, request_id, built, received)
    except ProviderError as error:
        failure = e.CallFailed(request_id, turn_id, type(error).__name__, str(error), error.status)
        raise
    except asyncio.CancelledError:
        message = "Interrupted before the answer was complete."
        failure = e.CallFailed(request_id, turn_id, INTERRUPTED.kind, message)
        raise
    finally:
        if not received.recorded:
            _record_failure(seams, model, failure, built, received)


async def _request(seams: Seams, model: Model, turn_id: str) -> tuple[BuiltPrompt, bytes, str]:
    """Build and record the request before the first byte is sent."""
    began = seams.clock.monotonic()
    built = await seams.builder.build(seams.conversation, model.name, model.params)
    body = model.provider.encode(built.request)
    previous = seams.tape.request_id
    request_id = new_id()
    kept, tail, digest = seams.tape.next(request_id, body)
    seams.builder.sent(built.blocks)
    seams.emit(
        e.ModelRequested(
            request_id=request_id,
            turn_id=turn_id,
            purpose="turn",
            provider=model.provider.name,
            model=model.name,
            url=model.provider.url,
            previous=previous,
            blocks_kept=built.kept,
            blocks=tuple(built.blocks[built.kept :]),
            params=msgspec.json.encode(model.params).decode(),
            body_digest=digest,
            body_bytes=len(body),
            body_kept=kept,
            body_tail=tail,
            build_ms=(seams.clock.monotonic() - began) * 1000,
        )
    )
    return built, body, request_id


async def _receive(
    turn_id: str, chunks: AsyncGenerator[Chunk, None], received: Received, deltas: PacedDeltas
) -> None:
    """Take the answer in up to its completion; what a provider says after that is not heard.

    Whatever ends it, all that had arrived has been told then.
    """
    try:
        async with aclosing(chunks):
            async for chunk in chunks:
                _take(turn_id, chunk, received, deltas)
                if received.completed is not None:
                    return
    finally:
        deltas.flush()
        received.kept.close()


def _take(turn_id: str, chunk: Chunk, received: Received, deltas: PacedDeltas) -> None:
    match chunk:
        case Connected():
            received.connected = True
        case TextDelta(text=text):
            received.pieces.append(text)
            received.kept.say(text)
            deltas.add(e.MessageDelta(turn_id, text))
        case ThinkingDelta(text=text):
            received.kept.think(text)
            deltas.add(e.ReasoningDelta(turn_id, text))
        case CallDelta(index=index, name=name, arguments=arguments):
            deltas.add(e.ToolCallDelta(turn_id, index, name, arguments))
        case Completed():
            received.completed = chunk
        case _:
            assert_never(chunk)


async def _record_answer(
    seams: Seams, model: Model, turn_id: str, request_id: str, built: BuiltPrompt, received: Received
) -> AssistantMessage:
    completed = received.completed
    if completed is None:  # a provider that ends without Completed breaks its contract
        raise RuntimeError(f"The provider {model.provider.name} ended a stream without completing it.")
    message = _with_new_ids(seams, completed.message)
    usage = completed.usage or await _estimate(seams, built, message)
    cost = model.cost(usage)
    received.recorded = True
    seams.emit(
        e.AssistantAnswered(turn_id, message.text, message.tool_calls, message.reasoning, cut=message.cut)
    )
    seams.emit(_flat_usage(model, usage, cost, completed.timings.total))
    seams.emit(
        e.ModelResponded(
            request_id=request_id,
            turn_id=turn_id,
            purpose="turn",
            stop_reason=completed.stop_reason,
            usage=usage,
            timings=completed.timings,
            cost=cost,
            price=model.price,
            raw=completed.raw,
            simulated=completed.simulated,
            provider_call_id=completed.provider_call_id,
        )
    )
    return message


def _flat_usage(model: Model, usage: Usage, cost: str | None, total: float) -> e.UsageReported:
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
        initiator="turn",
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


def _record_failure(
    seams: Seams, model: Model, failure: e.CallFailed, built: BuiltPrompt, received: Received
) -> None:
    """Keep the partial answer and an estimate of what was paid for it; nothing here may wait."""
    text = received.text
    if text:
        seams.emit(e.AssistantAnswered(failure.turn_id, text, cut=True))
    usage: Usage = Usage(estimated=True)
    cost: str | None = "0"  # nothing was processed before the provider accepted it
    if received.connected:
        sent = sum(block.tokens for block in built.blocks)
        usage = Usage(fresh=sent, output=round(len(text.encode()) / BYTES_PER_TOKEN), estimated=True)
        cost = model.cost(usage)
    seams.emit(msgspec.structs.replace(failure, usage=usage, cost=cost))
