"""Ways around the floor that were once open, hostile lines that must not stall, and real bash."""

import random
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cutaway.harness.events import Mode
from cutaway.harness.permissions.decision import Decision
from cutaway.tools.paths import Workspace

Run = Callable[..., Decision]


@pytest.mark.parametrize(
    "command",
    [
        "find . -name '*' -delete",
        "find . -exec sudo rm -rf {} +",
        "find . -exec sh -c 'rm -rf {}' \\;",
        "find . -type f | xargs rm -f",
        "rm -rf [a-z]*",
        "rm -rf *[a-z]",
        "rm -rf [!.]*",
        "git rm -rf .",
        "git read-tree -u --reset HEAD",
        "git checkout-index -f -a",
        "git submodule deinit -f --all",
        "echo 'rm -rf .' | bash /dev/stdin",
    ],
)
def test_what_deletes_the_work_is_asked_about_in_every_mode(run: Run, command: str) -> None:
    """Incidents 30 and 32: the same loss in other words."""
    assert run(command, mode="autopilot").outcome == "ask"


@pytest.mark.parametrize(
    "command",
    [
        "git clone https://example.org/a .git/hooks/y",
        "git init --template=/tmp/x",
        "git diff --output=.git/config",
        "git archive -o .git/hooks/x HEAD",
        "curl -o.git/hooks/x http://localhost",
        "sort f -o.git/config",
        "cp f .g?t/hooks/x",
        "tee .gi[t]/config",
        "rm -rf .g*",
        "x=.git/hooks/a; cp f $x",
        "x=.git; cp f $x/hooks/a",
        'cp f "$(echo .git/hooks/a)"',
        "crontab f",
        "at now -f f",
        "npm config set script-shell x",
    ],
)
def test_what_would_run_later_is_asked_about_in_every_mode(run: Run, command: str) -> None:
    """F08: protected names in attached options, patterns and variables."""
    assert run(command, mode="autopilot").outcome == "ask"


@pytest.mark.parametrize(
    "command",
    [
        "find . -name '*.pyc' -delete",
        "find . -name __pycache__ -exec rm -rf {} +",
        "find . -type f -exec grep -l rmdir {} +",
        "find . -name '*.py' | xargs grep -l x",
        'git commit -m "see .git/hooks"',
        "git clone https://example.org/a/b.git sub2",
        "for f in *.py; do cp $f a/; done",
        "rm -rf build dist *.egg-info",
        "crontab -l",
        "npm config get x",
        "cp .gitignore x",
    ],
)
def test_everyday_work_runs_on_autopilot(run: Run, command: str) -> None:
    assert run(command, mode="autopilot").outcome == "allow"


@pytest.mark.parametrize("mode", ["interactive", "accept-edits", "autopilot"])
@pytest.mark.parametrize("command", ["cat \ud800", "ls ~\ud800", "cd ~\udc80 && ls", "cat ~$x", "cd ~$(x)"])
def test_half_characters_and_unknown_homes_are_asked_about_and_break_nothing(
    run: Run, command: str, mode: Mode
) -> None:
    half = any("\ud800" <= char <= "\udfff" for char in command)
    assert run(command, mode=mode, allow=["cat *"], deny=["rm *"]).outcome in ("ask", "" if half else "allow")


@pytest.mark.parametrize(
    "command",
    [
        "watch eval " * 6 + "a " * 4000,
        "xargs " * 1600 + "ls",
        "cat " + "a " * 4900,
        "terraform " + "a " * 4000,
        "find . " + "-exec ls x \\; " * 600,
        "parallel " + "'ls;ls' " * 1200,
        "ls > " + "x/" * 3000,
    ],
    ids=lambda command: command[:12],
)
def test_a_hostile_line_is_judged_without_holding_up_the_screen(run: Run, command: str) -> None:
    """These took up to 6 s; now some 0.1 s, and ten times that is allowed for on a busy machine."""
    started = time.perf_counter()
    decision = run(command, mode="autopilot", deny=["rm *"])
    assert time.perf_counter() - started < 1
    assert decision.outcome == "ask" or command.startswith("ls")


@pytest.mark.parametrize(
    "path", [".husky/pre-commit", ".githooks/x", ".claude/settings.local.json", ".cursor/mcp.json"]
)
def test_hooks_and_assistants_settings_elsewhere_are_protected_too(
    touch: Callable[..., Decision], path: str
) -> None:
    """F08: other places of the same kind; `.claude/notes.md` is a normal file."""
    assert touch("write", path, mode="autopilot", allow=["create_file"]).outcome == "ask"
    assert touch("write", ".claude/notes.md", mode="autopilot").outcome == "allow"


@pytest.mark.parametrize("command", ["uniq - out", "uniq -- -x out", "uniq f out", "uniq - -- out"])
def test_uniq_is_not_let_write_its_second_file(run: Run, command: str) -> None:
    assert run(command, allow=["uniq *"]).outcome == "ask"


_READERS = ("ls", "echo", "cat", "wc", "grep", "head", "sort", "find", "true", "cd", "test", "printf", "uniq")
_PIECES = (
    "$(evil)", "`evil`", '"$(evil)"', "'$(evil)'", "$'\\x24(evil)'", "<(evil)", ">(evil)", "a[$(evil)]",
    "evil", "touch P", "./e", "f", "P", "-exec evil {} +", "-exec", "\\;", "{}", "-delete", "-oP", "-o",
    "--output=P", "-fprint P", "-v a[$(evil)]", "{evil,}", "~", "*", "-", "[a]", "eval evil", "time",
    "then", "function", "trap evil EXIT", "ls(){ evil; }", "&&", ";", "|", "||", "&", "\n", "|&", "\\\n",
    "\r", "\t", "\v", "\u00a0", "\\", "#", '"', "'", "$", "`", "(", ")", "{", "}", "<", ">", ">|", ">&", "&>",
    "<>", "<<<", "<<E\n", "\nE\n", "2>&1", "2>", "!", "=", "[[", "]]", "$((", "))", "é",
)  # fmt: skip


def test_no_line_that_rules_allow_does_more_than_its_words_show(
    run: Run, workspace: Workspace, tmp_path: Path
) -> None:
    """F01, F04 and the twelve parsing rules: lines made of fragments, run by real bash where allowed."""
    bash = "/bin/bash"
    if not Path(bash).exists():
        pytest.skip("there is no bash")
    programs = tmp_path / "bin"
    programs.mkdir()
    marker = tmp_path / "marker"
    for name in _READERS:
        if found := shutil.which(name):
            (programs / name).symlink_to(found)
    for path in (programs / "evil", programs / "touch", workspace.root / "e"):
        path.write_text(f"#!{bash}\necho ran >> {marker}\n")
        path.chmod(0o755)
    before = sorted(workspace.root.rglob("*"))
    dice = random.Random(20)
    allow = [f"{name} *" for name in _READERS]
    allowed = 0
    while allowed < 60:
        line = dice.choice(_READERS) + "".join(
            dice.choice(("", " ")) + dice.choice((*_PIECES, *_READERS)) for _ in range(dice.randint(1, 6))
        )
        if run(line, allow=allow).outcome != "allow":
            continue
        allowed += 1
        subprocess.run(
            [bash, "--norc", "--noprofile", "-c", line],
            cwd=workspace.root,
            env={"PATH": str(programs)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=20,
            check=False,
        )
        assert not marker.exists(), line
        assert sorted(workspace.root.rglob("*")) == before, line
