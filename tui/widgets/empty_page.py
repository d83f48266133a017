"""What stands in the conversation before anything was said."""

from textual.app import RenderResult
from textual.content import Content
from textual.widget import Widget

from cutaway.harness.ledger import Ledger
from cutaway.tui import format as fmt
from cutaway.tui.transcript.safe_text import one_line
from cutaway.tui.widgets.status import MODE_MEANS

KEYS = (
    ("enter", "send"),
    ("shift+tab", "mode"),
    ("ctrl+p", "commands"),
    ("f1", "all keys"),
    ("ctrl+q", "quit"),
)


class EmptyPage(Widget):
    """Where we are, which model it is, what it may do by itself, and the few keys to begin with."""

    DEFAULT_CSS = "EmptyPage { height: 1fr; padding: 1 2; }"

    def __init__(self, root: str, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._root = root
        self._facts = "opening the session …"

    def show(self, ledger: Ledger) -> None:
        """Take over what is known of the session."""
        started = ledger.started
        if started is None:
            return
        facts = f"{one_line(ledger.model)} through {one_line(ledger.provider)}"
        facts = f"{facts}\n{ledger.mode}: {MODE_MEANS[ledger.mode]}"
        if facts != self._facts:
            self._facts = facts
            self.refresh()

    def render(self) -> RenderResult:
        width = max(12, self.size.width)
        keys: list[tuple[str, str]] = []
        for key, meaning in KEYS:
            keys.extend([("\n", ""), (f"{key:<11}", "bold $primary"), (meaning, "$text-muted")])
        return Content.assemble(
            ("cutaway\n", "bold $foreground"),
            (f"{fmt.folder(self._root, width)}\n{self._facts}\n", "$text-muted"),
            *keys,
        )
