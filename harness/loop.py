"""The loop: turn after turn until the model answers, a bound is met, or someone stops it."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field

from cutaway.harness import events as e
from cutaway.harness.autopilot import NUDGE, Nudges
from cutaway.harness.closing import FAULT_RESULT, INTERRUPTED, Stop, close_calls, close_turn_parts
from cutaway.harness.doom_loop import TOLD, Repetition
from cutaway.harness.errors import ProviderError
from cutaway.harness.gate import Ending, Gate
from cutaway.harness.hooks.calls import HookAbort
from cutaway.harness.hooks.door import next_heard
from cutaway.harness.messages import AssistantMessage, Note
from cutaway.harness.prompt.builder import define_tool
from cutaway.harness.room import Room
from cutaway.harness.seams import Seams
from cutaway.harness.title import wait_for_title
from cutaway.harness.tool_runner import run_calls
from cutaway.harness.waiting import to_its_end
from cutaway.tools.details import TaskCompleted

MENDS = 1
"""How often in a row an answer that was cut or empty is sent back to the model."""

MOST_STOP_BLOCKS = 8
"""How often hooks may keep an interaction from ending, as Claude Code bounds it."""

NOT_RUN = "Error: not run. A bound of this interaction was reached and it was stopped there."
STOPPED_BY_HOOK = "Error: no result. A hook of the user's stopped the interaction at this point."
CUT_ANSWER = (
    "Your last answer was cut by the output limit. A tool call that was not complete was not run: make it "
    "again in smaller steps. Otherwise go on from where the answer stopped."
)
FILTERED = ("refusal", "content_filter", "sensitive", "safety")
"""Words of providers for an answer that they, and not the model, have stopped."""
FILTERED_ANSWER = (
    "The provider stopped the answer ({word}): it takes the request for one that is not to be answered. "
    "Say it otherwise, or begin a new session without what it stumbles over."
)
EMPTY_ANSWER = "Your last answer was empty. Go on with the task, or say what keeps you from it."
BLOCKED = "You were about to finish, but a hook of the user's does not let you yet:\n{reasons}"
REFUSED = "A hook did not let your message through: {reason} It was not sent: {text}"
NEARLY_SPENT = (
    "The budget of this task runs out: {spent} used. Do what matters most now, and leave things in a good "
    "state."
)


Prepare = Callable[[Seams], Awaitable[None]]


@dataclass(slots=True)
class Course:
    """What the loop remembers of one interaction from turn to turn."""

    gate: Gate
    room: Room
    mends: int = 0
    blocks: int = 0
    nudges: Nudges = field(default_factory=Nudges)
    repetition: Repetition = field(default_factory=Repetition)


@dataclass(frozen=True, slots=True)
class Step:
    """How the loop goes on after a turn: `why` for people, `tell` for the model, or an `ending`."""

    why: str
    tell: tuple[tuple[e.MessageCause, str], ...] = ()
    ending: Ending | None = None


async def run_interaction(
    seams: Seams, interaction_id: str, limit: int, prepare: Prepare, beside: asyncio.Task[None] | None = None
) -> None:
    """Run turns until the interaction ends; the end is recorded whatever happens.

    `prepare` lays the stable part of the prompt before the first turn of a session. `beside` is a side
    call that has its own end before that of the interaction. The user's
    message has been recorded before. A cancellation answers every open call, records the end and is
    then over: it is the normal way to stop and is not raised again.
    """
    reason: e.EndReason
    stop: Stop | None = None
    seams.budgets.start()
    try:
        await prepare(seams)
        gate = Gate(seams, interaction_id, limit)
        reason, explanation = await _turns(seams, Course(gate, Room(gate)))
    except asyncio.CancelledError:
        seams.emit(e.Aborted("interrupted by the user"))
        stop = INTERRUPTED
        reason, explanation = "interrupted", stop.why
    except HookAbort as aborted:
        reason, explanation = "hook", str(aborted)
        close_calls(seams.emit, seams.conversation, seams.ledger, "not-run", STOPPED_BY_HOOK)
    except ProviderError as error:
        seams.emit(e.SessionErrored(type(error).__name__, str(error), error.status, error.request_id))
        reason, explanation = "error", str(error)
    except Exception as error:  # the other broad except: the session outlives any fault of ours
        reason, explanation = "error", _fault(error)
        stop = Stop("InternalError", explanation, FAULT_RESULT)
        seams.emit(e.SessionErrored("InternalError", explanation))
    seams.budgets.stop()
    if beside is not None:
        await _end_of(beside, now=reason == "interrupted")
    if stop is not None:
        close_turn_parts(seams.emit, seams.conversation, seams.ledger, stop)
    await _end(seams, interaction_id, reason, explanation)


async def _end_of(beside: asyncio.Task[None], *, now: bool) -> None:
    """Wait a while for a side call, or stop it at once; an interrupt that comes now stops it too."""
    if now:
        beside.cancel()
    try:
        await wait_for_title(beside)
    except asyncio.CancelledError:
        beside.cancel()
        with suppress(asyncio.CancelledError):
            await to_its_end(beside)


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


async def _turns(seams: Seams, course: Course) -> Ending:
    gate = course.gate
    while True:
        if (ending := await course.room.make(seams)) is not None:
            return ending
        turn_id = gate.begin_turn()
        await offer_tools(seams)
        answer = await course.room.answer(seams, turn_id)
        if _needs_another_turn(answer) and (closed := await gate.closed(answer.tool_calls)):
            close_calls(seams.emit, seams.conversation, seams.ledger, "not-run", NOT_RUN)
            return closed
        done = await run_calls(seams, turn_id, answer.tool_calls)
        step = await _next_step(seams, course, answer, done)
        for cause, text in step.tell:
            seams.emit(
                e.UserMessageSent(gate.interaction_id, text, source="harness", delivery="steer", cause=cause)
            )
        if step.ending is None or step.ending[0] == "answered":
            step = await _steered(seams, gate.interaction_id, step)
        seams.emit(e.TurnEnded(turn_id, step.why))
        await seams.sync()
        if step.ending is not None:
            return step.ending
        if closed := await gate.closed(()):
            return closed


def _needs_another_turn(answer: AssistantMessage) -> bool:
    """Tell whether the results have to go back to the model; those of task_complete alone have not."""
    return bool(answer.tool_calls) and [call.name for call in answer.tool_calls] != ["task_complete"]


async def _next_step(seams: Seams, course: Course, answer: AssistantMessage, done: bool) -> Step:
    """Say how to go on; hooks of the user's have a word before an interaction ends by itself."""
    step = await _after_turn(seams, course, answer, done)
    ends = step.ending is not None and step.ending[0] in ("answered", "task-complete")
    if ends and seams.lane.next_text("now", "after-tools") is None:
        step = await _stop_hooks(seams, course, step)
    if step.ending is not None and step.ending[0] == "task-complete":
        seams.emit(e.TaskComplete(_summary(seams, answer)))
    if step.ending is None:
        near = [spent.words for spent in seams.budgets.near(seams.ledger)]
        if near:
            told = NEARLY_SPENT.format(spent=", ".join(near))
            step = Step(step.why, (*step.tell, ("budget", told)))
    return step


