"""Reading a file: lines for text, a hexdump for anything else, and never more than is useful."""

import asyncio
import io
import os
from functools import cache
from typing import Annotated, ClassVar

from msgspec import Meta, Struct

from cutaway.tools.arguments import input_schema
from cutaway.tools.base import Access, ToolContext, ToolOutput, ToolSpec, WorkspaceFacts
from cutaway.tools.details import FileRead
from cutaway.tools.errors import ToolError
from cutaway.tools.find_file import find_file, open_file, unreadable
from cutaway.tools.read_window import Line, hexdump, read_lines
from cutaway.tools.text_file import Survey, survey_file

MAX_LINES = 2000
DEFAULT_BYTES = 2048
MAX_BYTES = 16_384
"""Bytes of a binary file in one reading; a row of 16 takes about 70 characters."""

IN_MEMORY = 16 << 20
"""Files up to this many bytes are read once; larger ones are streamed, and checked for changes."""

MAX_SIZE = 4 << 30
"""Larger files (and endless ones, as /proc has) take too long to count and digest."""

SEPARATOR = "│"
"""Stands between line number and line: no white space, so that the line's own is beyond doubt."""

_IMAGES = (b"\x89PNG\r\n", b"\xff\xd8\xff", b"GIF8", b"RIFF")


class ReadArguments(Struct, frozen=True, rename="camel"):
    """What to read."""

    file_path: Annotated[str, Meta(description="File, absolute or relative to the workspace.")]
    offset: Annotated[
        int | None,
        Meta(description="First line, 1-based (0 counts as 1). In a binary file: first byte, 0-based."),
    ] = None
    limit: Annotated[
        int | None,
        Meta(description=f"Number of lines, 1 to {MAX_LINES}. In a binary file: number of bytes."),
    ] = None


@cache
def _spec() -> ToolSpec:
    return ToolSpec(
        name="read_file",
        display_name="Read file",
        model_description=(
            "Read a text file. Each line comes as its number, the sign │, and the line exactly as it is "
            "(tabs stay tabs); leave the number and │ out when you quote a line in an edit. At most "
            f"{MAX_LINES} lines or 100 KB at a time; the last line says what remains and the next offset. "
            "Long lines are cut with a mark. Read large parts at once rather than many small ones. "
            "Binary files come as a hexdump; use view_image for pictures and list_dir for folders. "
            "An error says how many lines there are, or which similar names exist."
        ),
        input_schema=input_schema(ReadArguments),
        reference_name="read",
        tags=("files", "read"),
    )


class ReadFile:
    """`read_file`."""

    arguments: ClassVar[type[ReadArguments]] = ReadArguments

    @property
    def spec(self) -> ToolSpec:
        return _spec()

    def available(self, facts: WorkspaceFacts) -> bool:
        return True

    def access(self, arguments: ReadArguments) -> Access:
        return Access("read", (arguments.file_path,))

    async def preview(self, arguments: ReadArguments, context: ToolContext) -> None:
        """Only look whether there is a file, so that nobody is asked about one that is not there."""
        _check(arguments)
        await asyncio.to_thread(find_file, context.workspace, arguments.file_path)

    async def run(self, arguments: ReadArguments, context: ToolContext) -> ToolOutput:
        _check(arguments)
        output, detail = await asyncio.to_thread(_read, arguments, context)
        path = context.workspace.resolve(arguments.file_path)
        context.files.saw(path, detail.digest, whole=detail.whole)
        return ToolOutput(output, detail=detail)


def _check(arguments: ReadArguments) -> None:
    if arguments.offset is not None and arguments.offset < 0:
        raise ToolError(
            f"offset is {arguments.offset}; it counts from the start of the file, so it must be 1 or more. "
            "Read from line 1 to learn how many lines there are."
        )
    if arguments.limit is not None and arguments.limit < 1:
        raise ToolError(f"limit is {arguments.limit}; it must be 1 or more. Leave it out to read on.")


