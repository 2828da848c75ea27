"""Somebody shares a private answer with the channel: everybody there is looked up again, and must be able to read."""

from __future__ import annotations

import asyncio
import datetime as dt
import re
import time
from collections.abc import Callable, Collection

from bot.audience import Audiences
from bot.auditing import Auditor
from bot.delivery import Delivery
from bot.failures import log_failure, new_code
from bot.identity import Directory, Person
from bot.incoming import Incoming
from bot.ports import Desk
from bot.rendering import ErrorKind, Message, render_answer, render_error, render_shared, sentence
from bot.showing import Showing
from bot.tenancy import Tenancy
from bot.words import Words
from core.administration import Shareable
from core.domain.access import Audience, AudienceKind
from core.domain.auditing import AuditKind
from core.domain.evidence import Answer
from core.errors import TestigoError
from core.store.events import ClaimedEvent

_RUN = re.compile(r"[0-9a-f]{32}")
_POSITIONS = re.compile(r"[0-9]{1,3}(?:,[0-9]{1,3})*")


class Sharing:
    """Carries out one claimed press of the button.

    What comes with the button is not believed: the run must be this person's own, asked in this channel, and each of
    its claims must stand and be readable by everybody there at this moment.
    """

    def __init__(
        self,
        desk: Desk,
        tenancy: Tenancy,
        directory: Directory,
        audiences: Audiences,
        delivery: Delivery,
        auditor: Auditor,
        hosts: Collection[str],
        clock: Callable[[], float] = time.time,
        showing: Showing | None = None,
    ) -> None:
        self._desk = desk
        self._tenancy = tenancy
        self._directory = directory
        self._audiences = audiences
        self._delivery = delivery
        self._auditor = auditor
        self._hosts = hosts
        self._clock = clock
        self._showing = showing or Showing()

    async def handle(self, event: ClaimedEvent, incoming: Incoming) -> None:
        """Check everything, then share what may be shared, then tell.

        Raises:
            SlackError: nothing could be shown to the person.
        """
        tenant_id = self._tenancy.tenant_of(incoming.team_id, incoming.enterprise_id)
        if tenant_id is None:
            await self._tell(event, incoming, Words(None).error_settings())
            return
        try:
            person = await self._directory.person(incoming.user_id, tenant_id)
            words = Words(person.locale)
            audience = await self._audience(incoming, person)
            found = await self._shareable(incoming, person, audience)
            if found is None or not found.claims:
                await self._auditor.note(AuditKind.DENIED, tenant_id, incoming, action="share", run=_run(incoming))
                await self._tell(event, incoming, words.share_unknown() if found is None else words.share_blocked())
                return
            documents = sorted({(c.document_id, c.document_version) for cl in found.claims for c in cl.citations})
            facts = {"run": _run(incoming), "documents": [list(pair) for pair in documents], "whole": found.is_whole}
            await self._auditor.note(AuditKind.SHARED, tenant_id, incoming, **facts)
            await asyncio.to_thread(self._desk.publish, tenant_id, _run(incoming))
        except TestigoError as error:
            code = new_code()
            log_failure(event.id, error, code)
            shown = render_error(
                ErrorKind.PERMISSION_CHECK, code, Words(await self._directory.locale(incoming.user_id))
            )
            await self._delivery.whisper(event, incoming, [shown])
            return
        reply = await self._delivery.open(event, incoming)
        if not reply.is_finished:
            await self._showing.note(event, incoming, _run(incoming), audience.kind)
            await reply.finish(render_shared(self._drawn(found, incoming, words), incoming.user_id, words))
        await self._tell(event, incoming, words.share_done() if found.is_whole else words.share_part())

    async def give_up(self, event: ClaimedEvent, incoming: Incoming) -> None:
        """Tell the person that it was not shared.

        Raises:
            SlackError: the person cannot be told either.
        """
        code = new_code()
        log_failure(event.id, RuntimeError("too many attempts"), code)
        shown = render_error(ErrorKind.UNEXPECTED, code, Words(await self._directory.locale(incoming.user_id)))
        await self._delivery.whisper(event, incoming, [shown])

    async def _audience(self, incoming: Incoming, person: Person) -> Audience:
        if incoming.channel_id.startswith("D") or not person.is_known:
            return Audience.refused(person.reader.tenant_id)
        return await self._audiences.of(incoming, person)

    async def _shareable(self, incoming: Incoming, person: Person, audience: Audience) -> Shareable | None:
        run, wanted = _run(incoming), _positions(incoming)
        if not run or wanted is None:
            return None
        found = await asyncio.to_thread(self._desk.shareable, run, incoming.channel_id, person.reader, audience, wanted)
        if found is not None and audience.kind is AudienceKind.REFUSED:
            return Shareable()
        return found

    def _drawn(self, found: Shareable, incoming: Incoming, words: Words) -> list[Message]:
        answer = Answer(_run(incoming), "", words.language, found.claims, None, 1.0, "", 0)
        now = dt.datetime.fromtimestamp(self._clock(), dt.UTC)
        return list(render_answer(answer, words, self._hosts, now))

    async def _tell(self, event: ClaimedEvent, incoming: Incoming, said: str) -> None:
        await self._delivery.whisper(event, incoming, [sentence(said)])


def _run(incoming: Incoming) -> str:
    """The run that the button names; nothing where it names none."""
    named = incoming.text.partition(":")[0]
    return named if _RUN.fullmatch(named) else ""


def _positions(incoming: Incoming) -> frozenset[int] | None:
    """The claims that the button names; None where what it names are none."""
    named = incoming.text.partition(":")[2]
    return frozenset(map(int, named.split(","))) if _POSITIONS.fullmatch(named) else None if named else frozenset()
