"""The prompt as a row of digested spans in wire order, so that any change can be named."""

import hashlib
from collections.abc import Sequence
from operator import is_
from typing import Literal

from msgspec import Struct

Origin = Literal["tool", "system", "instructions", "workspace", "note", "user", "assistant", "tool-result"]


class Block(Struct, frozen=True, rename="camel"):
    """One span of the prompt; `digest` also names its text in the blob store.

    `tokens` is our own o200k count (an estimate for other vocabularies). `label` says which one it
    is: a tool's name, a file's path, the source of a note, the tool that answered. `parts` are the content
    blocks that it makes on the wire (a note joins the text behind it, if any), `calls` the calls among them.
    """

    origin: Origin
    label: str
    digest: str
    tokens: int
    parts: int = 1
    calls: int = 0


def same_objects(one: Sequence[object], other: Sequence[object]) -> int:
    """How many values at the beginning are the very same, without looking into them: cheap for long rows."""
    same = list(map(is_, one, other))
    return same.index(False) if False in same else len(same)


def text_digest(text: str) -> str:
    """Name a text by the sha256 of its UTF-8 bytes, as hex."""
    return hashlib.sha256(text.encode()).hexdigest()
