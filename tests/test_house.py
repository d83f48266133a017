"""The laws of the house that a machine can hold."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
FLOORS = ("tui", "harness", "tools", "themes")


def test_links_and_wheel_mapping_are_equal() -> None:
    """The editable install (links) and the wheel (mapping) give the same package."""
    targets = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]
    assert targets["wheel"]["sources"] == {floor: f"cutaway/{floor}" for floor in FLOORS}
    assert targets["wheel"]["only-include"] == list(FLOORS)
    for floor in FLOORS:
        assert (ROOT / ".src/cutaway" / floor).resolve() == ROOT / floor
    assert targets["wheel"]["force-include"] == {"tui/__main__.py": "cutaway/__main__.py"}
    assert (ROOT / ".src/cutaway/__main__.py").resolve() == ROOT / "tui/__main__.py"


def test_no_file_is_over_400_lines() -> None:
    sources = [path for floor in (*FLOORS, "tests") for path in (ROOT / floor).rglob("*.py")]
    assert sources
    long = {
        str(path.relative_to(ROOT)): n for path in sources if (n := len(path.read_text().splitlines())) > 400
    }
    assert long == {}


def test_the_harness_does_not_bring_the_screen() -> None:
    code = (
        "import cutaway.harness.session, cutaway.harness.launch, sys; "
        "print([m for m in ('textual', 'rich', 'pygments', 'httpx', 'git') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(ROOT / ".src")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"


def test_there_are_two_broad_excepts() -> None:
    """One around a tool call, one at the top of the interaction; both re-raise nothing and hide nothing."""
    broad = re.compile(r"^\s*except(?: Exception(?: as \w+)?)?:", re.MULTILINE)
    found = {
        str(path.relative_to(ROOT)): count
        for floor in FLOORS
        for path in (ROOT / floor).rglob("*.py")
        if (count := len(broad.findall(path.read_text())))
    }
    assert found == {"harness/loop.py": 1, "harness/tool_runner.py": 1}
