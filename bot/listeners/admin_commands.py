"""`/rag-revoke` and `/rag-why`: an admin hides a document, or asks why somebody may read one."""

from __future__ import annotations

from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp, AsyncBoltContext

from bot.failures import new_code
from bot.incoming import Incoming, SlashCommand, Surface
from bot.intake import claim, logger
from bot.rendering import ErrorKind, render_error
from bot.rendering.help import REVOKE_COMMAND, WHY_COMMAND
from bot.services import Services
from bot.words import Words
from core.errors import StorageError

SURFACES = {REVOKE_COMMAND: Surface.REVOKE, WHY_COMMAND: Surface.WHY}
COMMANDS = tuple(SURFACES)


def register(app: AsyncApp, services: Services) -> None:
    """Hear the commands."""

    async def on_order(ack: AsyncAck, body: dict[str, Any], context: AsyncBoltContext) -> None:
        command = SlashCommand.parse(body)
        incoming = Incoming(
            surface=SURFACES[command.command],
            team_id=context.team_id or command.team_id,
            enterprise_id=context.enterprise_id or command.enterprise_id,
            user_id=command.user_id,
            channel_id=command.channel_id,
            text=command.text.strip(),  # as it is: it holds mentions and ids, not a question
            response_url=command.response_url,
        )
        try:
            await claim(services, command.trigger_id, incoming)
        except StorageError:
            code = new_code()
            logger.error("a command is not claimed [%s]", code)
            words = Words(await services.directory.locale(command.user_id))
            await ack(text=render_error(ErrorKind.INDEX, code, words).text)
            return
        await ack()

    for command in COMMANDS:
        app.command(command)(on_order)
