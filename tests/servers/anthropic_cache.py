"""The prompt cache of the Messages API, small: exact prefixes, marks, a look back of 20 blocks."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]
LOOK_BACK = 20
BYTES_PER_TOKEN = 4


@dataclass(slots=True)
class PromptCache:
    """Remembers marked prefixes; entries never expire. `minimum` in tokens is the shortest that is kept."""

    minimum: int = 0
    _entries: set[int] = field(default_factory=set)

    def usage(self, body: Json, output: int) -> Json:
        """Count one request as the API does, and remember what it marks."""
        ends: list[tuple[int, int, str]] = []  # hash and tokens up to each block, life of its mark
        so_far, size = hash(body["model"]), 0
        for block in blocks_of(body):
            mark = block.get("cache_control") or {}
            plain = json.dumps({key: value for key, value in block.items() if key != "cache_control"})
            so_far, size = hash((so_far, plain)), size + len(plain)
            ends.append((so_far, size // BYTES_PER_TOKEN, mark.get("ttl", "5m") if mark else ""))
        marks = [at for at, (_, tokens, life) in enumerate(ends) if life and tokens >= self.minimum]
        reach = {at for mark in marks for at in range(max(0, mark - LOOK_BACK), mark + 1)}
        hit = max((at for at in reach if ends[at][0] in self._entries), default=None)
        read = 0 if hit is None else ends[hit][1]
        written = {"5m": 0, "1h": 0}
        done = read
        for at in marks:
            written[ends[at][2]] += max(ends[at][1] - done, 0)
            done = max(done, ends[at][1])
            self._entries.add(ends[at][0])
        return {
            "input_tokens": (ends[-1][1] if ends else 0) - done,
            "cache_creation_input_tokens": sum(written.values()),
            "cache_read_input_tokens": read,
            "cache_creation": {
                "ephemeral_5m_input_tokens": written["5m"],
                "ephemeral_1h_input_tokens": written["1h"],
            },
            "output_tokens": output,
        }


def blocks_of(body: Json) -> Iterator[Json]:
    """Give all blocks of a request in the order in which the API renders them."""
    yield from body.get("tools", ())
    yield from body.get("system", ())
    for message in body["messages"]:
        yield from message["content"]
