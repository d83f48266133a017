"""`cutaway sessions`: what is stored, as plain lines."""

import sys
from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec

from cutaway.harness.eventlog.store import SessionStore
from cutaway.harness.eventlog.summary import SessionSummary
from cutaway.harness.events import Record
from cutaway.harness.ledger import InteractionView, Ledger, TurnView
from cutaway.tui.format import age, duration, folder, money, spent, usage_line
from cutaway.tui.transcript.safe_text import count_of, one_line, visible


def list_sessions(store: SessionStore, here: str | None, *, as_json: bool) -> int:
    """Print one line a session, the last used first; exit code 0 also when there is none."""
    found = store.list(here)
    if as_json:
        for summary in found:
            sys.stdout.write(msgspec.json.encode(summary).decode() + "\n")
        return 0
    if not found:
        where = " of this folder" if here else ""
        sys.stdout.write(f"No sessions{where} yet. Start one with: cutaway\n")
        return 0
    for summary in found:
        sys.stdout.write(_line(summary, datetime.now(UTC)) + "\n")
    return 0


def _line(summary: SessionSummary, now: datetime) -> str:
    if summary.damage and not summary.started:
        return f"{summary.id:<13} damaged: {one_line(summary.damage)}"
    when = age(datetime.fromisoformat(summary.last_activity), now) if summary.last_activity else "?"
    marks = " (open now)" if summary.in_use else ""
    marks += f" (damaged: {one_line(summary.damage)})" if summary.damage else ""
    title = one_line(summary.title)
    title = title if len(title) <= 60 else title[:59] + "…"
    turns = count_of(summary.turns, "turn")
    return (
        f"{summary.id:<13} {when:>9}  {turns:>9}  {money(summary.cost):>13}  "
        f"{folder(summary.cwd, 28):<28}  {title or '(nothing said yet)'}{marks}"
    )


def show_session(store: SessionStore, session_id: str) -> int:
    """Print what was said and done, turn by turn, with tokens and money."""
    records, report = store.read(session_id)
    ledger = fold_all(records)
    started = ledger.started
    write = sys.stdout.write
    if started:
        write(f"session {started.session_id} in {one_line(started.cwd)}\n")
        write(f"model {one_line(ledger.model)} at {one_line(ledger.provider)}, mode {ledger.mode}\n")
    if report.warning:
        write(f"! {one_line(report.warning)}\n")
    for interaction in ledger.interactions:
        write(_interaction(interaction))
    total = ledger.spending
    write(f"\nin all: {count_of(len(ledger.turns), 'turn')}, {usage_line(total.usage)}, {spent(total)}\n")
    return 0


def fold_all(records: Sequence[Record]) -> Ledger:
    """The ledger of a stored session."""
    ledger = Ledger()
    for record in records:
        ledger.fold(record)
    return ledger


def _interaction(interaction: InteractionView) -> str:
    lines = ["", f"> {visible(interaction.message)}"]
    for turn in interaction.turns:
        lines += _turn(turn)
    if interaction.ended:
        lines.append(f"  ended: {one_line(interaction.ended.explanation)}")
    return "\n".join(lines) + "\n"


def _turn(turn: TurnView) -> list[str]:
    facts = ""
    if turn.response:
        seconds = duration(turn.response.timings.total / 1000)
        facts = f" · {usage_line(turn.response.usage)} · {money(turn.response.cost)} · {seconds}"
    elif turn.failure:
        facts = f" · failed: {one_line(turn.failure.message)}"
    lines = [f"— turn {turn.number}{facts}"]
    if turn.text.strip():
        lines.append(visible(turn.text.rstrip()))
    for call in turn.calls:
        arguments = one_line(call.arguments)
        arguments = arguments if len(arguments) <= 90 else arguments[:89] + "…"
        lines.append(f"  [{call.state}] {one_line(call.name)} {arguments}")
    return lines
