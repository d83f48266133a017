"""How rules are written, and what a wrong one is answered with."""

import pytest

from cutaway.harness.errors import ConfigError
from cutaway.harness.permissions.rules import Rule, Rules

KNOWN = ("read_file", "run_in_terminal", "run_tests")


@pytest.mark.parametrize(
    ("text", "tool", "specifier"),
    [
        ("read_file", "read_file", ""),
        (" read_file ", "read_file", ""),
        ("run_in_terminal(git status)", "run_in_terminal", "git status"),
        ("run_in_terminal(git log *)", "run_in_terminal", "git log *"),
        ("replace_string_in_file(app/(auth)/**)", "replace_string_in_file", "app/(auth)/**"),
    ],
)
def test_rules_are_read_and_written_alike(text: str, tool: str, specifier: str) -> None:
    rule = Rule.parse(text, "allow", "flag --allow")
    assert (rule.tool, rule.specifier) == (tool, specifier)
    assert str(rule) == text.strip()
    assert rule.named == f"{text.strip()} (flag --allow)"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("", "such as `read_file`"),
        ("(git status)", "such as `read_file`"),
        ("run_in_terminal(git log", "`run_in_terminal(git log)`"),
        ("run_in_terminal git log", "`run_in_terminal(git log)`"),
        ("run_in_terminal()", "`run_in_terminal`"),
        ("run_in_terminal(git log:*)", "`run_in_terminal(git log *)`"),
        ("run_in_termnal(ls)", "`run_in_terminal(ls)`"),
        ("zzz", "Tools: read_file"),
        ("run_in_terminal(echo $HOME)", "plain words"),
        ("run_in_terminal(ls; cat *)", "one rule for each"),
        ("run_in_terminal(*)", "leave the parentheses out"),
        ("run_in_terminal(git * push *)", "only the last word"),
    ],
)
def test_a_malformed_rule_is_answered_with_the_nearest_form(text: str, hint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Rule.parse(text, "allow", "settings", KNOWN)
    assert hint in str(caught.value)
    assert f"`{text}`" in str(caught.value) and "settings" in str(caught.value)


@pytest.mark.parametrize(
    "command",
    [
        "bash *", "sh -c *", "python *", "python3.12 *", "/usr/bin/env *", "node *", "sudo *", "xargs *",
        "npm run *", "npm *", "npx *", "uv run *", "docker run *", "awk *", "eval *", "hash *",
        "find . -exec *",
        "sort -o *", "cargo run *", "timeout 5 *", "PYTHON.EXE *",
    ],
)  # fmt: skip
def test_no_prefix_rule_for_what_runs_anything(command: str) -> None:
    """Incident 7 of the field: such a rule would allow every command."""
    with pytest.raises(ConfigError, match="write the whole command"):
        Rule.parse(f"run_in_terminal({command})", "allow", "settings")
    assert Rule.parse(f"run_in_terminal({command})", "deny", "settings")
    assert Rule.parse(f"run_in_terminal({command[:-2]})", "allow", "settings")


def test_grants_join_the_other_rules() -> None:
    rules = Rules.parse(allow=["read_file"], deny=["run_tests"])
    granted = rules.grant("run_in_terminal(ls)")
    rules.grant("run_in_terminal(ls)")
    assert granted.origin == "this session"
    assert [str(rule) for rule in rules] == ["run_tests", "read_file", "run_in_terminal(ls)"]
    assert [rule.origin for rule in rules] == ["flag --deny", "flag --allow", "this session"]
    with pytest.raises(ConfigError):
        rules.grant("run_in_terminal(python *)")
