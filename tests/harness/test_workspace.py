"""What is read of the workspace: a repository runs nothing."""

import os
import subprocess
from pathlib import Path

import pytest

from cutaway.harness.workspace import facts_of, git_facts


def git(root: Path, *arguments: str, check: bool = True) -> None:
    who = ("-c", "user.email=a@example.invalid", "-c", "user.name=a")
    subprocess.run(["git", *who, *arguments], cwd=root, check=check, capture_output=True)


def repository(root: Path) -> Path:
    git(root, "init", "--quiet", "--initial-branch", "main")
    (root / "a.txt").write_text("a\n")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "--message", "first")
    return root


async def test_the_branch_and_what_changed(tmp_path: Path) -> None:
    root = tmp_path / "$HOME"
    root.mkdir()
    repository(root)
    (root / "new").write_text("")
    facts = await git_facts(root)
    assert (facts.branch, facts.changed, facts.problem) == ("main", 1, "")


async def test_a_repository_starts_no_program_of_its_own(tmp_path: Path) -> None:
    """A file-system monitor, clean filters (of any name), hooks and promised objects."""
    (tmp_path / "w").mkdir()
    root = repository(tmp_path / "w")
    mark = tmp_path / "ran"
    run = tmp_path / "run"
    run.write_text(f"#!/bin/sh\necho $0 >> '{mark}'\ncat\n")
    run.chmod(0o755)
    for name in ("evil", 'e=v"il'):
        git(root, "config", f"filter.{name}.clean", str(run))
        git(root, "config", f"filter.{name}.process", str(run))
        git(root, "config", f"filter.{name}.required", "true")
    for key in ("core.fsmonitor", "core.sshCommand", "core.pager", "diff.external"):
        git(root, "config", key, str(run))
    git(root, "config", "core.hooksPath", str(tmp_path))
    (tmp_path / "post-index-change").symlink_to(run)
    (root / ".gitattributes").write_text('*.txt filter=evil\n*.md filter=e=v"il\n')
    os.utime(root / "a.txt", (1, 1))
    assert (await git_facts(root)).branch == "main"
    assert not mark.exists()
    git(root, "status", check=False)
    assert mark.exists(), "without the guard they are started"


@pytest.mark.parametrize("content", ["junk", "gitdir: /nowhere", ""])
async def test_a_broken_repository_is_said_to_be(tmp_path: Path, content: str) -> None:
    (tmp_path / ".git").write_text(content)
    facts = await git_facts(tmp_path)
    assert facts.problem.startswith("git failed") and facts.branch == ""


async def test_without_git_there_is_a_plain_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (await git_facts(tmp_path)).problem == "not a git repository"
    (tmp_path / ".git").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "not found" in (await git_facts(tmp_path)).problem


def test_a_folder_that_has_gone_has_facts_too(tmp_path: Path) -> None:
    facts = facts_of(tmp_path / "gone")
    assert not facts.writable and not facts.has_git
