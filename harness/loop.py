"""The loop: turn after turn until the model answers, the limit is used up, or someone stops it."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import assert_never

from cutaway.harness import events as e
from cutaway.harness.answers import LimitAnswer
from cutaway.harness.closing import FAULT_RESULT, INTERRUPTED, Stop, close_calls, close_turn_parts
from cutaway.harness.errors import ProviderError
from cutaway.harness.limits import autopilot_limit, next_limit
from cutaway.harness.messages import AssistantMessage, ToolCall
from cutaway.harness.model_call import call_model
from cutaway.harness.prompt.builder import define_tool
from cutaway.harness.seams import Seams, new_id
from cutaway.harness.tool_runner import run_calls
from cutaway.tools.details import TaskCompleted

MENDS = 1
"""How often in a row an answer that was cut or empty is sent back to the model."""

NOT_RUN = "Error: not run. The tool-call limit of this interaction was reached and the user stopped it."
CUT_ANSWER = (
    "Your last answer was cut by the output limit. A tool call that was not complete was not run: make it "
    "again in smaller steps. Otherwise go on from where the answer stopped."
)
EMPTY_ANSWER = "Your last answer was empty. Go on with the task, or say what keeps you from it."


Prepare = Callable[[Seams], Awaitable[None]]


async def run_interaction(seams: Seams, interaction_id: str, limit: int, prepare: Prepare) -> None:
    """Run turns until the interaction ends; the end is recorded whatever happens.

    `prepare` lays the stable part of the prompt before the first turn of a session. The user's
    message has been recorded before. A cancellation answers every open call, records the end and is
    then over: it is the normal way to stop and is not raised again.
    """
    reason: e.EndReason
    stop: Stop | None = None
    try:
        await prepare(seams)
        reason, explanation = await _turns(seams, interaction_id, limit)
    except asyncio.CancelledError:
        seams.emit(e.Aborted("interrupted by the user"))
        stop = INTERRUPTED
        reason, explanation = "interrupted", stop.why
    except ProviderError as error:
        seams.emit(e.SessionErrored(type(error).__name__, str(error), error.status, error.request_id))
        reason, explanation = "error", str(error)
    except Exception as error:  # the other broad except: the session outlives any fault of ours
        reason, explanation = "error", _fault(error)
        stop = Stop("InternalError", explanation, FAULT_RESULT)
        seams.emit(e.SessionErrored("InternalError", explanation))
    if stop is not None:
        close_turn_parts(seams.emit, seams.conversation, seams.ledger, stop)
    await _end(seams, interaction_id, reason, explanation)


def _fault(error: BaseException) -> str:
    """Name a fault of ours; of several at once (reads run side by side) the first one."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return (
        f"cutaway itself failed: {type(error).__name__}: {error}. "
        "The session is saved; send a message to go on."
    )


async def _end(seams: Seams, interaction_id: str, reason: e.EndReason, explanation: str) -> None:
    """Record the end; an interrupt that comes now has nothing left to stop."""
    turn = seams.ledger.turn
    if turn is not None and turn.interaction_id == interaction_id and turn.ended_at is None:
        seams.emit(e.TurnEnded(turn.id, explanation))
    interaction = seams.ledger.interaction
    turns = len(interaction.turns) if interaction else 0
    seams.emit(e.InteractionEnded(interaction_id, reason, explanation, turns))
    with suppress(asyncio.CancelledError):
        await seams.sync()
    seams.emit(e.SessionIdle(aborted=reason == "interrupted"))


