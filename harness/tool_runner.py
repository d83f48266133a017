"""Carry out the calls of one turn: check, decide, ask, run; each call gets exactly one result.

Reads that stand together run at the same time; anything that writes or executes is a barrier and
runs in the order asked.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, TypeVar

from cutaway.harness import events as e
from cutaway.harness.answers import PermissionAnswer
from cutaway.harness.errors import ConfigError
from cutaway.harness.hooks.calls import INTERRUPTED_HOOK, Before, HookAbort, after_call, before_call
from cutaway.harness.instructions.late import LateInstructions, paths_used
from cutaway.harness.messages import ToolCall, scrub, tagged
from cutaway.harness.permissions.decide import decide
from cutaway.harness.permissions.decision import Decision
from cutaway.harness.seams import Seams, new_id
from cutaway.tools.arguments import parse_arguments
from cutaway.tools.base import Access, AnyTool, ToolContext, WorkspaceFacts
from cutaway.tools.details import Detail, Progress
from cutaway.tools.errors import ToolError

T = TypeVar("T")

READS_AT_ONCE = 8
"""Reads of one turn that run at the same time; more only compete for the same disk."""

NAME_SHOWN = 80
"""Characters of an unknown tool's name that go back to the model; known names are shorter."""

OVERTAKEN = "Error: not run. The user sent a message that comes first; nothing was done."

QUOTED = 2000
"""Characters of unusable arguments that go back to the model."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A call that fits its tool: parsed arguments, what it would touch, what had to be healed."""

    call: ToolCall
    tool: AnyTool
    arguments: Any
    access: Access
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Failure:
    """A part of a call that raised; `text` is for the model."""

    text: str


@dataclass(frozen=True, slots=True)
class Turn:
    """What the calls of one turn share; `late` attaches instruction files to results that they apply to."""

    id: str
    facts: WorkspaceFacts
    late: LateInstructions


class Feed:
    """Passes a running call's progress on, from any thread, until the call has its result."""

    def __init__(self, emit: Callable[[e.Event], object], call_id: str) -> None:
        self._emit, self._call_id = emit, call_id
        self._loop = asyncio.get_running_loop()
        self.closed = False

    def __call__(self, step: Progress) -> None:
        self._loop.call_soon_threadsafe(self._pass_on, step)

    def _pass_on(self, step: Progress) -> None:
        if not self.closed:
            self._emit(e.ToolProgressed(self._call_id, step))


@dataclass(frozen=True, slots=True)
class Rejected:
    """A call that cannot be tried; `text` tells the model why."""

    call: ToolCall
    text: str


async def run_calls(seams: Seams, turn_id: str, calls: Iterable[ToolCall]) -> bool:
    """Run all calls of a turn; True when one of them, alone in its turn, ends the interaction."""
    turn = Turn(turn_id, seams.facts(), LateInstructions(seams.workspace.root, seams.conversation.messages))
    prepared = [prepare(seams, turn.facts, call) for call in calls]
    ends = False
    for parallel, group in groupby(prepared, key=_may_run_beside_others):
        if parallel and not seams.lane.urgent:
            ends |= any(await _all_at_once(seams, turn, list(group)))
            continue
        for item in group:
            if seams.lane.urgent:
                _complete(seams, turn_id, item.call, "not-run", OVERTAKEN)
            else:
                ends |= await _settle(seams, turn, item)
    return ends and len(prepared) == 1


def prepare(seams: Seams, facts: WorkspaceFacts, call: ToolCall) -> Prepared | Rejected:
    """Find the tool and parse the arguments; what does not fit becomes an error for the model."""
    tool = seams.registry.get(call.name)
    if tool is None:
        near = seams.registry.near(call.name[:NAME_SHOWN])
        hint = f" Did you mean {', '.join(near)}?" if near else ""
        return Rejected(call, f"Error: there is no tool named {call.name[:NAME_SHOWN]!r}.{hint}")
    if not tool.available(facts):
        return Rejected(call, f"Error: {call.name} is not available in this workspace now.")
    try:
        parsed = parse_arguments(call.arguments, tool.arguments)
    except ToolError as error:
        return Rejected(call, f"Error: {error}{_quoted(call.arguments)}")
    return Prepared(call, tool, parsed.value, tool.access(parsed.value), parsed.notes)


