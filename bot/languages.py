"""Which language the bot speaks to a person: what they chose in the home tab, for an async program."""

from __future__ import annotations

import asyncio
import logging

from sqlalchemy.exc import SQLAlchemyError

from core.errors import StorageError
from core.store.person_settings import PersonSettingsStore

logger = logging.getLogger("testigo.languages")


class Languages:
    """Looks choices up, and keeps new ones."""

    def __init__(self, store: PersonSettingsStore) -> None:
        self._store = store

    async def of(self, tenant_id: str, user_id: str) -> str:
        """The ISO code that somebody chose; empty: none, or the database does not answer. Only words hang on it."""
        try:
            if self._store.remembers(tenant_id):
                return self._store.language(tenant_id, user_id)
            return await asyncio.to_thread(self._store.language, tenant_id, user_id)
        except SQLAlchemyError as error:
            logger.warning("a choice of language is not known (%s)", type(error).__name__)
            return ""

    async def choose(self, tenant_id: str, user_id: str, language: str, email: str) -> None:
        """Keep a choice; an empty language takes it back.

        Raises:
            StorageError: it is not kept.
        """
        try:
            await asyncio.to_thread(self._store.choose, tenant_id, user_id, language, email)
        except SQLAlchemyError as error:
            raise StorageError(f"The database does not answer ({type(error).__name__}).") from None

    def forget(self, tenant_id: str) -> None:
        """Look again at the next word: somebody's choice was deleted elsewhere."""
        self._store.forget_remembered(tenant_id)
