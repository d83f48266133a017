"""What to open, as a value that costs nothing to import: the first paint comes before the session's parts."""

import os
from pathlib import Path

from msgspec import Struct

from cutaway.harness.config import Configured
from cutaway.harness.errors import ConfigError
from cutaway.harness.places import expanded


class Launch(Struct, frozen=True):
    """What to open: `resume` is an id or its beginning, `newest` means the folder's newest session."""

    root: Path
    configured: Configured
    resume: str = ""
    newest: bool = False
    script: str = ""


def workspace_root(folder: str) -> Path:
    """The folder to work in; raises ConfigError when there is no such folder."""
    root = Path(os.path.realpath(expanded(folder, "--cwd")))
    if not root.is_dir():
        raise ConfigError(f"--cwd: {root} is not a folder. Name the folder to work in.")
    return root
