"""`/rag-status`: the sources and how fresh they are; to admins also how the syncs go and what the index is made of."""

from __future__ import annotations

import asyncio

from bot.home_lookups import HomeLookups
from bot.identity import Directory
from bot.incoming import Incoming
from bot.reindexing import is_admin
from bot.rendering import Message, render_status, sentence
from bot.tenancy import Tenancy
from bot.words import Words
from core.domain.access import Reader
from core.settings import Settings


class ReportingStatus:
    """What one claimed question for the status is answered with."""

    def __init__(self, settings: Settings, lookups: HomeLookups, tenancy: Tenancy, directory: Directory) -> None:
        self._settings = settings
        self._lookups = lookups
        self._tenancy = tenancy
        self._directory = directory

    async def told(self, incoming: Incoming) -> list[Message]:
        """Look up what this person may know."""
        return [await self._status(incoming)]

    async def _status(self, incoming: Incoming) -> Message:
        tenant_id = self._tenancy.tenant_of(incoming.team_id, incoming.enterprise_id)
        if tenant_id is None:
            return sentence(Words(await self._directory.locale(incoming.user_id)).error_settings())
        person = await self._directory.person(incoming.user_id, tenant_id)
        words = Words(person.locale)
        if not person.is_known:
            return sentence(words.refused_person())
        if is_admin(person, self._settings):
            return await asyncio.to_thread(self._of_admin, tenant_id, words)
        return await asyncio.to_thread(self._of_reader, person.reader, words)

    def _of_admin(self, tenant_id: str, words: Words) -> Message:
        sources, _ = self._lookups.all_sources(tenant_id)
        machinery, behind = self._lookups.machinery(tenant_id)
        return render_status(sources, words, behind, machinery)

    def _of_reader(self, reader: Reader, words: Words) -> Message:
        readable = self._lookups.readable(reader)
        return render_status(readable, words) if readable else sentence(words.status_nothing_readable())
