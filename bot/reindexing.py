"""`/rag-reindex`: an admin has the exports read again, and watches it in one message."""

from __future__ import annotations

import time
from collections.abc import Callable

from bot.auditing import Auditor
from bot.delivery import Delivery
from bot.failures import log_failure, new_code
from bot.identity import Directory, Person, Standing
from bot.incoming import Incoming
from bot.metrics import Metrics
from bot.ports import Reindexer, closing
from bot.rendering import (
    ErrorKind,
    render_error,
    render_progress,
    render_summary,
    sentence,
)
from bot.reply import Reply
from bot.tenancy import Tenancy
from bot.words import Words
from core.domain.access import Principal, fold_name
from core.domain.auditing import AuditKind
from core.domain.syncing import SyncFinished, SyncProgress, SyncStarted
from core.errors import BusyError, SettingsError, SlackError, StorageError
from core.settings import Settings
from core.store.events import ClaimedEvent

EDIT_SECONDS = 3.0
"""Least time between two edits of the progress: Slack takes some fifty a minute in all."""


class Reindexing:
    """Carries out one claimed order to read the exports again."""

    def __init__(
        self,
        settings: Settings,
        reindexer: Reindexer,
        tenancy: Tenancy,
        directory: Directory,
        delivery: Delivery,
        metrics: Metrics,
        clock: Callable[[], float] = time.monotonic,
        auditor: Auditor | None = None,
    ) -> None:
        self._settings = settings
        self._reindexer = reindexer
        self._tenancy = tenancy
        self._directory = directory
        self._delivery = delivery
        self._metrics = metrics
        self._clock = clock
        self._auditor = auditor or Auditor()

    async def handle(self, event: ClaimedEvent, incoming: Incoming) -> None:
        """Check that the person is an admin now, then read, then tell.

        Raises:
            SlackError: nothing could be shown to the person.
        """
        private = await self._delivery.private(event, incoming)
        tenant_id = self._tenancy.tenant_of(incoming.team_id, incoming.enterprise_id)
        if tenant_id is None:
            await private.finish([sentence(Words(None).error_settings())])
            return
        try:
            person = await self._directory.person(incoming.user_id, tenant_id)
        except (SlackError, SettingsError) as error:
            code = new_code()
            log_failure(event.id, error, code)
            await private.finish([render_error(ErrorKind.PERMISSION_CHECK, code, Words(None))])
            return
        words = Words(person.locale)
        source = incoming.text or None
        known = [each.name for each in self._settings.sources]
        allowed = is_admin(person, self._settings)
        kind = AuditKind.ADMIN if allowed else AuditKind.DENIED
        try:
            await self._auditor.note(
                kind, tenant_id, incoming, action="reindex", source=source if source in known else ""
            )
        except StorageError as error:  # what cannot be recorded is not done
            code = new_code()
            log_failure(event.id, error, code)
            await private.finish([render_error(ErrorKind.INDEX, code, words)])
            return
        if not allowed:
            self._count("denied")
            await private.finish([render_error(ErrorKind.NOT_ALLOWED, "", words)])
        elif source is not None and source not in known:
            self._count("unknown_source")
            await private.finish([sentence(words.reindex_unknown_source(source, known))])
        else:
            if event.attempts == 1 and not incoming.channel_id.startswith("D"):
                await private.finish([sentence(words.reindex_started())])  # the rest is in the direct messages
            await self._read(event, incoming, person, source, words)

    async def give_up(self, event: ClaimedEvent, incoming: Incoming) -> None:
        """Tell the person that no attempt came to an end.

        Raises:
            SlackError: the person cannot be told either.
        """
        code = new_code()
        log_failure(event.id, RuntimeError("too many attempts"), code)
        reply = await self._delivery.direct(event, incoming)
        await reply.finish([render_error(ErrorKind.UNEXPECTED, code, Words(None))])

    async def _read(
        self, event: ClaimedEvent, incoming: Incoming, person: Person, source: str | None, words: Words
    ) -> None:
        reply = await self._delivery.direct(event, incoming)
        if reply.is_finished:
            return
        try:
            finished = await self._watch(source, person, reply, words)
        except BusyError as error:
            self._count("busy")
            who = f" ({error.asked_by})" if error.asked_by else ""
            await reply.finish([sentence(f"{words.reindex_running(error.since)}{who}")])
        except Exception as error:
            self._count("failed")
            code = new_code()
            log_failure(event.id, error, code)
            told = sentence(f"{words.reindex_failed()} {words.error_code(code)}")
            await reply.finish([told])
        else:
            self._count("done")
            await reply.finish([render_summary(finished, words)])

    async def _watch(self, source: str | None, person: Person, reply: Reply, words: Words) -> list[SyncFinished]:
        progress: dict[str, SyncProgress] = {}
        finished: list[SyncFinished] = []
        edited = -EDIT_SECONDS
        async with closing(self._reindexer.reindex(source, person.reader.email)) as steps:
            async for step in steps:
                match step:
                    case SyncStarted():
                        progress[step.source] = SyncProgress(step.source, 0, None)
                    case SyncProgress():
                        progress[step.source] = step
                    case SyncFinished():
                        progress[step.source] = SyncProgress(step.source, step.counts.total, step.counts.total)
                        finished.append(step)
                now = self._clock()
                if now - edited >= EDIT_SECONDS:
                    edited = now
                    await reply.progress(render_progress(list(progress.values()), words))
        return finished

    def _count(self, outcome: str) -> None:
        self._metrics.sync_runs.labels(outcome).inc()


def is_admin(person: Person, settings: Settings) -> bool:
    """Whether settings, the people file or, where settings say so, Slack makes this person an admin; never a guest."""
    if person.standing is not Standing.MEMBER:
        return False
    if person.is_listed_admin or (settings.admin_slack and person.is_slack_admin):
        return True
    named = {fold_name(address) for address in settings.admin_users}
    groups = {Principal.group(group) for group in settings.admin_groups}
    return fold_name(person.reader.email) in named or not groups.isdisjoint(person.reader.principals)
