"""Writing a whole file: a new one, or one of which the model knows all that would be lost."""

import asyncio
import os
from functools import cache
from pathlib import Path
from typing import Annotated, ClassVar

from msgspec import Meta, Struct

from cutaway.tools.arguments import input_schema
from cutaway.tools.base import Access, ToolContext, ToolOutput, ToolSpec, WorkspaceFacts
from cutaway.tools.details import FileEdit
from cutaway.tools.diff import describe
from cutaway.tools.edit_engine import rewrite
from cutaway.tools.errors import ToolError
from cutaway.tools.file_state import digest_of
from cutaway.tools.find_file import require_regular, unreadable
from cutaway.tools.planned_edit import PlannedEdit, load_text, require_as_shown
from cutaway.tools.text_file import encode_text
from cutaway.tools.write_file import check_writable, digest_on_disk, in_thread


class CreateArguments(Struct, frozen=True, rename="camel"):
    """What to write, and where."""

    file_path: Annotated[
        str, Meta(description="File, absolute or relative to the workspace. Missing folders are made.")
    ]
    content: Annotated[str, Meta(description="The whole content of the file, with LF line ends.")]


@cache
def _spec() -> ToolSpec:
    return ToolSpec(
        name="create_file",
        display_name="Create file",
        model_description=(
            "Write a whole new file, with its folders. UTF-8, LF, no byte order mark, exactly the content "
            "given: end it with a line end. To change an existing file use replace_string_in_file: an "
            "existing file that is not empty is only overwritten if you have read all of it and it has not "
            "changed since; its encoding and line ends are then kept. An error that says so means: read "
            "the file (all of it) and look at what is new before writing. On an error nothing is changed."
        ),
        input_schema=input_schema(CreateArguments),
        reference_name="create",
        tags=("files", "edit"),
    )


class CreateFile:
    """`create_file`."""

    arguments: ClassVar[type[CreateArguments]] = CreateArguments

    @property
    def spec(self) -> ToolSpec:
        return _spec()

    def available(self, facts: WorkspaceFacts) -> bool:
        return facts.writable

    def access(self, arguments: CreateArguments) -> Access:
        return Access("write", (arguments.file_path,))

    async def preview(self, arguments: CreateArguments, context: ToolContext) -> FileEdit:
        return (await asyncio.to_thread(_plan, arguments, context)).detail

    async def run(self, arguments: CreateArguments, context: ToolContext) -> ToolOutput:
        planned = await asyncio.to_thread(_plan, arguments, context)
        detail = planned.detail
        require_as_shown(detail, context.preview)
        await in_thread(planned.write)
        context.files.saw(planned.path, detail.after_digest, whole=True)
        if detail.created:
            said = f"Created {detail.path} ({detail.added} lines)."
        elif detail.before_digest == detail.after_digest:
            said = f"{detail.path} holds exactly this content already; nothing was written."
        else:
            said = f"Rewrote {detail.path}: +{detail.added} -{detail.removed} lines."
        return ToolOutput(said, detail=detail)


def _plan(arguments: CreateArguments, context: ToolContext) -> PlannedEdit:
    path = context.workspace.resolve(arguments.file_path)
    shown = context.workspace.display(path)
    if arguments.file_path.endswith(("/", os.sep)):
        raise ToolError(f"{arguments.file_path} names a folder. Give the path of the file to write.")
    content = arguments.content.removeprefix("\ufeff")
    size = _size(path, shown)
    if size is not None:
        return _rewritten(path, shown, content, size, context)
    encoded = encode_text(content)
    detail = describe(shown, before="", after=content, before_digest="", after_digest=digest_of(encoded))
    return PlannedEdit(path, encoded, detail)


def _size(path: Path, shown: str) -> int | None:
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    except NotADirectoryError as error:
        raise ToolError(
            f"{shown} cannot be made: a part of its path is a file, not a folder. Choose another path."
        ) from error
    except OSError as error:
        raise unreadable(shown, error) from error
    require_regular(status.st_mode, shown)
    return status.st_size


def _rewritten(path: Path, shown: str, content: str, size: int, context: ToolContext) -> PlannedEdit:
    digest = digest_on_disk(path, shown)
    if digest == digest_of(encode_text(content)):
        same = describe(shown, before="", after="", before_digest=digest, after_digest=digest)
        return PlannedEdit(path, b"", same)
    if size and not context.files.knows_whole(path, digest):
        raise ToolError(_unknown(path, shown, digest, context))
    check_writable(path, shown)
    file = load_text(path, shown)
    after = rewrite(file.text, content)
    encoded = file.encode(after)
    detail = describe(
        shown,
        before=file.text,
        after=after,
        before_digest=file.digest,
        after_digest=digest_of(encoded),
    )
    return PlannedEdit(path, encoded, detail)


def _unknown(path: Path, shown: str, digest: str, context: ToolContext) -> str:
    files = context.files
    if files.knows(path, digest):
        known = f"{shown} exists, and you have seen only a part of it"
    elif files.has_seen(path):
        known = f"{shown} has changed since you read it"
    else:
        known = f"{shown} exists, and you have not read it"
    return (
        f"{known}. It was not overwritten. Change it with replace_string_in_file, or read all of it first "
        "and then write it with what is new in it."
    )