async def _turns(seams: Seams, interaction_id: str, limit: int) -> tuple[e.EndReason, str]:
    used, mends = 0, 0
    while True:
        used += 1
        turn_id = new_id()
        seams.emit(e.TurnStarted(turn_id, interaction_id, used, limit))
        await offer_tools(seams)
        answer = await call_model(seams, turn_id)
        if answer.tool_calls and used >= limit:
            limit = await _extend(seams, interaction_id, limit, answer.tool_calls)
            if used >= limit:
                close_calls(seams.emit, seams.conversation, seams.ledger, "not-run", NOT_RUN)
                return "limit", f"The limit of {used} turns was reached and not extended."
        if await run_calls(seams, turn_id, answer.tool_calls):
            seams.emit(e.TaskComplete(_summary(seams, answer)))
            return "task-complete", "The model called task_complete and it was carried out."
        why, mend = _judge(answer, mends)
        mends = mends + 1 if mend else 0
        going = bool(answer.tool_calls or mend)
        if mend:
            seams.emit(e.UserMessageSent(interaction_id, mend, source="harness", delivery="steer"))
        for text in seams.steers():
            seams.emit(e.UserMessageSent(interaction_id, text, source="user", delivery="steer"))
            why, going = f"{why} Your message joins the next turn.", True
        seams.emit(e.TurnEnded(turn_id, why))
        await seams.sync()
        if not going:
            return "answered", why
        if used >= limit:
            limit = await _extend(seams, interaction_id, limit, ())
            if used >= limit:
                return "limit", f"The limit of {used} turns was reached and not extended."


def _summary(seams: Seams, answer: AssistantMessage) -> str:
    completed = seams.ledger.calls[answer.tool_calls[0].id].completed
    detail = completed.detail if completed else None
    return detail.summary if isinstance(detail, TaskCompleted) and detail.summary else answer.text.strip()


def _judge(answer: AssistantMessage, mends: int) -> tuple[str, str]:
    """Say why the loop goes on or stops, and what the model must be told for it ('' for nothing)."""
    why = "The model answered and asked for no tool."
    if answer.tool_calls:
        names = ", ".join(dict.fromkeys(call.name for call in answer.tool_calls))
        why = f"The model asked for {names}; it gets the results in the next turn."
    if answer.cut:
        if mends < MENDS:
            return f"{why} The answer was cut by the output limit, and the model is told.", CUT_ANSWER
        return f"{why} The answer was cut by the output limit again.", ""
    if not answer.text.strip() and not answer.tool_calls:
        if mends < MENDS:
            return "The answer was empty; the model is asked once more.", EMPTY_ANSWER
        return "The model answered nothing, twice, and asked for no tool.", ""
    return why, ""


async def offer_tools(seams: Seams) -> None:
    """Ask which tools are available now and tell the model of new ones, after those it knows."""
    known = {tool.name for tool in seams.conversation.tools}
    late = [tool for tool in seams.registry.available(seams.facts()) if tool.spec.name not in known]
    if late:
        seams.emit(e.ToolsOffered(tuple([await define_tool(tool, seams.counter) for tool in late])))


async def _extend(seams: Seams, interaction_id: str, limit: int, pending: tuple[ToolCall, ...]) -> int:
    """Ask whether to go on past the limit; the limit that then holds."""
    spending = seams.ledger.interaction.spending if seams.ledger.interaction else seams.ledger.spending
    reached = e.LimitReached(
        request_id=new_id(),
        interaction_id=interaction_id,
        limit=limit,
        next_limit=next_limit(limit),
        pending=pending,
        usage=spending.usage,
        cost=None if spending.cost is None else str(spending.cost),
    )
    seams.emit(reached)
    extended = autopilot_limit(limit) if seams.ledger.mode == "autopilot" else None
    if extended is not None:
        seams.emit(e.LimitDecided(reached.request_id, "continue", extended, "autopilot"))
        return extended
    answer = await seams.ask.limit(reached)
    if answer is None:
        seams.emit(e.LimitDecided(reached.request_id, "stop", limit, "headless"))
        return limit
    return _take(seams, reached, answer)


def _take(seams: Seams, reached: e.LimitReached, answer: LimitAnswer) -> int:
    limit = max(answer.limit or reached.next_limit, reached.limit)
    match answer.choice:
        case "stop":
            limit = reached.limit
        case "autopilot":
            seams.emit(e.ModeChanged(seams.ledger.mode, "autopilot"))
        case "continue":
            pass
        case _:
            assert_never(answer.choice)
    seams.emit(e.LimitDecided(reached.request_id, answer.choice, limit, "user"))
    return limit
