"""`/rag-revoke` and `/rag-why`: what admins ask of documents and rights. Who is one is checked when it is done."""

from __future__ import annotations

import asyncio
import re
from html import unescape

from bot.auditing import Auditor
from bot.identity import Directory, Person
from bot.incoming import Incoming, Surface
from bot.ports import Desk
from bot.reindexing import is_admin
from bot.rendering import ErrorKind, Message, render_access, render_error, sentence
from bot.rendering.escape import one_line
from bot.rendering.help import REVOKE_COMMAND, WHY_COMMAND
from bot.tenancy import Tenancy
from bot.words import Words
from core.access.explanation import AccessExplanation, ClauseFinding
from core.domain.access import Principal
from core.domain.auditing import AuditKind
from core.settings import Settings

LIFT = "--lift"
SHOWN = 8
LONGEST_NAME = 160
"""Characters of what somebody typed that are shown or recorded."""
_MENTION = re.compile(r"<@([UW][A-Z0-9]+)(?:\|[^>]*)?>")
_MAIL_LINK = re.compile(r"<mailto:([^|>]+)(?:\|[^>]*)?>")


class Administering:
    """What comes of one claimed order of an admin. It is recorded, also where it is denied."""

    def __init__(
        self, settings: Settings, desk: Desk, tenancy: Tenancy, directory: Directory, auditor: Auditor
    ) -> None:
        self._settings = settings
        self._desk = desk
        self._tenancy = tenancy
        self._directory = directory
        self._auditor = auditor

    async def done(self, incoming: Incoming) -> list[Message]:
        """Check that the person is an admin now, and do it; what they are told."""
        return [await self._done(incoming)]

    async def _done(self, incoming: Incoming) -> Message:
        tenant_id = self._tenancy.tenant_of(incoming.team_id, incoming.enterprise_id)
        if tenant_id is None:
            return sentence(Words(None).error_settings())
        person = await self._directory.person(incoming.user_id, tenant_id)
        words = Words(person.locale)
        if not is_admin(person, self._settings):
            await self._auditor.note(AuditKind.DENIED, tenant_id, incoming, action=incoming.surface.value)
            return render_error(ErrorKind.NOT_ALLOWED, "", words)
        if incoming.surface is Surface.REVOKE:
            return await self._revoke(incoming, tenant_id, words)
        return await self._why(incoming, tenant_id, words)

    async def _revoke(self, incoming: Incoming, tenant_id: str, words: Words) -> Message:
        arguments = incoming.text.split()
        lift = LIFT in arguments
        name = " ".join(argument for argument in arguments if argument != LIFT)
        if not name:
            return sentence(words.revoke_usage(REVOKE_COMMAND))
        if lift:
            document_id = await asyncio.to_thread(self._desk.lift, tenant_id, name)
        else:
            document_id = await asyncio.to_thread(self._desk.revoke, tenant_id, name, incoming.user_id)
        facts = {"action": "lift" if lift else "revoke", "outcome": "done" if document_id else "unknown_document"}
        # What was typed is recorded only where it is a document: else it may be anybody's words.
        await self._auditor.note(AuditKind.ADMIN, tenant_id, incoming, **facts, document=document_id or "")
        if document_id is None:
            return sentence(words.revoke_unknown(one_line(name)[:LONGEST_NAME]))
        return sentence(words.revoke_lifted(document_id) if lift else words.revoke_done(document_id))

    async def _why(self, incoming: Incoming, tenant_id: str, words: Words) -> Message:
        who, _, name = incoming.text.strip().partition(" ")
        name = unescape(name.strip())  # this command's text comes escaped, so that a mention is one
        if not who or not name:
            return sentence(words.why_usage(WHY_COMMAND))
        asked = await self._person(who, tenant_id)
        if asked is None:
            return sentence(words.why_usage(WHY_COMMAND))
        found = await asyncio.to_thread(self._desk.explain, tenant_id, name, asked.reader)
        facts = {"action": "why", "about": asked.user_id, "document": found.document_id if found else ""}
        await self._auditor.note(AuditKind.ADMIN, tenant_id, incoming, **facts)
        if found is None:
            return sentence(words.revoke_unknown(one_line(name)[:LONGEST_NAME]))
        shown = asked.reader.email or who
        said = words.why_may if found.may_read else words.why_may_not
        return render_access(_lines(found, words), said(one_line(shown)[:LONGEST_NAME], found.document_id))

    async def _person(self, who: str, tenant_id: str) -> Person | None:
        """The person meant by a mention, or by an address that Slack knows or not."""
        if mention := _MENTION.fullmatch(who):
            return await self._directory.person(mention[1], tenant_id)
        address = found[1] if (found := _MAIL_LINK.fullmatch(who)) else who
        if "@" not in address.strip("@"):
            return None
        return self._directory.listed(address, tenant_id)


def _lines(found: AccessExplanation, words: Words) -> list[tuple[str, bool]]:
    lines: list[tuple[str, bool]] = []
    if not found.served:
        lines.append((words.why_not_served(), False))
    if found.revoked:
        lines.append((words.why_revoked(), False))
    if not found.findings:
        lines.append((words.why_no_rule(), False))
    return [*lines, *(_line(finding, words) for finding in found.findings)]


def _line(finding: ClauseFinding, words: Words) -> tuple[str, bool]:
    if not finding.clause:
        return words.why_nobody(), False
    if finding.holds:
        return words.why_holds(_listed(finding.clause), _listed(finding.held)), True
    return words.why_fails(_listed(finding.clause)), False


def _listed(principals: frozenset[Principal]) -> str:
    names = sorted(one_line(str(principal)) for principal in principals)
    more = f" +{len(names) - SHOWN}" if len(names) > SHOWN else ""
    return " | ".join(names[:SHOWN]) + more
