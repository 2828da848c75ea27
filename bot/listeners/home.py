"""The home tab: opened, and what is pressed in it. The messages tab is heard by `assistant`."""

from __future__ import annotations

from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp, AsyncBoltContext

from bot.home import Visitor
from bot.incoming import Incoming, PressedButton, Surface, without_nulls
from bot.intake import claim
from bot.pressing import Press
from bot.rendering.home import ASK_AGAIN_ACTION, FORGET_ACTION, LANGUAGE_ACTION, REINDEX_ACTION
from bot.services import Services

EVENTS = ("app_home_opened",)


def register(app: AsyncApp, services: Services) -> None:
    """Draw the tab whenever somebody opens it, and after each press."""
    home = services.home

    async def on_opened(event: dict[str, Any], context: AsyncBoltContext) -> None:
        if event.get("tab") == "home" and event.get("user"):
            seen = str(without_nulls(event.get("view") or {}).get("hash") or "")
            visitor = Visitor(str(event["user"]), context.team_id or "", context.enterprise_id or "", seen)
            services.background.start("a home tab", home.show(visitor))

    async def on_again(ack: AsyncAck, body: dict[str, Any], context: AsyncBoltContext) -> None:
        press = _press(body, context)
        await claim(services, press.payload.trigger_id, _ordered(press, Surface.ASKED_AGAIN, press.value))
        await ack()

    async def on_reindex(ack: AsyncAck, body: dict[str, Any], context: AsyncBoltContext) -> None:
        press = _press(body, context)
        await claim(services, press.payload.trigger_id, _ordered(press, Surface.REINDEX, ""))
        await ack()

    async def on_language(ack: AsyncAck, body: dict[str, Any], context: AsyncBoltContext) -> None:
        await ack()
        services.background.start("a choice of language", home.choose_language(_press(body, context)))

    async def on_forget(ack: AsyncAck, body: dict[str, Any], context: AsyncBoltContext) -> None:
        await ack()
        services.background.start("forgetting a person", home.forget(_press(body, context)))

    app.event("app_home_opened")(on_opened)
    app.action(ASK_AGAIN_ACTION)(on_again)
    app.action(REINDEX_ACTION)(on_reindex)
    app.action(LANGUAGE_ACTION)(on_language)
    app.action(FORGET_ACTION)(on_forget)


def _press(body: dict[str, Any], context: AsyncBoltContext) -> Press:
    pressed = PressedButton.parse(body)
    return Press(pressed, context.team_id or pressed.team.id, context.enterprise_id or "")


def _ordered(press: Press, surface: Surface, text: str) -> Incoming:
    """What is pressed in a tab, where there is no conversation, as it is claimed."""
    return Incoming(surface, press.team_id, press.user_id, "", text, press.enterprise_id)
