"""Run a test call again for the user: shown beside the model's result, and no part of the prompt."""

import asyncio

from cutaway.harness import events as e
from cutaway.harness.messages import ToolCall, scrub
from cutaway.harness.seams import Seams
from cutaway.harness.tool_runner import Failure, Feed, Prepared, attempt, prepare, tool_context
from cutaway.tools.details import Detail

TESTS = "run_tests"


async def rerun(seams: Seams, call_id: str) -> None:
    """Run the tests of a finished call again with the same arguments; its end is always recorded.

    Only tests: a command or an edit that was refused must not run by this way.
    """
    view = seams.ledger.calls.get(call_id)
    if view is None or view.open or view.name != TESTS:
        return
    call = ToolCall(call_id, view.name, view.arguments)
    facts = seams.facts()
    item = prepare(seams, facts, call)
    if not isinstance(item, Prepared):
        _complete(seams, view.turn_id, call, "invalid", item.text)
        return
    feed = Feed(seams.emit, call_id)
    began = seams.clock.monotonic()
    try:
        output = await attempt(call.name, item.tool.run(item.arguments, tool_context(seams, facts, feed)))
    except asyncio.CancelledError:
        _complete(seams, view.turn_id, call, "interrupted", "Stopped before it was finished.")
        raise
    finally:
        feed.closed = True
    ran = (seams.clock.monotonic() - began) * 1000
    if isinstance(output, Failure):
        _complete(seams, view.turn_id, call, "failed", output.text)
        return
    outcome: e.CallOutcome = "failed" if output.is_error else "done"
    _complete(seams, view.turn_id, call, outcome, output.text, output.detail, ran)


def _complete(
    seams: Seams,
    turn_id: str,
    call: ToolCall,
    outcome: e.CallOutcome,
    text: str,
    detail: Detail | None = None,
    ran_ms: float = 0.0,
) -> None:
    event = e.ToolCompleted(call.id, turn_id, call.name, outcome, scrub(text), detail, ran_ms, by_user=True)
    seams.emit(event)
