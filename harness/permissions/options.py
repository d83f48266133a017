"""What is known of programs: which run others, which only read, and which options write or execute.

Data for rules and the floor. A program that is not listed has no known dangerous option; that is why
a prefix rule is the user's own word for "any arguments", less what stands here. Sources: the programs'
manuals, and the advisories that `rg --pre`, `find -exec`, `sed` scripts and `git --output` have had.
"""

import re

from msgspec import Struct

from cutaway.harness.permissions.command_line import Part, Word, program_of

SHELLS = frozenset(
    ("sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "csh", "tcsh", "rbash", "pwsh", "powershell")
)
_INTERPRETERS = frozenset(
    (
        *("python", "pypy", "node", "nodejs", "deno", "bun", "ruby", "perl", "php", "lua", "luajit", "tclsh"),
        *("rscript", "julia", "osascript", "awk", "gawk", "mawk", "nawk", "ed", "ex", "vi", "vim", "nvim"),
        *("emacs", "nano", "cmd", "wscript", "cscript", "irb", "ipython", "groovy", "scala", "java", "ghci"),
    )
)
_STARTERS = frozenset(
    (
        *("env", "sudo", "doas", "su", "nohup", "setsid", "timeout", "gtimeout", "nice", "ionice", "chrt"),
        *("taskset", "stdbuf", "time", "command", "builtin", "exec", "xargs", "gxargs", "parallel", "watch"),
        *("strace", "ltrace", "gdb", "flock", "busybox", "toybox", "script", "unbuffer", "caffeinate"),
        *("chroot", "unshare", "nsenter", "ssh", "tmux", "screen", "at", "batch", "crontab", "entr"),
        *("npx", "pnpx", "bunx", "uvx", "eval", "source", ".", "trap", "coproc", "rundll32", "expect"),
        *("less", "more"),
    )
)
_SHELL_STATE = frozenset(
    (
        *("export", "declare", "typeset", "local", "readonly", "unset", "alias", "unalias", "set", "shopt"),
        *("compgen", "compopt", "history", "fc"),
        *("enable", "hash", "bind", "complete", "let", "read", "mapfile", "readarray", "getopts", "pushd"),
    )
)
"""Builtins that change what later commands of the same line mean."""

RUNNERS = SHELLS | _INTERPRETERS | _STARTERS | _SHELL_STATE
"""Programs for which "any arguments" would mean "anything at all"."""

_RUNNING_COMMANDS = {
    "npm": frozenset(("run", "run-script", "rum", "urn", "exec", "x", "start", "explore", "init", "create")),
    "pnpm": frozenset(("run", "exec", "dlx", "start", "create")),
    "yarn": frozenset(("run", "exec", "dlx", "start", "create", "node")),
    "cargo": frozenset(("run", "r", "install")),
    "go": frozenset(("run", "generate", "tool", "install")),
    "uv": frozenset(("run", "tool", "x")),
    "poetry": frozenset(("run",)),
    "pipenv": frozenset(("run",)),
    "pdm": frozenset(("run",)),
    "hatch": frozenset(("run",)),
    "coverage": frozenset(("run",)),
    "composer": frozenset(("run", "run-script", "exec")),
    "mvn": frozenset(("exec:exec", "exec:java")),
    "pipx": frozenset(("run",)),
    "conda": frozenset(("run",)),
    "bundle": frozenset(("exec",)),
    "docker": frozenset(("run", "exec", "compose", "buildx")),
    "podman": frozenset(("run", "exec", "compose")),
    "kubectl": frozenset(("exec", "run", "debug")),
    "rustup": frozenset(("run",)),
    "gh": frozenset(("alias", "extension", "codespace")),
    "mise": frozenset(("exec", "x", "run", "r")),
    "nix": frozenset(("run", "shell", "develop", "eval")),
    "dotnet": frozenset(("run", "exec", "script")),
}
"""Sub-commands that run a program named by their arguments or by a file of the project."""

READERS = frozenset(
    (
        *("cat", "head", "tail", "ls", "grep", "egrep", "fgrep", "rg", "wc", "file", "stat", "du", "df"),
        *("tree", "diff", "cmp", "md5sum", "sha1sum", "sha256sum", "sha512sum", "cksum", "test", "[", "echo"),
        *("printf", "basename", "dirname", "realpath", "readlink", "jq", "uniq", "cut", "nl", "od", "pwd"),
        *("strings", "which", "type", "true", "false", "cd", "pushd", "sort", "find", "git", "sleep"),
    )
)
"""Programs that write nothing but what they print (`sort`, `find` and `git`: but for listed options)."""

WRITERS = frozenset(
    (
        *("cp", "mv", "tee", "touch", "ln", "install", "rm", "rmdir", "mkdir", "truncate", "dd", "rsync"),
        *("sed", "chmod", "chown", "chgrp", "patch", "unlink", "shred", "tar", "unzip", "scp", "mkfifo"),
    )
)

CODE_READERS = SHELLS | frozenset(("python", "node", "nodejs", "ruby", "perl", "php", "deno", "bun", "lua"))
"""Programs that run what they read when they are given no file."""

PRINTERS = frozenset(("echo", "printf", "true", "false", ":"))
"""Programs that open none of their arguments."""

PATTERN_TAKERS = frozenset(
    ("grep", "egrep", "fgrep", "rg", "sed", "awk", "gawk", "jq", "perl", "expr", "git")
)
"""Programs whose arguments may look like an absolute path and be none."""


class _Unsafe(Struct, frozen=True):
    """Options that write or execute: whole words, long options (any abbreviation), short letters."""

    words: frozenset[str] = frozenset()
    long: tuple[str, ...] = ()
    letters: str = ""


_UNSAFE = {
    "find": _Unsafe(
        words=frozenset(
            ("-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprint0", "-fprintf", "-fls")
        )
    ),
    "fd": _Unsafe(long=("--exec", "--exec-batch"), letters="xX"),
    "fdfind": _Unsafe(long=("--exec", "--exec-batch"), letters="xX"),
    "rg": _Unsafe(long=("--pre", "--hostname-bin", "--search-zip"), letters="z"),
    "sort": _Unsafe(long=("--output", "--compress-program", "--temporary-directory"), letters="oT"),
    "git": _Unsafe(
        words=frozenset(("foreach", "--ext-diff", "--textconv")),
        long=(
            *("--output", "--exec", "--exec-path", "--git-dir", "--work-tree", "--config-env", "--config"),
            *("--open-files-in-pager", "--upload-pack", "--receive-pack", "--template", "--output-directory"),
            *("--extcmd", "--tool", "--paginate", "--super-prefix", "--namespace", "--no-index"),
        ),
        letters="cCOox",
    ),
    "tar": _Unsafe(
        long=(
            *("--to-command", "--checkpoint-action", "--use-compress-program", "--info-script"),
            *("--new-volume-script", "--rsh-command", "--extract", "--get", "--create", "--append"),
            *("--update", "--delete", "--rmt-command", "--to-stdout"),
        ),
        letters="xcruAIF",
    ),
    "date": _Unsafe(long=("--set",), letters="s"),
    "base64": _Unsafe(long=("--output",), letters="o"),
    "tree": _Unsafe(letters="o"),
    "file": _Unsafe(long=("--compile",), letters="C"),
    "man": _Unsafe(long=("--pager", "--html", "--preprocessor"), letters="PHp"),
    "curl": _Unsafe(
        long=(
            *("--output", "--remote-name", "--config", "--upload-file", "--cookie-jar", "--dump-header"),
            *(
                "--trace",
                "--stderr",
                "--output-dir",
                "--etag-save",
                "--hsts",
                "--alt-svc",
                "--form",
                "--data",
            ),
            *("--libcurl", "--url-query", "--json"),
        ),
        letters="oOKTcDFd",
    ),
    "wget": _Unsafe(
        long=("--execute", "--use-askpass", "--config", "--post-file", "--body-file"), letters="e"
    ),
    "rsync": _Unsafe(long=("--rsh", "--rsync-path"), letters="e"),
    "scp": _Unsafe(letters="SoF"),
    "printf": _Unsafe(letters="v"),
    "wait": _Unsafe(letters="p"),
    "make": _Unsafe(long=("--eval", "--file", "--makefile", "--directory", "--include-dir"), letters="fCI"),
    "pytest": _Unsafe(
        long=(
            *("--basetemp", "--rootdir", "--confcutdir", "--override-ini", "--config-file", "--junitxml"),
            *("--junit-xml", "--log-file", "--pyargs", "--cov-report", "--cov-config", "--debug"),
        ),
        letters="pco",
    ),
    "ruff": _Unsafe(long=("--output-file", "--config", "--cache-dir"), letters="o"),
    "mypy": _Unsafe(long=("--python-executable", "--config-file", "--junit-xml", "--install-types")),
    "eslint": _Unsafe(long=("--config", "--rulesdir", "--plugin", "--parser", "--output-file"), letters="co"),
    "tsc": _Unsafe(words=frozenset(("--outDir", "--outFile", "-p", "--project"))),
    "npm": _Unsafe(
        long=("--script-shell", "--prefix", "--node-options", "--userconfig", "--globalconfig"), letters="C"
    ),
    "pnpm": _Unsafe(long=("--script-shell", "--dir", "--node-options", "--config"), letters="C"),
    "yarn": _Unsafe(long=("--script-shell", "--cwd", "--use-yarnrc")),
    "cargo": _Unsafe(long=("--config", "--manifest-path", "--target-dir"), letters="ZC"),
    "go": _Unsafe(
        words=frozenset(("-exec", "-toolexec", "-vettool", "-overlay", "-modfile", "-o", "-C")),
        long=("--exec", "--toolexec", "--vettool", "--overlay", "--modfile"),
    ),
    "kubectl": _Unsafe(long=("--kubeconfig",)),
    "pylint": _Unsafe(long=("--load-plugins", "--init-hook", "--rcfile", "--output")),
    "flake8": _Unsafe(long=("--config", "--append-config", "--output-file")),
    "prettier": _Unsafe(long=("--plugin", "--config")),
    "jest": _Unsafe(long=("--config", "--rootDir", "--globalSetup", "--outputFile"), letters="c"),
    "vitest": _Unsafe(long=("--config", "--root", "--dir", "--outputFile"), letters="cr"),
    "tox": _Unsafe(long=("--override", "--conf", "--workdir"), letters="xc"),
    "nox": _Unsafe(long=("--noxfile",), letters="f"),
    "gradle": _Unsafe(long=("--init-script", "--build-file", "--project-dir"), letters="Ibpc"),
    "mvn": _Unsafe(long=("--file", "--settings"), letters="fs"),
    "cmake": _Unsafe(letters="PE"),
    "rake": _Unsafe(long=("--rakefile", "--require", "--execute"), letters="efrR"),
    "just": _Unsafe(long=("--command", "--shell", "--justfile", "--working-directory"), letters="cfd"),
    "test": _Unsafe(words=frozenset(("-v", "-R"))),  # a subscript there is evaluated: a[$(x)]
    "jobs": _Unsafe(letters="x"),
    "zip": _Unsafe(long=("--unzip-command",), letters="T"),
    "jq": _Unsafe(letters="L"),
}
_SED_SCRIPT = re.compile(r"(?:\d+|\$)(?:,(?:\d+|\$))?p")
_GIT_RUNNING = frozenset(
    (
        *("config", "filter-branch", "difftool", "mergetool", "hook", "submodule", "bisect", "rebase"),
        *("daemon", "instaweb", "shell", "send-email", "credential", "worktree", "remote", "clone", "init"),
        *(
            "bundle",
            "maintenance",
            "for-each-repo",
            "fast-import",
            "fast-export",
            "p4",
            "svn",
            "gui",
            "citool",
        ),
    )
)


def family(program: str) -> str:
    """Drop a version from a program's name: `python3.12` counts as `python`."""
    return re.sub(r"[\d.]+$", "", program) or program


def why_no_prefix(words: tuple[Word, ...]) -> str:
    """Say why no allow rule may cover "these words and any that follow"; '' when one may."""
    program = program_of(words[0])
    if family(program) in RUNNERS or program in RUNNERS:
        return f"`{program}` runs whatever its arguments say, so any arguments would mean any command"
    running = _RUNNING_COMMANDS.get(program)
    if running is not None:
        command = words[1].text if len(words) > 1 else ""
        if not command or command.startswith("-"):
            return f"`{program}` has sub-commands that run any program; name the sub-command"
        if command in running:
            return f"`{program} {command}` runs whatever its arguments or the project say"
    return "" if len(words) == 1 else unsafe_option(words)


def unsafe_option(words: tuple[Word, ...], fixed: int = 1) -> str:
    """Name the argument that may write or execute, so that a prefix rule does not cover it; '' if none.

    `fixed` is how many words the rule itself names: a sub-command that the user wrote is accepted.
    """
    program = family(program_of(words[0]))
    arguments = words[1:]
    if program == "sed":
        return _sed_obstacle([word.text for word in arguments])
    if program == "git" and fixed == 1 and len(words) > 1 and words[1].text in _GIT_RUNNING:
        return words[1].text
    if program == "uniq" and len(files := _operands(arguments)) > 1:
        return f"{files[-1]} (which it would write)"
    if program == "make" and any("=" in word.text for word in arguments):
        return "a variable"
    table = _UNSAFE.get(program)
    if table is None:
        return ""
    for index, word in enumerate(arguments):
        if index >= fixed - 1 and word.expands and word.text[:1] in "*?[":
            return f"{word.text} (which may become an option)"
        if _is_unsafe(table, word.text, first=index == 0 and program == "tar"):
            return word.text
    return ""


def _operands(words: tuple[Word, ...]) -> list[str]:
    """Leave the options out; a lone `-` is standard input, and after `--` all words are operands."""
    texts = [word.text for word in words]
    end = texts.index("--") if "--" in texts else len(texts)
    return [text for text in texts[:end] if text == "-" or not text.startswith("-")] + texts[end + 1 :]


def _is_unsafe(table: _Unsafe, text: str, *, first: bool) -> bool:
    if text.partition("=")[0] in table.words:
        return True
    if text.startswith("--"):
        name = text.partition("=")[0]
        return len(name) > 2 and any(option.startswith(name) for option in table.long)
    if (text.startswith("-") or first) and table.letters:
        return any(letter in text for letter in table.letters)
    return False


def _sed_obstacle(arguments: list[str]) -> str:
    """Accept `sed -n 1,5p FILE…` alone: a sed script can write files and run commands."""
    if len(arguments) > 1 and arguments[0] == "-n" and _SED_SCRIPT.fullmatch(arguments[1]):
        return next((text for text in arguments[2:] if text.startswith("-")), "")
    return "a sed script"


def only_reads(part: Part) -> bool:
    """Tell whether a command writes no file by itself, as far as its program is known."""
    known = part.program in READERS or part.program == "sed"
    return known and not unsafe_option(part.words)
