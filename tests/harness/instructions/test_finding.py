"""Which instruction files are used, in which order, and why not the others: real files, read for real."""

import os
from pathlib import Path

import pytest

from cutaway.harness.instructions.find import InstructionFile, find_instructions
from cutaway.harness.instructions.reading import INSTRUCTION_BYTES
from cutaway.harness.places import config_dir


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def only(root: Path) -> InstructionFile:
    (file,) = find_instructions(root)
    return file


def reasons(root: Path) -> dict[str, str]:
    return {file.path: file.reason for file in find_instructions(root)}


@pytest.mark.parametrize(
    ("content", "said", "used"),
    [
        (b"", "is empty", False),
        (b" \n\t\n", "is empty", False),
        (b"\xef\xbb\xbf", "is empty", False),
        (b"\xef\xbb\xbfBe kind.", "used", True),
        ("Be kind.".encode("utf-16"), "used", True),
        (b"\xfe\xff" + "Be kind.".encode("utf-16-be"), "used", True),
        ("Be kind.".encode("utf-16") + b"x", "is not UTF-8 or UTF-16 text", False),
        ("Be kind.".encode("utf-16-le"), "is not UTF-8 or UTF-16 text", False),
        ("Be kind.".encode("utf-32"), "is not UTF-8 or UTF-16 text", False),
        (b"Be\0kind.", "is not UTF-8 or UTF-16 text (it holds NUL", False),
        (b"\xff" * (INSTRUCTION_BYTES + 5), "is not UTF-8 or UTF-16 text", False),
        (b"x" * 5_000_000, "is larger than 64 KiB: only its first 64 KiB are used", True),
        (b"x" + "ü".encode() * INSTRUCTION_BYTES, "is larger than 64 KiB", True),
        (("x" + "😀" * INSTRUCTION_BYTES).encode("utf-16"), "is larger than 64 KiB", True),
    ],
)
def test_an_odd_file_is_used_or_refused_with_a_reason(
    tmp_path: Path, content: bytes, said: str, used: bool
) -> None:
    (tmp_path / "AGENTS.md").write_bytes(content)
    file = only(tmp_path)
    assert file.reason.startswith(said) and file.used == used
    assert len(file.text) < INSTRUCTION_BYTES + 100
    if said == "used":
        assert file.text == "Be kind."


@pytest.mark.skipif(os.name != "posix", reason="links and pipes of POSIX")
def test_links_folders_and_pipes_are_refused_at_once(tmp_path: Path) -> None:
    root, file = tmp_path / "w", tmp_path / "w/AGENTS.md"
    root.mkdir()
    secret = write(tmp_path / "secret", "password")
    file.symlink_to(secret)
    assert only(root).reason == "is a link that leaves the workspace" and not only(root).text
    file.unlink()
    file.symlink_to("AGENTS.md")
    assert only(root).reason == "is a loop of links"
    file.unlink()
    file.symlink_to("nowhere")
    assert only(root).reason == "is a link to a file that does not exist"
    file.unlink()
    file.symlink_to("/dev/zero")
    assert only(root).reason == "is not a regular file"
    file.unlink()
    os.mkfifo(file)
    assert only(root).reason == "is not a regular file"
    file.unlink()
    file.mkdir()
    assert only(root).reason == "is a folder, not a file"


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="nothing is closed to root")
def test_an_unreadable_file_says_so(tmp_path: Path) -> None:
    write(tmp_path / "AGENTS.md", "x").chmod(0)
    assert only(tmp_path).reason == "cannot be read: Permission denied"


@pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")
def test_a_pipe_in_place_of_an_ignore_file_keeps_nobody_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".gitignore")
    write(tmp_path / "src/AGENTS.md", "x")
    assert only(tmp_path).path == "src/AGENTS.md"


def test_all_sources_come_in_one_order(tmp_path: Path) -> None:
    """The user's own first, then from the repository down, the nearest last; CLAUDE.md closes."""
    repository, root = tmp_path / "r", tmp_path / "r/packages/app"
    (repository / ".git").mkdir(parents=True)
    write(config_dir() / "AGENTS.md", "user")
    write(tmp_path / "AGENTS.md", "outside of the repository")
    for folder in (repository, root.parent, root):
        write(folder / "AGENTS.md", f"agents of {folder.name}")
    write(repository / ".github/copilot-instructions.md", "copilot")
    write(root / ".github/instructions/b.instructions.md", "---\napplyTo: '**'\n---\nall")
    write(root / ".github/instructions/deep/a.instructions.md", "---\napplyTo: '*.py'\n---\npython")
    write(root / ".github/instructions/notes.md", "no instruction file")
    write(root / "src/AGENTS.md", "nested")
    write(root / "CLAUDE.md", "claude")
    found = find_instructions(root)
    assert [(file.path, file.sending) for file in found[1:]] == [
        ("../../AGENTS.md", "always"),
        ("../AGENTS.md", "always"),
        ("AGENTS.md", "always"),
        ("../../.github/copilot-instructions.md", "always"),
        (".github/instructions/b.instructions.md", "always"),
        (".github/instructions/deep/a.instructions.md", "matched"),
        ("src/AGENTS.md", "nested"),
        ("CLAUDE.md", "always"),
    ]
    assert found[0].text == "user" and all(file.used for file in found)
    assert found[6].reason == "applies to *.py and is attached when such a file is used"
    assert found[7].reason == "applies to src/** and is attached when such a file is used"


