"""A question was deleted by its author: its answer goes too, and what was remembered of it."""

from __future__ import annotations

import logging

from bot.earlier_answers import EarlierAnswers
from bot.identity import Directory
from bot.incoming import Incoming
from bot.ledger import Ledger
from bot.places import Places
from bot.tenancy import Tenancy
from core.errors import SlackError
from core.store.events import ClaimedEvent

logger = logging.getLogger("testigo.withdrawing")


class StillAnsweringError(SlackError):
    """The question is being answered at this moment: there is something to delete only when it has ended."""


class Withdrawing:
    """Deletes what was shown for a deleted question. The record of the run stays, which holds no words."""

    def __init__(
        self, tenancy: Tenancy, directory: Directory, places: Places, ledger: Ledger, answers: EarlierAnswers
    ) -> None:
        self._tenancy = tenancy
        self._directory = directory
        self._places = places
        self._ledger = ledger
        self._answers = answers

    async def handle(self, event: ClaimedEvent, incoming: Incoming) -> None:
        """Stop what is still being answered, delete what was shown, forget what was asked.

        Raises:
            SlackError: the question is still being answered, or Slack cannot be reached; it is tried again later.
        """
        tenant_id = self._tenancy.tenant_of(incoming.team_id, incoming.enterprise_id)
        if tenant_id is None:
            return
        about = await self._places.about(incoming.team_id, f"{incoming.channel_id}:{incoming.ts}")
        asked = [one for one in about if one.event_id != event.id]
        going_on = [one.event_id for one in asked if one.is_open]
        if going_on:
            await self._ledger.ask_to_stop(going_on, incoming.user_id)
        await self._places.drop_edited(tenant_id, incoming.channel_id, incoming.ts)
        deleted = await self._answers.delete(one for one in asked if not one.is_open)
        logger.info("event %d: a question was deleted, and %d messages with it", event.id, deleted)
        if going_on:
            raise StillAnsweringError("A question that was deleted is still being answered.")
        person = await self._directory.person(incoming.user_id, tenant_id)
        if person.reader.email and incoming.text:
            await self._places.take_back(tenant_id, incoming.conversation, person.reader.email, incoming.text)

    async def give_up(self, event: ClaimedEvent, incoming: Incoming) -> None:
        """Nothing: nobody waits for it."""
