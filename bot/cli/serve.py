"""`testigo serve`: answer in Slack until stopped."""

from __future__ import annotations

import asyncio
import signal

import click

from bot.cli.application import Application
from bot.serving import serve_slack
from core.errors import SettingsError


@click.command()
@click.pass_obj
def serve(application: Application) -> None:
    """Serve Slack: over Socket Mode with SLACK_APP_TOKEN, else over signed HTTP."""
    run_server(application)


def run_server(application: Application) -> None:
    """Serve until SIGINT or SIGTERM.

    Raises:
        SettingsError: tokens are missing.
        SlackError: Slack does not take them.
    """
    if not application.settings.serves_slack:
        raise SettingsError(
            "There are no Slack tokens: put SLACK_BOT_TOKEN and SLACK_APP_TOKEN (or SLACK_SIGNING_SECRET) into .env; "
            "the README says where they come from."
        )
    asyncio.run(_serve(application))


async def _serve(application: Application) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(name, stop.set)
    await serve_slack(application, stop)
