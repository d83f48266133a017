"""What is going on, in a few words for the status line and the tabs."""

from datetime import datetime

from cutaway.harness.ledger import CallView, Ledger
from cutaway.tui import format as fmt
from cutaway.tui.call_words import short_name
from cutaway.tui.price_words import waiting_words
from cutaway.tui.transcript.safe_text import count_of, one_line
from cutaway.tui.transcript.wrap import cut
from cutaway.tui.widgets.pane_tabs import Pane

COMMAND_CELLS = 40
"""Cells of a hook's command in the status line."""


def activity(ledger: Ledger, now: datetime) -> str:
    """The loop's step, how long it has taken, and how to stop it; when idle, that the cache is over."""
    turn, interaction = ledger.turn, ledger.interaction
    if aside := _aside(ledger):
        turned = f"turn {turn.number}/{turn.limit} · " if turn is not None and ledger.busy else ""
        return f"{turned}{aside} · esc stops"
    if not ledger.busy or interaction is None:
        return waiting_words(ledger, now)
    if turn is None or turn.interaction_id != interaction.id:
        return f"preparing{_since(interaction.started_at, now)} · esc stops"
    return f"turn {turn.number}/{turn.limit} · {_step(ledger, now)} · esc stops"


def _aside(ledger: Ledger) -> str:
    """What runs beside the turns: a hook of the user's, or a compaction."""
    if ledger.hooks_running:
        hook = next(reversed(ledger.hooks_running.values()))
        return f"hook {hook.hook_type}: {cut(one_line(hook.command), COMMAND_CELLS)}"
    if ledger.compacting is not None:
        return f"compacting {fmt.tokens(ledger.compacting.tokens, estimated=True)} tokens"
    return ""


def _step(ledger: Ledger, now: datetime) -> str:
    turn = ledger.turn
    running = [call for call in turn.calls if call.state == "running"] if turn is not None else []
    match ledger.step:
        case "retry":
            return "waits to try again"
        case "asking" | "limit":
            return "waits for you"
        case _ if running:
            return _running(running, now)
        case "call" if turn is not None:
            return f"model{_since(turn.started_at, now)}"
        case _:
            return "working"


def _running(calls: list[CallView], now: datetime) -> str:
    names = ", ".join(dict.fromkeys(short_name(call.name) for call in calls))
    started = min((call.started_at for call in calls if call.started_at is not None), default=now)
    return f"{names}{_since(started, now)}"


def _since(then: datetime, now: datetime) -> str:
    seconds = (now - then).total_seconds()
    return f" {fmt.whole_seconds(seconds)}" if seconds >= 1 else ""


def tab_facts(ledger: Ledger) -> dict[Pane, str]:
    """A short fact for each tab: what would be missed while another pane is in front."""
    calls = ledger.calls.values()
    open_calls = sum(call.open for call in calls)
    asking = len(ledger.asking) + (ledger.limit_asked is not None)
    said = f"{count_of(asking, 'question')}" if asking else ""
    counted = f"{open_calls} open" if open_calls else (str(len(calls)) if calls else "")
    spending = ledger.spending
    spent = fmt.tokens(spending.usage.input + spending.usage.output) if spending.calls else ""
    if spending.cost is not None and spending.calls:
        spent = fmt.money(spending.cost, estimated=spending.usage.estimated)
    return {"conversation": said, "calls": counted, "meter": spent}
