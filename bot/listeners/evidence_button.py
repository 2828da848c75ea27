"""The button below an answer that opens its evidence, and those that turn its pages."""

from __future__ import annotations

from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp, AsyncBoltContext

from bot.incoming import PressedButton
from bot.pressing import Press
from bot.rendering.answer_buttons import EVIDENCE_ACTION
from bot.rendering.evidence_view import NEXT_ACTION, PREVIOUS_ACTION
from bot.services import Services


def register(app: AsyncApp, services: Services) -> None:
    """Hear the buttons. The work is not written down first: its trigger would have run out by the time of a restart."""
    evidence = services.evidence
    if evidence is None:
        return

    async def on_show(ack: AsyncAck, body: dict[str, Any], context: AsyncBoltContext) -> None:
        await ack()
        services.background.start("opening evidence", evidence.open(_press(body, context)))

    async def on_turn(ack: AsyncAck, body: dict[str, Any], context: AsyncBoltContext) -> None:
        await ack()
        services.background.start("turning a page of evidence", evidence.turn(_press(body, context)))

    app.action(EVIDENCE_ACTION)(on_show)
    app.action(PREVIOUS_ACTION)(on_turn)
    app.action(NEXT_ACTION)(on_turn)


def _press(body: dict[str, Any], context: AsyncBoltContext) -> Press:
    pressed = PressedButton.parse(body)
    return Press(pressed, context.team_id or pressed.team.id, context.enterprise_id or "")