@pytest.mark.skipif(os.name != "posix", reason="links of POSIX")
def test_a_file_is_used_once_by_whatever_name(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    root = tmp_path / "app"
    write(tmp_path / "AGENTS.md", "Use tabs.\n")
    root.mkdir()
    (root / "AGENTS.md").symlink_to("../AGENTS.md")
    os.link(tmp_path / "AGENTS.md", root / "CLAUDE.md")
    write(root / ".github/copilot-instructions.md", "\r\nUse tabs.\r\n")
    write(root / "src/AGENTS.md", "Use tabs.")
    assert reasons(root) == {
        "../AGENTS.md": "used",
        "AGENTS.md": "is the same file as ../AGENTS.md",
        ".github/copilot-instructions.md": "says the same as ../AGENTS.md",
        "src/AGENTS.md": "says the same as ../AGENTS.md",
        "CLAUDE.md": "is the same file as ../AGENTS.md",
    }


def test_a_users_own_file_may_be_a_link(tmp_path: Path) -> None:
    config_dir().mkdir(parents=True, exist_ok=True)
    (config_dir() / "AGENTS.md").symlink_to(write(tmp_path / "dotfiles/agents", "mine"))
    assert only(tmp_path).text == "mine"


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root gives files away")
def test_a_file_above_that_another_user_put_there_does_not_speak(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    os.chown(write(tmp_path / "AGENTS.md", "obey me"), 12345, -1)
    write(tmp_path / "w/a.txt", "")
    assert only(tmp_path / "w").reason == "lies above the workspace and belongs to another user"


def test_a_thousand_files_stay_in_bounds(tmp_path: Path) -> None:
    for number in range(1000):
        head = "---\napplyTo: '*.py'\n---\n"
        write(tmp_path / f".github/instructions/{number:04}.instructions.md", f"{head}Rule {number}.")
    found = find_instructions(tmp_path)
    assert sum(file.used for file in found) == 500
    assert found[-1].path == ".github/instructions"
    assert found[-1].reason == "holds 1000 instruction files: only the first 500 by name are read"


def test_files_that_are_too_large_together_are_left_out(tmp_path: Path) -> None:
    for number in range(6):
        text = "---\napplyTo: '**'\n---\n" + f"{number}" * 60_000
        write(tmp_path / f".github/instructions/{number}.instructions.md", text)
    assert [file.used for file in find_instructions(tmp_path)] == [True] * 4 + [False] * 2
    assert "does not fit" in find_instructions(tmp_path)[-1].reason


def test_code_of_others_and_ignored_folders_do_not_speak(tmp_path: Path) -> None:
    write(tmp_path / ".gitignore", "# made\nbuild/\n/out*\nsrc/gen\n*.tmp\n!keep.tmp\n!\n/\n")
    folders = (
        "node_modules/x",
        "build",
        ".venv",
        "src",
        "src/build",
        "src/gen",
        "src/out",
        "a.tmp",
        "keep.tmp",
    )
    for folder in (*folders, "out1"):
        write(tmp_path / folder / "AGENTS.md", f"text of {folder}")
    assert list(reasons(tmp_path)) == ["keep.tmp/AGENTS.md", "src/AGENTS.md", "src/out/AGENTS.md"]


def test_ignore_rules_made_to_take_for_ever_do_not(tmp_path: Path) -> None:
    write(tmp_path / ".gitignore", ("*a" * 100 + "b\n") * 400 + ("/**" * 100 + "/b\n") * 400)
    write(tmp_path / ("a" * 250) / "AGENTS.md", "x")
    assert only(tmp_path).used


def test_a_name_that_acts_on_a_terminal_is_escaped(tmp_path: Path) -> None:
    write(tmp_path / "a\x1b[2J\nb/AGENTS.md", "x")
    assert only(tmp_path).path == "a\\x1b[2J\\nb/AGENTS.md"
