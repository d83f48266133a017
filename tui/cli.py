"""The `cutaway` command: where the parts are put together; each command imports only what it needs."""

import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    import argparse

USAGE_ERROR = 2

DEMO_NOTICE = (
    "The model is a recording and its cache is simulated; tools, tests and edits are real.\n"
    "Every question is answered yes.\n"
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code (2 for usage or configuration)."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments == ["--version"]:
        return _version()
    try:
        return _guarded(arguments)
    except KeyboardInterrupt:
        return 130


def _version() -> int:
    from importlib.metadata import PackageNotFoundError, version

    try:
        number = version("cutaway")
    except PackageNotFoundError:
        number = "(not installed)"
    sys.stdout.write(f"cutaway {number}\n")
    return 0


def _guarded(arguments: list[str]) -> int:
    """Turn what a user can mend into one message, and a closed pipe into silence."""
    from cutaway.harness.errors import AuthenticationFailed, ConfigError, HarnessError
    from cutaway.tui.command_line import parse
    from cutaway.tui.streams import open_what_is_closed, silence_output, write_any_text

    open_what_is_closed()
    write_any_text()
    parsed = parse(arguments)
    if getattr(parsed, "version", False):
        return _version()
    try:
        code = _COMMANDS[parsed.command](parsed)
        sys.stdout.flush()
        return code
    except (ConfigError, AuthenticationFailed) as error:
        sys.stderr.write(f"cutaway: {error}\n")
        return USAGE_ERROR
    except HarnessError as error:
        sys.stderr.write(f"cutaway: {error}\n")
    except BrokenPipeError:
        silence_output()
    except OSError as error:
        silence_output()
        sys.stderr.write(f"cutaway: {error}\n")
    return 1


def _run(parsed: "argparse.Namespace") -> int:
    import asyncio

    from cutaway.harness.desk import NobodyThere
    from cutaway.harness.headless import run_headless
    from cutaway.harness.launch import launch
    from cutaway.tui.start import wanted
    from cutaway.tui.streams import read_input

    prompt = read_input() if parsed.prompt == "-" else parsed.prompt
    if not prompt.strip():
        sys.stderr.write("cutaway run: the prompt is empty.\n")
        return USAGE_ERROR

    async def go() -> int:
        session = await launch(wanted(parsed), os.environ, NobodyThere())
        try:
            return await run_headless(session, prompt, parsed.output, _output(parsed), sys.stderr)
        finally:
            await session.aclose()

    return asyncio.run(go())


def _demo(parsed: "argparse.Namespace") -> int:
    if not parsed.headless:
        from cutaway.tui.screen import run_demo

        return run_demo(parsed)

    import asyncio

    from cutaway.harness.demo.story import REQUEST, DemoAnswers, open_demo
    from cutaway.harness.headless import run_headless

    async def go() -> int:
        session = await open_demo(asker=DemoAnswers(), fast=True)
        if parsed.output == "text":
            sys.stderr.write(DEMO_NOTICE)
        try:
            return await run_headless(session, REQUEST, parsed.output, _output(parsed), sys.stderr)
        finally:
            await session.aclose()

    return asyncio.run(go())


def _output(parsed: "argparse.Namespace") -> TextIO:
    from cutaway.tui.streams import write_utf8

    if parsed.output != "text":
        write_utf8()
    return sys.stdout


def _screen(parsed: "argparse.Namespace") -> int:
    from cutaway.tui.screen import run_screen

    return run_screen(parsed)


def _resume(parsed: "argparse.Namespace") -> int:
    parsed.resume, parsed.continue_, parsed.prompt = parsed.id, not parsed.id, ""
    return _screen(parsed)


def _sessions(parsed: "argparse.Namespace") -> int:
    from cutaway.harness.eventlog.store import SessionStore
    from cutaway.tui.sessions_command import list_sessions, show_session

    store = SessionStore()
    match parsed.action:
        case "show":
            return show_session(store, parsed.id)
        case "fork":
            sys.stdout.write(f"{store.fork(parsed.id)}\n")
        case "delete":
            sys.stdout.write(f"deleted {store.delete(parsed.id)}\n")
        case _:
            here = os.path.realpath(os.curdir) if getattr(parsed, "here", False) else None
            return list_sessions(store, here, as_json=getattr(parsed, "json", False))
    return 0


def _models(parsed: "argparse.Namespace") -> int:
    import asyncio

    from cutaway.tui.models_command import list_models

    return asyncio.run(list_models(parsed))


def _doctor(parsed: "argparse.Namespace") -> int:
    import asyncio

    from cutaway.tui.doctor import doctor

    return asyncio.run(doctor(parsed.cwd))


_COMMANDS: dict[str, Callable[["argparse.Namespace"], int]] = {
    "": _screen,
    "run": _run,
    "demo": _demo,
    "resume": _resume,
    "sessions": _sessions,
    "models": _models,
    "doctor": _doctor,
}
