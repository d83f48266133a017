"""What a CLAUDE.md brings in with `@path`, what it does not, and files of other programs."""

from pathlib import Path

import pytest

from cutaway.harness.instructions.find import find_instructions
from cutaway.harness.instructions.imports import IMPORT_DEPTH, imports_of
from cutaway.harness.places import config_dir


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def reasons(root: Path) -> dict[str, str]:
    return {file.path: file.reason for file in find_instructions(root)}


def test_imports_inside_the_workspace_are_used_once(tmp_path: Path) -> None:
    """Also where they go round in a circle, and relative to the file that names them."""
    write(tmp_path / "AGENTS.md", "Be kind.")
    write(tmp_path / "CLAUDE.md", "@AGENTS.md\nSee @docs/style.md, and @docs/style.md.")
    write(tmp_path / "docs/style.md", "Tabs. @more.md @../CLAUDE.md")
    write(tmp_path / "docs/more.md", "More. @style.md")
    assert reasons(tmp_path) == {
        "AGENTS.md": "used",
        "CLAUDE.md": "used",
        "docs/style.md": "used, since CLAUDE.md imports it",
        "docs/more.md": "used, since docs/style.md imports it",
    }


def test_imports_from_elsewhere_are_not_followed_and_named(tmp_path: Path) -> None:
    """Neither by a path, nor through a link; nor what is hidden, or no prose."""
    root = tmp_path / "w"
    outside = write(tmp_path / "secret.md", "password")
    write(root / ".env.md", "key")
    write(root / "app.py", "x = 1")
    write(root / "CLAUDE.md", f"@../secret.md @{outside} @~/keys.md @link.md @.env.md @app.py @nowhere.md")
    (root / "link.md").symlink_to(outside)
    found = find_instructions(root)
    assert [file.path for file in found if file.used] == ["CLAUDE.md"]
    outside_reason = "lies outside of the workspace, where @ lines are not followed; CLAUDE.md names it"
    assert reasons(root) == {
        "CLAUDE.md": "used",
        str(outside): outside_reason,
        "~/keys.md": outside_reason,
        "link.md": "is a link that leaves the workspace",
        ".env.md": "is hidden, and @ lines do not bring in what is hidden; CLAUDE.md names it",
        "app.py": "is not brought in by an @ line: only .md, .mdc, .txt are; CLAUDE.md names it",
    }


def test_imports_end_at_a_depth(tmp_path: Path) -> None:
    write(tmp_path / "CLAUDE.md", "start @0.md")
    for number in range(10):
        write(tmp_path / f"{number}.md", f"{number} @{number + 1}.md")
    assert len(find_instructions(tmp_path)) == 1 + IMPORT_DEPTH


@pytest.mark.parametrize(
    "text",
    [
        "mail me@style.md",
        "`@style.md`",
        "```\n@style.md\n```",
        "~~~md\n@style.md",
        "@Override @types/node @folder @someone",
        "@" + "x" * 5000 + ".md",
    ],
)
def test_what_is_no_import(tmp_path: Path, text: str) -> None:
    write(tmp_path / "style.md", "x")
    (tmp_path / "folder").mkdir()
    assert list(imports_of(text, tmp_path, tmp_path)) == []


def test_claude_files_above_count_too(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    write(tmp_path / "CLAUDE.md", "top")
    write(tmp_path / "app/CLAUDE.md", "app")
    assert list(reasons(tmp_path / "app")) == ["../CLAUDE.md", "CLAUDE.md"]


def test_files_of_other_programs_in_the_home_folder_are_told_of(tmp_path: Path, isolated: Path) -> None:
    """Until the user makes one of them their own."""
    theirs = write(isolated / ".claude/CLAUDE.md", "Mine.")
    write(isolated / ".copilot/copilot-instructions.md", "Mine too.")
    write(config_dir() / "instructions.md", "Own.")
    found = find_instructions(tmp_path)
    assert [file.text for file in found if file.used] == ["Own."]
    said = reasons(tmp_path)["~/.claude/CLAUDE.md"]
    assert said == f"is another program's. To use it, make {config_dir() / 'AGENTS.md'} a link to it"
    (config_dir() / "AGENTS.md").symlink_to(theirs)
    assert reasons(tmp_path)["~/.claude/CLAUDE.md"].startswith("is the same file as ")
    assert [file.text for file in find_instructions(tmp_path) if file.used] == ["Mine.", "Own."]


def test_keys_are_not_sent_for_a_link(tmp_path: Path, isolated: Path) -> None:
    """A workspace that is the home folder itself."""
    (isolated / "AGENTS.md").symlink_to(write(isolated / ".ssh/id", "key"))
    assert reasons(isolated) == {"AGENTS.md": "leads to a file that may hold secrets"}


def test_a_linked_folder_of_instructions_is_not_walked(tmp_path: Path) -> None:
    write(tmp_path / "elsewhere/deep/a.instructions.md", "---\napplyTo: '**'\n---\nObey.")
    root = tmp_path / "w"
    (root / ".github").mkdir(parents=True)
    (root / ".github/instructions").symlink_to(tmp_path / "elsewhere")
    assert reasons(root) == {".github/instructions": "is a link that leaves the workspace"}


def test_patterns_of_all_files_together_are_bounded(tmp_path: Path) -> None:
    globs = ",".join(f"{{a,b}}{{c,d}}{{e,f}}{{g,h}}{{i,j}}/**/*x{number}*y*/**/*.py" for number in range(60))
    for number in range(10):
        head = f"---\napplyTo: '{globs}'\n---\n"
        write(tmp_path / f".github/instructions/{number}.instructions.md", f"{head}{number}")
    found = find_instructions(tmp_path)
    assert [file.used for file in found] == [True] + [False] * 9
    assert found[-1].reason == "does not fit: the files before it name 2000 patterns"
