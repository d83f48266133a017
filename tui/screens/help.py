"""The key sheet, made from the same actions as the bindings."""

from collections.abc import Iterator, Mapping
from typing import ClassVar, get_args

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import ModalScreen

from cutaway.tui.keymap import ACTIONS, OTHER_KEYS, Group, bindings, key_label, keys_of
from cutaway.tui.rows import BLANK, Row, Rows, row
from cutaway.tui.widgets.row_view import RowView

KEY_CELLS = 32


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
        yield RowView(Rows(self.rows()), id="keys")

    def rows(self) -> Iterator[Row]:
        """The sheet's lines."""
        for number, group in enumerate(get_args(Group)):
            if number:
                yield BLANK
            yield row((group, "title"))
            for each in ACTIONS:
                if each.group == group and each.scope not in ("welcome", "failed", "help"):
                    keys = "  ".join(key_label(key) for key in keys_of(each.id, self._overrides))
                    yield row(
                        (f"{keys:<{KEY_CELLS}}", "accent"),
                        each.title,
                        (f"  {each.tooltip}", "dim"),
                        hang=KEY_CELLS,
                    )
            for keys, meaning in OTHER_KEYS.get(group, ()):
                yield row((f"{keys:<{KEY_CELLS}}", "accent"), meaning, hang=KEY_CELLS)

    def action_close(self) -> None:
        self.dismiss()
