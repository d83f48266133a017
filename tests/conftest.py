"""What every test gets: a home of its own, no keys of the machine, and a scripted model server."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers.openai_server import OpenAIServer

# The many processes that tests start would each compile all of the program where this is set.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

HOMES = {
    "HOME": "home",
    "USERPROFILE": "home",
    "APPDATA": "appdata",
    "LOCALAPPDATA": "localappdata",
    "XDG_CONFIG_HOME": "config",
    "XDG_DATA_HOME": "data",
    "XDG_STATE_HOME": "state",
    "XDG_CACHE_HOME": "cache",
    "XDG_RUNTIME_DIR": "run",
    "CUTAWAY_HOME": "cutaway",
}
FOREIGN = (
    "_API_KEY",
    "_AUTH_TOKEN",
    "_BASE_URL",
    "_OPENAI_ENDPOINT",
    "OLLAMA_HOST",
    "OPENAI_API_VERSION",
    "_PROXY",
    "_proxy",
    "_API_TOKEN",
)


@pytest.fixture(autouse=True)
def isolated(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep the machine's settings, sessions, keys and proxies out of the test; returns the new home."""
    root = tmp_path_factory.mktemp("isolated")
    for variable, folder in HOMES.items():
        (root / folder).mkdir(mode=0o700, exist_ok=True)
        monkeypatch.setenv(variable, str(root / folder))
    for variable in list(os.environ):
        if variable.endswith(FOREIGN) or (variable.startswith("CUTAWAY_") and variable not in HOMES):
            monkeypatch.delenv(variable)
    return root / "home"


@pytest.fixture
def openai_server() -> Iterator[OpenAIServer]:
    """A strict Chat Completions server on loopback; give it a script with `play`."""
    with OpenAIServer() as server:
        yield server
