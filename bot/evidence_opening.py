"""Somebody opens the evidence of an answer, or turns a page of it.

The modal opens at once with a line that says so, because Slack's trigger lasts three seconds; what it shows is put in
when it is known. Nothing that comes with a button or a modal is believed but which run is meant: who looks, what they
may read and how each quote stands is found out again each time.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
import time
from collections.abc import Callable, Collection

from slack_sdk.web.async_client import AsyncWebClient

from bot.auditing import Auditor
from bot.failures import NO_EVENT, log_failure, new_code
from bot.identity import Directory
from bot.incoming import Surface
from bot.modals import LOOK_UP_SECONDS, open_modal, put_view
from bot.ports import Desk
from bot.pressing import Press, who_pressed
from bot.rendering import error_kind, sentence
from bot.rendering.answer_buttons import Meant
from bot.rendering.blocks import View
from bot.rendering.errors import error_sentence
from bot.rendering.evidence_view import (
    Opened,
    render_evidence,
    render_evidence_loading,
    render_evidence_sentence,
)
from bot.tenancy import Tenancy
from bot.words import Words
from core.domain.auditing import AuditKind

logger = logging.getLogger("testigo.evidence")


class EvidenceOpening:
    """Opens evidence in Slack. Raises nothing: whoever pressed is told in the modal."""

    def __init__(
        self,
        client: AsyncWebClient,
        desk: Desk,
        tenancy: Tenancy,
        directory: Directory,
        auditor: Auditor,
        hosts: Collection[str],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._client = client
        self._desk = desk
        self._tenancy = tenancy
        self._directory = directory
        self._auditor = auditor
        self._hosts = hosts
        self._clock = clock

    async def open(self, press: Press) -> None:
        """Open a modal for a pressed button."""
        words = Words(await self._directory.locale(press.user_id))
        view_id = await open_modal(
            self._client,
            render_evidence_loading(words),
            sentence(words.evidence_not_opened()),
            trigger_id=press.payload.trigger_id,
            user_id=press.user_id,
            channel_id=press.channel_id,
            thread_ts=press.thread_ts,
        )
        if view_id is None:
            return
        meant = Meant.parse(press.value)
        opened = Opened(meant, press.place, press.user_id) if meant else None
        await self._show(press, view_id, opened, words, page=1)

    async def turn(self, press: Press) -> None:
        """Show another page of an open modal to the one for whom it was opened."""
        words = Words(await self._directory.locale(press.user_id))
        opened = Opened.parse(press.payload.view.private_metadata)
        if opened is not None and opened.user_id != press.user_id:
            await self._refuse(press, opened)
            return
        page = int(press.value) if press.value.isascii() and press.value.isdigit() and len(press.value) < 4 else 1
        await self._show(press, press.payload.view.id, opened, words, page)

    async def _refuse(self, press: Press, opened: Opened) -> None:
        """A modal of somebody else: it stays as it is, and what was tried is written down."""
        logger.warning("a page of somebody else's modal was asked for")
        tenant_id = self._tenancy.tenant_of(press.team_id, press.enterprise_id) or ""
        facts = {"action": "evidence", "run": opened.meant.run_id}
        await self._auditor.note(AuditKind.DENIED, tenant_id, press.incoming(Surface.EVIDENCE), **facts)

    async def _show(self, press: Press, view_id: str, opened: Opened | None, words: Words, page: int) -> None:
        try:
            async with asyncio.timeout(LOOK_UP_SECONDS):
                view = await self._view(press, opened, words, page)
        except Exception as error:
            code = new_code()
            log_failure(NO_EVENT, error, code)
            said = f"{error_sentence(error_kind(error), words)} {words.error_code(code)}"
            view = render_evidence_sentence(said, words)
        await put_view(self._client, view_id, view)

    async def _view(self, press: Press, opened: Opened | None, words: Words, page: int) -> View:
        person = await who_pressed(press, self._tenancy, self._directory)
        if not person.is_known:
            return render_evidence_sentence(words.refused_person(), words)
        tenant_id, incoming = person.reader.tenant_id, press.incoming(Surface.EVIDENCE)
        meant = opened.meant if opened else Meant("")
        evidence = None
        if opened is not None:
            evidence = await asyncio.to_thread(
                self._desk.opened, meant.run_id, opened.place, person.reader, meant.marks
            )
        if evidence is None or opened is None:
            await self._auditor.note(AuditKind.DENIED, tenant_id, incoming, action="evidence", run=meant.run_id)
            return render_evidence_sentence(words.evidence_unavailable(), words)
        today = dt.datetime.fromtimestamp(self._clock(), dt.UTC).date()
        view = render_evidence(evidence, opened, words, self._hosts, today, page)
        documents = [list(pair) for pair in evidence.documents]
        await self._auditor.note(
            AuditKind.OPENED, tenant_id, incoming, run=meant.run_id, documents=documents, page=page
        )
        return view
