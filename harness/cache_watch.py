"""Watch the provider's cache from call to call: where to mark, what to expect, what came of it."""

from dataclasses import dataclass

from msgspec.structs import replace

from cutaway.harness.cache.breakpoints import breakpoints_of, place
from cutaway.harness.cache.rows import Key, Row
from cutaway.harness.cache.values import Mark, Prediction, Verdict
from cutaway.harness.cache.verdict import judge
from cutaway.harness.prompt.builder import BuiltPrompt
from cutaway.harness.providers.base import Completed
from cutaway.harness.seams import Model, Seams
from cutaway.harness.usage import Price, Usage


@dataclass(frozen=True, slots=True)
class Expected:
    """A request with its marks, and what it is expected to read; said before it is sent."""

    built: BuiltPrompt
    row: Row
    marks: tuple[Mark, ...]
    prediction: Prediction
    explicit: bool
    """True where the provider caches only what is marked."""


def expect(seams: Seams, model: Model, built: BuiltPrompt) -> Expected:
    """Place the marks of a request and predict it; the request then says what the provider should cache."""
    key = Key(model.provider.family, model.name, built.request.params.effort or "")
    state = seams.ledger.cache.state
    row = Row(key, built.blocks, before=state.last.row if state.last else None)
    rules = state.rules(key)
    last, marks = state.last, list[Mark]()
    if rules.kind in ("marks", "unknown"):
        known = last if last is not None and last.row.key == key else None
        before, marked = (known.row, known.marks) if known else (None, ())
        marks = place(seams.caching.strategy, row, seams.caching.ttl, before, marked)
    request = replace(
        built.request,
        breakpoints=breakpoints_of(row, marks, built.request, built.lasts),
        cache_key=seams.session_id,
        previous_response=_previous_response(seams, model),
    )
    prediction = state.predict(row, marks, seams.clock.now().timestamp(), model.price)
    told = BuiltPrompt(request, built.blocks, built.kept, built.lasts)
    return Expected(told, row, tuple(marks), prediction, rules.kind == "marks")


def verdict_on(expected: Expected, completed: Completed, usage: Usage, price: Price | None) -> Verdict:
    """Say in a word what the cache did; a usage that we had to estimate says nothing about it."""
    return judge(
        expected.prediction,
        usage,
        reported=completed.cache_reported and not usage.estimated,
        price=price,
        diagnosis=completed.diagnosis,
        marked=expected.explicit and bool(expected.marks),
    )


def _previous_response(seams: Seams, model: Model) -> str:
    """The provider's name for its last answer, so that it can say itself why its cache missed."""
    turns = reversed(seams.ledger.turns.values())
    turn = next((one for one in turns if one.response is not None and one.request is not None), None)
    if turn is None or turn.request is None or turn.response is None:
        return ""
    same = (turn.request.provider, turn.request.model) == (model.provider.name, model.name)
    return turn.response.response_id if same else ""
