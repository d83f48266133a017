"""The command line: what can be typed after `cutaway`, and how it is read."""

import argparse
from collections.abc import Sequence

MODES = ("plan", "interactive", "accept-edits", "autopilot")

FLAGS = (
    "mode",
    "limit",
    "model",
    "provider",
    "base-url",
    "effort",
    "max-cost",
    "max-tokens",
    "max-minutes",
    "cache-strategy",
    "cache-ttl",
    "compaction",
    "compaction-threshold",
    "keep-alive",
    "keep-alive-max-cost",
    "title",
    "allow",
    "deny",
    "theme",
)
"""Flags that are settings, in the order in which they are checked."""

COMMANDS = {
    "demo": "a recorded model on a small real project: real tools, real tests, no key, no network",
    "run": "one request without the screen",
    "resume": "take up a session again (the newest one of this folder when no ID is given)",
    "sessions": "list, show, fork or delete sessions",
    "models": "what can be reached now, and what is known of each model: windows, abilities, prices",
    "doctor": "every setting with its origin, and what can be reached",
}


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """Read a command line; `command` is '' for the screen. Exits with code 2 when it cannot be read."""
    command = next((word for word in argv if not word.startswith("-")), "")
    if argv and argv[0] == command and command in COMMANDS:
        known = _PARSERS[command]().parse_args(argv[1:])
    else:
        command = ""
        known = _screen().parse_args(argv)
    known.command = command
    return known


def _screen() -> argparse.ArgumentParser:
    lines = "\n".join(f"  {name:<10}{text}" for name, text in COMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="cutaway",
        description="A coding assistant in the terminal whose engine can be watched.",
        epilog=f"commands:\n{lines}\n\nWithout a command: the screen, in the current folder.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("prompt", nargs="?", default="", metavar="PROMPT", help="a first message to send")
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    _add_session_flags(parser)
    return parser


def _run() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="cutaway run",
        description="Send one request and follow it to its end, without a screen.",
        epilog="exit codes: 0 finished, 1 failed, 2 usage or configuration, 3 tool-call limit, "
        "4 something needed approval and was denied, 130 interrupted",
    )
    parser.add_argument("prompt", metavar="PROMPT", help="the request; - reads it from standard input")
    parser.add_argument("--output", choices=("text", "json", "stream-json"), default="text")
    _add_session_flags(parser)
    return parser


def _demo() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="cutaway demo", description=COMMANDS["demo"].capitalize() + ".")
    parser.add_argument(
        "--headless", action="store_true", help="without the screen; questions are answered yes"
    )
    parser.add_argument("--output", choices=("text", "json", "stream-json"), default="text")
    parser.add_argument("--fast", action="store_true", help="do not pause between the model's words")
    parser.add_argument("--theme", help="a theme by name")
    return parser


def _resume() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="cutaway resume", description=COMMANDS["resume"].capitalize() + ".")
    parser.add_argument("id", nargs="?", default="", metavar="ID", help="an id, or its beginning")
    _add_session_flags(parser, resume=False)
    return parser


def _sessions() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="cutaway sessions", description=COMMANDS["sessions"].capitalize() + "."
    )
    actions = parser.add_subparsers(dest="action", metavar="list|show|fork|delete")
    listing = actions.add_parser("list", help="all sessions, the last used first")
    listing.add_argument("--here", action="store_true", help="only those of the current folder")
    listing.add_argument("--json", action="store_true", help="one JSON object a line")
    for name, text in (
        ("show", "what was said and done in a session, with tokens and money"),
        ("fork", "copy a session under a new id"),
        ("delete", "remove a session with its files"),
    ):
        action = actions.add_parser(name, help=text)
        action.add_argument("id", metavar="ID")
    return parser


