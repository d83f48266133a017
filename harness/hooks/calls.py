"""What hooks have to say about one tool call: before it is decided, and after it has run."""

import asyncio
import json
from dataclasses import dataclass
from typing import Any

from cutaway.harness.hooks.outcome import HookOutcome
from cutaway.harness.hooks.runner import Hooks
from cutaway.harness.messages import ToolCall
from cutaway.harness.permissions.decision import Decision

INTERRUPTED_HOOK = "\0interrupted"
"""What `after_call` gives in place of a reason when the user interrupts a hook; no hook can say it."""


class HookAbort(Exception):
    """A hook ends the whole interaction; the message is its reason."""


@dataclass(frozen=True, slots=True)
class Before:
    """What the hooks before a call want: other arguments (JSON text, '' for the same), and text to add."""

    outcome: HookOutcome
    arguments: str = ""

    def decide(self, decision: Decision) -> Decision:
        """Let the hooks tighten a decision, or answer a question that only the mode asks.

        What a rule of the user's or the floor asks about is asked in spite of any hook.
        """
        word = self.outcome.permission
        reason = self.outcome.permission_reason or "it gave no reason"
        if word == "deny" or self.outcome.blocked:
            why = reason if word == "deny" else "; ".join(self.outcome.blocked)
            return Decision("deny", f"A hook of the user's refuses it: {why}", "hook")
        if word == "ask" and decision.outcome == "allow":
            return Decision("ask", f"A hook wants you to be asked: {reason}", "hook")
        if word == "allow" and decision.outcome == "ask" and decision.rule.startswith("mode "):
            return Decision("allow", f"A hook of yours allows it: {reason}", "hook")
        return decision


async def before_call(hooks: Hooks, call: ToolCall) -> Before | None:
    """Ask the hooks before a call; None when no hook listens. Raises HookAbort."""
    if not hooks.listens("PreToolUse", call.name):
        return None
    outcome = await hooks.run("PreToolUse", _fields(call), call.name)
    if outcome.abort:
        raise HookAbort(outcome.abort)
    changed = outcome.updated_input
    return Before(outcome, "" if changed is None else json.dumps(changed, ensure_ascii=False))


async def after_call(hooks: Hooks, call: ToolCall, succeeded: bool, text: str) -> tuple[str, str]:
    """Show the result to the hooks; the text that the model gets, and a reason to stop ('' for none).

    An interrupt while a hook runs leaves the result as the tool gave it: it is not lost.
    """
    if not hooks.listens("PostToolUse", call.name):
        return text, ""
    fields = {**_fields(call), "tool_response": text, "tool_succeeded": succeeded}
    outcome = HookOutcome()
    try:
        outcome = await hooks.run("PostToolUse", fields, call.name)
    except asyncio.CancelledError:
        return text, INTERRUPTED_HOOK
    said = (*outcome.blocked, *outcome.context)
    return added(text, said), outcome.abort


def added(text: str, said: tuple[str, ...]) -> str:
    """Put what hooks said behind a result, visibly not the tool's own words."""
    return "\n".join((text, *(f'<harness_note source="hook">\n{one}\n</harness_note>' for one in said)))


def _fields(call: ToolCall) -> dict[str, Any]:
    try:
        arguments = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError):
        arguments = call.arguments
    return {"tool_name": call.name, "tool_input": arguments, "tool_use_id": call.id}
