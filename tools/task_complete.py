"""The model's own word that its task is done."""

from functools import cache
from typing import Annotated, ClassVar

from msgspec import Meta, Struct

from cutaway.tools.arguments import input_schema
from cutaway.tools.base import Access, ToolContext, ToolOutput, ToolSpec, WorkspaceFacts
from cutaway.tools.details import TaskCompleted


class TaskCompleteArguments(Struct, frozen=True, rename="camel"):
    """What was done."""

    summary: Annotated[
        str, Meta(description="One or two sentences on what was done and how it was checked.")
    ] = ""


@cache
def _spec() -> ToolSpec:
    return ToolSpec(
        name="task_complete",
        display_name="Task complete",
        model_description=(
            "End the task: call this, alone, when everything that was asked for is done and checked. "
            "Do not call it to report progress, to ask a question, or while something fails: say what is "
            "missing instead. Together with other tools it does not end the task: you get their results."
        ),
        input_schema=input_schema(TaskCompleteArguments),
        reference_name="done",
        tags=("control",),
        can_be_referenced_in_prompt=False,
        runs_in_workspace=False,
    )


class TaskComplete:
    """`task_complete`."""

    arguments: ClassVar[type[TaskCompleteArguments]] = TaskCompleteArguments

    @property
    def spec(self) -> ToolSpec:
        return _spec()

    def available(self, facts: WorkspaceFacts) -> bool:
        return True

    def access(self, arguments: TaskCompleteArguments) -> Access:
        return Access("control")

    async def preview(self, arguments: TaskCompleteArguments, context: ToolContext) -> None:
        """Show nothing: there is nothing to approve."""

    async def run(self, arguments: TaskCompleteArguments, context: ToolContext) -> ToolOutput:
        summary = arguments.summary.strip()
        return ToolOutput("Task complete.", detail=TaskCompleted(summary), ends_interaction=True)
