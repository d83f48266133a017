"""Replacing one text in one file: the edit that models make most."""

import asyncio
from functools import cache
from typing import Annotated, ClassVar

from msgspec import Meta, Struct

from cutaway.tools.arguments import input_schema
from cutaway.tools.base import Access, ToolContext, ToolOutput, ToolSpec, WorkspaceFacts
from cutaway.tools.details import FileEdit
from cutaway.tools.diff import describe
from cutaway.tools.edit_engine import Edit, EditError, Resolution, apply, resolve
from cutaway.tools.file_state import digest_of
from cutaway.tools.find_file import find_file
from cutaway.tools.planned_edit import (
    PlannedEdit,
    is_open_to_view,
    load_text,
    remember,
    require_as_shown,
)
from cutaway.tools.text_file import split_lines, without_end
from cutaway.tools.write_file import check_writable, in_thread

OLD_TEXT = (
    "Text to replace, exactly as in the file, with its indentation and with enough lines around it to be "
    "unique. Never empty."
)
NEW_TEXT = "Text to put in its place, taken literally. Empty deletes."

ECHOED_LINES = 20

HOW_MATCHED = {
    "exact": "matched exactly",
    "line-end": "matched with line ends aside; the file keeps its own",
    "trailing-space": "matched with white space at line ends aside",
    "indentation": "matched with another indentation; newString was shifted to the file's",
}


class ReplaceArguments(Struct, frozen=True, rename="camel"):
    """What to replace, and where."""

    file_path: Annotated[str, Meta(description="File, absolute or relative to the workspace.")]
    old_string: Annotated[str, Meta(description=OLD_TEXT)]
    new_string: Annotated[str, Meta(description=NEW_TEXT)]
    replace_all: Annotated[
        bool, Meta(description="Replace every place instead of requiring exactly one.")
    ] = False


@cache
def _spec() -> ToolSpec:
    return ToolSpec(
        name="replace_string_in_file",
        display_name="Edit file",
        model_description=(
            "Replace a text in an existing file. oldString must be in the file exactly once, unless "
            "replaceAll is set. Write line ends as LF: line ends, byte order mark, encoding, mode and all "
            "other bytes of the file stay. Differences in line ends, in white space at line ends, or one "
            "equal shift of the indentation of all lines are bridged, and the result says so; nothing else "
            "is guessed. Use create_file for new files. On an error nothing is changed: it shows the "
            "nearest real lines (copy from them), or the lines of several matches (add context)."
        ),
        input_schema=input_schema(ReplaceArguments),
        reference_name="edit",
        tags=("files", "edit"),
    )


class ReplaceString:
    """`replace_string_in_file`."""

    arguments: ClassVar[type[ReplaceArguments]] = ReplaceArguments

    @property
    def spec(self) -> ToolSpec:
        return _spec()

    def available(self, facts: WorkspaceFacts) -> bool:
        return facts.writable

    def access(self, arguments: ReplaceArguments) -> Access:
        return Access("write", (arguments.file_path,))

    async def preview(self, arguments: ReplaceArguments, context: ToolContext) -> FileEdit | None:
        path = context.workspace.resolve(arguments.file_path)
        try:
            return (await asyncio.to_thread(_plan, arguments, context)).detail
        except EditError:
            if is_open_to_view(path, context):
                raise
            return None

    async def run(self, arguments: ReplaceArguments, context: ToolContext) -> ToolOutput:
        planned = await asyncio.to_thread(_plan, arguments, context)
        require_as_shown(planned.detail, context.preview)
        await in_thread(planned.write)
        remember(planned, context.files)
        return ToolOutput(_report(planned), detail=planned.detail)


def _plan(arguments: ReplaceArguments, context: ToolContext) -> PlannedEdit:
    path = find_file(context.workspace, arguments.file_path)
    shown = context.workspace.display(path)
    check_writable(path, shown)
    file = load_text(path, shown)
    old, new = arguments.old_string, arguments.new_string
    if file.charset.bom:  # it is hidden on reading, and it is there once
        old, new = old.removeprefix("\ufeff"), new.removeprefix("\ufeff")
    found = resolve(file.text, Edit(old, new, arguments.replace_all))
    after = apply(file.text, found.splices)
    content = file.encode(after)
    detail = describe(
        shown,
        before=file.text,
        after=after,
        before_digest=file.digest,
        after_digest=digest_of(content),
        splices=found.splices,
        rung=found.rung,
        replacements=len(found.splices),
        note=found.note,
    )
    stale = context.files.has_seen(path) and not context.files.knows(path, file.digest)
    return PlannedEdit(path, content, detail, stale, _changed_lines(after, found))


def _changed_lines(after: str, found: Resolution) -> str:
    """The lines that came of a match that was not exact, so that the model knows them."""
    if found.rung in ("exact", "line-end"):
        return ""
    first = found.lines[0]
    count = split_lines(found.splices[0].text)
    lines = split_lines(after)[first - 1 : first - 1 + min(len(count), ECHOED_LINES)]
    return "\n".join(f"{number}│{without_end(line)}" for number, line in enumerate(lines, first))


def _report(planned: PlannedEdit) -> str:
    detail = planned.detail
    assert detail.rung is not None, "a replacement is always placed by a step of the ladder"
    places = f"{detail.replacements} places" if detail.replacements > 1 else "1 place"
    said = [
        f"Edited {detail.path}: {places}, {HOW_MATCHED[detail.rung]}; "
        f"+{detail.added} -{detail.removed} lines."
    ]
    if detail.note:
        said.append(f"Note: {detail.note}.")
    if planned.stale:
        said.append(
            "Note: other parts of the file changed since you last saw it; read it before relying on them."
        )
    if planned.echo:
        said.append(f"The lines are now:\n{planned.echo}")
    return "\n".join(said)
