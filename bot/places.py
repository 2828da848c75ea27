"""What the listeners ask of SQL before anything is claimed: what is set for a channel, and what is known of a thread.

It runs in a thread of its own, so that an acknowledgement does not wait behind searches. What is set is remembered, so
that talk in channels where nothing is to be heard costs no look-up.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from core.domain.access import Reader
from core.errors import StorageError
from core.settings import Settings
from core.store.asked import Asked, AskedStore
from core.store.conversations import ANONYMOUS, ConversationStore
from core.store.edited_questions import EditedQuestion, EditedQuestionStore
from core.store.place_settings import PlaceSettings, PlaceSettingsStore

T = TypeVar("T")


class Places:
    """Every method raises StorageError when the database does not answer."""

    def __init__(
        self,
        settings: PlaceSettingsStore,
        conversations: ConversationStore,
        asked: AskedStore,
        edited: EditedQuestionStore,
    ) -> None:
        self._settings = settings
        self._conversations = conversations
        self._asked = asked
        self._edited = edited
        self._threads = ThreadPoolExecutor(1, thread_name_prefix="places")

    @classmethod
    def of(cls, engine: Engine, settings: Settings) -> Places:
        """Over a database, with the defaults of the settings."""
        return cls(
            PlaceSettingsStore(engine, PlaceSettings.defaults(settings)),
            ConversationStore(engine),
            AskedStore(engine),
            EditedQuestionStore(engine),
        )

    async def settings(self, tenant_id: str, channel_id: str) -> PlaceSettings:
        """What is set for a channel."""
        known = self._settings.remembered(tenant_id, channel_id)
        return known if known is not None else await self._run(self._settings.of, tenant_id, channel_id)

    async def set(self, tenant_id: str, channel_id: str, wanted: PlaceSettings, by: str) -> PlaceSettings:
        """Set everything for a channel, by a user; who may is for the caller to check."""
        return await self._run(self._settings.put, tenant_id, channel_id, wanted, by)

    async def reset(self, tenant_id: str, channel_id: str) -> None:
        """Go back to the defaults in a channel."""
        await self._run(self._settings.reset, tenant_id, channel_id)

    async def takes_part(self, tenant_id: str, conversation: str) -> bool:
        """Whether the bot has answered anybody in a thread."""
        return await self._run(self._conversations.is_known, tenant_id, conversation)

    async def has_asked(self, reader: Reader, conversation: str) -> bool:
        """Whether the memory holds a question of this reader in a thread."""
        name = reader.email or ANONYMOUS
        return bool(await self._run(self._conversations.last, reader.tenant_id, conversation, name, 1))

    async def take_back(self, tenant_id: str, conversation: str, reader: str, question: str) -> None:
        """Forget a question that was deleted."""
        await self._run(self._conversations.take_back, tenant_id, conversation, reader, question)

    async def about(self, team_id: str, subject: str) -> list[Asked]:
        """What became of a message that was asked, and of its editions."""
        return await self._run(self._asked.about, team_id, subject)

    async def keep_edited(self, tenant_id: str, edited: EditedQuestion) -> bool:
        """Keep the newest wording of a question."""
        return await self._run(self._edited.keep, tenant_id, edited)

    async def edited(self, tenant_id: str, channel_id: str, ts: str) -> EditedQuestion | None:
        """The newest wording of a question, if it was edited and not answered since."""
        return await self._run(self._edited.find, tenant_id, channel_id, ts)

    async def drop_edited(self, tenant_id: str, channel_id: str, ts: str, up_to: str = "") -> None:
        """Forget the wording of a question, or of its editions up to one."""
        await self._run(self._edited.drop, tenant_id, channel_id, ts, up_to)

    def close(self) -> None:
        """End the thread once its call is done."""
        self._threads.shutdown(wait=True)

    async def _run(self, call: Callable[..., T], *args: Any) -> T:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, partial(call, *args))
        except SQLAlchemyError as error:
            # The text of an SQLAlchemyError repeats the row: it must not reach the log.
            raise StorageError(f"The database does not answer ({type(error).__name__}).") from None
