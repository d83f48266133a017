"""The prompt block by block, in wire order: what each weighs, and whether it had been sent before."""

from cutaway.harness.ledger import TurnView
from cutaway.tui import format as figures
from cutaway.tui.rows import BLANK, Row, row
from cutaway.tui.widgets.meter_rows import ORIGINS


def anatomy_rows(turn: TurnView) -> list[Row]:
    """A row a block with its tokens and the running total; a rule where a cache breakpoint lies."""
    if turn.request is None:
        return [row(("nothing was sent in this turn", "dim"))]
    total = sum(block.tokens for block in turn.blocks)
    new = turn.block_count - turn.new_from
    rows = [
        row(
            (f"{turn.block_count} blocks", "strong"),
            (f"  {figures.tokens(total, estimated=True)} tokens by our count", "dim"),
            (f"  {turn.new_from} kept from the last request, {new} new", "dim"),
        ),
        BLANK,
        row((f"{'':5}{'tokens':>6}{'total':>7}  {'origin':<14}label", "dim")),
    ]
    running = 0
    marks = {mark.block: mark.ttl for mark in turn.request.marks}
    for at, block in enumerate(turn.blocks):
        running += block.tokens
        word, glyph, tone = ORIGINS[block.origin]
        is_new = at >= turn.new_from
        rows.append(
            row(
                (" + " if is_new else " = ", "good" if is_new else "dim"),
                (f"{glyph} ", tone),
                f"{figures.tokens(block.tokens):>6}",
                (f"{figures.tokens(running):>7}", "dim"),
                (f"  {word:<14}", "text" if is_new else "dim"),
                (block.label, "text" if is_new else "dim"),
                hang=34,
            )
        )
        if (ttl := marks.get(at)) is not None:
            rows.append(row((f"   ── cache breakpoint {ttl} " + "─" * 24, "accent")))
    return [*rows, BLANK, row((" + new in this request   = sent before, unchanged", "dim"))]