def _models() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="cutaway models",
        description=COMMANDS["models"].capitalize() + ".",
        epilog="exit codes: 0 a model can be reached, 1 none can, 2 usage or configuration. Servers on this "
        "machine are asked; nothing is sent with a key without --refresh.",
    )
    parser.add_argument("provider", nargs="?", default="", metavar="PROVIDER", help="only this one, in full")
    parser.add_argument("--refresh", action="store_true", help="ask each provider with a key for its models")
    parser.add_argument("--all", action="store_true", help="all models, not the first few of each provider")
    parser.add_argument("--json", action="store_true", help="one JSON object a provider and line")
    parser.add_argument("--cwd", metavar="DIR", default=".", help="the workspace whose settings count")
    return parser


def _doctor() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="cutaway doctor", description=COMMANDS["doctor"].capitalize() + ".")
    parser.add_argument("--cwd", metavar="DIR", default=".", help="the workspace to look at")
    return parser


_PARSERS = {
    "demo": _demo,
    "run": _run,
    "resume": _resume,
    "sessions": _sessions,
    "models": _models,
    "doctor": _doctor,
}


def _id(text: str) -> str:
    """An empty id (a variable that is not set, say) must not begin a new session."""
    if not text.strip():
        raise argparse.ArgumentTypeError("the id is empty; see: cutaway sessions list")
    return text


def _add_session_flags(parser: argparse.ArgumentParser, *, resume: bool = True) -> None:
    parser.add_argument("--mode", choices=MODES, help="what may run without asking (default: interactive)")
    parser.add_argument("--limit", type=int, metavar="N", help="turns before it asks to go on (default: 25)")
    parser.add_argument("--model", metavar="M", help="the model's name at the provider")
    parser.add_argument("--provider", metavar="P", help="openai, anthropic, ollama, …, or one of yours")
    parser.add_argument("--base-url", metavar="U", help="another address of it, with or without /v1")
    parser.add_argument("--effort", metavar="E", help="how much it thinks: low, medium, high, …")
    _add_bounds(parser)
    _add_cache_flags(parser)
    parser.add_argument(
        "--allow", action="append", default=[], metavar="RULE", help="let a tool run: tool or tool(specifier)"
    )
    parser.add_argument("--deny", action="append", default=[], metavar="RULE", help="never let a tool run")
    parser.add_argument("--script", metavar="FILE", help="the script of --provider scripted")
    parser.add_argument("--theme", help="a theme by name")
    parser.add_argument("--cwd", metavar="DIR", default=".", help="the workspace (default: this folder)")
    if resume:
        which = parser.add_mutually_exclusive_group()
        which.add_argument("--resume", metavar="ID", type=_id, help="take up this session")
        which.add_argument(
            "--continue",
            dest="continue_",
            action="store_true",
            help="take up the newest session of this folder",
        )


def _add_bounds(parser: argparse.ArgumentParser) -> None:
    """Budgets: their values are checked with the other settings, so that a file and a flag say the same."""
    parser.add_argument("--max-cost", metavar="USD", help="money to spend before it asks to go on")
    parser.add_argument("--max-tokens", metavar="N", help="tokens to send and receive before it asks")
    parser.add_argument("--max-minutes", metavar="N", help="minutes to work before it asks")


def _add_cache_flags(parser: argparse.ArgumentParser) -> None:
    """How the prompt is cached, shortened and named."""
    parser.add_argument("--cache-strategy", choices=("stable", "copilot"), help="where cache marks are set")
    parser.add_argument("--cache-ttl", choices=("5m", "1h"), help="how long the provider is to cache")
    parser.add_argument(
        "--compaction", choices=("off", "ask", "auto"), help="what to do when the context is nearly full"
    )
    parser.add_argument(
        "--compaction-threshold", metavar="SHARE", help="nearly full: a share of the window (default: 0.8)"
    )
    switch = argparse.BooleanOptionalAction
    parser.add_argument("--keep-alive", action=switch, help="keep the cache warm while you think")
    parser.add_argument("--keep-alive-max-cost", metavar="USD", help="money that this may cost a session")
    parser.add_argument("--title", action=switch, help="let the model name the session")
