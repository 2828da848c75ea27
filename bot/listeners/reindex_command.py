"""`/rag-reindex [source]`: an admin has the exports read again. Whether they are one is checked when it is done."""

from __future__ import annotations

from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp, AsyncBoltContext

from bot.failures import new_code
from bot.incoming import SlashCommand, Surface
from bot.intake import claim, logger
from bot.listeners.ask_command import incoming_command
from bot.rendering import ErrorKind, render_error
from bot.rendering.help import REINDEX_COMMAND
from bot.services import Services
from bot.words import Words
from core.errors import StorageError

COMMANDS = (REINDEX_COMMAND,)


def register(app: AsyncApp, services: Services) -> None:
    """Hear the command."""

    async def on_reindex(ack: AsyncAck, body: dict[str, Any], context: AsyncBoltContext) -> None:
        command = SlashCommand.parse(body)
        try:
            await claim(services, command.trigger_id, incoming_command(command, context, Surface.REINDEX, services))
        except StorageError:
            code = new_code()
            logger.error("a command is not claimed [%s]", code)
            words = Words(await services.directory.locale(command.user_id))
            await ack(text=render_error(ErrorKind.INDEX, code, words).text)
            return
        await ack()

    app.command(REINDEX_COMMAND)(on_reindex)
