"""Files: inside and outside the workspace, by real targets; and what the modes and rules say."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from cutaway.harness.events import Mode
from cutaway.harness.permissions.decide import decide
from cutaway.harness.permissions.decision import Decision
from cutaway.harness.permissions.rules import Rules
from cutaway.tools.base import Access
from cutaway.tools.paths import Workspace

Touch = Callable[..., Decision]
Run = Callable[..., Decision]
MODES: list[Mode] = ["plan", "interactive", "accept-edits", "autopilot"]


@pytest.mark.parametrize(
    "given",
    [
        "../proj-evil/x.txt",
        "{evil}/x.txt",
        "a/../../proj-evil/x.txt",
        "{root}/../proj-evil/x.txt",
        "~/.ssh/config",
    ],
)
@pytest.mark.parametrize("effect", ["read", "write"])
def test_a_sibling_is_outside(touch: Touch, workspace: Workspace, given: str, effect: str) -> None:
    """F06: compared by components after folding dots; asks with the resolved path, denied by plan."""
    evil = workspace.root.parent / "proj-evil"
    path = given.format(evil=evil, root=workspace.root)
    for mode in MODES:
        decision = touch(effect, path, mode=mode)
        expected = "deny" if mode == "plan" and effect == "write" else "ask"
        assert decision.outcome == expected, (mode, decision)
        if expected == "ask":
            assert str(evil / "x.txt") in decision.reason or ".ssh/config" in decision.reason


@pytest.mark.parametrize("given", ["./a/../x.txt", "x.txt", "{root}/x.txt", ".", "new/deep/file.txt"])
def test_inside_is_inside(touch: Touch, workspace: Workspace, given: str) -> None:
    """F06."""
    path = given.format(root=workspace.root)
    assert touch("read", path).outcome == "allow"
    assert touch("write", path, mode="accept-edits").outcome == "allow"


@pytest.mark.parametrize("given", ["x\0.txt", "", "  ", "\ud800"])
def test_a_path_that_cannot_be_is_refused(touch: Touch, given: str) -> None:
    """F06: a NUL or an empty path is an error, never a crash."""
    for mode in MODES:
        for effect in ("read", "write"):
            assert touch(effect, given, mode=mode).outcome == "deny"


def test_links_count_by_where_they_lead(touch: Touch, workspace: Workspace) -> None:
    """F06: the question names the real target; a new file below a link is judged by the link."""
    (workspace.root / "out").symlink_to(workspace.root.parent / "proj-evil")
    for path in ("out/x.txt", "out/new.txt", "out/deep/new.txt"):
        decision = touch("write", path, mode="autopilot")
        assert decision.outcome == "ask"
        assert "really" in decision.reason and "proj-evil" in decision.reason
        assert decision.always == ""
    (workspace.root / "in").symlink_to("sub")
    assert touch("write", "in/x.txt", mode="accept-edits").outcome == "allow"
    (workspace.root / "loop").symlink_to("loop")
    assert touch("read", "loop/x").outcome in ("allow", "ask")


def test_a_rule_for_a_link_does_not_reach_its_target(touch: Touch, workspace: Workspace) -> None:
    """An allow rule must cover name and target; a deny rule needs only one of them."""
    (workspace.root / "sub/link").symlink_to(workspace.root.parent / "proj-evil/x.txt")
    assert touch("write", "sub/link", allow=["create_file(sub/**)"]).outcome == "ask"
    evil = workspace.root.parent / "proj-evil"
    both = ["create_file(sub/**)", f"create_file({evil}/**)"]
    assert touch("write", "sub/link", allow=both).outcome == "ask"
    assert touch("read", "sub/link", deny=[f"read_file({evil}/**)"]).outcome == "deny"
    (workspace.root / "wide").symlink_to(evil)
    assert touch("write", "wide/x.txt", allow=["create_file(wide/**)"]).outcome == "ask"


def test_search_roots_and_several_files(touch: Touch, workspace: Workspace) -> None:
    """F06: grep and glob roots; the strictest of several files decides."""
    assert touch("read", "..", tool="grep_search").outcome == "ask"
    assert touch("read", "/", tool="file_search").outcome == "ask"
    assert touch("read", "/etc", tool="list_dir").outcome == "ask"
    several = touch("write", "x.txt", "../y.txt", mode="accept-edits", tool="apply_patch")
    assert several.outcome == "ask" and several.always == ""
    assert touch("read", os.devnull).outcome == "allow"


@pytest.mark.parametrize(
    ("mode", "read", "write", "execute", "network"),
    [
        ("plan", "allow", "deny", "deny", "ask"),
        ("interactive", "allow", "ask", "ask", "ask"),
        ("accept-edits", "allow", "allow", "ask", "ask"),
        ("autopilot", "allow", "allow", "allow", "allow"),
    ],
)
def test_what_each_mode_lets_through(
    workspace: Workspace, mode: Mode, read: str, write: str, execute: str, network: str
) -> None:
    def outcome(tool: str, access: Access) -> str:
        return decide(tool, access, workspace, mode, Rules()).outcome

    assert outcome("read_file", Access("read", ("x.txt",))) == read
    assert outcome("get_changed_files", Access("read")) == read
    assert outcome("create_file", Access("write", ("x.txt",))) == write
    assert outcome("run_in_terminal", Access("execute", ("make",))) == execute
    assert outcome("run_tests", Access("execute", ("tests/a.py",))) == execute
    assert outcome("fetch_webpage", Access("network", ("https://a.org/",))) == network
    assert outcome("ask_questions", Access("ask")) == "allow"
    assert outcome("task_complete", Access("control")) == "allow"


def test_plan_mode_says_so_and_no_rule_lifts_it(touch: Touch, run: Run) -> None:
    for decision in (
        touch("write", "x.txt", mode="plan", allow=["create_file"]),
        run("ls", "plan", allow=["ls", "run_in_terminal"]),
    ):
        assert decision.outcome == "deny" and "lan mode" in decision.reason


def test_deny_goes_before_ask_before_allow(touch: Touch, run: Run) -> None:
    """Incident 15: nothing overrides a deny rule."""
    for mode in MODES:
        assert (
            touch("read", "x.txt", mode=mode, deny=["read_file(x.txt)"], allow=["read_file"]).outcome
            == "deny"
        )
        assert touch("read", "sub/x.txt", mode=mode, deny=["read_file(X.TXT)"]).outcome == "deny"
        assert run("ls", mode, deny=["run_in_terminal"], allow=["ls"]).outcome == "deny"
    assert touch("read", "x.txt", ask=["read_file(*.txt)"], allow=["read_file"]).outcome == "ask"
    assert run("git push", "autopilot", ask=["git push"]).outcome == "ask"


def test_always_covers_exactly_this_file(touch: Touch, workspace: Workspace) -> None:
    decision = touch("write", "app/[id]/(a)/page.tsx", tool="replace_string_in_file")
    assert decision.always == "replace_string_in_file(app/[id]/(a)/page.tsx)"
    rules = Rules()
    rules.grant(decision.always)

    def outcome(path: str) -> str:
        access = Access("write", (path,))
        return decide("replace_string_in_file", access, workspace, "interactive", rules).outcome

    assert outcome("app/[id]/(a)/page.tsx") == "allow"
    assert outcome("app/i/(a)/page.tsx") == "ask"
    assert outcome("app/[id]/(a)/page.tsxx") == "ask"
    assert touch("write", "a*b").always == ""
    outside = touch("read", str(workspace.root.parent / "proj-evil/x.txt"))
    assert outside.always == f"read_file({workspace.root.parent}/proj-evil/x.txt)"


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("src/**", "src/a/b.py", True), ("src/**", "src", True), ("src/**", "srcx/a", False),
        ("src/*", "src/a.py", True), ("src/*", "src/a/b.py", False), ("**/*.py", "a/b.py", True),
        ("**/*.py", "b.py", True), ("*.py", "b.py", True), ("*.py", "a/b.py", False), ("s?b/x", "sub/x",
        True),
        ("./src/../lib/**", "lib/x", True), ("[id]/x", "[id]/x", True), ("[id]/x", "i/x", False),
    ],
)  # fmt: skip
def test_path_patterns(touch: Touch, pattern: str, path: str, matches: bool) -> None:
    decision = touch("write", path, allow=[f"create_file({pattern})"])
    assert decision.outcome == ("allow" if matches else "ask")


def test_a_bare_rule_ends_at_the_workspace(touch: Touch, run: Run, tmp_path: Path) -> None:
    assert touch("write", "x.txt", allow=["create_file"]).outcome == "allow"
    assert touch("write", "../x.txt", allow=["create_file"]).outcome == "ask"
    assert touch("write", "../x.txt", allow=["create_file(../x.txt)"]).outcome == "allow"
    assert touch("write", "../x.txt", allow=[f"create_file({tmp_path}/*)"]).outcome == "allow"
    assert run("for i in 1 2; do echo $i; done", allow=["run_in_terminal"]).outcome == "allow"
    assert run("echo x > f", allow=["run_in_terminal"]).outcome == "allow"
    assert run("echo x > ../f", allow=["run_in_terminal"]).outcome == "ask"
    assert run("cat ../f", allow=["run_in_terminal"]).outcome == "ask"
    assert run("git reset --hard", allow=["run_in_terminal"]).outcome == "ask"


def test_tests_are_allowed_as_a_whole(workspace: Workspace) -> None:
    def decision(mode: Mode, *targets: str, allow: Sequence[str] = (), deny: Sequence[str] = ()) -> Decision:
        access = Access("execute", targets)
        return decide("run_tests", access, workspace, mode, Rules.parse(allow=allow, deny=deny))

    assert decision("interactive").always == "run_tests"
    assert decision("interactive", "tests/a.py", allow=["run_tests"]).outcome == "allow"
    assert decision("autopilot", "../proj-evil/x.txt").outcome == "ask"
    assert decision("autopilot", deny=["run_tests"]).outcome == "deny"


def test_pages_are_allowed_by_address(workspace: Workspace) -> None:
    def outcome(url: str, allow: Sequence[str] = (), deny: Sequence[str] = ()) -> str:
        access = Access("network", (url,))
        return decide(
            "fetch_webpage", access, workspace, "interactive", Rules.parse(allow=allow, deny=deny)
        ).outcome

    docs = ["fetch_webpage(https://docs.python.org/**)"]
    assert outcome("https://docs.python.org/3/", allow=docs) == "allow"
    assert outcome("https://docs.python.org.evil.net/3/", allow=docs) == "ask"
    assert outcome("https://x.net/", allow=["fetch_webpage(https://**)"]) == "ask"
    assert (
        outcome("https://x.net/", allow=["fetch_webpage"], deny=["fetch_webpage(https://x.net/**)"]) == "deny"
    )
