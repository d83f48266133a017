"""Events of one turn: a model call, its response, and why the loop went on."""

from typing import ClassVar, Literal

from msgspec import Struct

from cutaway.harness.blocks import Block
from cutaway.harness.cache.values import Mark, Prediction, Verdict
from cutaway.harness.events.base import EventBase
from cutaway.harness.messages import Reasoning, ToolCall
from cutaway.harness.stored_text import Text
from cutaway.harness.usage import Price, Usage


class TurnStarted(EventBase, frozen=True):
    """`number` counts from 1 in the interaction; `limit` is the tool-call limit in force."""

    type: ClassVar[str] = "assistant.turn_start"
    turn_id: str
    interaction_id: str
    number: int
    limit: int


Purpose = Literal["turn", "compaction", "title", "keep-alive"]
"""What a model call is for; all but `turn` are side calls, with a price of their own."""


class ModelRequested(EventBase, frozen=True):
    """Exactly what was sent: the first `blocks_kept` blocks of the last request, then `blocks`.

    The body's bytes are the first `body_kept` bytes of the previous request's body, followed by
    `body_tail` (which may lie on the disk: `stored_text.text_of`); `previous` names that request, ''
    for none. `params` is JSON text of everything in the body but tools and messages.
    """

    type: ClassVar[str] = "model.request"
    request_id: str
    turn_id: str
    purpose: Purpose
    provider: str
    model: str
    url: str
    previous: str
    blocks_kept: int
    blocks: tuple[Block, ...]
    params: str
    body_digest: str
    body_bytes: int
    body_kept: int
    body_tail: Text
    build_ms: float = 0.0
    marks: tuple[Mark, ...] = ()
    """Where the provider was asked to cache, as indexes of blocks."""
    family: str = ""
    """Whose cache rules hold: the provider's, or those of the API that it speaks."""
    settings: str = ""
    """What of the parameters belongs to the cache's key."""
    prediction: Prediction | None = None
    sent_at: float = 0.0
    """Unix seconds by the clock that predictions go by; 0 in logs that do not hold it."""


class RetryScheduled(EventBase, frozen=True):
    """An attempt failed and another follows after `delay` seconds; `attempt` counts from 1."""

    type: ClassVar[str] = "model.retry"
    request_id: str
    attempt: int
    max_attempts: int
    delay: float
    reason: str
    status_code: int | None = None


class CallFailed(EventBase, frozen=True):
    """The end of a model call that gave no usable answer; `usage` is estimated, never zero by default."""

    type: ClassVar[str] = "model.call_failure"
    request_id: str
    turn_id: str
    error_type: str
    message: str
    status_code: int | None = None
    usage: Usage = Usage(estimated=True)
    cost: str | None = None


class MessageDelta(EventBase, frozen=True):
    type: ClassVar[str] = "assistant.message_delta"
    ephemeral: ClassVar[bool] = True
    turn_id: str
    delta_content: str


class ReasoningDelta(EventBase, frozen=True):
    type: ClassVar[str] = "assistant.reasoning_delta"
    ephemeral: ClassVar[bool] = True
    turn_id: str
    delta_content: str


class ToolCallDelta(EventBase, frozen=True):
    """A fragment of a call's arguments as they stream; for the screen only, never executed."""

    type: ClassVar[str] = "assistant.tool_call_delta"
    ephemeral: ClassVar[bool] = True
    turn_id: str
    index: int
    tool_name: str
    input_delta: str


class AnswerKept(EventBase, frozen=True):
    """What has streamed of an answer since the last one of these, kept in case the process is killed.

    `content_from` and `thinking_from` are the characters of the attempt that came before each part.
    """

    type: ClassVar[str] = "assistant.message_kept"
    turn_id: str
    content_from: int
    content: str
    thinking_from: int = 0
    thinking: str = ""


class AssistantAnswered(EventBase, frozen=True):
    """The whole answer of a turn, also when it was cut."""

    type: ClassVar[str] = "assistant.message"
    turn_id: str
    content: str
    tool_requests: tuple[ToolCall, ...] = ()
    reasoning: tuple[Reasoning, ...] = ()
    cut: bool = False


class Timings(Struct, frozen=True, rename="camel"):
    """Milliseconds from sending; `first_token` is None when nothing was streamed."""

    connected: float | None = None
    first_token: float | None = None
    total: float = 0.0


class ModelResponded(EventBase, frozen=True):
    """What a model call took and cost; `cost` is USD as decimal text, None when unknown.

    `raw` is the response exactly as received (it may lie on the disk: `stored_text.text_of`).
    """

    type: ClassVar[str] = "model.response"
    request_id: str
    turn_id: str
    purpose: Purpose
    stop_reason: str
    usage: Usage
    timings: Timings
    cost: str | None
    price: Price | None
    raw: Text
    simulated: bool = False
    """True when no model was asked: the words and the usage come from a script."""
    provider_call_id: str = ""
    response_id: str = ""
    cache_reported: bool = True
    diagnosis: str = ""
    verdict: Verdict | None = None


class UsageReported(EventBase, frozen=True):
    """The Copilot log's flat view of the same usage; `input_tokens` includes the cached ones."""

    type: ClassVar[str] = "assistant.usage"
    model: str
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    reasoning_tokens: int
    duration: float
    cost: str | None
    initiator: str


class TurnEnded(EventBase, frozen=True):
    """`why` says why the loop goes on or stops, from what happened and never from a guess."""

    type: ClassVar[str] = "assistant.turn_end"
    turn_id: str
    why: str