def _quoted(arguments: str) -> str:
    """Quote what is no JSON object: the wire can only send an empty one in its place."""
    try:
        if isinstance(json.loads(arguments or "{}"), dict):
            return ""
    except (ValueError, RecursionError):
        pass
    shown = arguments[:QUOTED]
    rest = len(arguments) - len(shown)
    return f" You wrote:\n{shown}" + (f"\n[cut here: {rest} characters more]" if rest else "")


def _may_run_beside_others(item: Prepared | Rejected) -> bool:
    return isinstance(item, Rejected) or item.access.effect == "read"


async def _all_at_once(seams: Seams, turn: Turn, items: list[Prepared | Rejected]) -> list[bool]:
    gate = asyncio.Semaphore(READS_AT_ONCE)

    async def one(item: Prepared | Rejected) -> bool:
        async with gate:
            return await _settle(seams, turn, item)

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(item)) for item in items]
    except BaseExceptionGroup as several:
        if (aborted := several.subgroup(HookAbort)) is not None:
            raise aborted.exceptions[0] from None
        raise
    return [task.result() for task in tasks]


async def _settle(seams: Seams, turn: Turn, item: Prepared | Rejected) -> bool:
    """Give one call its result; True when it asks for the end of the interaction."""
    if isinstance(item, Rejected):
        _complete(seams, turn.id, item.call, "invalid", item.text)
        return False
    decision = _decide(seams, item)
    if decision.outcome != "deny" and (hooked := await before_call(seams.hooks, item.call)) is not None:
        item = _hooked(seams, turn.facts, item, hooked)
        decision = hooked.decide(_decide(seams, item))
    if decision.outcome == "deny":
        _complete(seams, turn.id, item.call, "refused", f"Error: refused. {decision.reason}")
        return False
    feed = Feed(seams.emit, item.call.id)
    name = item.tool.spec.name
    preview = await attempt(name, item.tool.preview(item.arguments, tool_context(seams, turn.facts, feed)))
    if isinstance(preview, Failure):  # nobody is asked about a call that cannot work
        _complete(seams, turn.id, item.call, "failed", _text(preview.text, item.notes))
        return False
    decided_by = decision.rule or decision.reason
    if decision.outcome == "ask":
        permitted = await _ask(seams, turn.id, item, decision, preview)
        if permitted is None:
            return False
        decided_by = permitted
    return await _run(seams, turn, item, tool_context(seams, turn.facts, feed, preview), feed, decided_by)


def _decide(seams: Seams, item: Prepared) -> Decision:
    return decide(item.call.name, item.access, seams.workspace, seams.ledger.mode, seams.rules)


def _hooked(seams: Seams, facts: WorkspaceFacts, item: Prepared, hooked: Before) -> Prepared:
    """Take over what a hook changed; arguments that do not fit the tool are not taken over."""
    notes = (*item.notes, *(f"A hook of the user's says: {text}" for text in hooked.outcome.context))
    if not hooked.arguments:
        return replace(item, notes=notes)
    call = ToolCall(item.call.id, item.call.name, hooked.arguments)
    other = prepare(seams, facts, call)
    if isinstance(other, Rejected):
        said = f"A PreToolUse hook changed the input of {call.name} to what does not fit it: {other.text}"
        seams.emit(e.SessionWarning("hook", said))
        return replace(item, notes=notes)
    changed = f"A hook of the user's changed the arguments; this ran with {hooked.arguments[:QUOTED]}"
    return replace(other, notes=(*notes, changed))


async def _ask(
    seams: Seams, turn_id: str, item: Prepared, decision: Decision, preview: Detail | None
) -> str | None:
    """Ask whether the call may run; the person's word for it, or None when it was refused."""
    request = e.PermissionRequested(
        request_id=new_id(),
        tool_call_id=item.call.id,
        tool_name=item.call.name,
        access=item.access,
        reason=decision.reason,
        preview=preview,
        always=decision.always,
        rule=decision.rule,
    )
    seams.emit(request)
    began = seams.clock.monotonic()

    def completed(kind: e.PermissionKind, feedback: str = "", rule: str = "") -> None:
        waited = (seams.clock.monotonic() - began) * 1000
        seams.emit(e.PermissionCompleted(request.request_id, item.call.id, kind, feedback, rule, waited))

    try:
        with seams.budgets.asking():
            answer = await seams.ask.permission(request)
    except asyncio.CancelledError:
        completed("cancelled")
        raise
    permitted = _take_answer(seams, turn_id, item, decision, answer, completed)
    await seams.sync()
    return permitted


