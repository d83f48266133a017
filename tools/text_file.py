"""Text files without loss: what is not edited goes back to disk as the same bytes.

A file counts as text when decoding it and encoding it again provably gives the same bytes. UTF-8
and UTF-16 (with its byte order mark) are certain. Other 8-bit text is taken as Windows-1252 only
when it is mostly ASCII, and then no character may be added that the file does not hold already.
"""

import codecs
import hashlib
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from cutaway.tools.errors import ToolError

Encoding = Literal["utf-8", "utf-16-le", "utf-16-be", "cp1252"]

BYTE_ORDER_MARKS: tuple[tuple[bytes, Encoding], ...] = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
CHUNK = 1 << 20
"""Bytes read at a time, so that memory stays bounded for files of any size."""

LEGACY_SHARE = 4
"""At most one character in this many may be beyond ASCII for 8-bit text to be taken as such."""

_BINARY_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f]")
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")


@dataclass(frozen=True, slots=True)
class Charset:
    """How bytes spell characters; `bom` is hidden from the model and kept on writing."""

    encoding: Encoding = "utf-8"
    bom: bytes = b""

    @property
    def label(self) -> str:
        """Name it for a reader; '' for plain UTF-8, which needs no mention."""
        names = {"utf-8": "UTF-8", "utf-16-le": "UTF-16 LE", "utf-16-be": "UTF-16 BE"}
        if self.encoding == "cp1252":
            return "not UTF-8, shown as Windows-1252"
        return f"{names[self.encoding]} with a byte order mark (hidden here)" if self.bom else ""


@dataclass(frozen=True, slots=True)
class Survey:
    """What a whole file is: counts of line ends, and whether the last line lacks one (`unended`).

    `charset` is None for bytes that are not text; then the counts mean nothing.
    """

    digest: str
    charset: Charset | None
    lf: int = 0
    crlf: int = 0
    cr: int = 0
    unended: bool = False

    @property
    def newline(self) -> str:
        """The character that ends lines: a lone CR does so only in a file without any LF."""
        return "\r" if self.cr and not (self.lf or self.crlf) else "\n"

    @property
    def lines(self) -> int:
        """Number of lines; a last line without a line end counts, nothing after a last end does."""
        return (self.cr if self.newline == "\r" else self.lf + self.crlf) + self.unended

    @property
    def line_ends(self) -> str:
        """Name the line ends for a reader; '' for plain LF."""
        if self.newline == "\r":
            return "CR"
        if self.crlf and self.lf:
            return f"mixed ({self.crlf} CRLF, {self.lf} LF)"
        return "CRLF" if self.crlf else ""


@dataclass(frozen=True, slots=True)
class TextFile:
    """A decoded file; `text` has no byte order mark and keeps every line end as it is on disk."""

    text: str
    charset: Charset
    digest: str

    def encode(self, text: str) -> bytes:
        """Spell `text` as this file spells its own, mark included.

        Raises ToolError for characters that the encoding cannot hold, or not for certain.
        """
        if self.charset.encoding == "cp1252":
            added = set(_BEYOND_ASCII.findall(text)) - set(_BEYOND_ASCII.findall(self.text))
            if added:
                raise ToolError(
                    f"The file is not UTF-8 and its encoding is not certain, so {_named(added)} cannot be "
                    "written safely. Use ASCII (or an escape of the language) in the new text, or convert "
                    "the file to UTF-8 first."
                )
        return encode_text(text, self.charset)


def encode_text(text: str, charset: Charset | None = None) -> bytes:
    """Encode, mark included (plain UTF-8 by default); a lone surrogate or a NUL is a ToolError."""
    charset = charset or Charset()
    if "\0" in text:
        raise ToolError(
            "The new text holds a NUL character, which would make the file binary: it could neither be read "
            "nor edited as text again. Write an escape of the language (such as \\0) in its place."
        )
    try:
        return charset.bom + text.encode(charset.encoding)
    except UnicodeEncodeError as error:
        bad = set(text[error.start : error.end])
        raise ToolError(
            f"The new text holds {_named(bad)}, which is half of a character and cannot be stored. "
            "Send the whole character, or leave it out."
        ) from error


def decode_file(content: bytes, shown: str) -> TextFile:
    """Decode a whole file; raises ToolError, naming it `shown`, when its bytes are not text."""
    survey = survey_file(io.BytesIO(content))
    if survey.charset is None:
        raise ToolError(
            f"{shown} is binary, or text in an encoding that cannot be recognised with certainty (not UTF-8, "
            "no UTF-16 byte order mark). It was not changed. Convert it to UTF-8 first, or use a program "
            "made for this kind of file."
        )
    charset = survey.charset
    text = content[len(charset.bom) :].decode(charset.encoding)
    return TextFile(text, charset, survey.digest)


def survey_file(stream: io.BufferedIOBase) -> Survey:
    """Digest, recognise and count a file of any size in bounded memory; `stream` is seekable."""
    stream.seek(0)
    digest = hashlib.file_digest(stream, "sha256").hexdigest()
    stream.seek(0)
    head = stream.read(4)
    marked = [Charset(encoding, bom) for bom, encoding in BYTE_ORDER_MARKS if head.startswith(bom)]
    for charset in marked or [Charset(), Charset("cp1252")]:
        if survey := _counted(stream, charset, digest):
            return survey
    return Survey(digest, None)


def decoded(stream: io.BufferedIOBase, charset: Charset) -> Iterator[str]:
    """Yield the file's text piece by piece, never cutting a CRLF in two."""
    stream.seek(len(charset.bom))
    decoder = codecs.getincrementaldecoder(charset.encoding)("strict")
    held = ""
    while data := stream.read(CHUNK):
        text = held + decoder.decode(data)
        held = "\r" if text.endswith("\r") else ""
        if text := text[: len(text) - len(held)]:
            yield text
    if text := held + decoder.decode(b"", final=True):
        yield text


def _counted(stream: io.BufferedIOBase, charset: Charset, digest: str) -> Survey | None:
    legacy = charset.encoding == "cp1252"
    lf = crlf = cr = size = strange = 0
    last = ""
    try:
        for text in decoded(stream, charset):
            if "\0" in text or (legacy and _BINARY_CONTROLS.search(text)):
                return None
            pairs = text.count("\r\n")
            crlf += pairs
            lf += text.count("\n") - pairs
            cr += text.count("\r") - pairs
            size += len(text)
            strange += len(_BEYOND_ASCII.findall(text)) if legacy else 0
            last = text[-1]
    except UnicodeDecodeError:
        return None
    if strange * LEGACY_SHARE > size:
        return None
    ends = "\n" if lf or crlf else "\r"
    return Survey(digest, charset, lf, crlf, cr, unended=bool(last) and last != ends)


def split_lines(text: str) -> list[str]:
    """Cut text into lines, each with its line end, at LF and CRLF (at CR when there is no LF).

    `str.splitlines` also cuts at form feeds, U+2028 and others, which are characters of a line.
    """
    end = "\n" if "\n" in text else "\r"
    parts = text.split(end)
    lines = [part + end for part in parts[:-1]]
    return [*lines, parts[-1]] if parts[-1] else lines


def without_end(line: str) -> str:
    """Drop the line end of one line of `split_lines`."""
    return line[:-2] if line.endswith("\r\n") else line[:-1] if line.endswith(("\n", "\r")) else line


def _named(characters: set[str]) -> str:
    return ", ".join(f"U+{ord(char):04X}" for char in sorted(characters)[:5])
