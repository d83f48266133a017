"""A workspace on a real disk, and calls made the way the harness makes them."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cutaway.tools.arguments import parse_arguments
from cutaway.tools.base import AnyTool, ToolContext, ToolOutput, WorkspaceFacts
from cutaway.tools.details import Progress
from cutaway.tools.file_state import FileState
from cutaway.tools.paths import Workspace
from cutaway.tools.process import Processes


@pytest.fixture
def progress() -> list[Progress]:
    """What the tools have reported so far, in order."""
    return []


@pytest.fixture
def context(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, progress: list[Progress]
) -> ToolContext:
    """A context whose workspace is `tmp_path` and whose spill folder lies outside it."""
    return ToolContext(
        workspace=Workspace.at(tmp_path),
        files=FileState(),
        progress=progress.append,
        facts=WorkspaceFacts(root=str(tmp_path)),
        spill=str(tmp_path_factory.mktemp("spill")),
    )


@pytest.fixture
def call(context: ToolContext) -> Callable[..., Awaitable[ToolOutput]]:
    """Make a call as the harness does: parse the arguments, preview, then run with that preview.

    `await call(ReadFile(), filePath="a.txt")`; a ToolError of either step is raised.
    """

    async def make(tool: AnyTool, /, **arguments: Any) -> ToolOutput:
        parsed = parse_arguments(json.dumps(arguments), tool.arguments).value
        shown = await tool.preview(parsed, context)
        return await tool.run(parsed, replace(context, preview=shown))

    return make


@pytest.fixture
async def processes() -> AsyncIterator[Processes]:
    """The programs of one session; what still lives is ended after the test."""
    started = Processes()
    yield started
    await started.aclose()
