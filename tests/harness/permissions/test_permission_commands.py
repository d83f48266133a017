"""Commands: what a rule covers, word by word."""

import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cutaway.harness.permissions.commands import parse
from cutaway.harness.permissions.decide import decide
from cutaway.harness.permissions.decision import Decision
from cutaway.harness.permissions.rules import Rules
from cutaway.tools.base import Access
from cutaway.tools.paths import Workspace

Run = Callable[..., Decision]
BASH = shutil.which("bash") or "bash"
NO_PROGRAMS = {"PATH": "/nonexistent", "BASH_FUNC_command_not_found_handle%%": "() { : > M; }"}
"""Bash finds no program, and instead of one that it is asked for makes the file M."""

LS_AND_ECHO = ["ls *", "echo *"]


@pytest.mark.parametrize(
    "command",
    [
        "ls && touch P1", "ls ; touch P2", "ls | tee P3", "ls || touch P4", "ls & touch P5", "lsx",
        "false || ls && touch P7", "ls\ntouch P8", "ls $(touch P9)", "ls `touch P9`", "ls <(touch P9)",
        'ls "$(touch P9)"', "LD_PRELOAD=./x ls", "ls |& tee P3", "(touch P10)", "{ touch P10; }", "./ls",
        "if ls; then touch P11; fi", "ls > P12", "ls \\\ntouch", "ls;touch P2", "ls&touch P5", "ls|tee P3",
        "ls &&touch P1", "\\touch P1", "time touch P1", "! touch P1", "ls # touch", "ls {a,b}", "ls $HOME",
    ],
)  # fmt: skip
def test_a_first_word_allows_nothing_else(run: Run, command: str) -> None:
    """F01: every part of a line needs a rule, and only plain words can have one."""
    assert run(command, allow=LS_AND_ECHO).outcome == "ask"


@pytest.mark.parametrize(
    "command",
    [
        'echo "a && b; c | d"', "ls", "ls -la sub", "ls && echo x", "ls | echo | ls",
        "ls; echo a & ls\necho b",
        "echo 'a $(b)'", 'echo "a \\$b \\`c\\`"', "echo a\\;b", 'echo "two\nlines"', "ls *.py", "echo", "ls;",
        "l's'", '"ls" sub', "echo x",
    ],
)  # fmt: skip
def test_what_only_looks_dangerous_does_not_ask(run: Run, command: str) -> None:
    """F01."""
    decision = run(command, allow=LS_AND_ECHO)
    assert decision.outcome == "allow", decision
    assert "flag --allow" in decision.rule


def test_always_is_the_narrowest_rule(workspace: Workspace, run: Run) -> None:
    """F01: after "always" for `git status && ls`, that line runs, and `git push` still asks."""
    first = run("git status && ls")
    assert first.always == "run_in_terminal(git status && ls)"
    rules = Rules()
    rules.grant(first.always)

    def outcome(command: str) -> str:
        return decide(
            "run_in_terminal", Access("execute", (command,)), workspace, "interactive", rules
        ).outcome

    assert outcome("git status && ls") == "allow"
    for other in (
        "git push",
        "ls",
        "git status",
        "git status && ls && ls",
        "git status; ls",
        "ls && git status",
    ):
        assert outcome(other) == "ask"


@pytest.mark.parametrize(
    "command", ["ls *", "ls > f", "echo $x", "rm -rf .", "ls\nls", "cat <<< x", "ls a:*"]
)
def test_always_is_not_offered_where_it_would_cover_more(run: Run, command: str) -> None:
    assert run(command).always == ""


