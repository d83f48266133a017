"""What a list of sessions shows of one, without loading it."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import msgspec
from msgspec import Struct

from cutaway.harness.errors import SessionError
from cutaway.harness.eventlog.blobs import Blobs
from cutaway.harness.eventlog.codec import Envelope, read_envelope
from cutaway.harness.eventlog.reading import log_lines

_TITLE_LENGTH = 200


class SessionSummary(Struct, frozen=True, rename="camel"):
    """A session in a list; times are UTC in ISO 8601, `title` is the first user's message on one line.

    `cost` is USD of the model calls, None when the price of one is not known. `damage` says in words
    what is wrong with the log, '' when nothing is.
    """

    id: str
    cwd: str
    started: str
    last_activity: str
    title: str
    turns: int
    model: str
    cost: Decimal | None
    in_use: bool = False
    damage: str = ""


class _Start(Struct, rename="camel"):
    cwd: str = ""
    model: str = ""


class _ModelChange(Struct, rename="camel"):
    new_model: str = ""


class _Said(Struct, rename="camel"):
    content: str | Mapping[str, str] = ""
    source: str = "user"


class _Call(Struct, rename="camel"):
    cost: str | None = None


class _Tally:
    """Counts up a log line by line, reading only the data that a summary needs."""

    def __init__(self, blobs: Blobs) -> None:
        self.blobs = blobs
        self.start = _Start()
        self.started = self.last = self.title = self.model = ""
        self.lines = self.bad = self.turns = 0
        self.cost: Decimal | None = Decimal(0)

    def take(self, line: bytes) -> None:
        self.lines += 1
        try:
            envelope = read_envelope(line)
            self._take(envelope)
        except (ValueError, RecursionError, ArithmeticError):
            self.bad += 1
            return
        self.started = self.started or envelope.timestamp
        self.last = envelope.timestamp

    def _take(self, envelope: Envelope) -> None:
        match envelope.type:
            case "session.start":
                self.start = msgspec.json.decode(envelope.data, type=_Start)
                self.model = self.start.model
            case "session.model_change":
                self.model = msgspec.json.decode(envelope.data, type=_ModelChange).new_model
            case "user.message" if not self.title:
                self.title = self._title(msgspec.json.decode(envelope.data, type=_Said))
            case "assistant.turn_start":
                self.turns += 1
            case "model.response" | "model.call_failure":
                cost = msgspec.json.decode(envelope.data, type=_Call).cost
                self.cost = None if cost is None or self.cost is None else self.cost + Decimal(cost)

    def _title(self, said: _Said) -> str:
        if said.source != "user":
            return ""
        if isinstance(said.content, str):
            text = said.content
        else:
            text = self.blobs.get(said.content.get("$blob", "")) or ""
        return " ".join(text[: 10 * _TITLE_LENGTH].split())[:_TITLE_LENGTH]

    @property
    def damage(self) -> str:
        if self.lines == 0:
            return "empty"
        if self.bad == self.lines:
            return "nothing in it can be read"
        if self.bad:
            return f"{self.bad} of {self.lines} lines cannot be read"
        return ""


def summarise(folder: Path, *, in_use: bool) -> SessionSummary:
    """Summarise the session in a folder; whatever its state, there is an answer."""
    log = folder / "events.jsonl"
    tally = _Tally(Blobs(folder / "blobs"))
    damage = ""
    try:
        for line in log_lines(log):
            tally.take(line)
    except SessionError as error:
        damage = str(error)
    changed = _changed(log) or _changed(folder)
    return SessionSummary(
        id=folder.name,
        cwd=tally.start.cwd,
        started=tally.started or changed,
        last_activity=tally.last or changed,
        title=tally.title,
        turns=tally.turns,
        model=tally.model,
        cost=tally.cost,
        in_use=in_use,
        damage=damage or tally.damage,
    )


def _changed(path: Path) -> str:
    with suppress(OSError):
        moment = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        return moment.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"
    return ""
