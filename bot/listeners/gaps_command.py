"""`/rag-gaps`: an admin asks what the documents did not answer."""

from __future__ import annotations

from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp, AsyncBoltContext

from bot.failures import new_code
from bot.incoming import Incoming, SlashCommand, Surface
from bot.intake import claim, logger
from bot.rendering import ErrorKind, render_error
from bot.rendering.help import GAPS_COMMAND
from bot.services import Services
from bot.words import Words
from core.errors import StorageError

COMMANDS = (GAPS_COMMAND,)


def register(app: AsyncApp, services: Services) -> None:
    """Hear the command, where there is anything to list."""
    if not services.lists_gaps:
        return

    async def on_order(ack: AsyncAck, body: dict[str, Any], context: AsyncBoltContext) -> None:
        command = SlashCommand.parse(body)
        incoming = Incoming(
            surface=Surface.GAPS,
            team_id=context.team_id or command.team_id,
            enterprise_id=context.enterprise_id or command.enterprise_id,
            user_id=command.user_id,
            channel_id=command.channel_id,
            text=command.text.strip(),
            response_url=command.response_url,
        )
        try:
            await claim(services, command.trigger_id, incoming)
        except StorageError:
            code = new_code()
            logger.error("a command is not claimed [%s]", code)
            await ack(text=render_error(ErrorKind.INDEX, code, Words(None)).text)
            return
        await ack()

    app.command(GAPS_COMMAND)(on_order)