@pytest.mark.parametrize(
    ("command", "target"),
    [
        ("echo X > /tmp/f04-out", "/tmp/f04-out"),
        ("cat f >> ../o2", "o2"),
        ("wc f 2> /tmp/f04-e", "/tmp/f04-e"),
        ("echo k > .git/hooks/pre-commit", ".git/hooks/pre-commit"),
        ("echo y >| f", "f"),
        ("cat f <> n", "n"),
        ("echo z &> q", "q"),
        ("echo z >& q", "q"),
        ("ls > a -l", "a"),
        ("> q echo z", "q"),
    ],
)  # fmt: skip
def test_redirects_are_writes(run: Run, workspace: Workspace, command: str, target: str) -> None:
    """F04: each asks and names the real target."""
    decision = run(command, allow=["echo *", "cat *", "wc *", "ls *"])
    assert decision.outcome == "ask"
    expected = str(workspace.root.parent / "o2") if target == "o2" else target
    assert expected in decision.reason


@pytest.mark.parametrize(
    "command",
    ["wc f 2>/dev/null", "ls nope 2>&1", 'echo "a > b"', "cat <<< x", "ls >/dev/null 2>&1", "cat < f"],
)
def test_harmless_redirects_do_not_ask(run: Run, command: str) -> None:
    """F04."""
    decision = run(command, allow=["echo *", "cat *", "wc *", "ls *"])
    assert decision.outcome == "allow", decision


def test_redirects_inside_are_edits(run: Run) -> None:
    """F04: where edits inside the workspace are allowed, so are redirects to there, and only those."""
    assert run("echo y >| f", "accept-edits", allow=["echo *"]).outcome == "allow"
    assert run("echo y > new", allow=["echo *", "create_file(new)"]).outcome == "allow"
    assert run("echo y > ../new", "accept-edits", allow=["echo *"]).outcome == "ask"
    assert run("echo y > .envrc", "accept-edits", allow=["echo *"]).outcome == "ask"
    assert run("cat < /etc/passwd", allow=["cat *"]).outcome == "ask"


@pytest.mark.parametrize(
    ("rule", "command"),
    [
        ("find *", "find . -exec touch x ;"), ("find *", "find . -delete"), ("find *", "find . -fprint x"),
        ("rg *", "rg --pre ./x y"), ("rg *", "rg --pre=./x y"), ("rg *", "rg --hostname-bin=./x y"),
        ("sort *", "sort -o x f"), ("sort *", "sort -no x f"), ("sort *", "sort --outp=x f"),
        ("sed *", "sed -i s/a/b/ f"), ("sed *", "sed 's/a/b/w x' f"), ("sed *", "sed -e 1e f"),
        ("git log *", "git log --output=x"), ("git diff *", "git diff --ext-diff"),
        ("git *", "git -c core.pager=./x log"), ("git *", "git -C sub log"), ("git *", "git config a b"),
        ("tar *", "tar xf a.tar"), ("tar *", "tar tf a.tar --to-command=./x"), ("uniq *", "uniq f out"),
        ("find *", "find * -name x"), ("make *", "make SHELL=./x"), ("test *", "test -v a"),
        ("go test *", "go test -exec=./x"), ("jobs *", "jobs -x touch M"),
        ("npm test *", "npm test --script-shell=./x"), ("cargo test *", "cargo test --config a"),
        ("curl *", "curl -o x http://y"),
        ("cat *", "cat ../proj-evil/x.txt"), ("cat *", "cat /etc/passwd"), ("ls *", "ls ~"),
        ("grep *", "grep -f/etc/passwd f"), ("cat *", "cd .. && cat f"), ("git status *",
        "cd sub && git status"),
    ],
)  # fmt: skip
def test_options_that_write_or_run_are_not_covered(run: Run, rule: str, command: str) -> None:
    """Incidents 3, 4, 6, 8 and 37 of the field: options are vetted, and a prefix ends at the workspace."""
    assert run(command, allow=[rule, "cd *"]).outcome == "ask"


