"""One record as one JSON line, and back, with large texts moved out to blobs.

A line is `{"id","parentId","timestamp","type","data","agentId"?,"ephemeral"?}` and a line feed.
Inside `data`, `{"$blob": digest}` stands for a text that lies in the blob store.
"""

import re
from functools import cache
from typing import Any

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import fields, replace

from cutaway.harness.eventlog.blobs import Blobs
from cutaway.harness.events import EVENT_TYPES, Event, Record, UnknownEvent
from cutaway.harness.messages import scrub
from cutaway.harness.stored_text import StoredText, Text, lost_text

BLOB_THRESHOLD = 16 * 1024
"""Texts of more characters than this go to the blob store: small enough that a line stays readable,
large enough that most lines need no second file."""

_BLOB = "$blob"
_BLOB_MARK = b'"$blob"'
_ESCAPE = re.compile(rb"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89a-fA-F]..)|.)", re.DOTALL)
"""An escape in JSON, a surrogate pair as one; the group matches a surrogate that stands alone."""

_LINE_ENDS = (  # what other readers of JSON lines take for the end of a line
    (b"\xe2\x80\xa8", rb"\u2028"),
    (b"\xe2\x80\xa9", rb"\u2029"),
    (b"\xc2\x85", rb"\u0085"),
)


class BadLine(ValueError):
    """A line of a log that is not a record; the message says why."""


class Envelope(Struct, frozen=True, rename="camel", omit_defaults=True):
    """A line as it lies on disk, its data not yet read."""

    id: str
    parent_id: str | None
    timestamp: str
    type: str
    data: Raw
    agent_id: str | None = None
    ephemeral: bool = False


@cache
def _encoder() -> msgspec.json.Encoder:
    return msgspec.json.Encoder()


@cache
def _decoder(type_name: str) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(EVENT_TYPES[type_name])


@cache
def _envelope_decoder() -> msgspec.json.Decoder[Envelope]:
    return msgspec.json.Decoder(Envelope)


def encode_line(record: Record, blobs: Blobs | None = None) -> bytes:
    """Write a record as one line; without `blobs` large texts stay in it.

    Raises OSError when a blob cannot be written.
    """
    event = record.event
    if isinstance(event, UnknownEvent):
        # JSON has line ends between its tokens only, where they are white space.
        data, ephemeral = event.data.replace(b"\n", b" ").replace(b"\r", b" "), False
    else:
        data, ephemeral = _event_data(event, blobs), event.ephemeral
    envelope = Envelope(
        record.id, record.parent_id, record.timestamp, event.type, Raw(data), record.agent_id, ephemeral
    )
    return _encoder().encode(envelope) + b"\n"


def decode_line(line: bytes, blobs: Blobs | None = None) -> Record:
    """Read a line, with or without its line feed; raises BadLine.

    A type that this version does not know becomes an UnknownEvent with its data byte for byte. A
    text whose blob is lost is replaced by one sentence that says so (and `blobs.lost` counts it).
    What `set_aside` takes stays in the store.
    """
    try:
        envelope = read_envelope(line)
        kind = EVENT_TYPES.get(envelope.type)
        raw = bytes(envelope.data)
        event: Event = UnknownEvent(envelope.type, raw) if kind is None else _decoded_data(kind, raw, blobs)
    except (ValueError, RecursionError) as error:
        raise BadLine(str(error)) from error
    return Record(envelope.id, envelope.parent_id, envelope.timestamp, event, envelope.agent_id)


def read_envelope(line: bytes) -> Envelope:
    """Check that a line is JSON in our envelope without reading its data.

    Raises ValueError (of msgspec), or RecursionError for JSON that is nested too deep.
    """
    try:
        return _envelope_decoder().decode(line)
    except msgspec.DecodeError:
        return _envelope_decoder().decode(_without_lone_surrogates(line))


def set_aside(event: Event, blobs: Blobs) -> Event:
    """Put references in the place of large texts of `Text` fields that the store has on the disk."""
    texts = {name: getattr(event, name) for name in _aside(type(event))}
    stored = {
        name: reference
        for name, text in texts.items()
        if isinstance(text, str) and len(text) > BLOB_THRESHOLD and (reference := blobs.reference(text))
    }
    return replace(event, **stored) if stored else event


def whole(event: Event) -> Event:
    """Put the texts themselves in the place of references."""
    texts = {name: getattr(event, name) for name in _aside(type(event))}
    read = {name: text.read() for name, text in texts.items() if isinstance(text, StoredText)}
    return replace(event, **read) if read else event


@cache
def _aside(kind: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if field.type == Text)


def clean(event: Event) -> Event:
    """Return the event itself, or a whole copy without lone surrogates when it cannot be encoded.

    Raises ValueError when the data of an unknown event is not JSON, TypeError for values that have none.
    """
    if isinstance(event, UnknownEvent):
        msgspec.json.decode(event.data)
        return event
    event = whole(event)
    try:
        _encoder().encode(event)
    except UnicodeEncodeError:
        cleaned: Event = msgspec.convert(_scrubbed(msgspec.to_builtins(event)), type(event))
        return cleaned
    return event


def _event_data(event: Event, blobs: Blobs | None) -> bytes:
    event = whole(event)
    try:
        if blobs is None or not _holds_large_text(event):  # else it is too long, and megabytes to encode
            data = _encoder().encode(event)
            if blobs is None or len(data) <= BLOB_THRESHOLD:
                return _on_one_line(data)
        return _on_one_line(_encoder().encode(_moved_out(msgspec.to_builtins(event), blobs)))
    except UnicodeEncodeError:
        return _event_data(clean(event), blobs)


def _holds_large_text(event: Event) -> bool:
    values = (getattr(event, name) for name in event.__struct_fields__)
    return any(isinstance(value, str) and len(value) > BLOB_THRESHOLD for value in values)


def _on_one_line(data: bytes) -> bytes:
    if not data.isascii():
        for raw, escaped in _LINE_ENDS:
            data = data.replace(raw, escaped)
    return data


def _decoded_data(kind: type[Any], raw: bytes, blobs: Blobs | None) -> Event:
    event: Event
    if blobs is not None and _BLOB_MARK in raw:
        event = set_aside(msgspec.convert(_put_back(msgspec.json.decode(raw), blobs), kind), blobs)
    else:
        event = _decoder(kind.type).decode(raw)
    return event


def _without_lone_surrogates(line: bytes) -> bytes:
    """Mend what other writers let in and our reader refuses: escaped surrogates that are no pair."""
    return _ESCAPE.sub(lambda escape: rb"\ufffd" if escape[1] else escape[0], line)


def _moved_out(value: object, blobs: Blobs) -> object:
    match value:
        case str():
            return {_BLOB: blobs.put(value)} if len(value) > BLOB_THRESHOLD else value
        case dict():
            return {key: _moved_out(item, blobs) for key, item in value.items()}
        case list() | tuple():
            return [_moved_out(item, blobs) for item in value]
        case _:
            return value


def _put_back(value: object, blobs: Blobs) -> object:
    match value:
        case {"$blob": str(digest), **rest} if not rest:
            text = blobs.get(digest)
            return lost_text(digest) if text is None else text
        case dict():
            return {key: _put_back(item, blobs) for key, item in value.items()}
        case list():
            return [_put_back(item, blobs) for item in value]
        case _:
            return value


def _scrubbed(value: object) -> object:
    match value:
        case str():
            return scrub(value)
        case dict():
            return {_scrubbed(key): _scrubbed(item) for key, item in value.items()}
        case list() | tuple():
            return [_scrubbed(item) for item in value]
        case _:
            return value
