"""The Bolt app: who may speak to it, and which listener hears what."""

from __future__ import annotations

import logging

from slack_bolt.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse

from bot.failures import new_code
from bot.listeners import (
    admin_commands,
    again_button,
    ask_command,
    ask_person,
    assistant,
    changes,
    direct_message,
    edits,
    evidence_button,
    feedback_buttons,
    follow_up,
    gaps_command,
    home,
    installation,
    mention,
    noise,
    reindex_command,
    removals_button,
    settings_command,
    share_button,
    status_command,
    stopped,
)
from bot.services import Services

logger = logging.getLogger("testigo.app")

LISTENERS = (
    mention,
    ask_person,
    direct_message,
    follow_up,
    edits,
    again_button,
    assistant,
    ask_command,
    reindex_command,
    removals_button,
    status_command,
    settings_command,
    admin_commands,
    gaps_command,
    share_button,
    evidence_button,
    feedback_buttons,
    home,
    changes,
    installation,
    stopped,
    noise,
)
"""In the order in which Bolt asks them; `noise` takes what is left."""


def build_app(services: Services) -> AsyncApp:
    """Make the app with all its listeners.

    `process_before_response` lets a listener end before Slack hears anything: Bolt would otherwise acknowledge an event
    before its listener runs, and one that could not be claimed would be lost. A listener that raises leaves its event
    unacknowledged (HTTP 500, or silence over Socket Mode), so that Slack sends it again.
    """
    settings, me = services.settings, services.me
    # Bolt warns with whole request bodies, and of nothing else that is news to us.
    bolt_logger = logging.getLogger("testigo.bolt")
    bolt_logger.setLevel(logging.ERROR)
    token = services.client.token

    async def authorize(enterprise_id: str | None, team_id: str | None, user_id: str | None) -> AuthorizeResult:
        """The one bot token, without asking Slack. Which tenant a team has, if any, is decided where it is answered."""
        return AuthorizeResult(
            enterprise_id=enterprise_id,
            team_id=team_id,
            user_id=user_id,
            bot_user_id=me.user_id,
            bot_id=me.bot_id,
            bot_token=token,
        )

    secret = settings.slack_signing_secret
    app = AsyncApp(
        name="testigo",
        logger=bolt_logger,
        client=services.client,
        authorize=authorize,
        signing_secret=secret.get_secret_value() if secret is not None else "",
        process_before_response=True,
        attaching_conversation_kwargs_enabled=False,
    )
    for listener in LISTENERS:
        listener.register(app, services)
    app.error(_log_error)
    return app


async def _log_error(error: Exception, request: AsyncBoltRequest, response: BoltResponse | None) -> None:
    """Write down that a listener failed: by kind, since an exception's text may repeat somebody's words."""
    logger.error("a listener failed [%s]: %s", new_code(), type(error).__name__)
