"""A simulated cache: what a provider would report for a request, by the rules that are known of it.

The demo and the tests are answered by it; all that it gives is marked as simulated.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from cutaway.harness.blocks import Block, text_digest
from cutaway.harness.cache.rows import Key, Row
from cutaway.harness.cache.rules import CacheRules
from cutaway.harness.cache.store import PrefixStore
from cutaway.harness.cache.values import Mark
from cutaway.harness.messages import Message
from cutaway.harness.prompt.builder import Draft, drafts_of, tool_block
from cutaway.harness.providers.base import Request
from cutaway.harness.usage import Usage


@dataclass(slots=True)
class Faults:
    """What may be wrong with a provider, for tests: marks lost on the way, a cold cache, no report."""

    strip_marks: bool = False
    lose_all: bool = False
    silent: bool = False


@dataclass(slots=True)
class CacheSimulator:
    """Counts requests as a provider with these rules would; `count` gives the tokens of a text."""

    rules: CacheRules
    count: Callable[[str], int]
    faults: Faults = field(default_factory=Faults)
    _store: PrefixStore = field(init=False)
    _known: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._store = PrefixStore(self.rules)

    def ask(self, request: Request, now: float) -> tuple[Usage, Callable[[], None]]:
        """The usage of a request's input; calling the second value puts it into the cache.

        That is done when the answer begins: two requests at the same time share nothing.
        """
        row, marks = self._row(request)
        if self.faults.lose_all:
            self._store.forget()
        if self.faults.strip_marks:
            marks = []
        outcome = self._store.look(row, marks, now)
        usage = Usage(outcome.fresh, outcome.read, outcome.write_5m, outcome.write_1h)
        return usage, lambda: self._store.keep(row, marks, now)

    def _row(self, request: Request) -> tuple[Row, list[Mark]]:
        blocks: list[Block] = [tool_block(tool) for tool in request.tools]
        blocks += [self._block(Draft("system", "", text)) for text in request.system]
        lasts = []
        for message in request.messages:
            blocks += self._message(message)
            lasts.append(len(blocks) - 1)
        starts = {"tools": 0, "system": len(request.tools)}
        marks = []
        for mark in request.breakpoints:
            at = lasts[mark.index] if mark.after == "messages" else starts[mark.after] + mark.index
            marks.append(Mark(at, mark.ttl))
        return Row(Key("", request.model, request.params.effort or ""), blocks, self.rules), marks

    def _message(self, message: Message) -> list[Block]:
        return [self._block(draft) for draft in drafts_of(message)]

    def _block(self, draft: Draft) -> Block:
        digest = text_digest(draft.text)
        if digest not in self._known:
            self._known[digest] = self.count(draft.text)
        return draft.counted(self._known[digest])
