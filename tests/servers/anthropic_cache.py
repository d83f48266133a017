"""The prompt cache of the Messages API, small: exact prefixes, marks, a look back of 20 blocks."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]
LOOK_BACK = 20
BYTES_PER_TOKEN = 4
THINKING = ("thinking", "output_config")
"""Fields that are a part of the cache's key, from the messages on."""


@dataclass(slots=True)
class PromptCache:
    """Remembers marked prefixes; entries never expire. `minimum` in tokens is the shortest that is kept.

    What may go wrong on the way: `strip_marks` takes the marks out of what arrives, `lose_all` forgets
    before each request what was kept, `silent` reports nothing of the cache.
    """

    minimum: int = 0
    strip_marks: bool = False
    lose_all: bool = False
    silent: bool = False
    _entries: set[int] = field(default_factory=set)

    def usage(self, body: Json, output: int) -> Json:
        """Count one request as the API does, and remember what it marks."""
        if self.lose_all:
            self._entries.clear()
        ends = list(self._ends(body))
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
        total = ends[-1][1] if ends else 0
        if self.silent:
            return {"input_tokens": total, "output_tokens": output}
        return {
            "input_tokens": total - done,
            "cache_creation_input_tokens": sum(written.values()),
            "cache_read_input_tokens": read,
            "cache_creation": {
                "ephemeral_5m_input_tokens": written["5m"],
                "ephemeral_1h_input_tokens": written["1h"],
            },
            "output_tokens": output,
        }

    def _ends(self, body: Json) -> Iterator[tuple[int, int, str]]:
        """Name the prefix up to each block, with its tokens and the life of its mark ('' for none)."""
        so_far, size = hash(body["model"]), 0
        before = len(body.get("tools", ())) + len(body.get("system", ()))
        for index, block in enumerate(blocks_of(body)):
            if index == before:
                so_far = hash((so_far, json.dumps([body.get(name) for name in THINKING])))
            mark = {} if self.strip_marks else block.get("cache_control") or {}
            plain = json.dumps({key: value for key, value in block.items() if key != "cache_control"})
            so_far, size = hash((so_far, plain)), size + len(plain)
            yield so_far, size // BYTES_PER_TOKEN, mark.get("ttl", "5m") if mark else ""


def blocks_of(body: Json) -> Iterator[Json]:
    """Give all blocks of a request in the order in which the API renders them."""
    yield from body.get("tools", ())
    yield from body.get("system", ())
    for message in body["messages"]:
        yield from message["content"]
