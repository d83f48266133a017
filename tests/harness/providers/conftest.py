"""A provider that asks the scripted server."""

from collections.abc import AsyncIterator

import pytest

from tests.harness.providers.anthropic_kit import asking_anthropic
from tests.harness.providers.kit import Asking
from tests.harness.providers.responses_kit import asking_responses
from tests.servers.anthropic_server import AnthropicServer
from tests.servers.openai_server import OpenAIServer
from tests.servers.responses_server import ResponsesServer


@pytest.fixture
async def asking(openai_server: OpenAIServer) -> AsyncIterator[Asking]:
    """Ask the strict server over HTTP; the client is closed at the end."""
    asking = Asking(openai_server)
    yield asking
    await asking.provider.aclose()


@pytest.fixture
async def claude(anthropic_server: AnthropicServer) -> AsyncIterator[Asking]:
    """Ask the Messages API over HTTP as if it were the vendor's own address."""
    asking = asking_anthropic(anthropic_server)
    yield asking
    await asking.provider.aclose()


@pytest.fixture
async def gpt(responses_server: ResponsesServer) -> AsyncIterator[Asking]:
    """Ask the Responses API over HTTP as if it were the vendor's own address."""
    asking = asking_responses(responses_server)
    yield asking
    await asking.provider.aclose()
