"""The command with odd standard streams and odd bytes: it says what is wrong, without a trace."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.command.kit import command, environment

posix = pytest.mark.skipif(os.name != "posix", reason="a shell's redirections")


@pytest.fixture
def scripted(tmp_path: Path) -> str:
    """A command line, for a shell, that answers `Hello ✓ there.` in a workspace of its own."""
    (tmp_path / "script.json").write_text(json.dumps({"steps": [{"text": "Hello ✓ there."}]}))
    (tmp_path / "work").mkdir()
    words = command("run", "--provider", "scripted", "--script", str(tmp_path / "script.json"))
    return " ".join([*words, "--cwd", str(tmp_path / "work")])


def shell(line: str, **more: str) -> "subprocess.CompletedProcess[bytes]":
    done = subprocess.run(
        ["bash", "-c", line], env=environment(**more), capture_output=True, timeout=60, check=False
    )
    assert b"Traceback" not in done.stderr and b"Warning" not in done.stderr, done.stderr.decode()
    return done


@posix
def test_closed_streams(scripted: str) -> None:
    assert shell(f"{scripted} hi >&-").returncode == 0
    assert shell(f"{scripted} hi 2>&-").stdout.decode() == "Hello ✓ there.\n"
    assert shell(f"{scripted} - <&-").returncode == 2


@posix
@pytest.mark.parametrize("output", ["text", "json", "stream-json"])
def test_an_output_that_takes_nothing_is_an_error_that_is_said(scripted: str, output: str) -> None:
    done = shell(f"{scripted} hi --output {output} > /dev/full")
    assert done.returncode == 1 and b"No space left" in done.stderr


@posix
def test_a_reader_that_leaves_stops_the_run_in_silence(scripted: str) -> None:
    done = shell(f"{scripted} hi --output stream-json | head -1; exit ${{PIPESTATUS[0]}}")
    assert done.returncode == 1 and done.stderr == b""
    assert json.loads(done.stdout)["type"] == "session.start"


@posix
def test_json_is_utf8_in_any_locale_and_text_is_escaped(scripted: str) -> None:
    assert shell(f"{scripted} hi", PYTHONIOENCODING="ascii").stdout == b"Hello \\u2713 there.\n"
    for output in ("json", "stream-json"):
        done = shell(f"{scripted} hi --output {output}", PYTHONIOENCODING="ascii")
        assert "✓".encode() in done.stdout
        assert [json.loads(line) for line in done.stdout.splitlines()]


@posix
@pytest.mark.parametrize(
    "line", [r"printf 'hi \xff there' | {run} -", r"{run} $'hi \xff'", r"{run} $'hi \xed\xa0\x80'"]
)
def test_a_prompt_of_any_bytes_is_sent(scripted: str, line: str) -> None:
    assert shell(line.replace("{run}", scripted)).returncode == 0


@posix
def test_a_folder_of_any_bytes_can_be_worked_in_and_gone_on_with(scripted: str, tmp_path: Path) -> None:
    os.mkdir(os.fsencode(tmp_path) + b"/od\xffd")  # noqa: PTH102 - a name of bytes
    odd = rf"--cwd {tmp_path}/$'od\xffd'"
    assert shell(f"{scripted} hi {odd}").returncode == 0
    again = shell(f"{scripted} hi {odd} --continue --output stream-json")
    assert b'"session.resume"' in again.stdout and again.returncode == 0


@posix
@pytest.mark.parametrize(
    ("flags", "code", "said"),
    [
        (r"--model $'m\xff'", 2, "--model"),
        (r"--base-url $'http://x/\xff'", 2, "--base-url"),
        ("--resume ''", 2, "the id is empty"),
        ("--resume abc --continue", 2, "not allowed with"),
        ("--resume ../../etc", 1, "no session"),
        ("--continue --cwd /", 1, "no session"),
        ("--cwd '~nobody-of-that-name'", 2, "home folder"),
    ],
)
def test_flags_that_cannot_be_used(scripted: str, flags: str, code: int, said: str) -> None:
    done = shell(f"{scripted} hi {flags}")
    assert done.returncode == code and said in done.stderr.decode()
