"""Bots in processes of their own, to be killed."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.e2e.conftest import Bot
from tests.forked import fork_of


@asynccontextmanager
async def bot_to_kill(bot: Bot, way: str) -> AsyncIterator[None]:
    """A bot in another process, on the same database; it is killed at the end of the block."""
    before = bot.slack.sockets.connections
    fork = fork_of("tests.e2e.process")
    await asyncio.to_thread(fork.start, bot.settings.database_location, bot.slack.base_url, way)
    try:
        await bot.slack.wait_until(lambda: bot.slack.sockets.connections > before or None, within=90)
        yield
    finally:
        assert fork.kill() == -signal.SIGKILL, "it had ended before"