async def _after_turn(seams: Seams, course: Course, answer: AssistantMessage, done: bool) -> Step:
    if done:
        why = "The model called task_complete and it was carried out."
        return Step(why, ending=("task-complete", why))
    if answer.tool_calls:
        return await _after_calls(seams, course, answer)
    step = _judge(seams, course, answer)
    if step.ending is None or step.ending[0] != "answered" or not answer.text.strip():
        return step
    if seams.ledger.mode == "autopilot" and course.nudges.nudge(answer.text):
        why = "The model answered without task_complete; in autopilot it is asked whether it is done."
        return Step(why, (("nudge", NUDGE),))
    return step


async def _after_calls(seams: Seams, course: Course, answer: AssistantMessage) -> Step:
    """Go on with the results, unless the model goes round in circles."""
    names = ", ".join(dict.fromkeys(call.name for call in answer.tool_calls))
    why = f"The model asked for {names}; it gets the results in the next turn."
    calls = [seams.ledger.calls[call.id] for call in answer.tool_calls]
    if any(call.name != "task_complete" for call in calls):
        course.nudges.worked()
    if any(call.name == "task_complete" and call.state == "done" for call in calls):
        course.nudges.completed = True
    tell: tuple[tuple[e.MessageCause, str], ...] = ()
    match course.repetition.add(calls):
        case "tell":
            why += " It has done the same three times, and is told."
            tell = (("loop", TOLD.format(rounds=course.repetition.rounds)),)
        case "ask":
            ending = await course.gate.goes_round(course.repetition.rounds)
            if ending is not None:
                return Step(ending[1], ending=ending)
            course.repetition.forgive()
        case "fine":
            pass
    return _mended(course, answer, why, tell)


