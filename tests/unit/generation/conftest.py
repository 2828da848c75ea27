"""The stand-in of Claude's API, and clients of ours against it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from bot.standin.claude import ClaudeStandIn
from core.generation.claude_stream import ClaudeMessages


@pytest.fixture
async def server() -> AsyncIterator[ClaudeStandIn]:
    async with ClaudeStandIn() as running:
        yield running


@pytest.fixture
async def claude(server: ClaudeStandIn) -> AsyncIterator[ClaudeMessages]:
    async with ClaudeMessages(server.api_key, "claude-sonnet-5-5", base_url=server.base_url) as client:
        yield client
