"""Suggested questions in the agent's view: such as this person can ask and have answered.

Nothing here matters to an answer: whatever fails is logged, and the view stays without suggestions.
"""

from __future__ import annotations

import asyncio

from slack_sdk.web.async_client import AsyncWebClient

from bot.identity import Directory
from bot.ports import Suggester
from bot.rendering.escape import one_line
from bot.rendering.split import cut
from bot.slack_client import slack_errors
from bot.tenancy import Tenancy
from bot.words import Words
from core.suggestions import Topic

LONGEST_TITLE = 75
"""Characters of a suggestion as it is shown; what it asks is whole."""


class Suggesting:
    """Sets a person's suggested prompts."""

    def __init__(self, client: AsyncWebClient, directory: Directory, tenancy: Tenancy, suggester: Suggester) -> None:
        self._client = client
        self._directory = directory
        self._tenancy = tenancy
        self._suggester = suggester

    async def suggest(
        self, user_id: str, channel_id: str, team_id: str, enterprise_id: str, thread_ts: str = ""
    ) -> None:
        """Show somebody what they could ask, in their language; nothing to whom nothing would be answered.

        `thread_ts` is for the older assistant's view alone: with it Slack sets nothing in the agent's view.

        Raises:
            TestigoError: who they are, or what they may read, cannot be found out, or Slack does not take it.
        """
        tenant_id = self._tenancy.tenant_of(team_id, enterprise_id)
        if tenant_id is None:
            return
        person = await self._directory.person(user_id, tenant_id)
        if not person.is_known:
            return
        words = Words(person.locale)

        def phrase(topic: Topic) -> str:
            title, section = one_line(topic.title), one_line(topic.section)
            return words.suggest_section(title, section) if section else words.suggest_about(title)

        questions = await asyncio.to_thread(self._suggester.suggest, person.reader, words.language, phrase)
        if not questions:
            return
        prompts = [{"title": cut(question, LONGEST_TITLE), "message": question} for question in questions]
        with slack_errors("assistant.threads.setSuggestedPrompts"):
            await self._client.assistant_threads_setSuggestedPrompts(
                channel_id=channel_id,
                prompts=prompts,
                title=words.suggest_title(),
                thread_ts=thread_ts or None,
            )