def _take_answer(
    seams: Seams,
    turn_id: str,
    item: Prepared,
    decision: Decision,
    answer: PermissionAnswer | None,
    completed: Callable[..., None],
) -> str | None:
    match answer:
        case None:
            completed("denied-no-user")
            text = f"Error: refused. {decision.reason} Nobody is there to approve it."
            _complete(seams, turn_id, item.call, "refused", text)
            return None
        case PermissionAnswer(kind="deny", feedback=feedback):
            completed("denied-by-user", feedback)
            reason = f" Their reason: {feedback}" if feedback else " They gave no reason."
            _complete(seams, turn_id, item.call, "refused", f"Error: the user refused this call.{reason}")
            return None
        case PermissionAnswer(kind="approve-for-session", rule=edited) if decision.always:
            rule = edited or decision.always
            try:
                seams.rules.grant(rule)
            except ConfigError as error:
                seams.emit(e.SessionWarning("permissions", f"Only this call was allowed. {error}"))
                completed("approved")
                return "the user"
            completed("approved-for-session", rule=rule)
            return f"the user, for this session: {rule}"
        case _:
            completed("approved")
            return "the user"


async def _run(
    seams: Seams, turn: Turn, item: Prepared, context: ToolContext, feed: Feed, decided_by: str
) -> bool:
    if item.access.effect not in ("read", "control"):
        await seams.sync()
    call = item.call
    seams.emit(e.ToolStarted(call.id, turn.id, call.name, call.arguments, decided_by))
    began = seams.clock.monotonic()
    try:
        output = await attempt(call.name, item.tool.run(item.arguments, context))
    finally:
        feed.closed = True
    ran = (seams.clock.monotonic() - began) * 1000
    outcome: e.CallOutcome = "failed"
    detail, ends = None, False
    if not isinstance(output, Failure):
        outcome = "failed" if output.is_error else "done"
        detail, ends = output.detail, output.ends_interaction and not output.is_error
    succeeded = outcome == "done"
    text, abort = await after_call(seams.hooks, call, succeeded, _text(output.text, item.notes))
    if succeeded and not abort and (used := paths_used(detail)):
        text, abort = await _with_instructions(turn, used, text)
    _complete(seams, turn.id, call, outcome, text, detail, ran)
    if abort == INTERRUPTED_HOOK:
        raise asyncio.CancelledError
    if abort:
        raise HookAbort(abort)
    return ends


async def _with_instructions(turn: Turn, used: tuple[str, ...], text: str) -> tuple[str, str]:
    """Attach the instruction files that apply to the files of a call; an interrupt loses no result."""
    try:
        notes = await asyncio.to_thread(turn.late.for_paths, used)
    except asyncio.CancelledError:
        return text, INTERRUPTED_HOOK
    return "\n".join((text, *map(tagged, notes))), ""


async def attempt(name: str, work: Awaitable[T]) -> T | Failure:
    """Await a part of one tool call; whatever it raises, but a cancellation, becomes a failure."""
    try:
        return await work
    except ToolError as error:
        return Failure(f"Error: {error}")
    except Exception as error:  # one of the two broad excepts: a tool's fault must not end the loop
        return Failure(
            f"Error: the tool {name} itself failed ({type(error).__name__}: {error}). "
            "This is a fault of the tool, not of the call."
        )


def tool_context(
    seams: Seams, facts: WorkspaceFacts, feed: Feed, preview: Detail | None = None
) -> ToolContext:
    """What a call may reach; `feed` takes its progress, `preview` is what the user saw of it."""
    return ToolContext(seams.workspace, seams.files, feed, facts, seams.spill, preview)


def _complete(
    seams: Seams,
    turn_id: str,
    call: ToolCall,
    outcome: e.CallOutcome,
    text: str,
    detail: Detail | None = None,
    ran_ms: float = 0.0,
) -> None:
    seams.emit(e.ToolCompleted(call.id, turn_id, call.name, outcome, scrub(text), detail, ran_ms))


def _text(text: str, notes: tuple[str, ...]) -> str:
    return "\n".join([*(f"Note: {note}" for note in notes), text])
