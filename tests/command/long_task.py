"""One task of sixteen turns as data, on a small git repository whose suite fails and then passes."""

import subprocess
from pathlib import Path

from tests.servers.openai_steps import Json, Step, call

FILES = {
    "README.md": "# Prices\n\nAdds up a shopping cart.\n",
    "prices/__init__.py": "",
    "prices/money.py": "def cents(amount: float) -> int:\n    return int(amount * 100)\n",
    "prices/cart.py": (
        "from prices.money import cents\n\n\n"
        "def total(amounts: list[float]) -> int:\n    return cents(sum(amounts) + 1)\n"
    ),
    "tests/test_prices.py": (
        "from prices.cart import total\nfrom prices.money import cents\n\n\n"
        "def test_cents() -> None:\n    assert cents(0.29) == 29\n\n\n"
        "def test_total() -> None:\n    assert total([0.1, 0.2]) == 30\n"
    ),
    "pytest.ini": "[pytest]\npythonpath = .\naddopts = -p no:asyncio -p no:xdist -p no:cacheprovider\n",
    ".gitignore": "__pycache__/\n.pytest_cache/\n",
}
CHANGED = ["CHANGES.md", "prices/cart.py", "prices/money.py"]
TURNS = 16
SLOW = "run_in_terminal"
REQUEST = "The tests of prices fail. Find out why, mend it, and write down what you changed."
SUMMARY = "Money is rounded, the total is right, and the suite passes."


def project(root: Path) -> Path:
    """Lay the repository, with everything committed."""
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "Begin"]):
        git(root, *words)
    return root


def git(root: Path, *words: str) -> str:
    """Run git there, as somebody, and give what it prints."""
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    done = subprocess.run(["git", *who, *words], cwd=root, capture_output=True, text=True, check=True)
    return done.stdout


def changed(root: Path) -> list[str]:
    """Which files are not as they were committed, new ones among them."""
    return sorted(line[3:] for line in git(root, "status", "--porcelain").splitlines())


def script(*, eighth: str = "git diff --stat") -> list[Step]:
    """The model's part, turn by turn; `eighth` is the command of the eighth turn."""
    return [
        Step(thinking="First look around.", text="I look around.", calls=[call("list_dir", path=".")]),
        Step(calls=[*reads("prices/money.py", "tests/test_prices.py"), call("grep_search", query="cents")]),
        Step(calls=[call("file_search", query="**/*.py")]),
        Step(text="Now the tests.", calls=[call("run_tests")]),
        Step(thinking="29 is 28, so it truncates.\n\nAnd the total?", calls=reads("prices/cart.py")),
        Step(text="It truncates.", calls=[edit("prices/money.py", "int(amount", "round(amount")]),
        Step(calls=[edit("prices/cart.py", "cents(sum(amounts) + 1)", "cents(sum(amounts))")]),
        Step(text="What has changed?", calls=[call("run_in_terminal", command=eighth)]),
        Step(calls=[call("grep_search", query=r"round\(|int\(", isRegexp=True)]),
        Step(thinking="Check both.", calls=reads("prices/money.py", "prices/cart.py")),
        Step(calls=[call("create_file", filePath="CHANGES.md", content="- Round money.\n")]),
        Step(text="Once more.", calls=[call("run_tests", files=["tests/test_prices.py"])]),
        Step(calls=[call("run_in_terminal", command="git status --short")]),
        Step(thinking="Read it again.", text="One last look.", calls=reads("CHANGES.md")),
        Step(text=SUMMARY),
        Step(text="Yes.", calls=[call("task_complete", summary=SUMMARY)]),
    ]


def reads(*paths: str) -> list[Json]:
    return [call("read_file", filePath=path) for path in paths]


def edit(path: str, old: str, new: str) -> Json:
    return call("replace_string_in_file", filePath=path, oldString=old, newString=new)
