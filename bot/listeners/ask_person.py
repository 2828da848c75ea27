"""Handing a question to people: the button, the form, the replies in its thread, and the button that sends one back."""

from __future__ import annotations

from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp, AsyncBoltContext

from bot.incoming import PressedButton, SlackMessage, SubmittedView
from bot.intake import claim
from bot.pressing import Press
from bot.rendering.answer_buttons import ASK_PERSON_ACTION
from bot.rendering.asking_people import ASK_PERSON_CALLBACK, SUGGEST_ACTION
from bot.services import Services

EVENTS = ("message",)


def register(app: AsyncApp, services: Services) -> None:
    """Hear them, where there is anybody to ask."""
    asking, suggested = services.asking_people, services.suggested_answers
    if asking is None or suggested is None:
        return

    async def on_button(ack: AsyncAck, body: dict[str, Any], context: AsyncBoltContext) -> None:
        await ack()
        services.background.start("opening the form for a question", asking.open(_press(body, context)))

    async def on_form(ack: AsyncAck, body: dict[str, Any], context: AsyncBoltContext) -> None:
        submitted = SubmittedView.parse(body)
        incoming = asking.incoming(submitted, context.team_id or submitted.team.id, context.enterprise_id or "")
        if incoming is not None:
            await claim(services, f"form:{submitted.view.id}", incoming)
        await ack()

    async def is_reply(event: dict[str, Any], context: AsyncBoltContext) -> bool:
        message = SlackMessage.parse(event)
        return await suggested.thread_of(message, context.team_id or "", context.enterprise_id or "") is not None

    async def on_reply(event: dict[str, Any], context: AsyncBoltContext) -> None:
        message = SlackMessage.parse(event)
        handed = await suggested.thread_of(message, context.team_id or "", context.enterprise_id or "")
        if handed is not None:
            services.background.start("offering to send a reply", suggested.offer(message, handed))

    async def on_suggest(ack: AsyncAck, body: dict[str, Any], context: AsyncBoltContext) -> None:
        await ack()
        services.background.start("sending a suggested answer", suggested.take(_press(body, context)))

    app.action(ASK_PERSON_ACTION)(on_button)
    app.view(ASK_PERSON_CALLBACK)(on_form)
    app.event("message", matchers=[is_reply])(on_reply)
    app.action(SUGGEST_ACTION)(on_suggest)


def _press(body: dict[str, Any], context: AsyncBoltContext) -> Press:
    pressed = PressedButton.parse(body)
    return Press(pressed, context.team_id or pressed.team.id, context.enterprise_id or "")