def _read(arguments: ReadArguments, context: ToolContext) -> tuple[str, FileRead]:
    path = find_file(context.workspace, arguments.file_path)
    shown = context.workspace.display(path)
    with open_file(path, shown) as file:
        try:
            before = os.fstat(file.fileno())
            if before.st_size > MAX_SIZE:
                raise ToolError(
                    f"{shown} has {before.st_size} bytes, too many to read here. Take the part that you need "
                    "with a terminal command such as head, tail or grep."
                )
            content = file.read(IN_MEMORY + 1)
            small = len(content) <= IN_MEMORY
            stream: io.BufferedIOBase = io.BytesIO(content) if small else file
            survey = survey_file(stream)
            reading = _lines if survey.charset else _bytes
            result = reading(arguments, stream, survey, shown)
            after = os.fstat(file.fileno())
        except OSError as error:
            raise unreadable(shown, error) from error
        except UnicodeDecodeError as error:
            raise _unsteady(shown) from error
    if not small and (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise _unsteady(shown)
    return result


def _unsteady(shown: str) -> ToolError:
    return ToolError(f"{shown} is being written right now. Read it again when that is done.")


def _lines(
    arguments: ReadArguments, stream: io.BufferedIOBase, survey: Survey, shown: str
) -> tuple[str, FileRead]:
    total = survey.lines
    first = max(1, arguments.offset or 1)
    if not total:
        detail = FileRead(shown, survey.digest, 0, 0, 0, "", whole=True)
        return f"[{shown} exists and is empty: 0 lines{_nature(survey)}]", detail
    if first > total:
        raise ToolError(
            f"{shown} has {total} line{'s' * (total != 1)}; offset {first} is past its end. The last line is "
            f"number {total}."
        )
    lines = read_lines(stream, survey, first, min(arguments.limit or MAX_LINES, MAX_LINES))
    last = first + len(lines) - 1
    width = len(str(last))
    numbered = [f"{number:>{width}}{SEPARATOR}{line.shown}" for number, line in enumerate(lines, first)]
    cut = any(line.length > len(line.text) for line in lines)
    detail = FileRead(
        path=shown,
        digest=survey.digest,
        first_line=first,
        last_line=last,
        total_lines=total,
        text="\n".join(line.shown for line in lines),
        whole=first == 1 and last == total and not cut,
    )
    return "\n".join([*numbered, _footer(lines, first, last, survey)]), detail


def _footer(lines: list[Line], first: int, last: int, survey: Survey) -> str:
    total = survey.lines
    cut = [number for number, line in enumerate(lines, first) if line.length > len(line.text)]
    if last < total:
        rest = total - last
        said = (
            f"lines {first} to {last} of {total}; {rest} more line{'s' * (rest != 1)}: go on with "
            f"offset {last + 1}"
        )
    elif first > 1:
        said = f"lines {first} to {last} of {total}, the end of the file"
    else:
        said = f"end of file, {total} line{'s' * (total != 1)}"
    if last == total and survey.unended:
        said += ", no line end after the last one"
    if cut:
        listed = ", ".join(map(str, cut[:5])) + (", …" if len(cut) > 5 else "")
        said += f"; cut: line{'s' * (len(cut) != 1)} {listed} (grep_search shows the text around a match)"
    return f"[{said}{_nature(survey)}]"


def _nature(survey: Survey) -> str:
    """Tell what a reader cannot see and an edit keeps: unusual line ends and encodings."""
    ends = f"line ends: {survey.line_ends}" if survey.line_ends else ""
    label = survey.charset.label if survey.charset else ""
    return "".join(f"; {fact}" for fact in (ends, label) if fact)


def _bytes(
    arguments: ReadArguments, stream: io.BufferedIOBase, survey: Survey, shown: str
) -> tuple[str, FileRead]:
    size = stream.seek(0, os.SEEK_END)
    first = arguments.offset or 0
    if first >= size:
        raise ToolError(
            f"{shown} is binary and has {size} bytes; byte offset {first} is past its end (the last is "
            f"{size - 1})."
        )
    stream.seek(first)
    content = stream.read(min(arguments.limit or DEFAULT_BYTES, MAX_BYTES))
    last = first + len(content) - 1
    dump = hexdump(content, first)
    stream.seek(0)
    kind = "; view_image shows pictures" if stream.read(8).startswith(_IMAGES) else ""
    rest = size - last - 1
    more = f"{rest} more: go on with offset {last + 1}" if rest else "the end of the file"
    head = f"[{shown} is binary, or text in an unknown encoding: {size} bytes{kind}]"
    detail = FileRead(shown, survey.digest, first, last, size, dump, binary=True)
    return f"{head}\n{dump}\n[bytes {first} to {last} of {size}; {more}]", detail
