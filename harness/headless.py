"""Run one request without a screen: the same loop, its records on stdout, an exit code that says how."""

import asyncio
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Literal, TextIO

import msgspec

from cutaway.harness import events as e
from cutaway.harness.eventlog.codec import encode_line
from cutaway.harness.ledger import Ledger
from cutaway.harness.session import Session
from cutaway.tools.details import TaskCompleted
from cutaway.tools.sanitise import sanitise

Output = Literal["text", "json", "stream-json"]

FINISHED, FAILED, USAGE, LIMIT, DENIED, INTERRUPTED = 0, 1, 2, 3, 4, 130
"""Exit codes; USAGE is for the command line itself."""


async def run_headless(session: Session, prompt: str, output: Output, out: TextIO, notes: TextIO) -> int:
    """Send `prompt`, follow the interaction to its end, and return the exit code.

    `out` gets what the output form promises and nothing else; `notes` gets short lines on what
    happens (text form only). An interrupt or a closed `out` stops the interaction.
    """
    ledger = Ledger()
    shown_from = _last_opening(session.records)
    for record in session.records[:shown_from]:
        ledger.fold(record)
    records = session.subscribe(shown_from)
    session.send(prompt)
    with _orderly_interrupts(session):
        try:
            async for batch in records:
                ended = _follow(batch, ledger, output, out, notes)
                if ended and not session.busy:  # busy: what waited in a resumed session came first
                    break
        except OSError as error:
            session.interrupt()
            _silence(out)
            _refused(error, notes)
            await _until_idle(session)
            return FAILED
    code = exit_code(ledger)
    try:
        _close(session, ledger, output, out, notes, code)
        out.flush()
    except OSError as error:
        _silence(out)
        _refused(error, notes)
        return FAILED
    return code


def _refused(error: OSError, notes: TextIO) -> None:
    """Say that the output cannot be written; a reader that has left knows."""
    if not isinstance(error, BrokenPipeError):
        _note(notes, f"cutaway: the output cannot be written: {error.strerror}. The session is saved.")


def _note(notes: TextIO, line: str) -> None:
    """Tell the person who watches, if anybody does."""
    with suppress(OSError):
        notes.write(line + "\n")
        notes.flush()


def _last_opening(records: Sequence[e.Record]) -> int:
    """Where this process took the session up: what was before has been shown before."""
    for index in range(len(records) - 1, -1, -1):
        if isinstance(records[index].event, e.SessionResumed | e.SessionStarted):
            return index
    return 0


def exit_code(ledger: Ledger) -> int:
    """How the newest interaction ended, as design says it."""
    interaction = ledger.interaction
    if interaction is None or interaction.ended is None:
        return FAILED
    match interaction.ended.reason:
        case "answered" | "task-complete":
            calls = (call for turn in interaction.turns for call in turn.calls)
            denied = any(call.decided and call.decided.kind == "denied-no-user" for call in calls)
            return DENIED if denied else FINISHED
        case "limit" | "budget" | "loop" | "context":
            return LIMIT
        case "interrupted":
            return INTERRUPTED
        case "error" | "hook":
            return FAILED


def _follow(batch: Sequence[e.Record], ledger: Ledger, output: Output, out: TextIO, notes: TextIO) -> bool:
    """Take a batch in and show it; True once the session is idle."""
    ended = False
    for record in batch:
        ledger.fold(record)
        if output == "stream-json":
            out.write(encode_line(record).decode())
        elif output == "text" and (line := _line(record.event)):
            _note(notes, line)
        ended = ended or isinstance(record.event, e.SessionIdle)
    if output == "stream-json":
        out.flush()
    return ended


def _line(event: e.Event) -> str:
    """One line for a person who watches the other stream."""
    match event:
        case e.ToolStarted():
            return f"· {event.tool_name} {sanitise(event.arguments)[:120]}"
        case e.ToolCompleted() if event.outcome != "done":
            return f"  {event.outcome}: {sanitise(event.text.splitlines()[0] if event.text else '')[:160]}"
        case e.RetryScheduled():
            wait = f"Trying again in {event.delay:.1f} s ({event.attempt} of {event.max_attempts})."
            return f"! {sanitise(event.reason)} {wait}"
        case e.SessionWarning():
            return f"! {sanitise(event.message)}"
        case e.SessionErrored():
            return f"✗ {sanitise(event.message)}"
        case _:
            return ""


def _close(session: Session, ledger: Ledger, output: Output, out: TextIO, notes: TextIO, code: int) -> None:
    interaction, turn = ledger.interaction, ledger.turn
    answer = turn.text if turn else ""
    if not answer.strip() and turn and turn.calls and turn.calls[-1].completed:
        detail = turn.calls[-1].completed.detail
        answer = detail.summary if isinstance(detail, TaskCompleted) else ""
    match output:
        case "text":
            if answer.strip():
                out.write(sanitise(answer.rstrip()) + "\n")
            if interaction and interaction.ended and code != FINISHED:
                why = _why(ledger, interaction.ended, code)
                _note(notes, f"cutaway: {why} (session {session.id})")
        case "json":
            out.write(_summary(session, ledger, answer, code) + "\n")
        case "stream-json":
            pass


def _why(ledger: Ledger, ended: e.InteractionEnded, code: int) -> str:
    """Say in a sentence why the exit code is not 0; an error was told when it came."""
    if code == DENIED:
        return "Something needed approval and nobody was there to give it; see --allow and --mode."
    if ledger.error is not None and ledger.error.message == ended.explanation:
        return "failed."
    return sanitise(ended.explanation)


def _summary(session: Session, ledger: Ledger, answer: str, code: int) -> str:
    interaction = ledger.interaction
    ended = interaction.ended if interaction else None
    spending = interaction.spending if interaction else ledger.spending
    return msgspec.json.encode(
        {
            "sessionId": session.id,
            "answer": answer,
            "reason": ended.reason if ended else "error",
            "explanation": ended.explanation if ended else "",
            "exitCode": code,
            "turns": ended.turns if ended else 0,
            "model": ledger.model,
            "usage": spending.usage,
            "cost": None if spending.cost is None else str(spending.cost),
        }
    ).decode()


@contextmanager
def _orderly_interrupts(session: Session) -> Iterator[None]:
    """Turn SIGINT, SIGTERM and SIGHUP into an interrupt of the session while the block runs."""
    loop = asyncio.get_running_loop()
    handled: list[int] = []
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None:
            with suppress(NotImplementedError, ValueError, RuntimeError):  # Windows, or not the main thread
                loop.add_signal_handler(number, session.interrupt)
                handled.append(number)
    try:
        yield
    finally:
        for number in handled:
            loop.remove_signal_handler(number)


async def _until_idle(session: Session) -> None:
    async for batch in session.subscribe(len(session.records)):
        if not session.busy or any(isinstance(record.event, e.SessionIdle) for record in batch):
            return


def _silence(out: TextIO) -> None:
    """Stop Python from failing again when it flushes a closed pipe at exit."""
    if out is sys.stdout:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