@pytest.mark.parametrize(
    ("rule", "command"),
    [
        ("find *", "find . -name '*.py' -type f"), ("sort *", "sort -k1,1 -u f"), ("sed *", "sed -n 1,5p f"),
        ("git log *", "git log --oneline -5"), ("git log *", "git log"), ("tar *", "tar tvf a.tar"),
        ("rg *", "rg -n --hidden 'a|b' sub"), ("git diff *", "git diff HEAD~1 -- f"), ("pytest *",
        "pytest -q sub"),
        ("grep *", "grep -rn '/api/users' ."), ("python -m pytest", "python -m pytest"), ("ls *",
        "cd . && ls"),
    ],
)  # fmt: skip
def test_everyday_commands_are_covered(run: Run, rule: str, command: str) -> None:
    decision = run(command, allow=[rule, "cd *"])
    assert decision.outcome == "allow", decision


def test_an_exact_rule_is_exact(run: Run) -> None:
    """An interpreter that is allowed as it stands does not run what is piped or redirected to it."""
    assert run("python x.py", allow=["python x.py"]).outcome == "allow"
    for command in (
        "python x.py y",
        "echo 'print()' | python",
        "python < f",
        "python <<< 'print()'",
        "cd sub && make",
    ):
        assert run(command, allow=["python", "echo *", "cd *", "make"]).outcome == "ask"


@pytest.mark.parametrize(
    "command",
    [
        "rm x", "ls; rm x", "env rm x", "env -i A=1 rm x", "sudo -n rm x", "sudo -u root rm x",
        'sh -c "rm x"',
        'bash -lc "ls && rm x"', "echo $(rm x)", "A=1 rm x", "xargs rm", "find . -exec rm {} +", "/bin/rm x",
        "timeout -k 1 5 rm x", "\\rm x", '"rm" x', "r''m x", "command rm x", "nice -n 5 rm x", "nohup rm x &",
        "time rm x", "if true; then rm x; fi", "(rm x)", "eval 'rm x'", "f() { rm x; }", "ls | xargs -0 rm",
        "env -S 'rm x'", "su root -c 'rm x'", "watch rm x", "trap 'rm x' EXIT", "bash -c \"sh -c 'rm x'\"",
        "cat <<E\n$(rm x)\nE", "git bisect run rm x", "git -c alias.z='!rm x' z", "RM x", "stdbuf -o0 rm x",
    ],
)  # fmt: skip
@pytest.mark.parametrize("mode", ["interactive", "autopilot"])
def test_a_denied_command_cannot_hide(run: Run, mode: str, command: str) -> None:
    """Incident 16: a deny rule sees through wrappers, in every mode, and has the last word."""
    decision = run(command, mode, deny=["rm *"], allow=["run_in_terminal(" + "rm x)"])
    assert decision.outcome == "deny", decision
    assert "run_in_terminal(rm *)" in decision.reason


def test_a_deny_rule_hits_nothing_else(run: Run) -> None:
    assert run("echo rm", "autopilot", deny=["rm *"]).outcome == "allow"
    assert run("git -C sub push origin", "autopilot", deny=["git push"]).outcome == "deny"
    assert run("git pull", "autopilot", deny=["git push"]).outcome == "allow"


def test_a_denied_file_is_denied_to_commands(run: Run) -> None:
    """A path rule also holds for a command that names or redirects to the path."""
    assert run("cat x.txt", "autopilot", deny=["read_file(*.txt)"]).outcome == "deny"
    assert run("cat < sub/../x.txt", "autopilot", deny=["read_file(x.txt)"]).outcome == "deny"
    assert run("echo a > sub/b", "autopilot", deny=["create_file(sub/**)"]).outcome == "deny"


def test_what_cannot_be_read_asks(run: Run) -> None:
    """Longer than 10,000 characters, no bash, or hidden characters: no rule, no mode."""
    for command in (
        "echo " + "x" * 10_000,
        "echo 'x",
        "echo x )",
        "echo \u202ex",
        "ls\rtouch x",
        "ls \x1b[2J",
        "",
    ):
        for mode in ("interactive", "autopilot"):
            decision = run(command, mode, allow=LS_AND_ECHO)
            assert decision.outcome == "ask" or not command, (command, decision)


