"""The life of one event's message (`core.domain.message_life`) as the replies of this process see and note it."""

from __future__ import annotations

import logging
from typing import Any

from bot.ledger import Ledger
from core.domain.message_life import Stage, require_may_follow
from core.errors import StorageError
from core.store.events import ClaimedEvent

logger = logging.getLogger("testigo.delivery")


class MessageLife:
    """Where a message stands, and what has been shown of it. All replies to one event share one."""

    def __init__(self, ledger: Ledger, event: ClaimedEvent) -> None:
        self._ledger = ledger
        self.event_id = event.id
        self.team_id = event.team_id
        self.is_another_attempt = event.attempts > 1
        self.stage = event.stage
        self._noted = dict(event.delivered)

    def noted(self, key: str) -> Any:
        """What is known under a key; None when nothing is."""
        return self._noted.get(key)

    def keep(self, **what: Any) -> None:
        """Have something written down together with the next note."""
        self._noted.update(what)

    async def note(self, stage: Stage | None = None, **what: Any) -> None:
        """Write down what is known now, and the stage where it changes.

        Raises:
            StageError: the message cannot come to that stage from where it stands.
            StorageError: it is not written down.
        """
        if stage is not None:
            require_may_follow(self.stage, stage)
        self.keep(**what)
        if not await self._ledger.note(self.event_id, self._noted, stage):
            raise StorageError("Another process has ended this message.")
        self.stage = stage or self.stage

    async def try_note(self, stage: Stage | None = None, **what: Any) -> bool:
        """As `note`; where the database does not answer, that is logged, and False."""
        try:
            await self.note(stage, **what)
        except StorageError as error:  # messages carry the event's id, by which they are found again
            logger.warning("event %d: what was shown is not noted (%s)", self.event_id, type(error).__name__)
            return False
        return True
