"""One answer as it is received: its kind, its bytes, its timings, and what its end means."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from cutaway.harness.clock import Clock
from cutaway.harness.errors import ConnectionFailed, ProviderError, RequestRejected, StreamBroken
from cutaway.harness.events import Timings
from cutaway.harness.providers.base import Completed
from cutaway.harness.providers.endpoint import Endpoint
from cutaway.harness.providers.failures import (
    Refusal,
    failure_in_stream,
    failure_of,
    is_web_page,
    request_id_in,
)
from cutaway.harness.providers.sse import SseEvent, SseReader
from cutaway.harness.providers.wire import Answer, Delta

if TYPE_CHECKING:
    import httpx

_LAST_EVENTS = frozenset({"message_stop", "response.completed", "response.incomplete"})
"""Names of events after which nothing can come."""
MAX_RAW_BYTES = 8 * 1024 * 1024


class Reception:
    """One answer being received: what kind it is, its bytes, its timings, and how it ended."""

    def __init__(self, endpoint: Endpoint, model: str, answer: Answer, clock: Clock, silent: float) -> None:
        self.request_id = ""
        self.done = False
        """True after `[DONE]` or an event that says the same: nothing more can come."""
        self._endpoint = endpoint
        self._model = model
        self._clock = clock
        self._silent = silent
        self._answer = answer
        self._reader = SseReader()
        self._kind: Literal["unknown", "events", "document"] = "unknown"
        self._head: list[bytes] = []
        self._raw = bytearray()
        self._raw_size = 0
        self._headers: Mapping[str, str] = {}
        self._started = self._last_event = clock.monotonic()
        self._connected_ms: float | None = None
        self._first_ms: float | None = None

    @property
    def ended(self) -> bool:
        """True when the server has said that the answer is complete."""
        return self._answer.ended

    def connected(self, response: "httpx.Response") -> None:
        self._connected_ms = self._elapsed()
        self._headers = dict(response.headers)
        self.request_id = request_id_in(self._headers)

    def take(self, received: bytes) -> list[Delta]:
        """Take bytes in; the deltas that they complete. Raises a ProviderError."""
        self._keep(received)
        if self._kind == "unknown":
            self._head.append(received)
            start = b"".join(self._head)
            received = start
            first = start.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
            if not first:
                return []
            self._kind = "document" if first in (b"{", b"<", b"[") else "events"
        if self._kind == "document":
            return []
        deltas = [delta for event in self._reader.feed(received) for delta in self._event(event)]
        if self._clock.monotonic() - self._last_event > self._silent:
            raise self.broken(f"{self._endpoint.name} sent only keep-alives for {self._silent:.0f} s.")
        return deltas

    def finish(self) -> list[Delta]:
        """Take the end of the body in. Raises StreamBroken when the answer was not complete."""
        deltas: list[Delta] = []
        if self._kind == "document":
            deltas += self._document()
        else:
            deltas += [delta for event in self._reader.finish() for delta in self._event(event)]
        if not self.ended:
            what = "ended the stream in the middle of the answer" if self._raw else "sent an empty answer"
            raise self.broken(f"{self._endpoint.name} {what}.")
        return [*deltas, *self._answer.finish()]

    def completed(self) -> Completed:
        """Give the last chunk: the whole answer."""
        return Completed(
            message=self._answer.message,
            stop_reason=self._answer.stop_reason,
            usage=self._answer.usage,
            timings=Timings(self._connected_ms, self._first_ms, self._elapsed()),
            raw=self.raw,
            provider_call_id=self._answer.id or self.request_id,
            response_id=self._answer.id,
            cache_reported=self._answer.cache_reported,
            diagnosis=self._answer.diagnosis,
        )

    @property
    def raw(self) -> str:
        """The body as received, up to a bound, without secrets."""
        text = self._endpoint.mask(self._raw.decode("utf-8", "replace"))
        cut = self._raw_size - MAX_RAW_BYTES
        return text if cut <= 0 else f"{text}\n[cut here: {cut} bytes more were received]"

    def broken(self, message: str) -> StreamBroken:
        """Give the error for an answer that stopped, with what can be kept of it."""
        return StreamBroken(
            f"{message} What had arrived is kept." if self._answer.has_content else message,
            provider=self._endpoint.name,
            partial=self._answer.message,
            raw=self.raw,
            request_id=self.request_id,
        )

    def failed(self, error: "httpx.TransportError") -> ProviderError:
        """Say what a transport error means: nothing arrived, or the stream broke."""
        import httpx

        name, shown = self._endpoint.name, self._endpoint.shown
        words = self._endpoint.mask(str(error) or type(error).__name__)
        if self._connected_ms is not None:
            silent = isinstance(error, httpx.ReadTimeout)
            return self.broken(
                f"{name} went silent for too long."
                if silent
                else f"The connection to {name} broke ({words})."
            )
        if "certificate" in words.lower():
            return RequestRejected(f"The certificate of {shown} is not trusted ({words}).", provider=name)
        refused = isinstance(error, httpx.ConnectError) and _is_refused(error)
        if isinstance(error, httpx.TimeoutException):
            cause = "it did not answer in time"
        else:
            cause = "nothing listens there" if refused else words
        hint = self._endpoint.dialect.start_hint
        advice = f" If {self._endpoint.dialect.title} is not running, {hint}." if refused and hint else ""
        return ConnectionFailed(
            f"{name} cannot be reached at {shown}: {cause}.{advice or ' Check the address and the network.'}",
            provider=name,
            refused=refused,
        )

    def _event(self, event: SseEvent) -> list[Delta]:
        data = event.data.strip()
        if not data:
            return []
        self._last_event = self._clock.monotonic()
        if data == "[DONE]":
            self.done = self._answer.ended = True
            return []
        try:
            value = json.loads(data)
        except (ValueError, RecursionError) as error:
            foreign = event.event not in ("message", "error") and not data.startswith("{")
            if self.ended or foreign:
                return []
            shown = self._endpoint.mask(data[:120])
            raise self.broken(f"{self._endpoint.name} sent an event that is no JSON ({shown!r}).") from error
        deltas = self._chunk(value, event.event)
        self.done = self.done or event.event in _LAST_EVENTS
        return deltas

    def _document(self) -> list[Delta]:
        """Read an answer that came as one document; also an error, or a page from elsewhere."""
        body = self._raw.decode("utf-8-sig", "replace")
        try:
            value = json.loads(body)
        except (ValueError, RecursionError) as error:
            if is_web_page(body):
                refusal = Refusal(200, self._headers, body, self._model)
                raise failure_of(refusal, self._endpoint, self._clock.now()) from error
            raise self.broken(f"{self._endpoint.name} sent a JSON document that is torn.") from error
        deltas = self._chunk(value, "message")
        self._answer.ended = self.ended or bool(deltas)
        return deltas

    def _chunk(self, value: Any, event: str) -> list[Delta]:
        if not isinstance(value, dict):
            return []
        if error := _error_in(value, event):
            refusal = Refusal(200, self._headers, "", self._model)
            failure = failure_in_stream(error, refusal, self._endpoint, self._clock.now())
            if self._answer.has_content:
                raise self.broken(str(failure)) from failure
            raise failure
        deltas = list(self._answer.take("" if event == "message" else event, value))
        if deltas and self._first_ms is None:
            self._first_ms = self._elapsed()
        return deltas

    def _keep(self, received: bytes) -> None:
        room = MAX_RAW_BYTES - self._raw_size
        self._raw_size += len(received)
        if room > 0:
            self._raw += received[:room]

    def _elapsed(self) -> float:
        return (self._clock.monotonic() - self._started) * 1000


def _error_in(value: Mapping[str, Any], event: str) -> Any:
    """Find what an event or a document tells of a failure: in itself, or in the response that failed."""
    response = value.get("response")
    if value.get("type") == "response.failed" and isinstance(response, dict):
        return response.get("error")
    told = "error" in (event, value.get("object"), value.get("type"))
    return value.get("error") or (value if told else None)


def _is_refused(error: BaseException | None) -> bool:
    """Tell a refused connection from other failures, through causes and groups."""
    match error:
        case None:
            return False
        case ConnectionRefusedError():
            return True
        case BaseExceptionGroup(exceptions=inner):
            return all(_is_refused(one) for one in inner)
        case _:
            return _is_refused(error.__cause__ or error.__context__)
