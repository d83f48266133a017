"""Where everything stands: blocks and their sections by row, drawn when looked at, measured when idle.

A section is drawn once for a width. Its rows may be dropped again when others are looked at; its height and
its plain words stay. Heights that are not known yet are estimated, and whoever moves the view keeps it still
by an `Anchor`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from cutaway.tui.transcript.blocks import TranscriptBlock
from cutaway.tui.transcript.chunks import Chunk, Splitter
from cutaway.tui.transcript.draw import Draughtsman, body_text, gap_before, head_of, splitter_for
from cutaway.tui.transcript.heights import Heights
from cutaway.tui.transcript.ink import Line

DRAWN_SECTIONS = 256
"""Sections whose rows are kept, some ten screens; what is further away is drawn again when it is looked at.
Every row that is kept is work for the garbage collector, which would be felt as a pause at the keys."""


@dataclass(slots=True, eq=False)
class Section:
    """A chunk as it stands in the layout."""

    chunk: Chunk
    height: int
    """Rows, an estimate until `measured`; a blank row before it included."""
    measured: bool = False
    lines: tuple[Line, ...] | None = None
    plain: str | None = None

    @property
    def blank(self) -> int:
        """Blank rows above the section's own."""
        return 1 if self.chunk.join == "\n\n" else 0


@dataclass(slots=True, eq=False)
class Placed:
    """A block as it stands in the layout."""

    block: TranscriptBlock
    serial: int
    """Grows in the order of the blocks; never used twice."""
    index: int
    gap: int
    splitter: Splitter
    sections: list[Section] = field(default_factory=list)
    heights: Heights = field(default_factory=Heights)
    open: bool = False
    """Whether its last line may still grow."""
    frozen: int = 0
    """Sections at the front that are final."""
    ahead: int = 0
    """Sections at the front that need not be looked at to draw ahead."""
    arrived: list[str] = field(default_factory=list)
    """Text that came after `block.text` was last put together."""

    @property
    def height(self) -> int:
        """Rows of the block, with the blank one before it."""
        return self.gap + self.heights.total

    @property
    def text(self) -> str:
        """The source text, with all that has arrived."""
        return self.block.text + "".join(self.arrived)


class Spot(NamedTuple):
    """A row: the block, the section, the row in that section; section -1 is the blank row before a block."""

    placed: Placed
    section: int
    row: int


class Anchor(NamedTuple):
    """Something that is to stay where it is on the screen while heights change."""

    placed: Placed
    section: int
    row: int
    screen_row: int


