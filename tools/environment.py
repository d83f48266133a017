"""The environment of the programs that tools run: no secrets, no prompts, no colours.

It is made anew for every program, so that nothing one command exports reaches the next.
"""

import re
from collections.abc import Collection, Mapping

_SECRET_WORDS = re.compile(
    r"TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|PRIVATE_?KEY|API_?KEY|ACCESS_?KEY|COOKIE"
    r"|(?:^|_)(?:[A-Z0-9]*KEYS?|PASS|PWD|AUTH|CREDS?|PAT|DSN|BEARER|JWT|SIGNATURE|WEBHOOK)(?:_|\d|$)",
    re.IGNORECASE,
)
_SECRET_VALUES = re.compile(
    r"://[^/\s:@]*:[^/\s@]+@"  # a URL with a password in it
    r"|\b(?:sk-|sk_live_|rk_live_|gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|hf_|AIza|npm_|pypi-|AKIA|ASIA)"
    r"[\w-]{8,}"
    r"|\b(?:Bearer|Basic) [\w+/=.-]{8,}|-----BEGIN [A-Z ]*PRIVATE KEY-----|\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\."
)
_NOT_SECRET = re.compile(
    r"^(?:PATH|HOME|PWD|OLDPWD|TMPDIR|SSH_AUTH_SOCK|TOKENIZERS_PARALLELISM|GIT_CONFIG_KEY_\d+)$",
    re.IGNORECASE,
)
"""Names that look like secrets and are not: folders, sockets and settings."""

_PROVIDER_VARIABLES = re.compile(
    r"^(?:ANTHROPIC|OPENAI|AZURE_OPENAI|GEMINI|GOOGLE_GENAI|GROQ|MISTRAL|OPENROUTER|DEEPSEEK|XAI|COHERE|TOGETHER"
    r"|FIREWORKS|PERPLEXITY|CEREBRAS|CUTAWAY)_(?:BASE_URL|API_BASE|ENDPOINT|ORG_ID|ORGANIZATION|PROJECT"
    r"|PROJECT_ID|CUSTOM_HEADERS)$",
    re.IGNORECASE,
)
_SHELL_STATE = re.compile(
    r"^(?:BASH_ENV|ENV|SHELLOPTS|BASHOPTS|CDPATH|GLOBIGNORE|PROMPT_COMMAND|PS4|BASH_FUNC_.*|BASH_XTRACEFD)$"
)
"""What would make the shell run, or read, something else than the command line says."""

_COLOURS_AND_PROMPTS = frozenset(
    {"FORCE_COLOR", "CLICOLOR_FORCE", "PY_COLORS", "GIT_ASKPASS", "SSH_ASKPASS", "SUDO_ASKPASS"}
)
_SETTINGS = {
    # Bytecode goes by whole seconds and size: an edit right after a run would be tested as it was before.
    "PYTHONDONTWRITEBYTECODE": "1",
    "TERM": "dumb",
    "NO_COLOR": "1",
    "CLICOLOR": "0",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "MANPAGER": "cat",
    "SYSTEMD_PAGER": "cat",
    "GH_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_EDITOR": "true",
    "GIT_SEQUENCE_EDITOR": "true",
    "EDITOR": "true",
    "VISUAL": "true",
    "GCM_INTERACTIVE": "never",
    "SSH_ASKPASS_REQUIRE": "never",
    "GH_PROMPT_DISABLED": "1",
    "PIP_NO_INPUT": "1",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "NPM_CONFIG_FUND": "false",
    "NPM_CONFIG_UPDATE_NOTIFIER": "false",
    "DEBIAN_FRONTEND": "noninteractive",
    "PYTHONUNBUFFERED": "1",
}


def looks_secret(name: str, value: str) -> bool:
    """Tell whether a variable holds a secret, by its name or by the form of its value."""
    if _NOT_SECRET.match(name):
        return False
    return bool(
        _SECRET_WORDS.search(name) or _PROVIDER_VARIABLES.search(name) or _SECRET_VALUES.search(value)
    )


def child_environment(
    base: Mapping[str, str], keep: Collection[str] = (), extra: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Make a program's environment from ours: secrets out, quiet settings in, `extra` last.

    `keep` names variables that stay although they look like secrets, because the user said so.
    A variable that repeats a withheld value under another name is withheld too.
    """
    withheld = {name for name, value in base.items() if name not in keep and looks_secret(name, value)}
    if any(name.startswith("GIT_CONFIG_") for name in withheld):  # git refuses a list with a gap
        withheld.update(name for name in base if name.startswith("GIT_CONFIG_"))
    values = tuple(base[name] for name in withheld if len(base[name]) >= 12 and "/" not in base[name])
    kept = {
        name: value
        for name, value in base.items()
        if name in keep
        or not (
            name in withheld
            or name in _COLOURS_AND_PROMPTS
            or _SHELL_STATE.match(name)
            or any(secret in value for secret in values)
        )
    }
    return {**kept, **_SETTINGS, **(extra or {})}