def _judge(seams: Seams, course: Course, answer: AssistantMessage) -> Step:
    """Read an answer without calls: the end, or one that was cut, empty or only paused."""
    turn = seams.ledger.turn
    word = turn.response.stop_reason if turn is not None and turn.response is not None else ""
    if word == "pause_turn":
        return Step("The provider paused its answer; it goes on in the next turn.")
    if word.lower() in FILTERED:
        why = FILTERED_ANSWER.format(word=word)
        return Step(why, ending=("error", why))
    if answer.cut:
        return _mended(course, answer, "The model answered and asked for no tool.", ())
    if not answer.text.strip():
        if course.mends < MENDS:
            course.mends += 1
            why = "The answer was empty; the model is asked once more."
            return Step(why, (("empty", EMPTY_ANSWER),))
        why = "The model answered nothing, twice, and asked for no tool."
        return Step(why, ending=("answered", why))
    course.mends = 0
    why = "The model answered and asked for no tool."
    return Step(why, ending=("answered", why))


def _mended(
    course: Course, answer: AssistantMessage, why: str, tell: tuple[tuple[e.MessageCause, str], ...]
) -> Step:
    """Send an answer that was cut back to the model, once in a row; it may hold calls that were whole."""
    going = bool(answer.tool_calls)
    if not answer.cut:
        course.mends = 0
        return Step(why, tell)
    if course.mends < MENDS:
        course.mends += 1
        why += " The answer was cut by the output limit, and the model is told."
        return Step(why, (*tell, ("cut", CUT_ANSWER)))
    course.mends = 0
    why += " The answer was cut by the output limit again."
    return Step(why, tell) if going else Step(why, ending=("answered", why))


async def _stop_hooks(seams: Seams, course: Course, step: Step) -> Step:
    """Let the user's hooks keep the interaction from ending, a bounded number of times."""
    if not seams.hooks.listens("Stop"):
        return step
    if course.blocks >= MOST_STOP_BLOCKS:
        said = f"The Stop hooks have blocked {course.blocks} times; the interaction ends in spite of them."
        seams.emit(e.SessionWarning("hook", said))
        return step
    outcome = await seams.hooks.run("Stop", {"stop_hook_active": course.blocks > 0})
    if outcome.abort:
        return Step(outcome.abort, ending=("hook", outcome.abort))
    if not outcome.blocked:
        return step
    course.blocks += 1
    why = f"{step.why} A Stop hook does not let it end yet ({course.blocks} of {MOST_STOP_BLOCKS})."
    return Step(why, (("stop-hook", BLOCKED.format(reasons="\n".join(outcome.blocked))),))


async def _steered(seams: Seams, interaction_id: str, step: Step) -> Step:
    """Let the user's messages join that wait for this moment, once their hooks have seen them."""
    while (heard := await next_heard(seams.hooks, seams.lane, "now", "after-tools")) is not None:
        if heard.refused:
            seams.emit(e.SessionWarning("hook", REFUSED.format(reason=heard.refused, text=heard.text[:200])))
        else:
            notes = tuple(Note("hook", text) for text in heard.outcome.context)
            seams.emit(e.UserMessageSent(interaction_id, heard.text, notes, "user", "steer"))
            step = Step(f"{step.why} Your message joins the next turn.")
        seams.lane.show()
        if heard.outcome.abort:
            return Step(heard.outcome.abort, ending=("hook", heard.outcome.abort))
    return step


def _summary(seams: Seams, answer: AssistantMessage) -> str:
    completed = seams.ledger.calls[answer.tool_calls[0].id].completed
    detail = completed.detail if completed else None
    return detail.summary if isinstance(detail, TaskCompleted) and detail.summary else answer.text.strip()


async def offer_tools(seams: Seams) -> None:
    """Ask which tools are available now and tell the model of new ones, after those it knows."""
    known = {tool.name for tool in seams.conversation.tools}
    late = [tool for tool in seams.registry.available(seams.facts()) if tool.spec.name not in known]
    if late:
        seams.emit(e.ToolsOffered(tuple([await define_tool(tool, seams.counter) for tool in late])))
