"""The three APIs, a server for each, and a project to work on."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command import long_task
from tests.servers.apis import APIS, Api
from tests.servers.openai_server import OpenAIServer


@pytest.fixture(params=APIS, ids=lambda api: api.provider)
def api(request: pytest.FixtureRequest) -> Api:
    assert isinstance(request.param, Api)
    return request.param


@pytest.fixture
def server(api: Api) -> Iterator[OpenAIServer]:
    with api.server() as server:
        yield server


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return long_task.project(tmp_path / "prices")
