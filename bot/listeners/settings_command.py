"""`/rag-settings`, and the form that it opens. Nothing is claimed first: its trigger would not outlive a restart."""

from __future__ import annotations

from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp, AsyncBoltContext

from bot.incoming import PressedButton, SlashCommand, SubmittedView
from bot.pressing import Press
from bot.rendering.help import SETTINGS_COMMAND
from bot.rendering.settings_view import RESET_ACTION, SETTINGS_CALLBACK
from bot.services import Services

COMMANDS = (SETTINGS_COMMAND,)


def register(app: AsyncApp, services: Services) -> None:
    """Hear the command and the form."""
    setting = services.place_setting
    if setting is None:
        return

    async def on_settings(ack: AsyncAck, body: dict[str, Any], context: AsyncBoltContext) -> None:
        await ack()
        command = SlashCommand.parse(body)
        team_id = context.team_id or command.team_id
        work = setting.open(command, team_id, context.enterprise_id or command.enterprise_id)
        services.background.start("opening settings", work)

    async def on_submit(ack: AsyncAck, body: dict[str, Any], context: AsyncBoltContext) -> None:
        submitted = SubmittedView.parse(body)
        team_id = context.team_id or submitted.team.id
        outcome = await setting.submit(submitted, team_id, context.enterprise_id or "")
        if outcome.errors:
            await ack(response_action="errors", errors=dict(outcome.errors))
        elif outcome.view is not None:
            await ack(response_action="update", view=outcome.view)
        else:
            await ack()
            services.background.start("confirming settings", setting.confirm(submitted.user.id, outcome.saved_in))

    async def on_reset(ack: AsyncAck, body: dict[str, Any], context: AsyncBoltContext) -> None:
        await ack()
        pressed = PressedButton.parse(body)
        press = Press(pressed, context.team_id or pressed.team.id, context.enterprise_id or "")
        services.background.start("resetting settings", setting.reset(press))

    app.command(SETTINGS_COMMAND)(on_settings)
    app.view(SETTINGS_CALLBACK)(on_submit)
    app.action(RESET_ACTION)(on_reset)
