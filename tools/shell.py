"""The shell that runs command lines: without the user's start-up files, so that it does what is read."""

import shutil
import sys
from pathlib import Path

from cutaway.tools.errors import ToolError


def shell_command(command: str) -> list[str]:
    """Give the program and its arguments that run one command line.

    Raises ToolError when the machine has no shell.
    """
    if sys.platform == "win32":
        if powershell := shutil.which("pwsh") or shutil.which("powershell"):
            return [powershell, "-NoLogo", "-NoProfile", "-NonInteractive", "-Command", command]
        return [shutil.which("cmd") or "cmd.exe", "/d", "/s", "/c", command]
    bash = "/bin/bash" if Path("/bin/bash").exists() else shutil.which("bash")
    if bash:
        return [bash, "--norc", "--noprofile", "-c", command]
    if Path("/bin/sh").exists():
        return ["/bin/sh", "-c", command]
    raise ToolError("There is no shell on this machine (no bash, no /bin/sh), so no command can run.")
