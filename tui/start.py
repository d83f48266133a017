"""From a parsed command line to what is to be opened."""

import argparse
import os

from cutaway.harness.config import load_settings
from cutaway.harness.target import Launch, workspace_root
from cutaway.tui.command_line import FLAGS


def wanted(parsed: argparse.Namespace) -> Launch:
    """Merge the flags into the settings; raises ConfigError naming the flag, variable or file."""
    root = workspace_root(parsed.cwd)
    flags = {key: getattr(parsed, key.replace("-", "_")) for key in FLAGS}
    return Launch(
        root=root,
        configured=load_settings(root, flags, os.environ),
        resume=parsed.resume or "",
        newest=parsed.continue_,
        script=parsed.script or "",
    )
