"""What a hook has said: its exit code and output, read as Copilot's and Claude Code's hooks are.

Exit code 0 passes, and JSON on stdout may say more; exit code 2 blocks, with stderr as the reason; any
other end is a warning for the user and decides nothing.
"""

from collections.abc import Iterable
from typing import Any, Literal

import msgspec
from msgspec import Struct

HookPoint = Literal[
    "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact", "Stop", "SessionEnd"
]
PermissionWord = Literal["allow", "ask", "deny"]

CONTEXT_MOST = 10_000
"""Characters of one hook's text that reach the model."""

_STRICTNESS: dict[PermissionWord, int] = {"allow": 0, "ask": 1, "deny": 2}
_TELLS_PLAINLY: frozenset[HookPoint] = frozenset({"SessionStart", "UserPromptSubmit"})
"""Points at which output that is no JSON is context for the model."""


class CommandEnded(Struct, frozen=True):
    """How a hook's command ended; `failed` says why it could not be run to its end, '' when it was."""

    exit_code: int
    stdout: str = ""
    stderr: str = ""
    failed: str = ""


class HookOutcome(Struct, frozen=True):
    """What one hook, or all hooks of a point together, want.

    `blocked` are reasons to stop what was about to happen, `context` is text for the model, `warnings`
    are for the user. `abort` stops the whole interaction ('' for no). `updated_input` replaces a tool's
    arguments.
    """

    blocked: tuple[str, ...] = ()
    context: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    permission: PermissionWord | None = None
    permission_reason: str = ""
    updated_input: dict[str, Any] | None = None
    abort: str = ""


def read_outcome(point: HookPoint, ended: CommandEnded) -> HookOutcome:
    """Understand one command's end; garbage is a warning and never a decision."""
    if ended.failed:
        return HookOutcome(warnings=(ended.failed,))
    if ended.exit_code == 2:
        reason = _cut(ended.stderr.strip()) or "The hook blocked it and gave no reason."
        if point == "PreToolUse":
            return HookOutcome(permission="deny", permission_reason=reason)
        return HookOutcome(blocked=(reason,))
    if ended.exit_code != 0:
        said = ended.stderr.strip() or ended.stdout.strip()
        tail = f": {said.splitlines()[-1][:300]}" if said else ""
        return HookOutcome(warnings=(f"it ended with exit code {ended.exit_code}{tail}",))
    return _read_output(point, ended.stdout.strip())


def _read_output(point: HookPoint, text: str) -> HookOutcome:
    if not text:
        return HookOutcome()
    if not text.startswith("{"):
        return HookOutcome(context=(_cut(text),)) if point in _TELLS_PLAINLY else HookOutcome()
    try:
        said = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        return HookOutcome(warnings=(f"its output begins like JSON and is none ({error})",))
    return _read_object(point, said)


def _read_object(point: HookPoint, said: dict[str, Any]) -> HookOutcome:
    more = said.get("hookSpecificOutput")
    own = more if isinstance(more, dict) and more.get("hookEventName") in (None, point) else {}
    warning = _text(said, "systemMessage")
    reason = _text(said, "reason") or _text(own, "reason")
    blocks = "block" in (said.get("decision"), own.get("decision"))
    warnings = [warning] if warning else []
    if blocks and not reason:
        warnings.append("it blocked without a reason, which counts for nothing")
    word = own.get("permissionDecision")
    changed = own.get("updatedInput")
    stop = said.get("continue") is False
    return HookOutcome(
        blocked=(_cut(reason),) if blocks and reason else (),
        context=tuple(filter(None, (_cut(_text(own, "additionalContext")),))),
        warnings=tuple(warnings),
        permission=word if isinstance(word, str) and word in _STRICTNESS else None,
        permission_reason=_text(own, "permissionDecisionReason"),
        updated_input=changed if isinstance(changed, dict) else None,
        abort=(_text(said, "stopReason") or "A hook stopped it.") if stop else "",
    )


def together(outcomes: Iterable[HookOutcome]) -> HookOutcome:
    """Join what several hooks said: the strictest permission, the last changed input, equal reasons once."""
    blocked: dict[str, None] = {}
    context: list[str] = []
    warnings: list[str] = []
    word: PermissionWord | None = None
    reason, abort = "", ""
    changed: dict[str, Any] | None = None
    for one in outcomes:
        blocked |= dict.fromkeys(one.blocked)
        context += one.context
        warnings += one.warnings
        if one.permission and (word is None or _STRICTNESS[one.permission] > _STRICTNESS[word]):
            word, reason = one.permission, one.permission_reason
        changed = one.updated_input if one.updated_input is not None else changed
        abort = abort or one.abort
    return HookOutcome(tuple(blocked), tuple(context), tuple(warnings), word, reason, changed, abort)


def _text(place: dict[str, Any], key: str) -> str:
    value = place.get(key)
    return value.strip() if isinstance(value, str) else ""


def _cut(text: str) -> str:
    if len(text) <= CONTEXT_MOST:
        return text
    return f"{text[:CONTEXT_MOST]}\n[cut here: {len(text) - CONTEXT_MOST:,} characters more]"
