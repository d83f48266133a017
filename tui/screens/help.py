"""The key sheet, made from the same actions as the bindings."""

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, get_args

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import ModalScreen

from cutaway.tui.keymap import ACTIONS, OTHER_KEYS, Group, bindings, key_label, keys_of
from cutaway.tui.rows import BLANK, Row, row, wrap
from cutaway.tui.widgets.row_view import RowView

KEY_CELLS, FEW_KEY_CELLS = 32, 20
"""Cells for the keys where there is room, and where only the first keys are named."""

ROOMY = 84


class KeySheet:
    """The sheet's rows for any width."""

    def __init__(self, overrides: Mapping[str, str]) -> None:
        self._overrides = overrides

    def lines(self, width: int) -> Sequence[Row]:
        cells = KEY_CELLS if width >= ROOMY else FEW_KEY_CELLS
        return [line for each in self._rows(cells) for line in wrap(each, width)]

    def _rows(self, cells: int) -> Iterator[Row]:
        for number, group in enumerate(get_args(Group)):
            if number:
                yield BLANK
            yield row((group, "title"))
            for each in ACTIONS:
                if each.group == group and each.scope in ("app", "main", "prompt"):
                    keys = _fitting(keys_of(each.id, self._overrides), cells)
                    yield row((keys, "accent"), each.title, (f"  {each.tooltip}", "dim"), hang=cells)
            for keys, meaning in OTHER_KEYS.get(group, ()):
                yield row((f"{keys:<{cells}}", "accent"), meaning, hang=cells)


def _fitting(keys: Sequence[str], cells: int) -> str:
    """As many of the keys, from the first, as fit."""
    shown = ""
    for key in keys:
        longer = f"{shown}  {key_label(key)}" if shown else key_label(key)
        if len(longer) > cells - 1:
            break
        shown = longer
    return f"{shown:<{cells}}"


class HelpScreen(ModalScreen[None]):
    """Every key and what it does, by group; it scrolls, and closes with the key that opened it."""

    DEFAULT_CSS = """
    HelpScreen { align: center middle; background: $background 80%; }
    HelpScreen RowView {
        width: 90%; max-width: 112; height: auto; max-height: 90%; padding: 1 2; background: $surface;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("help")]

    def __init__(self, overrides: Mapping[str, str]) -> None:
        super().__init__()
        self._overrides = overrides

    def compose(self) -> ComposeResult:
        yield RowView(KeySheet(self._overrides), id="keys")

    def action_close(self) -> None:
        self.dismiss()
