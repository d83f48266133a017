"""Start the screen: check that there is a terminal, then open the session behind the first paint."""

import argparse
import asyncio
import gc
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from cutaway.harness.kept_draft import KeptDraft
from cutaway.harness.model_switch import ModelSwitch
from cutaway.harness.places import config_dir
from cutaway.harness.target import Launch
from cutaway.tui.live_session import LiveSession, NoModelFound
from cutaway.tui.memory import load_ahead, load_parts
from cutaway.tui.start import wanted

USAGE_ERROR = 2
ESCAPE_MS = "25"
"""How long a lone escape may still become a longer key; Textual's 100 alone would use up our promise."""


def run_screen(parsed: argparse.Namespace) -> int:
    """Show the screen for the current folder; exit code 2 where there is no terminal to show it on."""
    if problem := _no_terminal():
        sys.stderr.write(f"cutaway: {problem}\n")
        return USAGE_ERROR
    target = wanted(parsed)
    settings = target.configured.settings
    draft = KeptDraft(target.root)
    switch = ModelSwitch(settings, os.environ)
    return _show(_Opener(target), target.root, settings.theme, parsed.prompt, settings.keys, draft, switch)


def run_demo(parsed: argparse.Namespace) -> int:
    """Show the demo on the screen."""
    if problem := _no_terminal():
        sys.stderr.write(f"cutaway: {problem} The demo also runs without a screen: cutaway demo --headless\n")
        return USAGE_ERROR
    return _show(_DemoOpener(fast=parsed.fast, request=True), Path.cwd(), parsed.theme or "", "")


def _show(
    opener: "_Opener | _DemoOpener",
    root: Path,
    theme: str,
    prompt: str,
    keys: Mapping[str, str] | None = None,
    draft: KeptDraft | None = None,
    switch: ModelSwitch | None = None,
) -> int:
    gc.disable()  # nothing that is made before the first paint is garbage, and looking for it takes a tenth
    os.environ.setdefault("ESCDELAY", ESCAPE_MS)  # Textual reads it when it is imported
    from cutaway.tui.app import CutawayApp  # late: only a screen pays for Textual

    app = CutawayApp(
        opener,
        root=root,
        demo_opener=_DemoOpener(request=True),
        theme=theme,
        theme_folder=config_dir() / "themes",
        keys=keys,
        draft=draft,
    )
    app.main.switch = switch
    if prompt:
        app.main.outgoing.give(prompt)
    app.run()
    if app.loss:
        sys.stderr.write(f"cutaway: {app.loss}\n")
    return app.return_code or 0


class _Opener:
    """Opens the session that the command line asks for."""

    def __init__(self, target: Launch) -> None:
        self._target = target

    async def __call__(self) -> LiveSession:
        await asyncio.to_thread(load_parts, "cutaway.harness.launch")
        from cutaway.harness.launch import launch
        from cutaway.harness.providers.discovery import NoModelReachable

        try:
            session = await launch(self._target, os.environ)
        except NoModelReachable as nothing:
            raise NoModelFound(nothing.findings) from nothing
        asyncio.get_running_loop().run_in_executor(None, load_ahead)
        return session


class _DemoOpener:
    """Opens the demo; `request` is sent when it was chosen on the welcome page."""

    def __init__(self, *, fast: bool = False, request: bool = False) -> None:
        self._fast = fast
        self._request = request

    async def __call__(self) -> LiveSession:
        await asyncio.to_thread(load_parts, "cutaway.harness.demo.story")
        from cutaway.harness.demo.story import REQUEST, open_demo

        session = await open_demo(fast=self._fast)
        if self._request:
            session.send(REQUEST)
        return session


def _no_terminal() -> str:
    """Say why no screen can be shown here; '' when it can."""
    if not all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):  # it is drawn on stderr
        return "the screen needs a terminal for input, output and errors. Without one: cutaway run PROMPT"
    if os.environ.get("TERM", "") in ("dumb", ""):
        return "this terminal (TERM) cannot show a screen. Without one: cutaway run PROMPT"
    return ""
