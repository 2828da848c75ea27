"""`/rag-status`: the sources and how fresh they are; to admins also how the syncs go and what the index is made of."""

from __future__ import annotations

import asyncio

from bot.delivery import Delivery
from bot.failures import log_failure, new_code
from bot.home_lookups import HomeLookups
from bot.identity import Directory
from bot.incoming import Incoming
from bot.reindexing import is_admin
from bot.rendering import ErrorKind, Message, error_kind, render_error, render_status, sentence
from bot.tenancy import Tenancy
from bot.words import Words
from core.domain.access import Reader
from core.errors import SettingsError, SlackError
from core.settings import Settings
from core.store.events import ClaimedEvent


class ReportingStatus:
    """Answers one claimed question for the status."""

    def __init__(
        self,
        settings: Settings,
        lookups: HomeLookups,
        tenancy: Tenancy,
        directory: Directory,
        delivery: Delivery,
    ) -> None:
        self._settings = settings
        self._lookups = lookups
        self._tenancy = tenancy
        self._directory = directory
        self._delivery = delivery

    async def handle(self, event: ClaimedEvent, incoming: Incoming) -> None:
        """Look up what this person may know, and tell them.

        Raises:
            SlackError: nothing could be shown to the person.
        """
        reply = await self._delivery.private(event, incoming)
        if reply.is_finished:
            return
        try:
            said = await self._status(incoming)
        except Exception as error:
            code = new_code()
            log_failure(event.id, error, code)
            failed_check = isinstance(error, SlackError | SettingsError)
            kind = ErrorKind.PERMISSION_CHECK if failed_check else error_kind(error)
            said = render_error(kind, code, Words(await self._directory.locale(incoming.user_id)))
        await reply.finish([said])

    async def give_up(self, event: ClaimedEvent, incoming: Incoming) -> None:
        """Tell the person that there is no status.

        Raises:
            SlackError: the person cannot be told either.
        """
        code = new_code()
        log_failure(event.id, RuntimeError("too many attempts"), code)
        words = Words(await self._directory.locale(incoming.user_id))
        reply = await self._delivery.private(event, incoming)
        await reply.finish([render_error(ErrorKind.UNEXPECTED, code, words)])

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
