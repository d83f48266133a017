"""A real HTTP server on loopback that speaks Chat Completions from a script and records what it is sent.

By hand: `python -m tests.servers.openai_server --script FILE --port N --rate CHARS_PER_SECOND`,
where FILE holds a JSON list of steps (the fields of `Step`).
"""

import argparse
import asyncio
import json
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Self

from tests.servers.openai_steps import (
    Choose,
    Json,
    Step,
    chunk,
    deltas,
    error,
    finish_of,
    step_from_json,
    usage_of,
    whole,
)
from tests.servers.strict import fault_of

CHAT, MODELS = "/v1/chat/completions", "/v1/models"


@dataclass(frozen=True, slots=True)
class Recorded:
    """A request as it came; header names are lower case, `at` is `time.monotonic()`."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    at: float

    @property
    def json(self) -> Json:
        value = json.loads(self.body)
        assert isinstance(value, dict)
        return value

    @property
    def messages(self) -> list[Json]:
        value = self.json["messages"]
        assert isinstance(value, list)
        return value


@dataclass(slots=True)
class OpenAIServer:
    """Plays its script to whoever asks, in a thread of its own, so that any kind of test can wait.

    `requests` holds the chat requests (`seen` all of them, `/models` too). With `strict` a request
    that the real API would refuse gets 400 and leaves the script as it is; `faults` holds the
    reasons. A script that has run out answers `fallback`, else 400. `key` None accepts any key.
    """

    path: ClassVar[str] = CHAT
    strict: bool = True
    key: str | None = None
    models: tuple[str, ...] = ("test-model",)
    only_known_models: bool = False
    rate: float = 0.0
    port: int = 0
    fallback: Step | None = None
    seen: list[Recorded] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    hang_ups: int = 0
    """How many clients left before their answer was complete."""
    _script: list[Step | Choose] = field(default_factory=list)
    _changed: threading.Condition = field(default_factory=threading.Condition)
    _loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)
    _thread: threading.Thread | None = None
    _server: asyncio.Server | None = None

    def play(self, *steps: Step | Choose) -> None:
        """Append to the script; a function is given the request's body and returns its step."""
        self._script.extend(steps)

    @property
    def left(self) -> int:
        """How many steps have not been played."""
        return len(self._script)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def requests(self) -> list[Recorded]:
        return [request for request in self.seen if request.path == self.path]

    def wait_for(self, met: Callable[["OpenAIServer"], bool], timeout: float = 20.0) -> None:
        """Block until the state of the server meets a condition; fails after `timeout` seconds."""
        with self._changed:
            assert self._changed.wait_for(lambda: met(self), timeout), "the server never got there"

    async def reached(self, met: Callable[["OpenAIServer"], bool], timeout: float = 20.0) -> None:
        """Wait as `wait_for` does, without blocking the event loop."""
        await asyncio.to_thread(self.wait_for, met, timeout)

    async def received(self, count: int) -> None:
        """Wait until that many chat requests have arrived."""
        await self.reached(lambda server: len(server.requests) >= count)

    def start(self) -> Self:
        started = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(started,), daemon=True)
        self._thread.start()
        started.wait()
        return self

    def close(self) -> None:
        if self._thread is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._thread = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _run(self, started: threading.Event) -> None:
        asyncio.set_event_loop(self._loop)
        serving = asyncio.start_server(self._serve, "127.0.0.1", self.port, limit=1 << 26)
        self._server = self._loop.run_until_complete(serving)
        self.port = self._server.sockets[0].getsockname()[1]
        started.set()
        self._loop.run_forever()
        self._server.close()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.run_until_complete(self._server.wait_closed())
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()

    def _note(self, change: Callable[[], object]) -> None:
        with self._changed:
            change()
            self._changed.notify_all()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (request := await _read_request(reader)) is not None:
                self._note(lambda request=request: self.seen.append(request))  # type: ignore[misc]
                if not await self._answer(request, reader, writer):
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            self._note(self._count_hang_up)
        except asyncio.CancelledError:
            writer.transport.abort()
        finally:
            writer.close()

    def _count_hang_up(self) -> None:
        self.hang_ups += 1

    async def _answer(
        self, request: Recorded, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """Send one answer; False when the connection must not be used again."""
        step = self._step_for(request)
        if step.before is not None:
            await step.before.passed()
        await asyncio.sleep(step.delay)
        if step.body is not None:
            return await _send_whole(writer, step.status, step.headers, step.body)
        number = len(self.requests)
        earlier = [other.body for other in self.requests[:-1]]
        usage = self._usage(step, request.body, earlier)
        model = str(request.json.get("model"))
        if not step.stream:
            document = self._whole(step, model, number, usage)
            return await _send_whole(writer, step.status, step.headers, document)
        await _send_head(writer, step)
        rate = self.rate if step.rate is None else step.rate
        due = time.monotonic()
        for data, shown in self._events(step, model, number, usage):
            await _send_chunk(writer, data)
            due += shown / rate if rate else 0.0
            await asyncio.sleep(max(0.0, due - time.monotonic()))  # a late event does not delay the rest
        if step.hold is not None:
            await step.hold.passed()
        if step.stall:
            await reader.read()
            raise ConnectionResetError
        if step.breaks:
            return False
        if step.raw is None:
            for data in self._ending(step, model, number, usage, request):
                await _send_chunk(writer, data)
        await _send_chunk(writer, b"")
        return True

    def _usage(self, step: Step, body: bytes, earlier: list[bytes]) -> Json:
        return usage_of(step, body, earlier)

    def _whole(self, step: Step, model: str, number: int, usage: Json) -> Json:
        return whole(step, model, number, usage)

    def _ending(self, step: Step, model: str, number: int, usage: Json, request: Recorded) -> list[bytes]:
        return _ending(step, model, number, usage, request)

    def _fault(self, request: Recorded) -> str | None:
        return fault_of(json.loads(request.body))

    def _error(self, status: int, message: str, code: str) -> Step:
        """Refuse in the API's own format."""
        return error(status, message, code=code)

    def _events(self, step: Step, model: str, number: int, usage: Json) -> list[tuple[bytes, int]]:
        if step.raw is not None:
            return [(step.raw, 0)]
        if step.chunks is not None:
            return [(_event(value), 0) for value in step.chunks]
        piece = self._piece(step)
        return [(_event(chunk(model, number, d)), shown) for d, shown in deltas(step, number, piece)]

    def _piece(self, step: Step) -> int:
        """Characters of one event: about a token when the stream has a pace."""
        return step.piece or (4 if (self.rate if step.rate is None else step.rate) else 16)

    def _step_for(self, request: Recorded) -> Step:
        if refusal := self._refusal(request):
            return refusal
        body = json.loads(request.body)
        if self.strict and (fault := self._fault(request)):
            self._note(lambda: self.faults.append(fault))
            return self._error(400, fault, "invalid_request_error")
        if self.only_known_models and body.get("model") not in self.models:
            return self._error(404, self._unknown(str(body.get("model"))), "model_not_found")
        if not self._script:
            missing = f"The script has no step for request {len(self.requests)}."
            return self.fallback or self._error(400, missing, "invalid_request_error")
        step = self._script.pop(0)
        return step if isinstance(step, Step) else step(body)

    def _unknown(self, model: str) -> str:
        return f"The model `{model}` does not exist."

    def _refusal(self, request: Recorded) -> Step | None:
        sent = request.headers.get("authorization", "")
        if request.path in (self.path, MODELS) and self.key is not None and sent != f"Bearer {self.key}":
            return error(401, f"Incorrect API key provided. You sent: {sent}", code="invalid_api_key")
        match request.method, request.path:
            case "POST", path if path == self.path:
                return None
            case "GET", path if path == MODELS:
                data = [{"id": model, "object": "model"} for model in self.models]
                return Step(body={"object": "list", "data": data})
            case _, "/":
                page = "<!DOCTYPE html><html><head><title>Welcome</title></head><body>It works</body></html>"
                return Step(body=page, headers={"content-type": "text/html"})
            case _:
                return Step(status=404, body="404 page not found", headers={"content-type": "text/plain"})


async def _read_request(reader: asyncio.StreamReader) -> Recorded | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError as broken:
        if broken.partial:
            raise
        return None
    first, *lines = head.split("\r\n")
    method, path, _ = first.split(" ", 2)
    pairs = (line.split(":", 1) for line in lines if line)
    headers = {name.strip().lower(): value.strip() for name, value in pairs}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Recorded(method, path, headers, body, time.monotonic())


def _event(value: Any) -> bytes:
    return b"data: " + json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n\n"


def _ending(step: Step, model: str, number: int, usage: Json, request: Recorded) -> list[bytes]:
    events = []
    if step.chunks is None:
        events.append(_event(chunk(model, number, {}, finish_of(step))))
        wanted = (request.json.get("stream_options") or {}).get("include_usage")
        if step.report_usage and wanted:
            events.append(_event(chunk(model, number, None, usage=usage)))
    return [*events, b"data: [DONE]\n\n"]


def _head(status: int, headers: dict[str, str]) -> bytes:
    phrase = {known.value: known.phrase for known in HTTPStatus}.get(status, "Unknown")
    lines = [f"HTTP/1.1 {status} {phrase}", *(f"{name}: {value}" for name, value in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


async def _send_head(writer: asyncio.StreamWriter, step: Step) -> None:
    given = {"content-type": "text/event-stream", "x-request-id": "req_test", **step.headers}
    writer.write(_head(step.status, {**given, "transfer-encoding": "chunked"}))
    await writer.drain()


async def _send_chunk(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(b"%x\r\n%s\r\n" % (len(data), data))
    await writer.drain()


async def _send_whole(
    writer: asyncio.StreamWriter, status: int, headers: dict[str, str], body: str | Json
) -> bool:
    data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    given = {"content-type": "application/json", "x-request-id": "req_test", **headers}
    writer.write(_head(status, {**given, "content-length": str(len(data))}) + data)
    await writer.drain()
    return True


def main() -> None:
    """Serve a script until interrupted, and begin it anew when it has run out."""
    parser = argparse.ArgumentParser(description="A scripted Chat Completions server on loopback.")
    parser.add_argument("--script", type=Path, required=True, help="JSON list of steps")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--rate", type=float, default=0.0, help="characters a second; 0 is at once")
    parser.add_argument("--lenient", action="store_true", help="accept what the real API would refuse")
    asked = parser.parse_args()
    steps = [step_from_json(value) for value in json.loads(asked.script.read_text(encoding="utf-8"))]
    with OpenAIServer(strict=not asked.lenient, rate=asked.rate, port=asked.port) as server:
        sys.stdout.write(f"{server.url}\n")
        sys.stdout.flush()
        try:
            while True:
                if not server.left:
                    server.play(*steps)
                time.sleep(0.05)
        except KeyboardInterrupt:
            return


if __name__ == "__main__":
    main()
