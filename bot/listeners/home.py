"""The home tab: what the bot is, how to ask it, what it reads."""

from __future__ import annotations

from typing import Any

from slack_bolt.async_app import AsyncApp, AsyncBoltContext

from bot.identity import Standing
from bot.rendering import Message, render_help, sentence
from bot.rendering.blocks import bullets, rich, section, text
from bot.services import Services
from bot.slack_client import slack_errors
from bot.words import Words

EVENTS = ("app_home_opened",)


def register(app: AsyncApp, services: Services) -> None:
    """Draw the tab whenever somebody opens it. The messages tab is Slack's own."""

    async def on_opened(event: dict[str, Any], context: AsyncBoltContext) -> None:
        if event.get("tab") == "home" and event.get("user"):
            work = publish_home(services, str(event["user"]), context.team_id or "", context.enterprise_id or "")
            services.background.start("a home tab", work)

    app.event("app_home_opened")(on_opened)


async def publish_home(services: Services, user_id: str, team_id: str, enterprise_id: str) -> None:
    """Draw the home tab of one person.

    Raises:
        SlackError: who they are cannot be found out, or Slack does not take the view.
    """
    tenant_id = services.tenancy.tenant_of(team_id, enterprise_id)
    if tenant_id is None:
        view = sentence(Words(await services.directory.locale(user_id)).error_settings())
    else:
        person = await services.directory.person(user_id, tenant_id)
        words = Words(person.locale)
        sources = [source.name for source in services.settings.sources] if person.standing is Standing.MEMBER else []
        view = home_view(words, sources) if person.is_known else sentence(words.refused_person())
    with slack_errors("views.publish"):
        await services.client.views_publish(user_id=user_id, view={"type": "home", "blocks": list(view.blocks)})


def home_view(words: Words, sources: list[str]) -> Message:
    """The help, and the names of the sources that are read."""
    shown = render_help(words)
    if not sources:
        return shown
    listed = rich(section(text(words.sources(), bold=True)), bullets([section(text(name)) for name in sources]))
    return Message(shown.text, (*shown.blocks, listed))
