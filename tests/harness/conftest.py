"""Model servers beside the one of Chat Completions, for tests that go from one API to another."""

from collections.abc import Iterator

import pytest

from tests.servers.anthropic_server import AnthropicServer
from tests.servers.responses_server import ResponsesServer


@pytest.fixture
def anthropic_server() -> Iterator[AnthropicServer]:
    """A strict Messages API server on loopback; give it a script with `play`."""
    with AnthropicServer() as server:
        yield server


@pytest.fixture
def responses_server() -> Iterator[ResponsesServer]:
    """A strict Responses API server on loopback; give it a script with `play`."""
    with ResponsesServer() as server:
        yield server
