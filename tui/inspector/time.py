"""A turn's time as a waterfall; a person's time is never counted as a tool's."""

from collections.abc import Sequence

from cutaway.harness.ledger import TurnView
from cutaway.harness.ledger.timeline import Span, SpanKind, timeline
from cutaway.tui import format as figures
from cutaway.tui.rows import BLANK, Row, Tone, row
from cutaway.tui.transcript.wrap import cut

_LOOKS: dict[SpanKind, tuple[str, Tone]] = {
    "build": ("▒", "dim"),
    "connect": ("░", "name"),
    "first token": ("▒", "name"),
    "stream": ("█", "name"),
    "model": ("█", "name"),
    "retry": ("·", "warn"),
    "you": ("░", "warn"),
    "tool": ("█", "good"),
}
LABEL_CELLS = 30


class Waterfall:
    """The spans of a turn on one scale."""

    def __init__(self, turn: TurnView) -> None:
        self._spans = timeline(turn)

    def lines(self, width: int) -> Sequence[Row]:
        if not self._spans:
            return [row(("nothing was timed in this turn", "dim"))]
        whole = max(span.start + span.length for span in self._spans)
        bar = max(width - LABEL_CELLS - 8, 8)
        rows = [_span_row(span, whole, bar) for span in self._spans]
        return [*rows, BLANK, *self._sums(whole)]

    def _sums(self, whole: float) -> list[Row]:
        groups: tuple[tuple[str, set[SpanKind]], ...] = (
            ("the model", {"connect", "first token", "stream", "model"}),
            ("waiting between attempts", {"retry"}),
            ("waiting for you", {"you"}),
            ("tools", {"tool"}),
        )
        rows = []
        for label, kinds in groups:
            if length := sum(span.length for span in self._spans if span.kind in kinds):
                rows.append(_sum(label, length))
        return [*rows, _sum("from start to end", whole)]


def _sum(label: str, length: float) -> Row:
    return row((f"{label:<{LABEL_CELLS}}", "dim"), f"{figures.duration(length / 1000):>7}")


def _span_row(span: Span, whole: float, cells: int) -> Row:
    glyph, tone = _LOOKS[span.kind]
    start = min(int(span.start * cells / whole), cells - 1) if whole else 0
    length = min(max(round(span.length * cells / whole), 1), cells - start) if whole else 1
    label = cut(row(span.label).text, LABEL_CELLS - 1)
    return row(
        f"{label:<{LABEL_CELLS}}",
        f"{figures.duration(span.length / 1000):>7} ",
        " " * start,
        (glyph * length, tone),
    )
