"""Sessions told as events, so that the screen's tests draw what a ledger has folded."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count

from cutaway.harness import events as e
from cutaway.harness.blocks import Block, Origin, text_digest
from cutaway.harness.cache.values import Mark
from cutaway.harness.details import Access, Detail, Progress
from cutaway.harness.ledger import Ledger
from cutaway.harness.messages import ToolCall
from cutaway.harness.stored_text import Text
from cutaway.harness.usage import Usage

START = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)

G01 = (
    "use A[/login]",
    "yield [/]",
    "[0] hi",
    "[[self v] do:[self m]]",
    '{"b": [true, false]}',
    "[red]x[/red]",
    "[link=file:///etc/passwd]x[/link]",
    "[bold",
    "C:\\[x]\\",
)
"""The texts of bug case G01: to be shown exactly as they are, whoever says them."""


class Story:
    """A session that is told event by event; `ledger` has folded all that was told."""

    def __init__(self) -> None:
        self.ledger = Ledger()
        self.now = START
        self.bodies: dict[str, bytes] = {}
        self._ids = count(1)
        self._interaction = ""
        self._turn = ""
        self._number = 0
        self._sent: list[Block] = []
        self.tell(
            e.SessionStarted(
                session_id="s", version="0", cwd="/w", provider="openai", model="m", mode="interactive",
                limit=25, start_time=self.now.isoformat(),
            )
        )  # fmt: skip

    def request_body(self, request_id: str) -> bytes:
        return self.bodies[request_id]

    def passes(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    def tell(self, event: e.Event) -> None:
        stamp = self.now.isoformat(timespec="milliseconds")
        self.ledger.fold(e.Record(f"r{next(self._ids)}", None, stamp, event))

    def message(self, text: str) -> None:
        self._interaction, self._number = f"i{next(self._ids)}", 0
        self.tell(e.UserMessageSent(self._interaction, text))

    def turn(
        self,
        *blocks: Block,
        body: bytes = b"{}",
        marks: tuple[Mark, ...] = (),
        provider: str = "openai",
        model: str = "m",
    ) -> str:
        """Start a turn and send a request with these blocks more than the last one had."""
        self._number += 1
        self._turn = f"t{next(self._ids)}"
        self.tell(e.TurnStarted(self._turn, self._interaction, self._number, self.ledger.limit))
        request_id = f"q{self._turn}"
        self.bodies[request_id] = body
        kept = len(self._sent)
        self._sent += blocks
        self.tell(
            e.ModelRequested(
                request_id, self._turn, "turn", provider, model, "https://example.invalid/v1/chat/completions",
                "", kept, blocks, "{}", "ab" * 32, len(body), 0, "", build_ms=12.0, marks=marks,
            )
        )  # fmt: skip
        return self._turn

    def answer(
        self,
        text: str,
        *calls: ToolCall,
        usage: Usage | None = None,
        cost: str | None = "0.002",
        raw: Text = "data: {}\n\n",
        simulated: bool = False,
    ) -> None:
        usage = usage or Usage(fresh=800, cache_read=28_000, cache_write_5m=1_900, output=310)
        self.tell(e.AssistantAnswered(self._turn, text, calls))
        self.passes(2)
        self.tell(
            e.ModelResponded(
                f"q{self._turn}", self._turn, "turn", "tool_calls" if calls else "stop", usage,
                e.Timings(connected=80, first_token=600, total=2000), cost, None, raw, simulated,
            )
        )  # fmt: skip

    def ask(
        self, call: ToolCall, access: Access, *, preview: Detail | None = None, always: str = ""
    ) -> e.PermissionRequested:
        event = e.PermissionRequested(
            f"p{call.id}",
            call.id,
            call.name,
            access,
            "interactive mode asks before every change",
            preview,
            always,
        )
        self.tell(event)
        return event

    def decide(self, call: ToolCall, kind: e.PermissionKind = "approved", feedback: str = "") -> None:
        self.tell(e.PermissionCompleted(f"p{call.id}", call.id, kind, feedback, waited_ms=4000))

    def start(self, call: ToolCall, by: str = "rule: reads inside the workspace") -> None:
        self.tell(e.ToolStarted(call.id, self._turn, call.name, call.arguments, by))

    def progress(self, call: ToolCall, progress: Progress) -> None:
        self.tell(e.ToolProgressed(call.id, progress))

    def finish(
        self,
        call: ToolCall,
        outcome: e.CallOutcome = "done",
        detail: Detail | None = None,
        text: str = "ok",
        *,
        ran_ms: float = 300,
        by_user: bool = False,
    ) -> None:
        self.tell(e.ToolCompleted(call.id, self._turn, call.name, outcome, text, detail, ran_ms, by_user))

    def run(self, call: ToolCall, detail: Detail | None = None, outcome: e.CallOutcome = "done") -> None:
        self.start(call)
        self.finish(call, outcome, detail)

    def end_turn(self, why: str = "it asked for tools, and their results go back") -> None:
        self.tell(e.TurnEnded(self._turn, why))

    def end(self) -> None:
        reason: e.EndReason = "answered"
        self.tell(
            e.InteractionEnded(self._interaction, reason, "it answered without a tool call", self._number)
        )


def block(origin: Origin, label: str, tokens: int) -> Block:
    return Block(origin, label, text_digest(f"{origin}{label}{tokens}"), tokens)


def calls(*names_and_arguments: tuple[str, str]) -> list[ToolCall]:
    return [ToolCall(f"c{at}", name, arguments) for at, (name, arguments) in enumerate(names_and_arguments)]


def many_calls(number: int) -> Iterator[ToolCall]:
    return (ToolCall(f"m{at}", "read_file", f'{{"filePath": "src/file_{at}.py"}}') for at in range(number))
