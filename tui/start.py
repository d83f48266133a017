"""From a parsed command line to what is to be opened."""

import argparse
import os

from cutaway.harness.config import load_settings
from cutaway.harness.target import Launch, workspace_root


def wanted(parsed: argparse.Namespace) -> Launch:
    """Merge the flags into the settings; raises ConfigError naming the flag, variable or file."""
    root = workspace_root(parsed.cwd)
    flags = {
        "mode": parsed.mode,
        "limit": parsed.limit,
        "model": parsed.model,
        "provider": parsed.provider,
        "base-url": parsed.base_url,
        "allow": parsed.allow,
        "deny": parsed.deny,
        "theme": parsed.theme,
    }
    return Launch(
        root=root,
        configured=load_settings(root, flags, os.environ),
        resume=parsed.resume or "",
        newest=parsed.continue_,
        script=parsed.script or "",
    )
