"""The stand-in and the bot, running together in one event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from bot.cli.people import PeopleFile
from bot.playground.acting import Actor
from bot.playground.company import Company, move_in, read_manifest
from bot.standin import SlackStandIn

TEAM_NAME = "Almendro Logística"
TEAM_DOMAIN = "almendro"

Bot = Callable[[Mapping[str, Any], asyncio.Event, asyncio.Event], Coroutine[Any, Any, None]]
"""Runs the bot: takes the settings that point it at the stand-in, what stops it, and what it sets when it is ready."""


@dataclass(frozen=True, slots=True)
class Session:
    """A workspace that the bot is in."""

    slack: SlackStandIn
    company: Company
    actor: Actor
    ended: asyncio.Task[None]
    """The bot's run; it ends early only when the bot could not go on."""


@asynccontextmanager
async def open_session(people: PeopleFile, run_bot: Bot, tour: Path | None = None) -> AsyncIterator[Session]:
    """Start a workspace with these people, and the bot in it; end both after the block.

    Raises:
        TestigoError: the bot could not start.
    """
    app, commands = read_manifest()
    async with SlackStandIn(app, team_name=TEAM_NAME) as slack:
        slack.workspace.home_team.domain = TEAM_DOMAIN
        company = move_in(slack, people, commands, tour)
        stop, ready = asyncio.Event(), asyncio.Event()
        settings = slack_settings(slack) | ({"ask_channel": company.ask_channel} if company.ask_channel else {})
        running = asyncio.create_task(run_bot(settings, stop, ready), name="bot")
        waiting = asyncio.create_task(ready.wait())
        try:
            await asyncio.wait({running, waiting}, return_when=asyncio.FIRST_COMPLETED)
            if running.done():
                await running
            yield Session(slack, company, Actor(slack, company), running)
        finally:
            waiting.cancel()
            stop.set()
            await running


def slack_settings(slack: SlackStandIn) -> dict[str, Any]:
    """The settings that make a bot take the stand-in for Slack."""
    return {
        "slack_bot_token": SecretStr(slack.app.bot_token),
        "slack_app_token": SecretStr(slack.app.app_token),
        "slack_signing_secret": None,
        "slack_api_url": slack.base_url,
        "http_host": "127.0.0.1",
        "http_port": 0,
        "teams": {},
    }
