"""The one status line: what is happening at the left, where we are at the right."""

from rich.cells import cell_len
from textual.app import RenderResult
from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget

from cutaway.harness.events import Mode
from cutaway.harness.ledger import Ledger, LoopStep
from cutaway.tui import format as fmt
from cutaway.tui.transcript.safe_text import one_line
from cutaway.tui.transcript.wrap import cut

Piece = tuple[str, str]

MODES: tuple[Mode, ...] = ("plan", "interactive", "accept-edits", "autopilot")
MODE_MEANS: dict[Mode, str] = {
    "plan": "reads only",
    "interactive": "asks before it writes or runs",
    "accept-edits": "edits in this folder without asking",
    "autopilot": "asks only at the floor",
}
STEP_WORDS: dict[LoopStep, str] = {
    "idle": "ready",
    "build": "building the prompt",
    "call": "model",
    "retry": "waiting to retry",
    "tools?": "tools?",
    "asking": "asks you",
    "execute": "tools",
    "limit": "asks you",
}
GAP = "  "
TITLE_CELLS = 36
"""Cells of the session's title, which stands in the place of its id once there is one."""


class Status(Widget):
    """Mode and model, what runs, branch, folder and session; the least needed parts go first."""

    DEFAULT_CSS = "Status { height: 1; padding: 0 1; color: $text-muted; }"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.mode: Mode = "interactive"
        self.model = ""
        self.root = ""
        self.session = ""
        self.title = ""
        self.branch = ""
        self.activity = ""
        self.hint = ""
        self._leaving: Timer | None = None

    def show(self, ledger: Ledger, activity: str) -> None:
        """Take over what the records say; nothing is drawn when nothing changed."""
        started = ledger.started
        found = (ledger.mode, ledger.model, started.cwd if started else self.root, activity, ledger.title)
        if found != (self.mode, self.model, self.root, self.activity, self.title):
            self.mode, self.model, self.root, self.activity, self.title = found
            self.refresh()

    def say(self, hint: str, *, seconds: float = 0) -> None:
        """Show a hint in place of what happens, for a time or (0) until the next; '' takes it away."""
        if self._leaving is not None:
            self._leaving.stop()
        self._leaving = self.set_timer(seconds, lambda: self.say("")) if seconds else None
        if hint != self.hint:
            self.hint = hint
            self.refresh()

    def place(self, *, root: str = "", session: str = "", branch: str = "") -> None:
        """Say where we are; '' keeps what is known."""
        self.root, self.session = root or self.root, session or self.session
        self.branch = branch or self.branch
        self.refresh()

    def render(self) -> RenderResult:
        width = self.size.width
        left = self._left()
        right = self._right(width - _cells(left) - len(GAP))
        space = width - _cells(left) - _cells(right)
        if space < 0:
            return Content.assemble(*_cut(left, width))
        return Content.assemble(*left, (" " * space, ""), *right)

    def _left(self) -> list[Piece]:
        parts: list[Piece] = [(self.mode, f"bold $mode-{self.mode}")]
        if self.model:
            parts.append((GAP + one_line(self.model), "$foreground"))
        if self.hint:
            parts.append((GAP + one_line(self.hint), "bold $warning"))
        elif self.activity:
            parts.append((GAP + one_line(self.activity), "$accent"))
        return parts

    def _right(self, room: int) -> list[Piece]:
        branch = [(cut(one_line(self.branch), 30), "$text-muted")] if self.branch else []
        named = cut(one_line(self.title), TITLE_CELLS) or self.session[:8]
        session = [(named, "$text-muted")] if named else []
        for width in (40, 24, 12):
            folder = [(fmt.folder(self.root, width), "$text-muted")] if self.root else []
            for parts in ([*branch, *folder, *session], [*branch, *folder], folder):
                joined = _joined(parts)
                if _cells(joined) <= room:
                    return joined
        return []


def _joined(parts: list[Piece]) -> list[Piece]:
    joined: list[Piece] = []
    for part in parts:
        joined.extend([(" · ", "$text-muted"), part] if joined else [part])
    return joined


def _cells(pieces: list[Piece]) -> int:
    return sum(cell_len(text) for text, _ in pieces)


def _cut(pieces: list[Piece], width: int) -> list[Piece]:
    kept: list[Piece] = []
    for text, style in pieces:
        room = width - _cells(kept)
        if cell_len(text) > room:
            return [*kept, (cut(text, room), style)]
        kept.append((text, style))
    return kept
