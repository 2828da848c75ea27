"""The stand-in of Claude's API, and the vendor's own client against it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from anthropic import AsyncAnthropic

from bot.standin.claude import ClaudeStandIn


@pytest.fixture
async def server() -> AsyncIterator[ClaudeStandIn]:
    async with ClaudeStandIn() as running:
        yield running


@pytest.fixture
async def sdk(server: ClaudeStandIn) -> AsyncIterator[AsyncAnthropic]:
    async with AsyncAnthropic(api_key=server.api_key, base_url=server.base_url, max_retries=0) as client:
        yield client
