"""Where answers are shown, written down just before it is done: so that an answer's message can be found by its run."""

from __future__ import annotations

import asyncio
import logging

from sqlalchemy.exc import SQLAlchemyError

from bot.audience import Audiences
from bot.incoming import Incoming
from core.domain.access import AudienceKind
from core.store.events import ClaimedEvent
from core.store.shown import ShownAnswer, ShownStore

logger = logging.getLogger("testigo.showing")

ADDITION = "addition"
"""The surface of what only the asker was shown beside an answer in a channel."""


class Showing:
    """Notes where answers are shown; without a store, nothing."""

    def __init__(self, store: ShownStore | None = None, audiences: Audiences | None = None) -> None:
        self._store = store
        self._audiences = audiences

    async def note(
        self, event: ClaimedEvent, incoming: Incoming, run_id: str, audience: AudienceKind, surface: str = ""
    ) -> None:
        """Write down that an event is about to show a run. Failing that, only its later news will not find it."""
        if self._store is None:
            return
        is_public = self._audiences is not None and self._audiences.was_public(incoming.channel_id)
        if audience is AudienceKind.TENANT and not is_public:
            audience = AudienceKind.MEMBERS  # a private channel with very many members
        shown = ShownAnswer(
            run_id,
            event.id,
            incoming.team_id,
            incoming.enterprise_id,
            incoming.user_id,
            incoming.channel_id,
            incoming.thread,
            audience,
            surface or incoming.surface.value,
        )
        try:
            await asyncio.to_thread(self._store.note, shown)
        except SQLAlchemyError as error:
            logger.warning("event %d: where it is shown is not noted (%s)", event.id, type(error).__name__)
