"""A provider that asks the scripted server."""

from collections.abc import AsyncIterator

import pytest

from tests.harness.providers.kit import Asking
from tests.servers.openai_server import OpenAIServer


@pytest.fixture
async def asking(openai_server: OpenAIServer) -> AsyncIterator[Asking]:
    """Ask the strict server over HTTP; the client is closed at the end."""
    asking = Asking(openai_server)
    yield asking
    await asking.provider.aclose()
