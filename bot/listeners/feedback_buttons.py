"""The thumbs below an answer, and the question why it did not help."""

from __future__ import annotations

from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp, AsyncBoltContext

from bot.incoming import PressedButton, SubmittedView
from bot.pressing import Press
from bot.rendering.answer_buttons import FEEDBACK_ACTION
from bot.rendering.feedback_view import FEEDBACK_CALLBACK
from bot.services import Services


def register(app: AsyncApp, services: Services) -> None:
    """Hear the thumbs and the answer to the question."""
    rating = services.rating
    if rating is None:
        return

    async def on_verdict(ack: AsyncAck, body: dict[str, Any], context: AsyncBoltContext) -> None:
        await ack()
        pressed = PressedButton.parse(body)
        press = Press(pressed, context.team_id or pressed.team.id, context.enterprise_id or "")
        services.background.start("taking a verdict", rating.take(press))

    async def on_reason(ack: AsyncAck, body: dict[str, Any], context: AsyncBoltContext) -> None:
        await ack()
        submitted = SubmittedView.parse(body)
        work = rating.explain(submitted, context.team_id or submitted.team.id, context.enterprise_id or "")
        services.background.start("taking a reason", work)

    app.action(FEEDBACK_ACTION)(on_verdict)
    app.view(FEEDBACK_CALLBACK)(on_reason)
