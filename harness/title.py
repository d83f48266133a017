"""A title for the session: one small side call, made only where the user has asked for titles."""

import asyncio
from importlib.resources import files

from cutaway.harness import events as e
from cutaway.harness.errors import ProviderError
from cutaway.harness.messages import UserMessage, scrub
from cutaway.harness.model_call import call_aside
from cutaway.harness.providers.base import Params, Request
from cutaway.harness.seams import Seams

READ = 2_000
"""Characters of the first message that the model reads for it."""

LONGEST = 60
"""Characters of a title; what is longer was no title."""

PATIENCE = 10.0
"""Seconds that the end of an interaction waits for a title that is still on its way."""


async def give_title(seams: Seams, message: str) -> None:
    """Ask for a title and record it; a failure is in the log as that of any call, and stops nothing."""
    text = (files("cutaway.harness.prompt") / "texts" / "title.md").read_text(encoding="utf-8").strip()
    ask = UserMessage(message[:READ])
    alone = Request(seams.model().name, (), (text,), (ask,), Params(max_output_tokens=200))
    try:
        answer = await call_aside(seams, "title", (), alone=alone)
    except ProviderError:
        return
    if title := " ".join(answer.text.split())[:LONGEST].strip(" \"'“”.#*"):
        seams.emit(e.TitleChanged(scrub(title)))


async def wait_for_title(task: "asyncio.Task[None]") -> None:
    """Let a title arrive that is nearly there; it must not come after the end of the interaction."""
    await asyncio.wait({task}, timeout=PATIENCE)
    task.cancel()
    await asyncio.wait({task})
