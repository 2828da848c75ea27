"""Bots in processes of their own, to be killed."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.conftest import ROOT
from tests.e2e.conftest import Bot


@asynccontextmanager
async def bot_to_kill(bot: Bot, way: str) -> AsyncIterator[None]:
    """A bot in another process, on the same database; it is killed at the end of the block."""
    before = bot.slack.sockets.connections
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.e2e.process",
        bot.settings.database_location,
        bot.slack.base_url,
        way,
        cwd=ROOT,
    )
    try:
        await bot.slack.wait_until(lambda: bot.slack.sockets.connections > before or None, within=90)
        yield
    finally:
        process.kill()
        await process.wait()
