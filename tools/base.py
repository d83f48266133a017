"""What a tool is, and what it is given: nothing above this floor is known here."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol, TypeVar

from msgspec import Struct

from cutaway.tools.details import Detail, Progress
from cutaway.tools.file_state import FileState
from cutaway.tools.paths import Workspace

Effect = Literal["read", "write", "execute", "network", "ask", "control"]


class Access(Struct, frozen=True, rename="camel"):
    """What a call would touch: paths as the call gives them, or the whole command line."""

    effect: Effect
    targets: tuple[str, ...] = ()


class ToolSpec(Struct, frozen=True, kw_only=True):
    """How a tool is named and described, to the model and to the user.

    `input_schema` is a JSON Schema object; `reference_name` is what follows `#` in a prompt.
    """

    name: str
    display_name: str
    model_description: str
    input_schema: dict[str, Any]
    reference_name: str
    tags: tuple[str, ...] = ()
    can_be_referenced_in_prompt: bool = True
    runs_in_workspace: bool = True
    can_request_pre_approval: bool = False
    can_request_post_approval: bool = False


class WorkspaceFacts(Struct, frozen=True):
    """What is true of the workspace now; asked anew before every turn."""

    root: str
    has_git: bool = False
    writable: bool = True
    test_command: tuple[str, ...] = ()
    """The configured test command; empty when the runner is found from the project's files."""


class ToolOutput(Struct, frozen=True):
    """Two results: `text` for the model, `detail` for the screen."""

    text: str
    is_error: bool = False
    detail: Detail | None = None
    ends_interaction: bool = False


@dataclass(frozen=True, slots=True)
class ToolContext:
    """All that a running tool may reach.

    `progress` may be called from any thread and never blocks. `preview` is what this tool's own
    `preview` returned and the user saw; a tool that writes compares it with the world again.
    `spill` is a private folder (0700, outside the workspace) for output too long to return.
    """

    workspace: Workspace
    files: FileState
    progress: Callable[[Progress], None]
    facts: WorkspaceFacts
    spill: str
    preview: Detail | None = None


A = TypeVar("A", contravariant=True)


class Tool(Protocol[A]):
    """A capability that the model can call.

    The harness calls `available` before every turn, then, for each call, parses the arguments,
    asks `access` (pure), `preview` (reads only; raises ToolError when the call cannot work, so
    that nobody is asked about it), decides, perhaps asks the user, and then awaits `run`.
    `run` raises ToolError for what the model can mend; anything else it raises is reported as a
    fault of the tool. On cancellation it must leave no process and no half-written file behind.
    """

    arguments: ClassVar[type[Any]]
    """A msgspec Struct: the arguments' types, descriptions and defaults."""

    @property
    def spec(self) -> ToolSpec: ...
    def available(self, facts: WorkspaceFacts) -> bool: ...
    def access(self, arguments: A) -> Access: ...
    async def preview(self, arguments: A, context: ToolContext) -> Detail | None: ...
    async def run(self, arguments: A, context: ToolContext) -> ToolOutput: ...


AnyTool = Tool[Any]