def test_a_line_in_any_shape_is_read_without_a_crash(run: Run) -> None:
    for command in ("\0", "\ud800", "(" * 5000, "$(" * 3000, "~nobody/x", "cd ~nobody; rm -rf .", "a" * 9000):
        assert run(command, "autopilot").outcome in ("ask", "allow")


FRAGMENTS = st.sampled_from(
    [
        "echo", "echo ", "ls", "touch M", " touch M", ";", "&&", "||", "|", "&", "\n", " ", "\t",
        "$(", ")", "`",
        "'", '"', "\\", "\\\n", "$x", "${x}", "{", "}", "{a,b}", "(", ">M", ">>M", "<f", "<<<a",
        "<<E\n", "E\n",
        "2>M", "2>&1", ">&M", "<>M", "&>M", "#", "!", "*", "~", "[", "]", "a", "b=c", "A=1 ", "-e",
        "$'", "\\'",
        "time", "if", "then", "fi", "do", "\r", "\u00a0", "é", "=", "^", "%", "@(", "0<f", ";;",
        "|&", "\x0c", "\v",
    ]
)  # fmt: skip


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(FRAGMENTS, min_size=1, max_size=8).map(lambda pieces: "echo " + "".join(pieces)))
def test_what_an_echo_rule_allows_only_echoes(workspace: Workspace, command: str) -> None:
    """Whatever the text, bash leaves no file behind when it runs what a rule for `echo` allows."""
    rules = Rules.parse(allow=["run_in_terminal(echo *)"])
    decision = decide("run_in_terminal", Access("execute", (command,)), workspace, "interactive", rules)
    if decision.outcome != "allow":
        return
    before = sorted(path.name for path in workspace.root.iterdir())
    run_bash(command, workspace.root, NO_PROGRAMS)
    assert sorted(path.name for path in workspace.root.iterdir()) == before


def test_the_sandbox_of_that_test_notices_other_programs(workspace: Workspace) -> None:
    run_bash("ls", workspace.root, NO_PROGRAMS)
    assert (workspace.root / "M").exists()


def run_bash(command: str, folder: Path, environment: dict[str, str] | None = None) -> bytes:
    done = subprocess.run(
        [BASH, "--norc", "--noprofile", "-c", command],
        cwd=folder,
        env=environment,
        capture_output=True,
        timeout=20,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    return done.stdout


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(FRAGMENTS, min_size=1, max_size=6).map(lambda pieces: "ls " + "".join(pieces)))
def test_always_covers_what_it_was_offered_for(workspace: Workspace, command: str) -> None:
    """The rule that is offered can be granted, and then that very command runs."""
    access = Access("execute", (command,))
    always = decide("run_in_terminal", access, workspace, "interactive", Rules()).always
    if not always:
        return
    rules = Rules()
    rules.grant(always)
    assert decide("run_in_terminal", access, workspace, "interactive", rules).outcome == "allow"


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(FRAGMENTS, min_size=1, max_size=6).map(lambda pieces: "printf '%s\\0' " + "".join(pieces)))
def test_words_are_those_of_bash(tmp_path: Path, command: str) -> None:
    """Where a line is plain, bash gives a program the very words that the rule was compared with."""
    line = parse(command)
    words = [word for part in line.parts for word in part.words]
    simple = len(line.parts) == 1 and not line.parts[0].redirects and not any(word.expands for word in words)
    if line.obstacle or not simple:
        return
    output = run_bash(command, tmp_path)
    given_words = output.decode("utf-8", "surrogateescape").split("\0")[:-1]
    assert given_words == [word.text for word in words[2:]] or (len(words) == 2 and given_words == [""])


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1), min_size=1))
def test_quoted_words_are_plain(words: list[str]) -> None:
    """Words quoted by the book come back as they were."""
    line = parse(shlex.join(["x", *words]))
    assert not line.obstacle
    assert [word.text for word in line.parts[0].words] == ["x", *words]
