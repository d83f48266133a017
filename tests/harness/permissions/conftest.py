"""A real workspace beside a sibling, a home of its own, and decisions made as the harness makes them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from cutaway.harness.events import Mode
from cutaway.harness.permissions.decide import decide
from cutaway.harness.permissions.decision import Decision
from cutaway.harness.permissions.rules import Rules
from cutaway.tools.base import Access, Effect
from cutaway.tools.paths import Workspace


def rules_of(rules: dict[str, list[str]]) -> Rules:
    return Rules.parse(allow=rules.get("allow", ()), deny=rules.get("deny", ()), ask=rules.get("ask", ()))


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder in which nothing of this machine lies."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.delenv("CUTAWAY_HOME", raising=False)
    return folder


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """`proj`, with some files, beside `proj-evil`."""
    root = tmp_path / "proj"
    for folder in ("sub", "a", ".git/hooks", "sub/.git/hooks", ".vscode", ".github/workflows"):
        (root / folder).mkdir(parents=True)
    (root / "f").write_text("x\n")
    (root / "x.txt").write_text("x\n")
    evil = tmp_path / "proj-evil"
    evil.mkdir()
    (evil / "x.txt").write_text("evil\n")
    return Workspace.at(root)


@pytest.fixture
def run(workspace: Workspace) -> Callable[..., Decision]:
    """Decide on a command: `run("ls", allow=[…])`; rules are those of the command tool, shortened."""

    def make(command: str, mode: Mode = "interactive", **rules: list[str]) -> Decision:
        full = {
            outcome: [
                text if "(" in text or text == "run_in_terminal" else f"run_in_terminal({text})"
                for text in texts
            ]
            for outcome, texts in rules.items()
        }
        access = Access("execute", (command,))
        return decide("run_in_terminal", access, workspace, mode, rules_of(full))

    return make


@pytest.fixture
def touch(workspace: Workspace) -> Callable[..., Decision]:
    """Decide on a file tool: `touch("write", "a.txt", mode="accept-edits")`."""

    def make(
        effect: Effect, *paths: str, mode: Mode = "interactive", tool: str = "", **rules: list[str]
    ) -> Decision:
        name = tool or {"read": "read_file", "write": "create_file"}[effect]
        return decide(name, Access(effect, paths), workspace, mode, rules_of(rules))

    return make
