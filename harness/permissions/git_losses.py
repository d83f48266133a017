"""What a git command would destroy that git itself cannot give back."""

from msgspec import Struct

from cutaway.tools.paths import Workspace

_AWAY = "throws away changes that are not committed"
_CONFIG_READS = frozenset(
    ("-l", "--list", "--get", "--get-all", "--get-regexp", "--get-urlmatch", "--get-color", "get", "list")
)
_CONFIG_WRITES = frozenset(
    (
        *("--unset", "--unset-all", "--add", "--replace-all", "--edit", "-e", "--rename-section"),
        *("--remove-section", "set", "unset", "edit", "rename-section", "remove-section"),
    )
)


class _Call(Struct, frozen=True):
    """A git command without global options."""

    command: str
    rest: tuple[str, ...]

    @property
    def flags(self) -> tuple[str, ...]:
        return tuple(text for text in self.rest if text.startswith("-"))

    @property
    def operands(self) -> tuple[str, ...]:
        return tuple(text for text in self.rest if not text.startswith("-"))

    def has(self, letters: str, *long: str) -> bool:
        """Tell whether one of the short options, or of the long ones in any abbreviation, is given."""
        return has_option(self.flags, letters, *long)


def has_option(flags: tuple[str, ...], letters: str, *long: str) -> bool:
    """Look for short options, also in a cluster, and for long ones, also abbreviated or with a value."""
    for flag in flags:
        name = flag.partition("=")[0]
        if name.startswith("--"):
            if len(name) > 3 and any(option.startswith(name) for option in long):
                return True
        elif any(letter in name for letter in letters):
            return True
    return False


def git_loss(texts: tuple[str, ...], workspace: Workspace) -> str:
    """Say what `git` with these arguments would lose; '' when nothing is known against it."""
    if not texts:
        return ""
    call = _Call(texts[0], texts[1:])
    lost = _in_the_tree(call, workspace) or _in_the_repository(call)
    return lost and f"`git {call.command}` here {lost}"


def _in_the_tree(call: _Call, workspace: Workspace) -> str:
    lost = False
    match call.command:
        case "reset":
            lost = call.has("", "--hard", "--merge", "--keep")
        case "clean":
            forced = call.has("f", "--force") and not call.has("n", "--dry-run")
            return "deletes files that git does not keep" if forced else ""
        case "checkout":
            lost = call.has("f", "--force") or _checks_out_files(call, workspace)
        case "switch":
            lost = call.has("f", "--force", "--discard-changes")
        case "restore":
            lost = call.has("W", "--worktree") or not call.has("S", "--staged")
        case "rm":
            lost = call.has("f", "--force")
        case "read-tree":
            lost = call.has("u", "--reset")
        case "checkout-index":
            lost = call.has("f", "--force")
        case "submodule":
            lost = call.operands[:1] == ("deinit",) and call.has("f", "--force")
        case "worktree":
            lost = call.operands[:1] == ("remove",) and call.has("f", "--force")
        case "stash":
            lost = call.operands[:1] in (("drop",), ("clear",))
    return _AWAY if lost else ""


def _checks_out_files(call: _Call, workspace: Workspace) -> bool:
    if call.has("bBt", "--orphan", "--track"):
        return False
    names_file = any(text in (".", "..") or (workspace.root / text).exists() for text in call.operands[:1])
    return "--" in call.rest or names_file or len(call.operands) > 1


def _in_the_repository(call: _Call) -> str:
    operands = call.operands
    match call.command:
        case "push":
            moved = any(text.startswith(("+", ":")) for text in operands)
            forced = call.has("fd", "--force", "--force-with-lease", "--mirror", "--delete", "--prune")
            return "overwrites or deletes on the server" if moved or forced else ""
        case "branch":
            return "deletes commits' only name" if call.has("DM") or call.has("f", "--force") else ""
        case "tag":
            return "deletes commits' only name" if call.has("df", "--delete", "--force") else ""
        case "config":
            return "" if _only_asks(call) else "changes what git runs and trusts"
        case "init" | "clone":
            return "may install hooks that git runs" if call.has("", "--template") else ""
        case "filter-branch" | "filter-repo" | "update-ref":
            return "rewrites history"
        case "reflog" | "gc" | "prune":
            pruned = (
                call.has("", "--prune")
                or call.command == "prune"
                or operands[:1] in (("expire",), ("delete",))
            )
            return "deletes what could still be recovered" if pruned else ""
        case _:
            return ""


def _only_asks(call: _Call) -> bool:
    if _CONFIG_WRITES & {*call.flags, *call.operands[:1]}:
        return False
    return bool(_CONFIG_READS & {*call.flags, *call.operands[:1]}) or len(call.operands) <= 1