class Layout:
    """The blocks of a transcript, in rows."""

    def __init__(self) -> None:
        self.width = 80
        self.placed: list[Placed] = []
        self.draws = 0
        """How many sections were drawn so far: what work was done, for tests and the benchmark."""
        self._by_id: dict[str, Placed] = {}
        self._heights = Heights()
        self._serial = 0
        self._draughtsman = Draughtsman()
        self._drawn: OrderedDict[Section, None] = OrderedDict()

    # blocks

    @property
    def height(self) -> int:
        """Rows of everything."""
        return self._heights.total

    def __contains__(self, block_id: str) -> bool:
        return block_id in self._by_id

    def get(self, block_id: str) -> Placed:
        """Find a block; raises `KeyError` if there is none of that id."""
        return self._by_id[block_id]

    def append(self, block: TranscriptBlock, *, open: bool = False) -> Placed:
        """Put a block at the end; `open` if more of its text is to come."""
        if block.id in self._by_id:
            raise ValueError(f"the transcript has a block {block.id!r}; update it, or take another id")
        previous = self.placed[-1].block if self.placed else None
        self._serial += 1
        gap = gap_before(previous, block)
        placed = Placed(block, self._serial, len(self.placed), gap, splitter_for(block.kind))
        placed.splitter.feed(body_text(block))
        placed.open = open
        if not open:
            placed.splitter.close()
        self.placed.append(placed)
        self._by_id[block.id] = placed
        self._heights.replace_from(placed.index, [0])
        self._sync(placed)
        return placed

    def stream(self, placed: Placed, delta: str) -> None:
        """Take more text of a block; it is placed with the next `sync`."""
        if placed.block.kind == "call":
            self.update(placed, text=placed.text + delta)
            return
        if not placed.open:
            self._forget(placed, 0)
            placed.splitter = splitter_for(placed.block.kind)
            placed.splitter.feed(body_text(placed.block))
            placed.open = True
            self._sync(placed)
        placed.arrived.append(delta)
        placed.splitter.feed(delta)

    def sync(self, placed: Placed, *, end: bool = False) -> None:
        """Place what has arrived."""
        if end:
            placed.splitter.close()
            placed.open = False
        if end or (placed.block.collapsed and placed.arrived):
            placed.block = replace(placed.block, text=placed.text)
            placed.arrived.clear()
            if placed.block.collapsed:
                self._renew_head(placed)  # it shows the first words, and how many lines are behind it
        self._sync(placed)

    def update(self, placed: Placed, **changes: Any) -> None:
        """Change fields of a block; its body is kept unless its text or kind changed."""
        before = placed.block
        after = replace(before, **{"text": placed.text, **changes})
        placed.block = after
        placed.arrived.clear()
        if "text" in changes or after.kind != before.kind:
            placed.splitter = splitter_for(after.kind)
            placed.splitter.feed(body_text(after))
            placed.splitter.close()
            placed.open = False
            self._forget(placed, 0)
        head = head_of(after)
        had_head = bool(placed.sections) and placed.sections[0].chunk.kind == "head"
        if after.collapsed != before.collapsed or had_head != (head is not None):
            self._forget(placed, 0)
        elif had_head:
            self._renew_head(placed)
        self._sync(placed)

    def _renew_head(self, placed: Placed) -> None:
        if placed.sections and (head := head_of(placed.block)) is not None:
            self._drawn.pop(placed.sections[0], None)
            placed.sections[0] = Section(head, 1)

    def remove(self, placed: Placed) -> None:
        """Take a block out."""
        self._forget(placed, 0)
        del self._by_id[placed.block.id]
        del self.placed[placed.index]
        self._heights.remove(placed.index)
        for index in range(placed.index, len(self.placed)):
            self.placed[index].index = index
        if placed.index < len(self.placed):
            follower = self.placed[placed.index]
            previous = self.placed[placed.index - 1].block if placed.index else None
            follower.gap = gap_before(previous, follower.block)
            self._heights.set(follower.index, follower.height)

    def clear(self) -> None:
        """Take everything out; serials go on."""
        self.placed.clear()
        self._by_id.clear()
        self._drawn.clear()
        self._heights = Heights()

    def _chunks(self, placed: Placed) -> list[Chunk]:
        """The chunks from the first one that is not final on."""
        head = head_of(placed.block)
        fresh = [head] if head is not None and not placed.sections else []
        if placed.block.collapsed:
            return fresh
        heads = 0 if head is None else 1
        start = max(0, placed.frozen - heads)
        return [*fresh, *placed.splitter.frozen[start:], *placed.splitter.tail()]

    def _sync(self, placed: Placed) -> None:
        """Bring the sections in line with the chunks, keeping those whose chunk is the same object."""
        if placed.block.collapsed and placed.sections:
            self._heights.set(placed.index, placed.height)
            return
        chunks = self._chunks(placed)
        start = placed.frozen
        old = placed.sections[start:]
        kept = 0
        while kept < min(len(old), len(chunks)) and old[kept].chunk is chunks[kept]:
            kept += 1
        self._forget(placed, start + kept)
        fresh = [Section(chunk, self._estimate(chunk)) for chunk in chunks[kept:]]
        placed.sections.extend(fresh)
        placed.heights.replace_from(start + kept, [section.height for section in fresh])
        heads = 1 if placed.sections and placed.sections[0].chunk.kind == "head" else 0
        placed.frozen = heads + (0 if placed.block.collapsed else len(placed.splitter.frozen))
        self._heights.set(placed.index, placed.height)

    def _forget(self, placed: Placed, start: int) -> None:
        for section in placed.sections[start:]:
            self._drawn.pop(section, None)
        del placed.sections[start:]
        placed.heights.replace_from(start, ())
        placed.frozen = min(placed.frozen, start)
        placed.ahead = min(placed.ahead, start)

    # rows

    def set_width(self, width: int) -> None:
        """Lay out for another width: all heights are estimates until looked at or until `settle` comes by."""
        if width == self.width:
            return
        self.width = max(1, width)
        self._drawn.clear()
        for placed in self.placed:
            for section in placed.sections:
                section.measured, section.lines = False, None
                section.height = self._estimate(section.chunk)
            placed.heights.replace_from(0, [section.height for section in placed.sections])
        self._heights.replace_from(0, [placed.height for placed in self.placed])

    def _estimate(self, chunk: Chunk) -> int:
        if chunk.kind == "head":
            return 1
        rows = sum(len(line) // self.width + 1 for line in chunk.text.split("\n"))
        return rows + (1 if chunk.join == "\n\n" else 0)

    def start(self, placed: Placed) -> int:
        """The row at which a block begins, its blank row included."""
        return self._heights.start(placed.index)

    def spot(self, row: int) -> Spot | None:
        """Find what is at a row; `None` past the end."""
        if not 0 <= row < self.height:
            return None
        placed = self.placed[self._heights.find(row)]
        row -= self.start(placed) + placed.gap
        if row < 0 or not placed.sections:
            return Spot(placed, -1, 0)
        index = placed.heights.find(row)
        return Spot(placed, index, row - placed.heights.start(index))

    def row_of(self, placed: Placed, section: int, row: int) -> int:
        """The row at which something stands now; the nearest one if it is no longer there."""
        start = self.start(placed)
        if section < 0 or not placed.sections:
            return start
        section = min(section, len(placed.sections) - 1)
        return start + placed.gap + placed.heights.start(section) + min(row, placed.heights[section] - 1)

    def row_of_text(self, placed: Placed, section: int, at: int) -> int:
        """The row that shows a character of a section's plain words."""
        lines = self._lines(placed, section)
        row = next((i for i in range(len(lines) - 1, -1, -1) if lines[i].at <= at), 0)
        return self.row_of(placed, section, row + placed.sections[section].blank)

    def line(self, spot: Spot) -> Line | None:
        """The row itself, drawn if it has to be; `None` for a blank row between sections and blocks."""
        if spot.section < 0:
            return None
        section = spot.placed.sections[spot.section]
        lines = self._lines(spot.placed, spot.section)
        row = spot.row - section.blank
        return lines[row] if 0 <= row < len(lines) else None

    def plain(self, placed: Placed, index: int) -> str:
        """The plain words of a section, drawn if they have never been."""
        if (plain := placed.sections[index].plain) is None:
            self._lines(placed, index)
            plain = placed.sections[index].plain or ""
        return plain

    def _lines(self, placed: Placed, index: int) -> tuple[Line, ...]:
        section = placed.sections[index]
        if section.lines is None:
            section.lines = self._draw(placed, index)
            self._drawn[section] = None
            while len(self._drawn) > DRAWN_SECTIONS:
                self._drawn.popitem(last=False)[0].lines = None
        else:
            self._drawn.move_to_end(section)
        return section.lines

    def _draw(self, placed: Placed, index: int) -> tuple[Line, ...]:
        section = placed.sections[index]
        self.draws += 1
        lines, section.plain = self._draughtsman.draw(placed.block, section.chunk, self.width)
        section.measured = True
        section.height = len(lines) + section.blank
        placed.heights.set(index, section.height)
        self._heights.set(placed.index, placed.height)
        return lines

    # measuring

    def anchor(self, top: int, height: int) -> Anchor | None:
        """Choose what is to stay still in a view of `height` rows from row `top`: the first measured row."""
        row = top
        first: Anchor | None = None
        while row < top + height and (spot := self.spot(row)) is not None:
            anchor = Anchor(spot.placed, spot.section, spot.row, row - top)
            first = first or anchor
            if spot.section < 0 or spot.placed.sections[spot.section].measured:
                return anchor
            row += spot.placed.heights[spot.section] - spot.row
        return first

    def top_for(self, anchor: Anchor) -> int:
        """The first row of a view in which the anchor stands where it stood."""
        if anchor.placed.block.id not in self._by_id:
            last = len(self.placed) - 1
            return self.start(self.placed[min(anchor.placed.index, last)]) if self.placed else 0
        return self.row_of(anchor.placed, anchor.section, anchor.row) - anchor.screen_row

    def end(self) -> Anchor | None:
        """Mark the present end, for `rows_after`; it is counted from what is final, so that it holds."""
        if not self.placed:
            return None
        placed = self.placed[-1]
        section = min(placed.frozen, max(0, len(placed.sections) - 1))
        return Anchor(placed, section, placed.heights.total - placed.heights.start(section), 0)

    def rows_after(self, end: Anchor | None) -> int:
        """Count the rows that came after an end that was marked."""
        if end is None:
            return self.height
        if end.placed.block.id not in self._by_id:
            return 0
        section = min(end.section, max(0, len(end.placed.sections) - 1))
        row = self.start(end.placed) + end.placed.gap + end.placed.heights.start(section) + end.row
        return max(0, self.height - row)

    def measure(self, top: int, height: int) -> None:
        """Make the heights of all sections that touch some rows true; heights outside may stay estimates."""
        row = max(0, top)
        while row < top + height and (spot := self.spot(row)) is not None:
            if spot.section < 0:
                row += 1
                continue
            section = spot.placed.sections[spot.section]
            if not section.measured:
                self._lines(spot.placed, spot.section)
            row = self.row_of(spot.placed, spot.section, 0) + section.height

    def draw_ahead(self, placed: Placed, stop: Callable[[], bool]) -> None:
        """Draw what is final of a block that grows, until `stop`."""
        while placed.ahead < placed.frozen and not stop():
            if not placed.sections[placed.ahead].measured:
                self._lines(placed, placed.ahead)
            placed.ahead += 1

    def settle(self) -> Iterator[None]:
        """Make all heights true, from the end back, one section a step."""
        for placed in reversed(tuple(self.placed)):
            if self._by_id.get(placed.block.id) is not placed:
                continue
            for index in range(len(placed.sections) - 1, -1, -1):
                if index < len(placed.sections) and not placed.sections[index].measured:
                    self._draw(placed, index)  # its rows are not kept: they would drive out those in view
                    yield
